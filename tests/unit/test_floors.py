"""Packages stand on floors: none imports from a higher one, also not inside functions or for types."""

import ast
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from tests.checkout import HOME

SOURCE = HOME / "src"
FLOORS = [  # from the ground; single modules below `contrapose` may stand anywhere
    {"base", "tables", "settings"},
    {"jobs", "text"},
    {"models"},
    {"retrieve", "train"},
    {"corpus"},
    {"generate"},
    {"pairs", "evaluate", "score"},
    {"report"},
    {"project"},
    {"tools"},
]
FLOOR = {package: number for number, floor in enumerate(FLOORS) for package in floor}


@cache
def modules() -> dict[str, Path]:
    files = (SOURCE / "contrapose").rglob("*.py")
    names = {".".join(file.relative_to(SOURCE).with_suffix("").parts): file for file in files}
    return {name.removesuffix(".__init__"): file for name, file in names.items()}


@cache
def tree(file: Path) -> ast.Module:
    return ast.parse(file.read_text())


def imported(node: ast.AST, anywhere: bool = True) -> Iterator[str]:
    """Yield what is imported, with the package whose file runs before it.

    Unless `anywhere`, neither inside functions nor for types alone.
    """
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ImportFrom):
            yield str(child.module)
            yield from (f"{child.module}.{alias.name}" for alias in child.names)
        elif anywhere or not isinstance(child, ast.FunctionDef | ast.If):
            yield from imported(child, anywhere)


@cache
def arrows(anywhere: bool = True) -> dict[str, set[str]]:
    files = modules()
    return {name: {*imported(tree(file), anywhere)} & files.keys() - {name} for name, file in files.items()}


def packages() -> dict[str, str]:
    return {name: name.split(".")[1] for name in modules() if name.count(".") > 1}


def test_a_package_imports_nothing_of_a_higher_floor():
    of = packages()
    assert FLOOR.keys() == {*of.values()}
    upward = [
        f"{name} imports {other}"
        for name, others in arrows().items()
        for other in others
        if name in of and FLOOR[of[name]] < FLOOR.get(of.get(other, ""), 0)
    ]
    assert upward == []


def test_neither_modules_nor_packages_import_each_other_in_a_circle():
    TopologicalSorter(arrows()).prepare()
    of, rooms = packages(), defaultdict[str, set[str]](set)
    for name, others in arrows().items():
        if name in of:
            rooms[of[name]] |= {of[other] for other in others if other in of} - {of[name]}
    TopologicalSorter(rooms).prepare()


def test_no_two_classes_have_one_name():
    bodies = (tree(file).body for file in SOURCE.rglob("*.py"))
    names = Counter(each.name for body in bodies for each in body if isinstance(each, ast.ClassDef))
    assert [name for name, count in names.items() if count > 1] == []


@pytest.mark.parametrize("module", ["train.losses.info_nce", "train.recipe", "models.sentence_encoder"])
def test_what_a_module_does_not_need_is_not_loaded(module: str):
    todo, seen = [f"contrapose.{module}"], set[str]()
    while todo:
        name = todo.pop()
        if name not in seen:
            seen.add(name)
            todo += arrows(anywhere=False)[name]
    assert not [name for name in seen if name.startswith(("contrapose.pairs", "contrapose.report"))]
