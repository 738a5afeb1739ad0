"""Whitening and flow are runs like any other: planned, made, scored, checked."""

import shutil

import pandas as pd
import pytest

from contrapose.tables import HISTORY, read_table
from contrapose.train.encoder import load_encoder
from tests.checkout import Checkout

pytestmark = pytest.mark.xdist_group("workflow")
RUNS = ["dropout/whitening,components=16/seed42", "dropout/flow/seed42"]
SCORES = [f"results/evaluate/english/{run}.parquet" for run in RUNS]


@pytest.fixture
def project(finished: Checkout, tmp_path) -> Checkout:
    """A copy of the finished project with two recipes more."""
    copy = Checkout(shutil.copytree(finished.folder, tmp_path / "copy"))
    recipes = copy.folder / "config/recipes.yaml"
    recipes.write_text(
        recipes.read_text().rstrip() + "\n  whitening: {kind: whitening}\n  flow: {kind: flow}\n"
    )
    return copy


def test_a_fitted_system_is_made_and_scored_like_a_trained_one(project: Checkout):
    assert project.plan(*SCORES) == {"train_whitening": 1, "train_flow": 1, "evaluate_run": 2}
    project.run(*SCORES)
    whitened, flow = (load_encoder(project.folder / "results/train" / run / "encoder") for run in RUNS)
    assert [type(each).__name__ for each in (*whitened.head, *flow.head)] == ["Dense", "Normalize", "Glow"]
    for path in SCORES:
        assert pd.read_parquet(project.folder / path).value.abs().max() <= 1
    history = read_table(project.folder / "results/train" / RUNS[1] / "history.parquet", HISTORY)
    assert history.sentences.tolist() == [64]  # all of the small corpus, once
    with project.edited("config/recipes.yaml", "kind: flow", "kind: flow, width: 8"):
        assert project.plan(*SCORES) == {"train_flow": 1, "evaluate_run": 1}


def test_a_recipe_that_is_not_there_is_named_with_the_nearest_one(project: Checkout):
    done = project.run("results/evaluate/english/dropout/flwo/seed42.parquet", check=False)
    assert done.returncode
    assert "config/recipes.yaml has no entry 'flwo'. Did you mean 'flow'?" in done.stdout
