"""Which packages of others a script needs: what its imports, and those of the package behind it, reach."""

import ast
import re
import sys
from collections.abc import Iterator
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

from packaging.utils import canonicalize_name

from contrapose.fingerprint import is_own, reached_definitions
from contrapose.project.steps import STEPS
from tests.checkout import HOME

WORKFLOW = HOME / "workflow"
SCRIPTS = WORKFLOW / "scripts"
SOURCE = HOME / "src"
SERVERS = ("contrapose_mini.loopback",)  # modules that worlds name as endpoints


def scripts_by_environment() -> dict[str, set[Path]]:
    """Return environment file: the scripts that rules run in it, as the rules say."""
    found: dict[str, set[Path]] = {}
    for file in [WORKFLOW / "Snakefile", *sorted(WORKFLOW.glob("rules/*.smk"))]:
        for rule in re.split(r"^ *rule(?= \w+:|:)", file.read_text(), flags=re.MULTILINE)[1:]:
            script = re.search(r'script:\s+"(.+?)"', rule)
            if script:
                conda = re.search(r'conda:\s+"(.+?)"', rule)
                assert conda, f"{file.name}: a rule with the script {script[1]} has no conda"
                environment = (file.parent / conda[1]).resolve().name
                found.setdefault(environment, set()).add((file.parent / script[1]).resolve())
    return found


def distributions_of(script: Path, source: Path = SOURCE) -> set[str]:
    """Return the normalised names of the distributions behind every module that a script may import.

    These are what its module and all of ours that it imports import on their top level, whether a name of
    them is used or not, and what the definitions that it reaches import when they are called.
    """
    by_module = packages_distributions()
    modules = {name for name in _needed(script, source) if name not in sys.stdlib_module_names}
    return {canonicalize_name(name) for module in modules for name in by_module.get(module, [module])}


def _needed(script: Path, source: Path) -> Iterator[str]:
    asks = "contrapose.generate.job:answered" in reached_definitions(script, source)
    kinds = [step.module for step in STEPS.values() if step.module and script == SCRIPTS / step.script]
    also = (*kinds, *(SERVERS if asks else ()))
    todo = [*_top(script), *also]
    for each in reached_definitions(script, source, also):
        module, _, name = each.rpartition(":")
        todo += _inside(script if module == "script" else _file(module, source), name)
    seen: set[Path] = set()
    while todo:
        parts = todo.pop().split(".")
        if not is_own(parts[0]):
            yield parts[0]
            continue
        # Importing a.b.c runs a and a.b first; c may be a name in a.b.
        for end in range(1, len(parts) + 1):
            file = _file(".".join(parts[:end]), source)
            if file.is_file() and file not in seen:
                seen.add(file)
                todo += _top(file)


@cache
def _top(file: Path) -> tuple[str, ...]:
    """Return what a file imports when it is itself imported."""
    todo: list[ast.AST] = list(ast.parse(file.read_text()).body)
    found: list[str] = []
    while todo:
        node = todo.pop()
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            todo += node.orelse
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            found += _imported(node)
            todo += ast.iter_child_nodes(node)
    return tuple(found)


@cache
def _inside(file: Path, name: str) -> tuple[str, ...]:
    """Return what the function or class of a name imports when it is called."""
    kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    made = [
        each for each in ast.parse(file.read_text()).body if isinstance(each, kinds) and each.name == name
    ]
    return tuple(module for each in made for node in ast.walk(each) for module in _imported(node))


def _imported(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom) and node.module:
        return [f"{node.module}.{alias.name}" for alias in node.names]
    return []


def _file(module: str, source: Path) -> Path:
    path = source.joinpath(*module.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
