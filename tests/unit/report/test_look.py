"""What stands beside pairs that people look at: the score of their method."""

import pytest

from contrapose.report.look import scores_in_words
from contrapose.tables import CELLS
from tests.kinds import cells, file


@pytest.mark.parametrize(
    ("ranking", "expected"), [("Avg.", "61.00 †, +1.00 [+0.50, +1.50]"), ("old", "40.00 †")]
)
def test_the_score_is_that_of_the_column_that_ranks(ranking, expected):
    gain = {"baseline": "b", "difference": 1.0, "difference_low": 0.5, "difference_high": 1.5}
    table = cells(
        {"column": "Avg.", "value": 61.0, "in_best_set": True, **gain},
        {"column": "old", "value": 40.0, "in_best_set": True},
    )
    scores = scores_in_words(file(table, CELLS, facts={"ranking column": ranking}))
    assert scores[0].startswith(expected)
