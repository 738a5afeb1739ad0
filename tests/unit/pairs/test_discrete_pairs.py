from functools import partial

import pandas as pd
import pytest

from contrapose.jobs.status import read_status
from contrapose.pairs.discrete import DEGREES, DENIALS, MODALS
from tests.kinds import pairs
from tests.tables import is_uniform
from tests.unit.pairs.tagged_sentences import tagged

discrete_pairs = partial(pairs, "discrete", corpus="own")
MANY = 1200
TO_VERB = [each.replace("have to", "has to").replace("have no", "has no") for each in MODALS]
PAST = [each.replace("have ", "had ") for each in MODALS]

# Text, tags, change, and all that it may become.
CASES = [
    ("The dog goes home.", "DT NN VBZ NN .", "punctuation",
     ["'The dog' goes home.", "The dog, goes home."]),
    ("Today, Anna who lives here can go.", "NN , NNP WP VBZ RB MD VB .", "punctuation",
     ["Today, 'Anna who lives here' can go.", "Today, Anna who lives here, can go.",
      "Today, Anna, who lives here can go."]),
    ("He knows the house in which she slept.", "PRP VBZ DT NN IN WDT PRP VBD .", "punctuation",
     ["'He' knows the house in which she slept.", "He, knows the house in which she slept.",
      "He knows the house, in which she slept."]),
    ("It's red.", "PRP VBZ JJ .", "punctuation",
     ["'It's red.'", "It's red,", "It's red;", "It's red!"]),
    ("A big dog", "DT JJ NN", "punctuation",
     ["'A big dog'", "A big dog,", "A big dog.", "A big dog;", "A big dog!"]),
    ("Is he here?", "VBZ PRP RB .", "punctuation",
     ["'Is he here?'", "Is he here?,", "Is he here?.", "Is he here?;", "Is he here?!"]),
    ("Anna goes home.", "NNP VBZ NN .", "modality", [f"Anna {each} go home." for each in TO_VERB]),
    ("They slept.", "PRP VBD .", "modality", [f"They {each} sleep." for each in PAST]),
    ("They are here.", "PRP VBP RB .", "modality", [f"They {each} be here." for each in MODALS]),
    ("She can be nice.", "PRP MD VB JJ .", "modality", [f"She can be {each} nice." for each in DEGREES]),
    ("Big dogs with Red eyes", "JJ NNS IN JJ NNS", "modality",
     [f"{each.capitalize()} big dogs with {each} Red eyes" for each in DEGREES]),
    ("The dog goes home.", "DT NN VBZ NN .", "double_negation",
     [f"{each} the dog does not go home." for each in DENIALS]),
    ("Paris isn't big.", "NNP VBZ RB JJ .", "double_negation", [f"{each} Paris is big." for each in DENIALS]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "tags", "change", "expected"), CASES, ids=[f"{case[2]}: {case[0]}" for case in CASES]
)
def test_a_positive_is_one_of_these_and_each_occurs(text: str, tags: str, change: str, expected: list[str]):
    table, own = tagged({text: tags})
    many = pd.concat([table] * MANY).assign(id=[f"f:{number}" for number in range(MANY)])
    found = discrete_pairs(many, pd.concat([own] * MANY).assign(id=many.id.to_numpy()), change=change)
    assert set(found.positive) == {*expected}
    if change != "punctuation":
        assert is_uniform(found.positive, expected)


def test_the_hard_negative_is_the_negation_or_a_denial():
    rows = {"Anna goes home.": "NNP VBZ NN .", "He isn't here.": "PRP VBZ RB RB .", "A big dog": "DT JJ NN"}
    found = discrete_pairs(*tagged(rows), slots=2)
    assert found.slot.tolist() == [0, 0, 0, 1, 1, 1]
    first, second, third = (each[0] for each in found.negatives[:3])
    assert (first, second) == ("Anna does not go home.", "He is here.")
    assert third in [f"{each} a big dog" for each in DENIALS]
    without = discrete_pairs(*tagged(rows), slots=2, negated=False)
    assert without.negatives.map(len).tolist() == [0] * 6
    assert without.positive.tolist() == found.positive.tolist()


def test_what_has_no_place_for_a_change_is_left_out_and_counted():
    rows = {
        "A dog": "DT NN",
        "": "",
        "She can go.": "PRP MD VB .",
        "It is old.": "PRP VBZ JJ .",
        "I go.": "PRP VBP .",
    }
    table, tags = tagged(rows)
    left = {
        change: discrete_pairs(table, tags, change=change)
        for change in ("punctuation", "modality", "double_negation")
    }
    assert {change: found.id.tolist() for change, found in left.items()} == {
        "punctuation": ["f:0", "f:2", "f:3", "f:4"],
        "modality": ["f:3", "f:4"],
        "double_negation": ["f:2", "f:3", "f:4"],
    }
    skipped = read_status(left["modality"].attrs).skipped
    assert skipped == ["3 of 5 sentences cannot be changed (modality)"]
