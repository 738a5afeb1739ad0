"""Pairs of a sentence with its paraphrases."""

import pandas as pd
import pytest

from contrapose.errors import TableError
from contrapose.pairs.paraphrase import paraphrase_pairs
from contrapose.tables import PAIRS, read_table, write_table

SENTENCES_2 = pd.DataFrame({"id": ["9:0", "3:4"], "text": ["A dog ran.", "A cat sat."]})


def paraphrases(*rows):
    return pd.DataFrame(rows, columns=["sentence_id", "slot", "text"])


ALL = paraphrases(
    ("3:4", 0, "One cat sat."),
    ("3:4", 1, "There sat a cat."),
    ("9:0", 1, "There ran a dog."),
    ("9:0", 0, "One dog ran."),
)


def test_paraphrase_j_is_the_positive_of_slot_j():
    pairs = paraphrase_pairs(SENTENCES_2, ALL)
    assert list(zip(pairs.slot, pairs.anchor, pairs.positive, strict=True)) == [
        (0, "A dog ran.", "One dog ran."),
        (0, "A cat sat.", "One cat sat."),
        (1, "A dog ran.", "There ran a dog."),
        (1, "A cat sat.", "There sat a cat."),
    ]


def test_the_pairs_are_a_pairs_table(tmp_path):
    write_table(paraphrase_pairs(SENTENCES_2, ALL), tmp_path / "pairs.parquet", PAIRS)
    assert len(read_table(tmp_path / "pairs.parquet", PAIRS)) == 4


def test_paraphrases_of_replaced_sentences_are_left_out(caplog):
    more = pd.concat([ALL, paraphrases(("7:7", 0, "Gone."), ("7:7", 1, "Away."))])
    with caplog.at_level("INFO"):
        assert "7:7" not in paraphrase_pairs(SENTENCES_2, more).id.tolist()
    assert "2 sentences x 2 paraphrases; 1 others not used" in caplog.text


def test_a_sentence_without_one_of_the_slots_is_named():
    with pytest.raises(
        TableError, match=r"1 of 2 sentences lack a slot; the first is '9:0', which has \[1\]"
    ):
        paraphrase_pairs(SENTENCES_2, ALL.head(3))


def test_slots_must_be_numbered_from_zero():
    with pytest.raises(TableError, match=r"slots are \[1\], expected 0, 1, 2"):
        paraphrase_pairs(SENTENCES_2, ALL[ALL.slot == 1])


def test_no_paraphrases_at_all_is_an_error():
    with pytest.raises(TableError, match=r"slots are \[\]"):
        paraphrase_pairs(SENTENCES_2, ALL.head(0))
