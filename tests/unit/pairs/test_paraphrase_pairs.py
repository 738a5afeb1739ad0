from functools import partial

import pandas as pd
import pytest

from contrapose.base.errors import TableError
from contrapose.jobs.status import Status, read_status
from tests.kinds import pairs
from tests.tables import sentences

SENTENCES_2 = sentences("A dog ran.", "A cat sat.", ids=["9:0", "3:4"])
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
NONE = ALL.head(0)
NEGATIVES = pd.DataFrame({"sentence_id": ["3:4", "7:7"], "slot": 0, "text": ["No cat sat.", "Here."]})
paraphrase_pairs = partial(pairs, "paraphrase", corpus="any")


def test_paraphrase_j_is_the_positive_of_slot_j(caplog):
    with caplog.at_level("INFO"):
        pairs = paraphrase_pairs(SENTENCES_2, ALL, NONE)
    assert list(zip(pairs.slot, pairs.anchor, pairs.positive, strict=True)) == [
        (0, "A dog ran.", "One dog ran."),
        (0, "A cat sat.", "One cat sat."),
        (1, "A dog ran.", "There ran a dog."),
        (1, "A cat sat.", "There sat a cat."),
    ]
    assert "x 2 paraphrases; 1 sentences with other paraphrases are not used" in caplog.text
    assert not read_status(pairs.attrs).skipped


def test_several_paraphrases_in_one_loss_are_views_of_one_slot(caplog):
    three = [("3:4", 2, "Cats sit."), ("9:0", 2, "Dogs run.")]
    texts = pd.concat([ALL, pd.DataFrame(three, columns=ALL.columns)])
    found = paraphrase_pairs(SENTENCES_2, texts, NONE, positives=3)
    assert list(zip(found.slot, found["view"], found.positive, strict=True)) == [
        *((0, 0, "One dog ran."), (0, 0, "One cat sat.")),
        *((0, 1, "There ran a dog."), (0, 1, "There sat a cat.")),
        *((0, 2, "Dogs run."), (0, 2, "Cats sit.")),
    ]
    with caplog.at_level("INFO"):
        assert paraphrase_pairs(SENTENCES_2, texts, NONE, positives=2).equals(found.head(4))
    assert "2 sentences x 3 paraphrases; 1 sentences with other paraphrase" in caplog.text
    assert paraphrase_pairs(SENTENCES_2, texts, NONE, paraphrases=2).equals(
        paraphrase_pairs(SENTENCES_2, ALL, NONE)
    )
    with pytest.raises(TableError, match=r"positives is 3, but each sentence has only 2 paraphrases\. Set"):
        paraphrase_pairs(SENTENCES_2, ALL, NONE, positives=3)


@pytest.mark.parametrize(
    ("paraphrases", "message"),
    [
        (ALL.head(5), r"1 of 2 sentences have too few texts\. The first is '9:0', which has 1 of 2\."),
        (ALL[ALL.slot == 1], r"column slot has \[1\], but 0, 1, 2 \.\.\. are expected"),
    ],
)
def test_a_slot_that_is_missing_is_an_error(paraphrases, message):
    with pytest.raises(TableError, match=message):
        paraphrase_pairs(SENTENCES_2, paraphrases, NONE)


FOUR = sentences("A dog ran.", "A cow.", "A cat sat.", "He.", ids=["9:0", "5:0", "3:4", "7:7"])


def test_a_sentence_without_paraphrases_is_dropped_and_counted(caplog):
    pairs = paraphrase_pairs(FOUR, ALL, NONE)
    assert pairs.id.tolist() == ["9:0", "3:4", "7:7"] * 2
    assert read_status(pairs.attrs).skipped == ["1 of 4 sentences without five paraphrases are dropped"]
    assert "1 of 4 sentences lack five paraphrases. The first is '5:0'" in caplog.text


def test_a_hard_negative_is_in_every_slot_and_a_sentence_without_one_is_dropped_too():
    pairs = paraphrase_pairs(FOUR, ALL, NEGATIVES, negative_prompt="negative")
    assert list(zip(pairs.slot, pairs.anchor, pairs.positive, pairs.negatives, strict=True)) == [
        (0, "A cat sat.", "One cat sat.", ["No cat sat."]),
        (0, "He.", "Gone.", ["Here."]),
        (1, "A cat sat.", "There sat a cat.", ["No cat sat."]),
        (1, "He.", "Away.", ["Here."]),
    ]
    assert read_status(pairs.attrs).skipped == [
        "1 of 4 sentences without five paraphrases and 1 of 4 sentences without a hard negative are dropped"
    ]


def test_fewer_than_two_sentences_are_no_pairs_but_a_reason():
    for paraphrases, negatives, reason in (
        (NONE, NONE, "4 of 4 sentences without five paraphrases are dropped"),
        (ALL[ALL.sentence_id == "3:4"], NONE, "3 of 4 sentences without five paraphrases are dropped"),
    ):
        pairs = paraphrase_pairs(FOUR, paraphrases, negatives)
        assert len(pairs) == 0
        assert read_status(pairs.attrs) == Status(unavailable=f"pairs: {reason}")
    none = paraphrase_pairs(FOUR, ALL, NONE, negative_prompt="negative")
    assert read_status(none.attrs).unavailable.endswith(
        "3 of 4 sentences without a hard negative are dropped"
    )
