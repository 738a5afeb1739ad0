"""Digests of settings and of code: what decides whether a step must run again.

Snakemake compares a rule's params as a set of values without their names, and it does not look into
imported modules.  So every rule carries two params made here: its settings as one canonical text, and a
digest of the package code that its script runs.
"""

import ast
import atexit
import hashlib
import json
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from importlib.util import cache_from_source, resolve_name
from pathlib import Path
from typing import NamedTuple

from pydantic import BaseModel

from contrapose.base.home import PACKAGES, is_ours
from contrapose.jobs.user_code import user_files, user_module, user_packages

PLANNERS = {"Plan", "Counts", "Lookups", "Project", "Paths"}  # classes that no job has
# The process that a script runs in, the time it takes and the digests of what it made do not change results.
UNCOUNTED = (
    "contrapose.jobs.warm",
    "contrapose.base.orphans",
    "contrapose.jobs.timing",
    "contrapose.jobs.manifest",
)
_Import = tuple[str, str, str | None]  # local name, module, name in the module or None for all of it


def canonical(settings: object) -> str:
    """Return settings as one JSON text: sorted keys, no spaces, defaults written out.

    Equal settings give equal text, whatever their order or layout was in the file.
    """
    value = settings.model_dump(mode="json") if isinstance(settings, BaseModel) else settings
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def digest(*texts: str) -> str:
    """Return the first 16 hex digits of the SHA-256 of `texts`."""
    return hashlib.sha256(canonical(list(texts)).encode()).hexdigest()[:16]


def _is_counted(module: str) -> bool:
    return is_ours(module) or module.split(".")[0] in user_packages()


@cache
def code_digest(script: Path, source: Path, also: tuple[str, ...] = ()) -> str:
    """Return a digest of a script and of all our code that it reaches, below `source`, which is `src/`.

    Follows names, not only modules: from `from contrapose.x import f` to the definition of `f`, and on to
    every name that `f` mentions.  Comments, layout, docstrings, the `description` of settings and tables and
    functions that only plan jobs do not count, and neither does a definition that the script cannot
    reach.  Shadowed names count as the module's own, so the digest may cover too much, never too little.

    `also` are modules that settings name and the script imports by that name; of other packages' modules the
    name alone counts.
    """
    key = " ".join([hashlib.sha256(script.read_bytes()).hexdigest(), *also])
    known = _known_digests(source)
    if key not in known:
        reached = sorted(reached_definitions(script, source, also).items())
        known[key] = digest(*also, *(f"{where} {what}" for where, what in reached))
    return known[key]


@cache
def _known_digests(source: Path) -> dict[str, str]:
    """Return the cached digests of scripts, by their content, from earlier calls with identical packages.

    Each call of Snakemake needs all of them, which takes longer than the rest of a small plan.  New digests
    are added when the process ends.
    """
    paths = sorted(path for package in PACKAGES for path in (source / package).rglob("*.py"))
    files = [(str(path.relative_to(source)), path.read_bytes()) for path in paths]
    files += [(str(path), path.read_bytes()) for path in user_files()]
    today = digest(*(f"{name} {hashlib.sha256(content).hexdigest()}" for name, content in files))
    place, digests = _place(source), dict[str, str]()
    with suppress(OSError, ValueError, KeyError, TypeError):  # none yet, or not readable: found anew
        kept = json.loads(place.read_text(encoding="utf-8"))
        digests = dict(kept["digests"]) if kept["package"] == today else {}
    atexit.register(_keep, place, today, digests, len(digests))
    return digests


def _place(source: Path) -> Path:
    """Return the file that keeps digests: next to Python's cached bytecode, or where users' caches are.

    Nothing is lost with either but the seconds of one call.
    """
    beside = Path(cache_from_source(source / PACKAGES[0] / "__init__.py")).with_name("digests.json")
    if not sys.dont_write_bytecode and os.access(
        beside if beside.exists() else source / PACKAGES[0], os.W_OK
    ):
        return beside
    caches = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    file = Path(caches, "contrapose", f"digests-{digest(str(source.absolute()), sys.version)}.json")
    return file if file.is_absolute() else beside  # a user without a home has no `~`


def _keep(place: Path, package: str, digests: dict[str, str], before: int) -> None:
    if len(digests) == before:
        return
    draft = place.with_suffix(f".{os.getpid()}")
    with suppress(OSError):  # a full disk: the next call computes them again
        place.parent.mkdir(parents=True, exist_ok=True)
        draft.write_text(json.dumps({"package": package, "digests": digests}), encoding="utf-8")
        draft.replace(place)


def reached_definitions(script: Path, source: Path, also: tuple[str, ...] = ()) -> dict[str, str]:
    """Map `module:name` to the digest of its syntax, for every definition that `script` or `also` reaches."""
    start = _Module(script, "")
    todo = [(start, "script", name) for name in start.nodes]
    todo += [each for module in also for each in _definitions(module, None, source)]
    reached: dict[str, str] = {}
    while todo:
        module, where, name = todo.pop()
        key = f"{where}:{name}"
        if key in reached:
            continue
        definition = module.definition(name)
        reached[key] = definition.digest
        # Statements that only have an effect (a call at module level) run whenever the module is imported.
        todo += [(module, where, each) for each in (*module.effects, *definition.names)]
        todo += _package_effects(where, source)
        for origin, original in definition.imports:
            todo += _definitions(origin, original, source)
    return reached


@cache
def _package_effects(module: str, source: Path) -> list[tuple["_Module", str, str]]:
    """Return the statements with an effect that importing a module runs before it: those of its packages."""
    parts = module.split(".")
    packages = [".".join(parts[:depth]) for depth in range(1, len(parts))]
    read = [(_module(file, name), name) for name in packages if (file := _file_of(name, source)).is_file()]
    return [(package, name, effect) for package, name in read for effect in package.effects]


@cache
def _definitions(module: str, name: str | None, source: Path) -> list[tuple["_Module", str, str]]:
    """Return what importing `name` from `module` (or all of `module`) brings, as (module, its name, name)."""
    whole = module if name is None else f"{module}.{name}"
    if _file_of(whole, source).is_file():
        imported, where = _module(_file_of(whole, source), whole), whole
        names = [*imported.nodes, *imported.imports]
    elif name is None:
        return []
    else:
        imported, where, names = _module(_file_of(module, source), module), module, [name]
    passed_on = [one for each in names for one in imported.imports.get(each, [])]  # from elsewhere
    further = [each for _, origin, original in passed_on for each in _definitions(origin, original, source)]
    return [*((imported, where, each) for each in names), *further]


class _Definition(NamedTuple):
    """A top-level name of a module."""

    digest: str  # of the syntax of the statements that make it
    names: list[str]  # of the same module that they mention
    imports: list[tuple[str, str | None]]  # module and name that they take from the package


class _Module:
    """The top level of one Python file: which statements make a name, and which names are imported."""

    def __init__(self, path: Path, name: str) -> None:
        self.package = name if path.name == "__init__.py" else name.rpartition(".")[0]
        self.nodes: dict[str, list[ast.stmt]] = {}
        self.imports: dict[str, list[_Import]] = {}
        for statement in _statements(ast.parse(path.read_text(encoding="utf-8"), filename=str(path))):
            if isinstance(statement, ast.Import | ast.ImportFrom):
                for one in _imported(statement, self.package):
                    self.imports.setdefault(one[0], []).append(one)
            else:
                for name in list(_defined(statement)) or [f"<effect {len(self.nodes)}>"]:
                    self.nodes.setdefault(name, []).append(statement)
        self.effects = [name for name in self.nodes if name.startswith("<effect")]
        self._definitions: dict[str, _Definition] = {}

    def definition(self, name: str) -> _Definition:
        if name not in self._definitions:
            parts: list[ast.AST] = []
            made = digest(*(_text(node, parts) for node in self.nodes.get(name, [])))
            names: dict[str, None] = {}
            imports: dict[tuple[str, str | None], None] = {}
            for part in parts:
                if isinstance(part, ast.Name) and part.id in self.nodes:
                    names[part.id] = None
                known = self.imports.get(part.id, []) if isinstance(part, ast.Name) else None
                imported = _imported(part, self.package) if known is None else known
                imports |= {(origin, original): None for _, origin, original in imported}
            self._definitions[name] = _Definition(made, list(names), list(imports))
        return self._definitions[name]


_module = cache(_Module)


def _imported(statement: ast.AST, package: str) -> Iterator[_Import]:
    """Yield the imports of counted packages that `statement` makes; none if it is no import."""
    if isinstance(statement, ast.ImportFrom):
        module = resolve_name("." * statement.level + (statement.module or ""), package)
        if _is_counted(module) and module not in UNCOUNTED:
            names = [alias for alias in statement.names if alias.name not in PLANNERS]
            yield from ((alias.asname or alias.name, module, alias.name) for alias in names)
    elif isinstance(statement, ast.Import):
        for alias in statement.names:
            if _is_counted(alias.name):
                yield alias.asname or alias.name.split(".")[0], alias.name, None


def _statements(tree: ast.Module) -> Iterator[ast.stmt]:
    """Yield the top-level statements; what stands under `if TYPE_CHECKING:` never runs."""
    for statement in _counted(tree):
        if isinstance(statement, ast.If) and "TYPE_CHECKING" in ast.dump(statement.test):
            continue
        yield statement


def _defined(statement: ast.stmt) -> Iterator[str]:
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield statement.name
    elif isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign):
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        for target in targets:
            names = (part for part in ast.walk(target) if isinstance(part, ast.Name))
            # `x.y = 1` and `x["y"] = 1` change what x stands for: an effect, whoever reads it.
            yield from (name.id for name in names if isinstance(name.ctx, ast.Store))


def is_planning(node: ast.AST) -> bool:
    """Return whether only the planning of jobs calls a function: it takes a project or its paths.

    A property of settings, which takes nothing, is marked as `planned`.
    """
    if not isinstance(node, ast.FunctionDef):
        return False
    types = {ast.unparse(each.annotation).strip("'") for each in node.args.args if each.annotation}
    return bool(types & PLANNERS) or "planned" in map(ast.unparse, node.decorator_list)


def _counted(node: ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> list[ast.stmt]:
    """Return the statements in a body but for its docstring and what plans jobs: neither changes a result."""
    body = [statement for statement in node.body if not is_planning(statement)]
    first = body[0].value if body and isinstance(body[0], ast.Expr) else None
    return body[isinstance(first, ast.Constant) and isinstance(first.value, str) :]


def _undescribed(node: ast.AST) -> ast.AST:
    """Return the declaration of a setting without a `Field` that only holds its default and description."""
    value = node.value if isinstance(node, ast.AnnAssign) else None
    if not (isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "Field"):
        return node
    if len(value.args) > 1 or any(word.arg != "description" for word in value.keywords):
        return node
    assert isinstance(node, ast.AnnAssign)
    default = value.args[0] if value.args else None
    return ast.AnnAssign(node.target, node.annotation, default, node.simple)


def _text(node: object, parts: list[ast.AST]) -> str:
    """Write a syntax tree as text that is the same in every Python version: empty fields left out.

    What changes no result is left out, too: docstrings, what plans jobs and every `description=`, so that
    `Field(3, description="...")` reads as 3.  Names and imports in it are added to `parts`.
    """
    if isinstance(node, list):
        return f"[{','.join([_text(value, parts) for value in node])}]"
    if not isinstance(node, ast.AST):
        return repr(node)
    node = _undescribed(node)
    fields = {name: getattr(node, name, None) for name in node._fields}
    if isinstance(node, ast.Name | ast.Import | ast.ImportFrom):
        parts.append(node)
    elif isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        fields["body"] = _counted(node)
    elif isinstance(node, ast.Call):
        fields["keywords"] = [word for word in node.keywords if word.arg != "description"]
    inner = [f"{name}={_text(value, parts)}" for name, value in fields.items() if value not in (None, [])]
    return f"{type(node).__name__}({','.join(inner)})"


def _file_of(module: str, source: Path) -> Path:
    path = user_module(module) or source.joinpath(*module.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
