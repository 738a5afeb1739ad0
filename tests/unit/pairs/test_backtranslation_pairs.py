from functools import partial

import pandas as pd

from contrapose.jobs.status import read_status
from tests.kinds import pairs
from tests.tables import sentences

SENTENCES_5 = sentences("A dog ran.", "A cat sat.", "A cow.", "He swam.", "So?", ids="abcde")
FOUND = {"d": "He was swimming.", "a": "a  Dog ran", "b": "A cat was sitting.", "e": "..."}
BACK = pd.DataFrame({"sentence_id": FOUND.keys(), "slot": 0, "text": FOUND.values()})
backtranslation_pairs = partial(pairs, "backtranslation", corpus="any", translator="german")


def test_the_positive_is_the_back_translation_unless_it_is_missing_or_the_sentence():
    found = backtranslation_pairs(SENTENCES_5, BACK)
    assert found[["id", "anchor", "positive"]].to_numpy().tolist() == [
        ["b", "A cat sat.", "A cat was sitting."],
        ["d", "He swam.", "He was swimming."],
    ]
    assert read_status(found.attrs).skipped == [
        "of 5 sentences, 2 without a back-translation and 1 with an unchanged one are dropped"
    ]


def test_a_sample_is_drawn_of_what_is_left():
    assert len(backtranslation_pairs(SENTENCES_5, BACK, size=2)) == 2
    two = backtranslation_pairs(SENTENCES_5, BACK, size=2)
    assert read_status(two.attrs).skipped[0].startswith("of 5 sentences")
    few = backtranslation_pairs(SENTENCES_5, BACK, size=3)
    assert few.empty
    assert read_status(few.attrs).unavailable.endswith(
        "are dropped, and 2 remain, but 3 are needed. Add sentences or texts, or lower the size of "
        "this pair set"
    )
    assert backtranslation_pairs(SENTENCES_5, BACK[BACK.sentence_id != "b"]).empty  # no negative in its batch
