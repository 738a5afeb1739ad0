"""Which packages of others a script needs: what its imports, and those of the package behind it, reach."""

import ast
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

from packaging.utils import canonicalize_name

from contrapose.base.home import is_ours
from contrapose.jobs.fingerprint import is_planning, reached_definitions
from contrapose.project.steps import STAGES, STEPS, step_of
from tests.checkout import HOME

WORKFLOW = HOME / "workflow"
SOURCE = HOME / "src"
SERVERS = ("contrapose_mini.loopback",)  # modules that catalogs name as endpoints


@cache
def jobs_by_environment() -> dict[str, dict[Path, set[str]]]:
    """Return environment file: scripts that rules run in it, with the modules of their steps, as they say."""
    found: dict[str, dict[Path, set[str]]] = {}
    for file in [WORKFLOW / "Snakefile", *sorted(WORKFLOW.glob("rules/*.smk"))]:
        for rule in re.split(r"^ *rule(?= \w+:|:)", file.read_text(), flags=re.MULTILINE)[1:]:
            script = re.search(r'script:\s+"(.+?)"', rule)
            if script:
                conda = re.search(r'conda:\s+"(.+?)"', rule)
                assert conda, f"{file.name}: a rule with the script {script[1]} has no conda"
                environment = (file.parent / conda[1]).resolve().name
                scripts = found.setdefault(environment, {})
                modules = {module for module in _steps_of(rule) if module}
                scripts.setdefault((file.parent / script[1]).resolve(), set()).update(modules)
    return found


def _steps_of(rule: str) -> list[str]:
    """Return the modules of the steps of a rule, or of all rules of a loop."""
    name = re.search(r'params_of\(f?"(.+?)"\)', rule)
    if not name:
        return [""]
    if "{" not in name[1]:
        return [step_of(name[1]).module]
    pattern = re.sub(r"{\w+}", r"\\w+", name[1])
    others = (_modules() | {*STEPS}) - _rules_by_themselves()
    return [step_of(each).module for each in others if re.fullmatch(pattern, each)]


@cache
def _rules_by_themselves() -> set[str]:
    """Return the names of rules that are no part of a loop."""
    texts = [file.read_text() for file in sorted(WORKFLOW.glob("rules/*.smk"))]
    return {name for text in texts for name in re.findall(r'params_of\("(\w+)"\)', text)}


@cache
def _modules() -> set[str]:
    """Return the names of the rules whose step is a module of its own."""
    folders = {stage: SOURCE / "contrapose" / stage.rstrip("_") for stage in STAGES}
    folders["mini_"] = SOURCE / "contrapose_mini" / "made"
    files = [(stage, file) for stage, folder in folders.items() for file in folder.glob("*.py")]
    return {f"{stage}{file.stem}" for stage, file in files if "\ndef build(" in file.read_text()}


def distributions_of(script: Path, steps: Iterable[str] = (), source: Path = SOURCE) -> set[str]:
    """Return the normalised names of the distributions behind every module that a script's jobs may import.

    These are what the script, the modules of steps, and all of ours that they import import on their top
    level, whether a name of them is used or not, and what the definitions that they reach import when they
    are called.
    """
    by_module = _distributions()
    modules = {*_needed(script, tuple(sorted(steps)), source)} - sys.stdlib_module_names
    return {canonicalize_name(name) for module in modules for name in by_module.get(module, [module])}


@cache
def _distributions() -> Mapping[str, list[str]]:
    """Return {module: names of its distributions}, which reads the files of all that is installed."""
    return packages_distributions()


def _needed(script: Path, also: tuple[str, ...], source: Path) -> Iterator[str]:
    reached = reached_definitions(script, source, also)
    if "contrapose.generate.session:session" in reached:
        also += SERVERS
        reached = reached_definitions(script, source, also)
    todo = [*_top(script), *also]
    for each in reached:
        module, _, name = each.rpartition(":")
        todo += _inside(script if module == "script" else _file(module, source), name)
    seen: set[Path] = set()
    while todo:
        parts = todo.pop().split(".")
        if not is_ours(parts[0]):
            yield parts[0]
            continue
        # Importing a.b.c runs a and a.b first; c may be a name in a.b.
        for end in range(1, len(parts) + 1):
            file = _file(".".join(parts[:end]), source)
            if file.is_file() and file not in seen:
                seen.add(file)
                todo += _top(file)


@cache
def _parsed(file: Path) -> ast.Module:
    return ast.parse(file.read_text())


@cache
def _top(file: Path) -> tuple[str, ...]:
    """Return what a file imports when it is itself imported."""
    todo: list[ast.AST] = list(_parsed(file).body)
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
    """Return what the function or class of a name imports when it is called in a job."""
    kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    made = [each for each in _runs(_parsed(file)) if isinstance(each, kinds)]
    return tuple(
        module for each in made if each.name == name for node in _walked(each) for module in _imported(node)
    )


def _walked(node: ast.AST) -> Iterator[ast.AST]:
    yield node
    for each in _runs(node):
        yield from _walked(each)


def _runs(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what is in a node, without functions that only plan jobs."""
    for each in ast.iter_child_nodes(node):
        if not is_planning(each):
            yield each


def _imported(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom) and node.module:
        return [f"{node.module}.{alias.name}" for alias in node.names]
    return []


def _file(module: str, source: Path) -> Path:
    path = source.joinpath(*module.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
