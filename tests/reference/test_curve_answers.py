"""What is said of scores that rise by the same with each doubling of the sentences, or flatten."""

from collections import Counter

import numpy as np
import pytest

from contrapose.report.about import TableRow
from contrapose.report.comparison import with_differences
from contrapose.report.inference import Score
from contrapose.report.kinds.learning_curve import would_help
from tests.kinds import cells

RESAMPLES, PAIRS, OF_PAIRS, OF_SEEDS = 50, 1379, 0.05, 0.15
SHARES = ("25 %", "50 %", "100 %")


def answers(rng, seeds, *gains):
    """Return the answer for each row, from what two doublings bring it."""
    rows, found, scores = [], [], {}
    for number, of_row in enumerate(gains):
        for share, value in zip(SHARES, np.cumsum([0.0, *of_row]), strict=True):
            place = len(rows)
            rows.append(TableRow(group=f"row {number}", model=share, runs=["p/r/seed0"]))
            values = value + OF_PAIRS * rng.normal() + OF_SEEDS * rng.normal(size=seeds)
            resampled = values[:, None] + OF_PAIRS * rng.normal(size=RESAMPLES)
            scores[place] = Score(values, resampled, PAIRS - 1)
            labels = {"row": place, "group": f"row {number}", "model": share, "n": PAIRS}
            of_seeds = zip(range(seeds), values, resampled, strict=True)
            found += [labels | {"seed": seed, "value": each, "resampled": of} for seed, each, of in of_seeds]
            found.append(labels | {"value": values.mean()})
    baseline = [3 * (place // 3) + 2 for place in scores]
    tidy = with_differences(cells(*found), {"A": scores}, rows, [baseline], 0.3)
    short = would_help(tidy, "A", margin=0.3).split("? ")[1].split("\n\n")[0]
    return short.removesuffix(".").split("; ")


def share_of_tables(words, seeds, *gains, repeats=60):
    """Return in which share of tables these words are said of a row, and the first words of all answers."""
    rng = np.random.default_rng(0)
    found = [answers(rng, seeds, *gains) for _ in range(repeats)]
    first = Counter(row.split(": ", 1)[1].split(",")[0] for of_table in found for row in of_table)
    return np.mean([any(words in row for row in of_table) for of_table in found]), first


@pytest.mark.parametrize(
    ("gain", "rows", "seeds", "repeats"), [(0.2, 1, 5, 60), (0.3, 1, 3, 60), (0.3, 3, 3, 40)]
)
def test_scores_that_rise_as_much_with_each_doubling_rarely_rise_less_and_less(gain, rows, seeds, repeats):
    """It was said wherever the last doubling was not significant: in a fifth to four fifths of tables."""
    share, _ = share_of_tables("less and less", seeds, *[(gain, gain)] * rows, repeats=repeats)
    assert share <= 0.07


def test_scores_that_stop_rising_are_said_to_rise_less_and_less():
    share, first = share_of_tables("less and less", 5, (1.0, 0.2))
    assert share > 0.8
    assert first["less and less"] + first["probably"] + first["perhaps"] == 60
