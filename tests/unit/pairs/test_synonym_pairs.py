from functools import partial

import pandas as pd

from contrapose.jobs.status import read_status
from contrapose.tables import SYNONYMS
from tests.kinds import pairs
from tests.tables import is_uniform
from tests.unit.pairs.tagged_sentences import tagged

synonym_pairs = partial(pairs, "synonym", corpus="own")
KNOWN = pd.DataFrame(
    [
        *[("dog", "NN", ["domestic dog", "hound"]), ("Dog", "NN", ["Hound"]), ("big", "JJ", ["large"])],
        *[("not", "RB", ["non"]), ("have", "VBP", ["own"]), ("fast", "RB", ["quickly"])],
    ],
    columns=SYNONYMS.columns,
)
ROWS = {
    "The dog, they say, is fast.": "DT NN , PRP VBP , VBZ JJ .",
    "Dog days": "NN NNS",
    "Dogs are not cats.": "NNS VBP RB NNS .",
    "They have run.": "PRP VBP VBN .",
    "A big dog  ran fast": "DT JJ NN VBD RB",
}


def test_one_word_is_replaced_and_sentences_without_one_are_left_out():
    found = synonym_pairs(*tagged(ROWS), KNOWN)
    assert found.id.tolist() == ["f:0", "f:1", "f:4"]
    assert found.positive[0] in ("The domestic dog, they say, is fast.", "The hound, they say, is fast.")
    assert found.positive[1] == "Hound days"
    assert found.negatives.map(len).sum() == 0
    assert read_status(found.attrs).skipped == ["2 of 5 sentences have no word with a synonym"]


def test_every_word_with_synonyms_and_each_of_these_is_as_likely():
    text = "A big dog  ran fast"
    table, tags = tagged({text: ROWS[text]})
    many = pd.concat([table] * 3000).assign(id=[f"f:{number}" for number in range(3000)])
    found = synonym_pairs(many, pd.concat([tags] * 3000).assign(id=many.id.to_numpy()), KNOWN)
    large, fast = "A large dog  ran fast", "A big dog  ran quickly"
    dogs = ["A big domestic dog  ran fast", "A big hound  ran fast"]
    assert set(found.positive) == {large, fast, *dogs}
    assert is_uniform(["dog" if each in dogs else each for each in found.positive], [large, fast, "dog"])
    assert is_uniform([each for each in found.positive if each in dogs], dogs)
