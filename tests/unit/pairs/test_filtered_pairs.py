from pathlib import Path

import pandas as pd
import pytest

from contrapose.base.errors import TableError
from contrapose.jobs.status import read_status
from contrapose.pairs.filtered import FilteredPairs
from contrapose.project import Project, steps
from contrapose.tables import SLOT_SCORES
from tests.kinds import pairs
from tests.tables import paired

# Rows of one anchor are its paraphrases, whatever their ids.
TABLE = paired(["a", "b", "c", "a", "b", "c"], "ABCDEF", id="xyzxyz", slot=[0, 0, 0, 1, 1, 1])
SCORES = [
    *(("x", 0, 0.9, 0.5), ("x", 1, 0.7, 0.1), ("y", 0, 0.8, 0.6)),
    *(("y", 1, 0.8, 0.4), ("z", 0, 0.6, 0.0), ("z", 1, 0.95, 0.7)),
]


def filtered(scores=SCORES, table=TABLE, **bounds):
    rows = [(id, slot, 2 * similarity - 1, similarity, bleu) for id, slot, similarity, bleu in scores]
    slots = pd.DataFrame(rows, columns=SLOT_SCORES.columns).astype({"slot": "int16"})
    return pairs("filtered", table, slots, pairs="any", encoder="any", **bounds)


@pytest.mark.parametrize(
    ("bounds", "expected", "dropped"),
    [
        ({"similarity_at_least": 0.65}, "ABFDEF", "1 of 6 rows without similarity at least 0.65 are dropped"),
        ({"similarity_at_most": 0.8}, "BCDDEC", "2 of 6 rows without similarity at most 0.8 are dropped"),
        ({"bleu_at_most": 0.4}, "CDEDEC", "3 of 6 rows without bleu at most 0.4 are dropped"),
        (
            {"similarity_at_least": 0.7, "bleu_at_most": 0.5},
            "AEDE",
            "3 of 6 rows without similarity at least 0.7 and bleu at most 0.5 are dropped",
        ),
    ],
)
def test_rows_out_of_bounds_go_and_a_sentence_fills_its_slots_with_the_others(bounds, expected, dropped):
    found = filtered(**bounds)
    assert sorted(found.positive[: len(expected) // 2]) == sorted(expected[: len(expected) // 2])
    assert sorted(found.positive[len(expected) // 2 :]) == sorted(expected[len(expected) // 2 :])
    assert found.slot.tolist() == sorted([0, 1] * (len(expected) // 2))
    assert read_status(found.attrs).skipped == [dropped]


def test_if_all_are_within_nothing_changes_and_if_none_are_the_reason_is_told():
    pd.testing.assert_frame_equal(filtered(bleu_at_most=1), TABLE)
    found = filtered(similarity_at_least=0.96)
    assert read_status(found.attrs).unavailable.startswith("pairs: 6 of 6 rows without similarity")


def test_scores_of_other_pairs_and_no_bound_are_refused():
    with pytest.raises(TableError, match="slots: it was made from an older version of the pairs"):
        filtered(SCORES[1:], bleu_at_most=0.5)
    with pytest.raises(
        ValueError, match="set at least one of similarity_at_least, similarity_at_most, bleu_at_most"
    ):
        filtered()


def test_its_scores_are_those_of_any_pair_set_and_cost_their_cosines():
    project = Project({"catalog": "hub", "studies": ["thesis"]}, Path(__file__).parents[3])
    spec = FilteredPairs(kind="filtered", pairs="paraphrase", encoder="scorer", bleu_at_most=0.5)
    scores = "<results>/score/pairs/paraphrase/scorer"
    assert spec.inputs(project.paths) == {
        "pairs": "<results>/pairs/paraphrase.parquet",
        "slots": f"{scores}-slots.parquet",
    }
    assert spec.jobs(project.paths) == [f"{scores}-similarities"]
    rule = steps.step_of("score_paraphrase_quality")
    assert rule.settings(project, pairs="paraphrase", scorer="scorer").language == "english"
