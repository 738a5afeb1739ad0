"""Hard negatives that a judge finds as relevant as the positive."""

from pathlib import Path

import pandas as pd
import pytest

from contrapose.base.errors import ConfigError
from contrapose.jobs.status import read_status
from contrapose.pairs.relabelled import RelabelledPairs
from contrapose.project import Project
from contrapose.project.registries import check
from tests.kinds import pairs
from tests.tables import paired

TABLE = paired("abc", "PQR", id="abc", negatives=[[*"KLMN"], ["K"], ["K"]])
SCORES = {
    **{"aP": 3.0, "aK": 1.0, "aL": 5.0, "aM": 3.0},  # aN has none
    **{"bQ": 4.0, "bK": 3.5},
    **{"cR": 2.0, "cK": 4.0},
}


def relabelled(scores=SCORES, table=TABLE, **settings):
    rows = [(*texts, score) for texts, score in scores.items()]
    relevance = pd.DataFrame(rows, columns=["anchor", "text", "score"]).astype({"score": "float32"})
    return pairs("relabelled", table, relevance, pairs="any", cross_encoder="any", **settings)


def texts(found):
    return [f"{row.positive} {''.join(row.negatives)}" for row in found.itertuples()]


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, ["L K", "Q K", "K "]),  # M is as relevant as P, and P lost its place: neither is a negative
        ({"margin": 0.5}, ["L K", "Q ", "K "]),
        ({"margin": 2.5}, ["L ", "Q ", "K "]),
        ({"positives": 0}, ["P K", "Q K", "R "]),
        ({"positives": 2}, ["L K", "Q K", "K ", "P K", "Q K", "R "]),
        ({"positives": 3}, ["L K", "Q K", "K ", "P K", "Q K", "R ", "M K", "Q K", "K "]),
    ],
)
def test_the_most_relevant_texts_become_positives_and_the_less_relevant_stay_negatives(settings, expected):
    found = relabelled(**settings)
    assert texts(found) == expected
    assert found.slot.tolist() == sorted([*range(max(1, settings.get("positives", 1)))] * 3)
    scores = [[SCORES[row.anchor + each] for each in row.negatives] for row in found.itertuples()]
    assert found.negative_scores.tolist() == scores


def test_a_row_whose_positive_has_no_score_is_dropped():
    found = relabelled({name: score for name, score in SCORES.items() if name != "aP"})
    assert found.id.tolist() == ["b", "c"]
    assert read_status(found.attrs).skipped == ["1 of 3 rows without a scored positive are dropped"]


def test_planning_knows_the_slots_and_refuses_pairs_without_hard_negatives():
    project = Project({"catalog": "hub", "studies": ["thesis"]}, Path(__file__).parents[3])
    spec = RelabelledPairs(kind="relabelled", pairs="paraphrase", llm="chatgpt", positives=2)
    once = project.pairs("paraphrase").rows(project)
    assert (spec.slot_count(project), spec.rows(project)) == (10, 2 * once)
    with pytest.raises(ConfigError, match="paraphrase has no hard negatives"):
        check(project, spec, "x.yaml")
    check(project, spec.model_copy(update={"pairs": "paraphrase+negative_prompt=negative"}), "x.yaml")
