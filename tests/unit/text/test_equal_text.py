import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contrapose.text.equal_text import equal_text, equal_words

TEXTS = st.text(st.characters(codec="utf-8"), max_size=20)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Café crème.", unicodedata.normalize("NFD", "Café crème.")),
        ("A cat\u00a0sleeps.", " A  cat\tsleeps.\n"),
        ("Ａ ｃａｔ", "A cat"),
        ("soft\u00adhyphen\u200b", "softhyphen"),
        ("ﬁnd … ①", "find ... 1"),
        ("", "\u3000\ufeff"),
    ],
)
def test_texts_that_look_the_same_are_equal(one, other):
    assert equal_text(one) == equal_text(other)
    assert equal_words(one) == equal_words(other)


def test_case_and_marks_tell_texts_apart_but_not_words():
    for one, other in [("Say it.", "say it!"), ("don't", "don 't"), ("Straße", "STRASSE"), ("a_b", "a b")]:
        assert equal_text(one) != equal_text(other)
        assert equal_words(one) == equal_words(other)
    assert equal_words("किताब") != equal_words("कताब")  # marks on letters belong to words
    assert equal_words("?!") == "?!" != equal_words("...")


@given(TEXTS, TEXTS)
def test_texts_that_look_the_same_say_the_same(one, other):
    assert equal_text(equal_text(one)) == equal_text(one)
    assert equal_words(equal_text(one)) == equal_words(one)
    assert (equal_text(one) == equal_text(other)) <= (equal_words(one) == equal_words(other))
