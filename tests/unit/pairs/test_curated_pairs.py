import pandas as pd
import pytest

from contrapose.jobs.status import read_status
from tests.kinds import pairs
from tests.tables import paired

NONE = float("nan")


def relevance(**scores):
    """Return RELEVANCE; `aB`: of anchor and text."""
    rows = [(name[0], name[1], score) for name, score in scores.items() if score == score]
    return pd.DataFrame(rows, columns=["anchor", "text", "score"]).astype({"score": "float32"})


def curated(table, scores, **settings):
    return pairs("curated", table, relevance(**scores), pairs="any", llm="any", **settings)


@pytest.mark.parametrize(
    ("positive", "negatives", "expected"),
    [
        (4.5, {"N": 1.0}, "P N"),
        (3.0, {"N": 2.9}, "P N"),
        (2.9, {"N": 1.0}, None),
        (4.5, {"N": 3.1}, None),  # no hard negative is left
        (3.0, {"N": 3.0}, None),
        (1.0, {"N": 4.0}, "N P"),  # swapped
        (3.5, {"N": 4.0}, None),  # swapped, but too similar
        (NONE, {"N": 1.0}, None),
        (4.0, {"N": NONE}, None),
        (4.0, {"M": NONE, "N": 2.0, "O": 3.5}, "P N"),
        (2.0, {"M": 4.5, "N": 1.5, "O": 5.0}, "O NP"),
        (4.0, {}, "P "),
        (2.0, {}, None),
    ],
)
def test_texts_are_swapped_and_dropped_by_their_scores(positive, negatives, expected):
    table = paired("xab", "XPQ", negatives=[[], list(negatives), []])
    scores = {"xX": 5.0, "aP": positive, "bQ": 5.0} | {f"a{name}": each for name, each in negatives.items()}
    found = curated(table, scores)
    assert found.anchor.tolist() == (["x", "a", "b"] if expected else ["x", "b"])
    if expected:
        row = found.iloc[1]
        assert f"{row.positive} {''.join(row.negatives)}" == expected
        assert row.negative_scores == pytest.approx([scores[f"a{name}"] for name in row.negatives])
        assert read_status(found.attrs).skipped == []
    else:
        (dropped,) = read_status(found.attrs).skipped
        assert dropped.startswith("1 of 3 rows without a similar positive")


def test_an_id_that_lost_a_slot_repeats_another_and_one_that_lost_all_is_gone():
    ids, slots = [*"abc" * 3], [0, 0, 0, 1, 1, 1, 2, 2, 2]
    table = paired(ids, [f"{id}{slot}"[1] for id, slot in zip(ids, slots, strict=True)], id=ids, slot=slots)
    scores = {f"{id}{slot}": 1.0 if id == "b" or (id, slot) in (("a", 0), ("c", 1), ("c", 2)) else 4.0
              for id, slot in zip(ids, slots, strict=True)}  # fmt: skip
    found = curated(table, scores)
    assert found.slot.tolist() == [0, 0, 1, 1, 2, 2]
    assert (found.anchor + found.positive).tolist() == ["c0", "a1", "c0", "a2", "c0", "a1"]
