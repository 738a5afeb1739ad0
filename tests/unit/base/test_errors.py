"""What a person may have meant by a name."""

import pytest

from contrapose.base.errors import nearest


@pytest.mark.parametrize(
    ("name", "known", "near"),
    [
        ("temp", ["system", "temperature"], "temperature"),  # `system` has more letters in common
        ("span", ["Swap", "Span crop"], "Span crop"),
        ("max", ["max_length", "max_attempts"], "max_length"),
        ("learning_rat", ["learning_rate", "steps"], "learning_rate"),
        ("st", ["steps"], ""),
        ("", ["steps"], ""),
    ],
)
def test_the_beginning_of_a_name_stands_for_it_and_else_a_similar_one(name, known, near):
    assert nearest(name, known) == near
