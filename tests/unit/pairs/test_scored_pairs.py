from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from pydantic import ValidationError

from contrapose.base.errors import ConfigError, TableError
from contrapose.jobs.status import read_status
from contrapose.pairs.scored import SimilarityPairs
from contrapose.project import Project
from contrapose.project.registries import check
from contrapose.tables import PAIRS, RELEVANCE, read_table, write_table
from tests.kinds import pairs as made
from tests.tables import paired

MINED = paired("abc", "ABC", id="xyz", slot=[0, 0, 1], negatives=[["B", "C"], [], ["A"]])
SCORES = pd.DataFrame(
    [("a", "A", 1.0), ("a", "B", 0.5), ("a", "C", -0.25), ("b", "B", 0.75), ("c", "C", 1.0), ("c", "A", 0.0)],
    columns=RELEVANCE.columns,
).astype({"score": "float32"})


def scored(pairs=MINED, scores=SCORES, **settings):
    return made("scored", pairs, scores, **{"pairs": "any", "encoder": "teacher", **settings})


def test_pairs_get_labels_and_hard_negatives_scores(tmp_path):
    found = scored()
    assert found.label.tolist() == [1.0, 0.75, 1.0]
    assert [each.tolist() for each in found.negative_scores] == [[0.5, -0.25], [], [0.0]]
    same = ["id", "slot", "view", "anchor", "positive", "negatives", "weight"]
    pd.testing.assert_frame_equal(found[same], MINED[same])
    write_table(MINED, tmp_path / "pairs", PAIRS)
    again = scored(read_table(tmp_path / "pairs", PAIRS))
    assert [each.tolist() for each in again.negative_scores] == [[0.5, -0.25], [], [0.0]]


def test_hard_negatives_may_be_rows_of_their_own_in_the_slot_of_their_anchor():
    found = scored(negatives="rows")
    assert found.id.tolist() == ["x", "x+1", "x+2", "y", "z", "z+1"]
    assert found.slot.tolist() == [0, 0, 0, 0, 1, 1]
    assert found.anchor.tolist() == [*"aaabcc"]
    assert found.positive.tolist() == [*"ABCBCA"]
    assert found.label.tolist() == [1.0, 0.5, -0.25, 0.75, 1.0, 0.0]
    assert not found.negatives.str.len().any()


def test_a_cross_encoder_gives_probabilities_or_its_output():
    judged = {"encoder": None, "cross_encoder": "judge"}
    found = scored(**judged)
    assert found.label.tolist() == pytest.approx([1 / (1 + np.exp(-each)) for each in (1, 0.75, 1)])
    assert found.negative_scores[0] == pytest.approx([1 / (1 + np.exp(-0.5)), 1 / (1 + np.exp(0.25))])
    assert scored(**judged, activation="identity").label.tolist() == [1.0, 0.75, 1.0]


def test_a_chat_models_scores_are_divided_by_five_and_rows_without_one_go():
    scores = SCORES.assign(score=SCORES.score * 2)[1:]  # none of a and A
    found = scored(scores=scores, encoder=None, llm="judge")
    assert (found.id.tolist(), found.label.tolist()) == ([*"yzyz"], pytest.approx([0.3, 0.4] * 2))
    assert [each.tolist() for each in found.negative_scores] == [[], [0.0]] * 2
    assert read_status(found.attrs).skipped == ["1 of 3 rows without a score are dropped"]


def test_what_does_not_fit_is_refused():
    for given in ({"encoder": None}, {"cross_encoder": "judge"}):
        with pytest.raises(ValidationError, match="set exactly one of encoder, llm, cross_encoder"):
            scored(**given)
    with pytest.raises(TableError, match="relevance: it was made from an older version of the pairs"):
        scored(scores=SCORES[1:])


def test_its_scores_sides_and_dev_pairs_follow_from_those_of_the_other_set():
    project = Project({"catalog": "hub", "studies": ["thesis", "rise"]}, Path(__file__).parents[3])
    nli, rows = (
        SimilarityPairs(kind="scored", pairs="nli-en", encoder="scorer", negatives=each)
        for each in ("kept", "rows")
    )
    cosines = "<results>/score/pair_cosines/nli-en/scorer.parquet"
    assert nli.inputs(project.paths) == {"pairs": "<results>/pairs/nli-en.parquet", "relevance": cosines}
    judged = SimilarityPairs(kind="scored", pairs="nli-en", cross_encoder="scorer")
    assert judged.inputs(project.paths)["relevance"] == "<results>/score/relevance/nli-en/scorer.parquet"
    assert (nli.labels(project), rows.labels(project)) == ("similarities", "similarity")
    assert (nli.sides(project), rows.sides(project)) == (3, 2)
    assert rows.rows(project) == 2 * nli.rows(project)
    assert nli.dev_pairs(project, "own") == "nli-en+part=dev"
    assert rows.dev_pairs(project, "own") is None
    check(project, SimilarityPairs(kind="scored", pairs="dino-stsb", encoder="scorer"), "x.yaml")
    with pytest.raises(ConfigError, match="punctuation has 2 positives in a row, but labels need one"):
        check(project, SimilarityPairs(kind="scored", pairs="punctuation", encoder="scorer"), "x.yaml")
