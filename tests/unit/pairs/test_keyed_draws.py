import pandas as pd
import pytest

from contrapose.tables import SYNONYMS
from tests.kinds import pairs
from tests.tables import sentences
from tests.unit.pairs.tagged_sentences import tagged

PLAIN = (sentences(*["a b c d e f g h i j"] * 2000),)
TAGGED = tagged({f"{number} A big dog ran fast": "CD DT JJ NN VBD RB" for number in range(600)})
KNOWN = [("dog", "NN", ["domestic dog", "hound"]), ("big", "JJ", ["large"]), ("fast", "RB", ["quickly"])]
SYNONYMS_OF = pd.DataFrame(KNOWN, columns=SYNONYMS.columns)
# Its tables, and what share of sentences may have the same positive in another slot or draw.  By chance it is
# a tenth for a word, a half for two spans, a quarter for 0 to 3 words, 1/270 for marks, 5/18 for synonyms.
KINDS = {
    **{
        "deletion": (PLAIN, 0.15),
        "crop": (PLAIN, 0.6),
        "repetition": (PLAIN, 0.35),
        "shuffle": (PLAIN, 0.01),
    },
    **{"punctuation": (PLAIN, 0.034), "synonym": ((*TAGGED, SYNONYMS_OF), 0.4), "discrete": (TAGGED, 0.6)},
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_sentence_has_the_same_positive_in_every_sample_and_another_in_another_slot_or_draw(kind):
    (table, *others), chance = KINDS[kind]

    def positives(table, slot=0, **settings):
        found = pairs(kind, table, *others, corpus="own", **settings)
        last = found[(found["view"] == found["view"].max()) & (found.slot == slot)]
        return dict(zip(last.id, last.positive, strict=True))

    first = positives(table, slots=2)
    assert len(first) == len(table)
    assert positives(table[::-2]).items() <= first.items()
    sample = positives(table, size=7)
    assert len(sample) == 7
    assert sample.items() <= first.items()
    for other in (positives(table, slot=1, slots=2), positives(table, seed=2)):
        assert sum(text == first[name] for name, text in other.items()) < chance * len(table)
