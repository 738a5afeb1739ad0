"""Pairs of a sentence with itself."""

import pandas as pd

from contrapose.pairs.dropout import dropout_pairs
from contrapose.tables import PAIRS, read_table, write_table

SENTENCES_2 = pd.DataFrame({"id": ["9:0", "3:4"], "text": ["A dog ran.", "A cat sat."]})


def test_a_sentence_is_its_own_positive():
    pairs = dropout_pairs(SENTENCES_2)
    assert pairs.id.tolist() == ["9:0", "3:4"]
    assert pairs.anchor.tolist() == pairs.positive.tolist() == ["A dog ran.", "A cat sat."]
    assert pairs.slot.tolist() == pairs["view"].tolist() == [0, 0]
    assert pairs.weight.tolist() == [1, 1]


def test_the_pairs_are_a_pairs_table(tmp_path):
    write_table(dropout_pairs(SENTENCES_2), tmp_path / "pairs.parquet", PAIRS)
    again = read_table(tmp_path / "pairs.parquet", PAIRS)
    assert again.negative.isna().all()
    assert again.label.isna().all()


def test_no_sentences_give_no_pairs(tmp_path):
    write_table(dropout_pairs(SENTENCES_2.head(0)), tmp_path / "pairs.parquet", PAIRS)
    assert read_table(tmp_path / "pairs.parquet", PAIRS).empty
