"""What people look at beside a score: the score in words, and texts."""

import pandas as pd

from contrapose.report.comparison_text import TIED, difference_text

LONGEST = 300  # characters of a text that a page shows: a paragraph, so that some hundred fit on it. Ours


def shortened(text: str) -> str:
    """Return a text as a page shows it: the beginning, if it is long."""
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def scores_in_words(cells: pd.DataFrame) -> dict[int, str]:
    """Return {row: its score, and its difference to its baseline} of the last compared column of CELLS."""
    means = cells[cells.seed.isna() & (cells.variant == "") & cells.value.notna()]
    compared = means[means.baseline != ""]
    last = compared if len(compared) else means
    if last.empty:
        return {}
    shown = means[means.column == last.column.iloc[-1]]
    return {int(cell["row"]): in_words(cell) for cell in shown.to_dict("records")}


def in_words(cell: dict) -> str:
    """Return the value of a cell of CELLS, whether it may be the best, and its difference to the baseline."""
    mark = f" {TIED}" if pd.notna(cell["tied"]) and cell["tied"] else ""
    above = f", {difference_text(cell, 2)} vs. {cell['baseline']}" if cell["baseline"] else ""
    return f"{cell['value']:.2f}{mark}{above}"


def shown_pairs(sample: pd.DataFrame) -> pd.DataFrame:
    """Return PAIR_SAMPLES as printed, without columns of which nothing is there."""
    printed = dict.fromkeys(("anchor", "positive", "negative"), shortened)
    printed |= dict.fromkeys(("label", "cosine", "negative_cosine"), "{:.2f}".format)
    shown = pd.DataFrame({name: sample[name].map(form, na_action="ignore") for name, form in printed.items()})
    shown = shown.rename(columns={"negative_cosine": "cosine of negatives"})
    return shown.dropna(axis="columns", how="all").fillna("–")
