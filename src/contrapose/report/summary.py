"""A comparison in one table: scores, differences to baselines, ranks and costs, and what its marks mean."""

from collections.abc import Sequence

import pandas as pd

from contrapose.markdown import markdown_table
from contrapose.report.about import About, row_label
from contrapose.report.cells import WORK
from contrapose.report.comparison import EQUAL, SECOND, TIED, printed_difference
from contrapose.report.files import seeds_note, shown_table
from contrapose.report.inference import LEVEL

ROW, RANK, USD = "pairs", "rank", "usd"


def summary(
    tidy: pd.DataFrame, shown: pd.DataFrame, scores: Sequence[str], decides: str, decimals: int
) -> pd.DataFrame:
    """Return the rows that have numbers, with their differences and ranks by the score that decides.

    `tidy` are CELLS, `shown` the table as printed with marks and costs, `scores` its columns of scores.
    """
    cells = tidy[tidy.seed.isna() & (tidy.column == decides) & tidy.value.notna()].set_index("row")
    table = _named(shown)[[ROW, *scores]]
    for variant, other in (("", "its baseline"), (SECOND, "its second baseline")):
        compared = cells[(cells.variant == variant) & (cells.baseline != "")]
        names = set(compared.baseline)
        texts = [printed_difference(cell, decimals) for cell in compared.to_dict("records")]
        if texts:
            above = f"above {names.pop() if len(names) == 1 else other}"
            table[above] = pd.Series(texts, compared.index, str).reindex(table.index).fillna("")
    ranked = cells[(cells.variant == "") & cells.rank_low.notna()]
    if len(ranked):
        ends = zip(ranked.rank_low, ranked.rank_high, strict=True)
        ranks = pd.Series([f"{low:.0f} to {high:.0f}" for low, high in ends], ranked.index)
        table[RANK] = ranks.reindex(table.index).fillna("")
    for name in shown.columns[shown.columns.str.startswith(WORK)]:
        table[WORK] = shown[name]
    if (tidy.usd > 0).any():
        table[USD] = shown[USD]
    numbers = (shown[list(scores)] != "").any(axis=1)
    return table[numbers | (not numbers.any())]  # all, if none has any


def _named(shown: pd.DataFrame) -> pd.DataFrame:
    """Return a printed table with the label of each row in one column."""
    named = shown.drop(columns=["group", "model"])
    named.insert(0, ROW, [row_label(*names) for names in zip(shown["group"], shown.model, strict=True)])
    return named


def summary_parts(
    table: pd.DataFrame, shown: pd.DataFrame, scores: Sequence[str], about: About
) -> tuple[str, list[str]]:
    """Return a `summary` in Markdown with a line on the rows without numbers, and a section on costs."""
    without = ", ".join(about.rows[number].label for number in shown.index.difference(table.index))
    rest = f"Without numbers ({about.name}.md says what each lacks): {without}." if without else ""
    took = _named(shown).loc[table.index].drop(columns=list(scores))
    costs = ["## What each row took", shown_table(took)]
    return "\n\n".join(filter(None, [markdown_table(table), rest])), costs


def legend(tidy: pd.DataFrame, about: About, items: str, margin: float | None, columns: Sequence[str]) -> str:
    """Explain the numbers and marks of a table of scores in a paragraph; `columns` are printed."""
    compared = tidy[tidy.baseline != ""]
    within = f"{EQUAL} within ±{margin:g} (two one-sided tests, p below {LEVEL:g})" if margin else ""
    seeds = "" if len(about.seeds) == 1 else " and, of trained rows, over seeds"
    work = next((name for name in columns if name.startswith(WORK)), "")
    parts = [
        seeds_note(about.seeds),
        f"{TIED} may be the best of its column" if tidy.tied.any() else "",
        f"differences have 95 % intervals over test {items}{seeds}" if len(compared) else "",
        "p is corrected (Holm) for the rows that a column compares" if compared.p.notna().any() else "",
        within if compared.p_equal.notna().any() else "",
        f"{RANK}: the places that a row may have, 95 %, all together" if tidy.rank_low.notna().any() else "",
        f"{work.replace(WORK, f'{WORK}: what models here computed', 1)}" if work else "",
    ]
    return f"{'; '.join(filter(None, parts))}."
