import pandas as pd

from contrapose.jobs.status import read_status
from contrapose.tables import PARAPHRASES
from tests.kinds import pairs
from tests.tables import sentences

SOURCES = sentences("A dog ran.", "A cat sat.", "A cow ate.", ids="abc")
OTHERS = [(name, slot, f"{name} {slot}") for slot in range(2) for name in "abc"]
OTHERS = pd.DataFrame(OTHERS, columns=PARAPHRASES.columns).astype({"slot": "int16"})


def masked(rows=SOURCES, **settings):
    return pairs("masked_words", rows, OTHERS, corpus="own", filler="bert", **settings)


def test_each_slot_pairs_every_sentence_with_its_own_other_words():
    found = masked(slots=2)
    assert found.anchor.tolist() == SOURCES.text.tolist() * 2
    assert found.positive.tolist() == ["a 0", "b 0", "c 0", "a 1", "b 1", "c 1"]
    assert found.slot.tolist() == [0, 0, 0, 1, 1, 1]
    assert len(masked(slots=2, size=2)) == 4


def test_sentences_without_spaces_between_words_are_left_out_with_a_reason():
    none = masked(sentences("今天天气怎么样", "你在哪里呢", "A cow ate.", ids="abc"))
    assert none.empty
    assert "have no spaces between words" in read_status(none.attrs).unavailable
