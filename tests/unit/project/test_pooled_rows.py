"""Encoders without training, pooled as recipes pool them: rows where that differs from their folders."""

import shutil

import pytest

from contrapose.base.home import HOME
from tests.unit.models.layouts import in_modules, pooling
from tests.unit.project.conftest import sts

POOLERS = {"own": "own", "mean": "mean", "first": "cls", "plain_first": "cls_before_pooler"}
RECIPES = {
    f"recipes.{name}": {"encoder": "mine", "pooling": pooler, "dev": None} for name, pooler in POOLERS.items()
}
SOUP = {"recipes.soup": {"kind": "weight_average", "recipe": "mean"}}


@pytest.fixture
def rows_of(build, tmp_path):
    """Give a function (mode of the folder's pooling, recipes, row without training) -> labels and runs."""

    def rows(mode, *recipes, **row):
        folder = shutil.copytree(HOME / "resources/mini/encoders/bert-base", tmp_path / mode)
        in_modules(folder, pooling(mode, width=128), ("Normalize", {}))
        trained = [f"dropout/{recipe}" for recipe in recipes]
        table = sts({"model": "No training", "encoder": "mine", **row}, *trained)
        catalog = {"encoders.mine": {"path": str(folder)}}
        project = build({"t": table}, catalog=catalog, recipes={**RECIPES, **SOUP}, seeds=1)
        about = project.about("own_t")
        return [(row.model, row.untrained or row.runs[0]) for row in about.rows], about.notes

    return rows


OWN, MEAN = ("No training", "released/mine/auto"), ("No training, mean pooling", "released/mine/mean")
FIRST = ("No training, [CLS] pooling", "released/mine/cls_before_pooler")


@pytest.mark.parametrize(
    ("mode", "recipes", "without"),
    [
        ("cls", ["own"], [OWN]),
        ("cls", ["mean"], [OWN, MEAN]),
        ("cls", ["soup"], [OWN, MEAN]),
        ("cls", ["first", "plain_first"], [OWN]),  # SimCSE's head is for training alone
        ("mean", ["own", "mean"], [OWN]),
        ("mean", ["first", "plain_first"], [OWN, FIRST]),
        ("max", ["mean", "first"], [OWN, MEAN, FIRST]),
    ],
)
def test_an_encoder_is_also_shown_as_recipes_pool_it(rows_of, mode, recipes, without):
    rows, notes = rows_of(mode, *recipes)
    assert rows[: len(without)] == without
    added = {run for _, run in without[1:]}
    assert added <= {run for _, run in rows[len(without) :]}  # a trained row is compared with each
    assert sum("a change of the pooling does not count as a gain" in note for note in notes) == len(added)


def test_a_row_that_names_its_pooling_has_no_further_one(rows_of):
    rows, notes = rows_of("cls", "mean", pooling="mean")
    assert rows[0] == ("No training", "released/mine/mean")
    assert len(rows) == 2
    assert not [note for note in notes if "pooling is no gain" in note]
