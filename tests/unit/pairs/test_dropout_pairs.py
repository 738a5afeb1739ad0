from functools import partial

import pandas as pd
import pytest

from contrapose.base.errors import TableError
from contrapose.pairs.pair_rows import sampled
from tests.kinds import pairs
from tests.tables import sentences

SENTENCES_2 = sentences("A dog ran.", "A cat sat.", ids=["9:0", "3:4"])
MANY = sentences(*"ABCDEFGHIJ", ids="abcdefghij")
dropout_pairs = partial(pairs, "dropout", corpus="any")


def test_a_sentence_is_its_own_positive():
    pairs = dropout_pairs(SENTENCES_2)
    assert pairs.id.tolist() == ["9:0", "3:4"]
    assert pairs.anchor.tolist() == pairs.positive.tolist() == ["A dog ran.", "A cat sat."]
    assert pairs[["slot", "view", "weight"]].to_numpy().tolist() == [[0, 0, 1]] * 2
    assert pairs.label.isna().all()
    assert pairs[["negatives", "negative_scores"]].map(len).eq(0).all(axis=None)
    assert dropout_pairs(SENTENCES_2.head(0)).empty


def test_a_sample_is_drawn_without_replacement_and_is_the_head_of_a_larger_one():
    four, seven = (dropout_pairs(MANY, size=count) for count in (4, 7))
    pd.testing.assert_frame_equal(four, seven.head(4))
    assert seven.id.nunique() == 7
    assert (seven.anchor == seven.id.str.upper()).all()
    draws = {tuple(dropout_pairs(MANY, size=10, seed=draw).id) for draw in range(5)}
    assert len(draws) == 5
    assert {tuple(sorted(draw)) for draw in draws} == {tuple(MANY.id)}
    orders = [sampled(MANY, 10, 0, what).id.tolist() for what in ("sentences", "triplets")]
    assert orders[0] != orders[1]


def test_the_first_of_the_draw_are_for_dev_and_those_behind_them_for_training():
    drawn = dropout_pairs(MANY, size=10, seed=3).id.tolist()
    for count in (2, 5):
        assert dropout_pairs(MANY, size=count, seed=3, held_out=4).id.tolist() == drawn[4 : 4 + count]
    assert dropout_pairs(MANY, seed=3, held_out=4).id.tolist() == drawn[4:]
    assert dropout_pairs(MANY, seed=3, held_out=4, part="dev").id.tolist() == drawn[:4]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"size": 11}, "needs 11. Lower its size"),
        ({"held_out": 4, "size": 7}, "needs 11, 4 of which are dev pairs"),
        ({"held_out": 10}, "needs 11, 10 of which are dev pairs"),
        ({"held_out": 11, "part": "dev"}, "needs 11, 11 of which are dev pairs"),
    ],
)
def test_more_sentences_than_there_are_stop_held_out_ones_too(settings, message):
    with pytest.raises(TableError, match=f"sentences: there are 10, but the pair set {message}"):
        dropout_pairs(MANY, **settings)
