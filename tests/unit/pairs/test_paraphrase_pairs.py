"""Pairs of a sentence with its paraphrases."""

from functools import partial

import pandas as pd
import pytest

from contrapose.errors import TableError
from tests.kinds import pairs

SENTENCES_2 = pd.DataFrame({"id": ["9:0", "3:4"], "text": ["A dog ran.", "A cat sat."]})
ALL = pd.DataFrame(
    [
        ("3:4", 0, "One cat sat."),
        ("3:4", 1, "There sat a cat."),
        ("7:7", 0, "Gone."),  # of a sentence that was replaced
        ("7:7", 1, "Away."),
        ("9:0", 1, "There ran a dog."),
        ("9:0", 0, "One dog ran."),
    ],
    columns=["sentence_id", "slot", "text"],
)
paraphrase_pairs = partial(pairs, "paraphrase", corpus="any")


def test_paraphrase_j_is_the_positive_of_slot_j(caplog):
    with caplog.at_level("INFO"):
        pairs = paraphrase_pairs(SENTENCES_2, ALL)
    assert list(zip(pairs.slot, pairs.anchor, pairs.positive, strict=True)) == [
        (0, "A dog ran.", "One dog ran."),
        (0, "A cat sat.", "One cat sat."),
        (1, "A dog ran.", "There ran a dog."),
        (1, "A cat sat.", "There sat a cat."),
    ]
    assert "2 sentences x 2 paraphrases; 1 others not used" in caplog.text


@pytest.mark.parametrize(
    ("paraphrases", "message"),
    [
        (ALL.head(5), r"1 of 2 sentences lack a slot; the first is '9:0', which has \[1\]"),
        (ALL[ALL.slot == 1], r"slots are \[1\], expected 0, 1, 2"),
        (ALL.head(0), r"slots are \[\]"),
    ],
)
def test_a_slot_that_is_missing_is_an_error(paraphrases, message):
    with pytest.raises(TableError, match=message):
        paraphrase_pairs(SENTENCES_2, paraphrases)
