from functools import partial
from itertools import product

import pytest

from contrapose.pairs.punctuation import MARKS
from tests.kinds import pairs
from tests.tables import is_uniform, sentences

punctuation_pairs = partial(pairs, "punctuation", corpus="any")


def longer(pairs, slot=0):
    chosen = pairs[(pairs["view"] == 1) & (pairs.slot == slot)]
    return dict(zip(chosen.id, chosen.positive, strict=True))


MANY = sentences(*["abcd"] * 6000)


def test_every_slot_has_a_view_without_marks_and_one_with_marks():
    pairs = punctuation_pairs(sentences("A dog ran", "A cat sat"), slots=2)
    assert pairs[["slot", "view", "id"]].to_numpy().tolist() == [
        [slot, view, name] for slot in (0, 1) for view in (0, 1) for name in ("f:0", "f:1")
    ]
    assert pairs.anchor.tolist() == ["A dog ran", "A cat sat"] * 4
    assert (pairs.positive == pairs.anchor).tolist() == [True, True, False, False] * 2
    assert pairs.negatives.str.len().eq(0).all()


def test_numbers_marks_and_places_are_uniform():
    found = longer(punctuation_pairs(MANY)).values()
    assert is_uniform([len(text) - 4 for text in found], {1, 2, 3})
    assert is_uniform([mark for text in found for mark in text if mark not in "abcd"], ".,!?;:")
    one = longer(punctuation_pairs(MANY, max_marks=1)).values()
    assert is_uniform([mark_place(text) for text in one], range(5))
    places = [(text[mark_place(text)], mark_place(text)) for text in one]  # any mark at any place
    assert is_uniform(places, product(".,!?;:", range(5)))


def mark_place(text):
    """Return where the only mark stands."""
    (place,) = (at for at, character in enumerate(text) if character in MARKS["english_and_symbols"])
    return place


@pytest.mark.parametrize(
    ("characters", "what"),
    [
        (["e\u0301", "a", "n\u0303\u0323"], "combining marks"),
        (["👩\u200d🔬", "👍\U0001f3fd", "❤\ufe0f"], "a joiner, a skin tone, a variation selector"),
        (["👍\U0001f3fb", "👍\U0001f3ff"], "the lightest and the darkest skin tone"),
        (["🏴\U000e0067\U000e0062\U000e007f", "x"], "tags"),
        ([], "empty"),
    ],
)
def test_a_character_that_a_reader_sees_is_never_split(characters, what):
    text = "".join(characters)
    marked = punctuation_pairs(sentences(*[text] * 400), max_marks=1, marks="english_and_symbols")
    found = longer(marked).values()
    assert {each[: (at := mark_place(each))] + each[at + 1 :] for each in found} == {text}
    gaps = {"".join(characters[:number]) for number in range(len(characters) + 1)}
    assert {each[: mark_place(each)] for each in found} == gaps, what
