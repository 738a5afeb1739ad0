import numpy as np
import pytest

from contrapose.report.about import TableRow
from contrapose.report.between_encoders import best_of_encoders
from contrapose.report.recommendation import Recommendation
from tests.kinds import about, cells

ROWS = [
    TableRow(
        group=encoder, model=model, encoder=encoder, runs=[f"{encoder}-{model}"], trained=model == "Dropout"
    )
    for encoder in "ab"
    for model in ("No training", "Dropout")
]
ABOUT = about(rows=ROWS)
NOISE = np.random.default_rng(3).normal(0, 0.5, 1000)
USE = [Recommendation("Use a: Dropout.", 1), Recommendation("Use b: No training.", 2)]


def row(number, value, *seeds, noise=NOISE):
    """Return the cells of a row: its mean, and one of each seed."""
    labels = {
        "row": number,
        "group": ROWS[number].group,
        "model": ROWS[number].model,
        "column": "A",
        "n": 400,
    }
    values = [*enumerate(seeds)] if seeds else [(None, value)]
    single = [{**labels, "seed": seed, "value": each, "resampled": list(noise)} for seed, each in values]
    return [{**labels, "value": value, "resampled": None}, *single] if seeds else single


TABLE = [
    row(0, 60.0),
    row(1, 64.0, 63.9, 64.0, 64.1),
    row(2, 61.0, noise=NOISE[::-1]),
    row(3, 60.5, 60.4, 60.6),
]


def said(chosen=USE, table=TABLE):
    tidy = cells(*(cell for of_row in table for cell in of_row))
    return best_of_encoders(chosen, tidy, ABOUT, "A", 2)


def test_the_row_to_use_of_each_encoder_is_compared_with_the_highest():
    ((text, number),) = said()
    assert number == 1
    start = "The best of each encoder: a: Dropout (64.00) is above b: No training (61.00) by +3.00 ["
    assert text.startswith(start)
    assert text.endswith("], p below 0.001.")
    low, high = map(float, text.removeprefix(start).split("]")[0].split(", "))
    half = 1.96 * np.std(NOISE - NOISE[::-1])  # over test pairs; the seeds are nearly alike
    assert [low, high] == pytest.approx([3 - half, 3 + half], abs=0.06)


def test_without_resamples_the_scores_alone_are_said():
    bare = [[{**cell, "resampled": None} for cell in of_row] for of_row in TABLE]
    ((text, _),) = said(table=bare)
    assert text == "The best of each encoder: a: Dropout (64.00) is above b: No training (61.00)."


def test_one_encoder_has_no_other():
    assert said(chosen=USE[:1]) == []
    assert said(chosen=[Recommendation("Not known.")]) == []
