"""One hard negative, or the reason why an answer holds none."""

import pytest

from contrapose.generate.negative import one_negative
from contrapose.generate.parsing import Refusal

SOURCE = "The old mill by the river burned down in the winter of 1921."
GOOD = "The old mill by the river survived the winter of 1921."


@pytest.mark.parametrize(
    "answer",
    [
        GOOD,
        f"  {GOOD}\n",
        f'"{GOOD}"',
        f"Sure! Here is a sentence:\n\n{GOOD}",
        f"Hard negative: {GOOD}",
        f"**Contradiction:** {GOOD}",
        f"Sentence: {GOOD}",
        f"1. {GOOD}",
        f"- {GOOD}",
        f"<think>It burned.</think>\n{GOOD}",
    ],
)
def test_the_sentence_is_found_without_what_is_around_it(answer):
    assert one_negative(answer, "stop", SOURCE) == [GOOD]


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (None, Refusal.EMPTY),
        (f"{GOOD}\nIt is still there.", Refusal.PROSE),
        (f"{SOURCE.upper()}", Refusal.COPY),
        (f'Sentence: "{SOURCE}"', Refusal.COPY),
        ("...", Refusal.BLANK),
        ("I'm sorry, I cannot help with that.", Refusal.TALKING),
        ("Bananas are yellow.", Refusal.TALKING),  # no word of the source
        ("Sure, that sentence is about a mill by the river.", Refusal.TALKING),
        (f"{GOOD} (informal)", Refusal.LABELS),
        (f"<b>{GOOD}</b>", Refusal.MARKUP),
        ("The old mill by the river survived [year].", Refusal.PLACEHOLDER),
    ],
)
def test_an_answer_without_a_usable_sentence_is_refused_with_the_reason(answer, reason):
    assert one_negative(answer, "stop", SOURCE) is reason


def test_an_answer_that_was_cut_is_refused():
    assert one_negative(GOOD, "length", SOURCE) is Refusal.CUT


def test_a_source_of_one_long_word_need_not_share_it():
    assert one_negative("Nobody ran.", "stop", "Everybody ran.") == ["Nobody ran."]


def test_a_number_or_a_label_that_the_source_has_too_stays():
    assert one_negative("1. FC Köln lost.", "stop", "1. FC Köln won.") == ["1. FC Köln lost."]
    assert one_negative("Sentence: life.", "stop", "Sentence: death.") == ["Sentence: life."]
