import pandas as pd
import pytest

from contrapose.jobs.status import read_status
from contrapose.tables import ENTAILMENTS
from tests.kinds import pairs
from tests.tables import sentences

LONG = "the red dog ran up the hill {}."  # eight words
ROWS = {  # name -> texts and probabilities
    "a": ("A dog was running there.", "No dog has ever run.", 0.9, 0.9),
    "b": ("A dog was running there.", "No dog has ever run.", 0.89, 1.0),
    "c": ("A dog was running there.", "No dog has ever run.", 1.0, 0.89),
    "d": ("A dog was running.", "No dog has ever run.", 1.0, 1.0),
    "e": ("red dog ran up the hill!", "No dog has ever run.", 1.0, 1.0),
    "f": ("A dog was running there.", f"Not so: {LONG.format('f')}", 1.0, 1.0),
    "g": ("Red dog ran up the hill.", "No dog has ever run.", 1.0, 1.0),
}
SOURCES = sentences(*(LONG.format(name) for name in ROWS), ids=ROWS)
FOUND = pd.DataFrame([(name, *row) for name, row in ROWS.items()], columns=ENTAILMENTS.columns)
FOUND = FOUND.astype({"p_entailment": "float64", "p_contradiction": "float64"})


def entailed(**settings):
    return pairs("entailments", SOURCES, FOUND, corpus="own", writer="t5", **settings)


def test_likely_texts_that_are_long_enough_and_no_part_of_the_sentence_are_kept():
    found = entailed()
    assert found.id.tolist() == ["a", "g"]  # a capital is another text, as for the authors
    assert found.anchor[0] == "the red dog ran up the hill a."
    assert (found.positive[0], found.negatives[0]) == ("A dog was running there.", ["No dog has ever run."])
    assert read_status(found.attrs).skipped == [
        "of 7 sentences, 2 with a text of low probability, 2 with a text that repeats it, "
        "1 with too few words are dropped"
    ]


@pytest.mark.parametrize(
    ("settings", "more"),
    [
        ({"entailment": 0.8}, "b"),
        ({"contradiction": 0.8}, "c"),
        ({"written_words": 4}, "d"),
        ({"entailment": 0.0, "contradiction": 0.0}, "bc"),
    ],
)
def test_thresholds_are_settings_of_the_pairs(settings, more):
    assert entailed(**settings).id.tolist() == sorted(["a", *more, "g"])


def test_the_reason_for_too_few_pairs_says_what_was_dropped_if_anything_was():
    asked = {"corpus": "own", "writer": "t5", "size": 5}
    few = pairs("entailments", SOURCES[:2], FOUND[:2], **asked)
    needed = "but 5 are needed. Add sentences or texts, or lower the size of this pair set"
    one = "of 2 sentences, 1 with a text of low probability are dropped, and 1 remain"
    assert read_status(few.attrs).unavailable == f"pairs of kind entailments: {one}, {needed}"
    good = SOURCES.id.isin(["a", "g"])
    whole = pairs("entailments", SOURCES[good], FOUND[good], **asked)
    assert read_status(whole.attrs).unavailable == f"pairs of kind entailments: there are 2, {needed}"
