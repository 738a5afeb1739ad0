from functools import partial

import pytest

from contrapose.base.errors import ConfigError
from contrapose.pairs.prefix import PrefixPairs, positive_prefix, prefix_words
from contrapose.settings.spec import validated
from tests.kinds import pairs
from tests.tables import sentences

prefix_pairs = partial(pairs, "prefix", corpus="any")
spec = partial(PrefixPairs, kind="prefix", corpus="any")
TEXTS = ["A dog ran.", "one two three four five six seven eight", "", "x", "שלום עולם"]
SENTENCES_5 = sentences(*TEXTS)
MANY = sentences(*(f"s{number}" for number in range(50)))
PREFIX3 = (
    "The expression in terms of time, location, persons, number, emotion, and type in the following sentence "
    "is contradictory"
)
PREFIX3_CHINESE = "以下句子在时间、地点、人物、数量、情感和类型方面的表述是矛盾的"


def test_the_number_of_words_follows_table_8():
    steps = {0: (0, 7), 1: (8, 15), 2: (16, 23), 3: (24, 31), 4: (32, 90)}
    for words, lengths in steps.items():
        for length in lengths:
            assert prefix_words(" ".join(["word"] * length), spec()) == words
            assert prefix_words("字" * length, spec(unit="characters")) == words


def test_the_positive_has_words_in_front_and_the_negative_prefix3():
    pairs = prefix_pairs(SENTENCES_5)
    assert pairs.anchor.tolist() == TEXTS
    assert pairs.positive.tolist() == [TEXTS[0], f"um {TEXTS[1]}", *TEXTS[2:]]
    assert pairs.negatives.tolist() == [[f"{PREFIX3} {text}"] for text in TEXTS]
    assert positive_prefix(3, spec(form="comma")) == "Um, um, um, "  # one capital
    assert positive_prefix(0, spec(form="comma")) == ""


@pytest.mark.parametrize(
    ("settings", "positive", "negative"),
    [
        ({"positive": "one"}, "um A dog ran.", f"{PREFIX3} A dog ran."),
        ({"positive": "one", "word": "[MASK]"}, "[MASK] A dog ran.", f"{PREFIX3} A dog ran."),
        ({"positive": "one", "form": "comma"}, "Um, A dog ran.", f"{PREFIX3} A dog ran."),
        ({"positive": "none", "negative": "reversal"}, "A dog ran.", "reversal A dog ran."),
        ({"negative": "prefix3_chinese"}, "A dog ran.", f"{PREFIX3_CHINESE} A dog ran."),
        ({"negative": "prefix3", "joint": "colon"}, "A dog ran.", f"{PREFIX3}: A dog ran."),
        ({"positive": "one", "negative": "none"}, "um A dog ran.", None),
    ],
)
def test_every_form_of_a_prefix(settings, positive, negative):
    first = prefix_pairs(SENTENCES_5, **settings).iloc[0]
    hard = [] if negative is None else [negative]
    assert (first.anchor, first.positive, first.negatives) == ("A dog ran.", positive, hard)


def test_shares_are_exact_and_nested():
    prefixed, replaced = [], []
    for share in (0.0, 0.2, 0.4, 0.58, 1.0):  # as floats, 0.58 x 50 is below 29
        pairs = prefix_pairs(MANY, positive="one", share=share, replaced=share, negative="prefix1")
        prefixed.append(set(pairs.id[pairs.positive != pairs.anchor]))
        replaced.append(set(pairs.id[pairs.negatives.str[0] == pairs.anchor]))
    for found in (prefixed, replaced):
        assert [len(chosen) for chosen in found] == [0, 10, 20, 29, 50]
        assert found[1] < found[2] < found[3]
    assert prefixed[1] != replaced[1]
    other = prefix_pairs(MANY, positive="one", share=0.2, seed=2)
    assert set(other.id[other.positive != other.anchor]) != prefixed[1]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"word": "[CLS]", "form": "comma"}, r"word is \[CLS\]\. Set form: plain"),
        ({"negative": "none", "replaced": 0.2}, r"negative is none\. Name a prefix for negative"),
        ({"negative": "prefix4"}, "'prefix2', 'prefix3'"),
    ],
)
def test_settings_that_contradict_each_other_are_refused(settings, message):
    with pytest.raises(ConfigError, match=message):
        validated(PrefixPairs, {"kind": "prefix", "corpus": "any", **settings}, "here")
