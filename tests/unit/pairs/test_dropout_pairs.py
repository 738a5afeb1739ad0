"""Pairs of a sentence with itself."""

import pandas as pd
import pytest
from contrapose.jobs import DropoutJob

from contrapose.errors import TableError
from contrapose.pairs.dropout import dropout_pairs
from contrapose.pairs.rows import sampled
from contrapose.tables import PAIRS, read_table, write_table

SENTENCES_2 = pd.DataFrame({"id": ["9:0", "3:4"], "text": ["A dog ran.", "A cat sat."]})
MANY = pd.DataFrame({"id": list("abcdefghij"), "text": list("ABCDEFGHIJ")})


def job(**changes):
    return DropoutJob(**{"kind": "dropout", "corpus": "any", "sentences": None, **changes})


def test_a_sentence_is_its_own_positive():
    pairs = dropout_pairs(SENTENCES_2, job())
    assert pairs.id.tolist() == ["9:0", "3:4"]
    assert pairs.anchor.tolist() == pairs.positive.tolist() == ["A dog ran.", "A cat sat."]
    assert pairs.slot.tolist() == pairs["view"].tolist() == [0, 0]
    assert pairs.weight.tolist() == [1, 1]


def test_the_pairs_are_a_pairs_table(tmp_path):
    write_table(dropout_pairs(SENTENCES_2, job()), tmp_path / "pairs.parquet", PAIRS)
    again = read_table(tmp_path / "pairs.parquet", PAIRS)
    assert again.negative.isna().all()
    assert again.label.isna().all()


def test_no_sentences_give_no_pairs(tmp_path):
    write_table(dropout_pairs(SENTENCES_2.head(0), job()), tmp_path / "pairs.parquet", PAIRS)
    assert read_table(tmp_path / "pairs.parquet", PAIRS).empty


def test_a_sample_is_drawn_without_replacement_and_is_the_head_of_a_larger_one():
    four, seven = (dropout_pairs(MANY, job(sentences=count)) for count in (4, 7))
    pd.testing.assert_frame_equal(four, seven.head(4))
    assert seven.id.nunique() == 7
    assert (seven.anchor == seven.id.str.upper()).all()
    draws = {tuple(dropout_pairs(MANY, job(sentences=10, draw=draw)).id) for draw in range(5)}
    assert len(draws) == 5
    assert {tuple(sorted(draw)) for draw in draws} == {tuple(MANY.id)}


def test_sentences_and_triples_of_the_same_draw_have_their_own_order():
    orders = [sampled(MANY, 10, 0, what).id.tolist() for what in ("sentences", "triples")]
    assert orders[0] != orders[1]


def test_more_sentences_than_there_are_stop():
    with pytest.raises(TableError, match="sentences: there are 10, the pair set wants 11"):
        dropout_pairs(MANY, job(sentences=11))


def test_the_first_of_the_draw_are_for_dev_and_those_behind_them_for_training():
    drawn = dropout_pairs(MANY, job(sentences=10, draw=3)).id.tolist()
    for count in (2, 5):
        assert dropout_pairs(MANY, job(sentences=count, draw=3, dev=4)).id.tolist() == drawn[4 : 4 + count]
    assert dropout_pairs(MANY, job(sentences=None, draw=3, dev=4)).id.tolist() == drawn[4:]
    assert dropout_pairs(MANY, job(sentences=None, draw=3, dev=4, part="dev")).id.tolist() == drawn[:4]


@pytest.mark.parametrize(
    ("changes", "needed"),
    [({"sentences": 7}, 11), ({"sentences": None, "dev": 10}, 11), ({"dev": 11, "part": "dev"}, 11)],
)
def test_held_out_sentences_count_too(changes, needed):
    with pytest.raises(TableError, match=rf"there are 10, the pair set wants {needed}, \d+ of them for dev"):
        dropout_pairs(MANY, job(**{"dev": 4, **changes}))
