"""Encoders that teach: by labels of pairs, by lists of scores, and two of them by their vectors."""

import shutil

import pytest

from contrapose.tables import HISTORY, PAIRS, read_table
from tests.checkout import Checkout

ENTRIES = {
    "pairs:": """
  near: {kind: mined, pairs: dropout, encoder: scorer, negatives: 1, random: 1}
  listed: {kind: scored, pairs: near, encoder: scorer}
  spread: {kind: scored, pairs: near, encoder: scorer, negatives: rows}""",
    "recipes:": """
  by_lists: {loss: score_distillation, pooler: avg, batch_size: 16, dev: null}
  by_labels: {loss: cosent, pooler: avg, batch_size: 16, dev: null}
  by_vectors: {loss: vector_distillation, teacher: [teacher, scorer], batch_size: 16, dev: null}""",
}
RUNS = ("listed/by_lists", "spread/by_labels", "dropout/by_vectors")
HISTORIES = [f"results/train/{run}/seed42/history.parquet" for run in RUNS]


@pytest.fixture
def project(finished: Checkout, tmp_path) -> Checkout:
    """A copy of the finished project with pairs and recipes that need a teacher."""
    copy = Checkout(shutil.copytree(finished.folder, tmp_path / "copy"))
    path = copy.folder / "config/recipes.yaml"
    for section, entries in ENTRIES.items():
        path.write_text(path.read_text().replace(f"\n{section}\n", f"\n{section}{entries}\n", 1))
    return copy


def test_scores_are_made_once_and_each_kind_of_distillation_is_trained(project: Checkout):
    plan = project.plan(*HISTORIES)
    made = {"score_neighbours": 1, "score_pair_cosines": 1, "pairs_mined": 1, "pairs_scored": 2}
    assert {rule: jobs for rule, jobs in plan.items() if not rule.startswith("train")} == made
    project.run(*HISTORIES)
    listed, spread = (
        read_table(project.folder / f"results/pairs/{name}.parquet", PAIRS) for name in ("listed", "spread")
    )
    assert len(spread) == 3 * len(listed) == 3 * 64
    assert (listed.negatives.str.len() == 2).all()
    assert spread.label.sort_values().tolist() == sorted([*listed.label, *listed.negative_scores.explode()])
    histories = [read_table(project.folder / path, HISTORY) for path in HISTORIES]
    assert [len(each) for each in histories] == [4, 12, 4]
    assert project.plan(*HISTORIES) == {}
