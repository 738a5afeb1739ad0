"""Packages stand on floors: none imports from a higher one, not for types either; no circles."""

import ast
from collections import Counter
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from tests.checkout import HOME

SOURCE = HOME / "src"
FLOORS = [  # from the ground; single modules below `contrapose` may stand anywhere
    {"tables"},
    {"settings"},
    {"retrieve", "corpus", "encoders"},
    {"generate", "score", "pairs", "train", "evaluate"},
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


def imported(node: ast.AST, always: bool) -> Iterator[str]:
    """Yield what is imported; `always`: neither inside functions nor for types alone."""
    for each in ast.iter_child_nodes(node):
        if isinstance(each, ast.ImportFrom):
            names = [f"{each.module}.{alias.name}" for alias in each.names]
            yield from (name if name in modules() else str(each.module) for name in names)
        elif not always or not isinstance(each, ast.FunctionDef | ast.If):
            yield from imported(each, always)


@cache
def arrows(always: bool) -> dict[str, set[str]]:
    trees = {name: ast.parse(file.read_text()) for name, file in modules().items()}
    return {name: {*imported(tree, always)} & modules().keys() - {name} for name, tree in trees.items()}


def test_a_package_imports_nothing_of_a_higher_floor():
    packages = {name: name.split(".")[1] for name in modules() if name.count(".") > 1}
    assert FLOOR.keys() == {*packages.values()}
    upward = [
        f"{name} imports {other}"
        for name, others in arrows(always=False).items()
        for other in others
        if name in packages and FLOOR[packages[name]] < FLOOR.get(packages.get(other, ""), 0)
    ]
    assert upward == []


def test_no_modules_import_each_other_in_a_circle():
    TopologicalSorter(arrows(always=True)).prepare()


def test_no_two_classes_have_one_name():
    trees = (ast.parse(file.read_text()) for file in SOURCE.rglob("*.py"))
    names = Counter(each.name for tree in trees for each in tree.body if isinstance(each, ast.ClassDef))
    assert [name for name, count in names.items() if count > 1] == []


@pytest.mark.parametrize("module", ["train.losses.info_nce", "train.recipe", "encoders.sentence_encoder"])
def test_what_a_module_does_not_need_is_not_loaded(module: str):
    todo, seen = [f"contrapose.{module}"], set[str]()
    while todo:
        name = todo.pop()
        if name not in seen:
            seen.add(name)
            todo += arrows(always=True)[name]
    assert not [name for name in seen if name.startswith(("contrapose.pairs", "contrapose.report"))]
