"""What people look at beside a score: the score in words, and texts."""

import pandas as pd

from contrapose.jobs.status import read_status
from contrapose.report.comparison_text import TIED, difference_text
from contrapose.report.recommendation import RANKING
from contrapose.tables import CELLS, read_table

LONGEST = 300  # characters of a text that a page shows: a paragraph, so that some hundred fit on it. Ours


def shortened(text: str) -> str:
    """Return a text as a page shows it: the beginning, if it is long."""
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def scores_in_words(file: str) -> dict[int, str]:
    """Return {row: its score, and its difference to its baseline} of the column that ranks a table of scores.

    `file` is of CELLS.
    """
    cells, ranking = read_table(file, CELLS), read_status(file).facts.get(RANKING)
    means = cells[cells.seed.isna() & (cells.variant == "") & cells.value.notna()]
    shown = means[means.column == ranking]
    return {int(cell["row"]): in_words(cell) for cell in shown.to_dict("records")}


def in_words(cell: dict) -> str:
    """Return the value of a cell of CELLS, whether it may be the best, and its difference to the baseline."""
    mark = f" {TIED}" if pd.notna(cell["in_best_set"]) and cell["in_best_set"] else ""
    above = f", {difference_text(cell, 2)} vs. {cell['baseline']}" if cell["baseline"] else ""
    return f"{cell['value']:.2f}{mark}{above}"


def shown_pairs(sample: pd.DataFrame) -> pd.DataFrame:
    """Return PAIR_SAMPLES as printed, without columns of which nothing is there."""
    printed = dict.fromkeys(("anchor", "positive", "negative"), shortened)
    printed |= dict.fromkeys(("label", "cosine", "negative_cosine"), "{:.2f}".format)
    shown = pd.DataFrame({name: sample[name].map(form, na_action="ignore") for name, form in printed.items()})
    shown = shown.rename(columns={"negative_cosine": "cosine of negatives"})
    return shown.dropna(axis="columns", how="all").fillna("–")
