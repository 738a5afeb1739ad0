"""What a table of scores prints of its comparisons: differences, ranks, marks and a summary."""

from collections.abc import Mapping, Sequence

import pandas as pd

from contrapose.base.markdown import markdown_table
from contrapose.report.about import About, row_label
from contrapose.report.cells import COMPUTE
from contrapose.report.comparison import SECOND
from contrapose.report.files import seeds_note, shown_table
from contrapose.report.headers import COMPARISON, COST, COUNT, ROW, SCORE, TRAINING, apart, headed, part_of
from contrapose.report.inference import LEVEL
from contrapose.tables import COMPARED

TIED = "†"  # appended to a value that may be the best of its column
EQUAL = "≈"  # appended to a difference that is within the margin
OVER_SETS = "over sets"  # column of the interval of an average over test sets of this kind
METHOD, RANK, USD = "method", "rank", "usd"  # columns of a summary


def marked_ties(tidy: pd.DataFrame, shown: pd.DataFrame) -> pd.DataFrame:
    """Return a printed table with `TIED` after each value that may be the best of its column."""
    marked = shown.copy()
    for cell in tidy[tidy.in_best_set.fillna(False)].itertuples():
        marked.loc[cell.row, (SCORE, cell.column)] += f" {TIED}"
    return marked


def difference_sections(tidy: pd.DataFrame, decimals: int) -> list[str]:
    """Return the sections on differences to one baseline, or to two: a column for each of the table's."""
    cells = tidy[tidy.baseline != ""]
    parts = [cells[cells.variant == variant] for variant in ("", SECOND)]
    return [part for compared in parts if len(compared) for part in _section(compared, decimals)]


def _section(cells: pd.DataFrame, decimals: int) -> list[str]:
    baselines = list(dict.fromkeys(cells.baseline))
    texts = cells.assign(text=[printed_difference(cell, decimals) for cell in cells.to_dict("records")])
    keys = ["row", "baseline"]
    labels = texts.drop_duplicates(keys)[[*keys, "group", "model"]].set_index(keys, drop=False).sort_index()
    wide = texts.pivot(index=keys, columns="column", values="text").fillna("")
    named = labels[["group", "model", *(["baseline"] if baselines[1:] else [])]]
    sampled = cells[cells.sets_low.notna()].set_index(keys)
    ends = zip(sampled.sets_low, sampled.sets_high, strict=True)
    over_sets = pd.Series([interval_text(*each, decimals) for each in ends], sampled.index, str)
    parts, notes = {ROW: named, SCORE: wide[list(dict.fromkeys(cells.column))]}, []
    if len(over_sets):
        name = apart(OVER_SETS, parts[SCORE].columns, COMPARISON)
        notes = [f"{name}: the 95 % interval of the average difference over all test sets of this kind."]
        parts[COMPARISON] = pd.DataFrame({OVER_SETS: over_sets.reindex(wide.index).fillna("")})
    shown = pd.concat(parts, axis=1)
    to = "the baseline" if baselines[1:] else baselines[0]
    return [f"## Difference to {to}", shown_table(shown), *notes]


def difference_text(cell: Mapping | pd.Series, decimals: int) -> str:
    """Write the difference of a cell with its interval."""
    number, low, high = (cell[name] for name in COMPARED[:3])
    return f"{number:+.{decimals}f} {interval_text(low, high, decimals)}"


def interval_text(low: float, high: float, decimals: int) -> str:
    """Write the ends of an interval of differences."""
    return f"[{low:+.{decimals}f}, {high:+.{decimals}f}]"


def printed_difference(cell: Mapping, decimals: int) -> str:
    """Write the difference of a cell with its interval, p-value and mark."""
    p = f", {p_text(cell['p'])}" if pd.notna(cell["p"]) else ""
    return f"{difference_text(cell, decimals)}{p}" + f" {EQUAL}" * (cell["p_equal"] <= LEVEL)


def rank_note(cells: pd.DataFrame) -> str:
    """Return the ranks that rows may have in the last column, perhaps the average; empty if not known."""
    last = cells[(cells.column == cells.column.iloc[-1]) & cells.rank_low.notna() & (cells.variant == "")]
    if last.empty:
        return ""
    last = last.sort_values("value", ascending=False)
    texts = [f"{cell['model']} {cell['rank_low']} to {cell['rank_high']}" for cell in last.to_dict("records")]
    return f"Possible ranks by {last.column.iloc[0]} (simultaneous 95 % intervals): {', '.join(texts)}."


def p_text(p: float) -> str:
    """Write a p-value."""
    return f"p {p:.3f}" if p >= 0.0005 else "p below 0.001"


def summary(
    tidy: pd.DataFrame, shown: pd.DataFrame, scores: Sequence[str], decides: str, decimals: int
) -> pd.DataFrame:
    """Return the rows that have numbers, with their differences and ranks by the score that decides.

    `tidy` are CELLS, `shown` the table as printed with marks and costs, `scores` its columns of scores.
    Columns are by part, see `headers`.
    """
    cells = tidy[tidy.seed.isna() & (tidy.column == decides) & tidy.value.notna()].set_index("row")
    above = pd.DataFrame(index=shown.index)
    for variant, other in (("", "its baseline"), (SECOND, "its second baseline")):
        compared = cells[(cells.variant == variant) & (cells.baseline != "")]
        names = set(compared.baseline)
        texts = [printed_difference(cell, decimals) for cell in compared.to_dict("records")]
        if texts:
            name = f"vs. {names.pop() if len(names) == 1 else other}"
            above[name] = pd.Series(texts, compared.index, str).reindex(shown.index).fillna("")
    ranked = cells[(cells.variant == "") & cells.rank_low.notna()]
    if len(ranked):
        ends = zip(ranked.rank_low, ranked.rank_high, strict=True)
        ranks = pd.Series([f"{low:.0f} to {high:.0f}" for low, high in ends], ranked.index)
        above[RANK] = ranks.reindex(shown.index).fillna("")
    costs = part_of(shown, COST)
    unit = [name for name in costs if name.startswith(COMPUTE)]  # none, if no row is trained
    compute = costs[unit].rename(columns=dict.fromkeys(unit, COMPUTE))
    usd = costs[[USD] if (tidy.usd > 0).any() else []]
    values = part_of(shown, SCORE)[list(scores)]
    parts = {ROW: _labels(shown), SCORE: values, COMPARISON: above, COST: compute.join(usd)}
    numbers = (values != "").any(axis=1)
    return pd.concat(parts, axis=1)[numbers | (not numbers.any())]  # all, if none has any


def _labels(shown: pd.DataFrame) -> pd.DataFrame:
    """Return the label of each row of a printed table."""
    names = zip(shown[ROW, "group"], shown[ROW, "model"], strict=True)
    return pd.DataFrame({METHOD: [row_label(*each) for each in names]}, shown.index)


def summary_parts(table: pd.DataFrame, shown: pd.DataFrame, about: About) -> tuple[str, list[str]]:
    """Return a `summary` in Markdown with a line on the rows without numbers, and a section on costs."""
    without = ", ".join(about.rows[number].label for number in shown.index.difference(table.index))
    rest = f"Skipped methods: {without}. The notes of {about.name}.md give the reasons." if without else ""
    took = {ROW: _labels(shown)} | {part: part_of(shown, part) for part in (COUNT, TRAINING, COST)}
    facts = pd.concat(took, axis=1).loc[table.index]
    is_any = len(facts.columns) > len(took[ROW].columns)  # without a training there is none
    costs = ["## Budget and cost of each method", shown_table(facts)] if is_any else []
    return "\n\n".join(filter(None, [markdown_table(headed(table)), rest])), costs


def legend(tidy: pd.DataFrame, about: About, items: str, margin: float | None, shown: pd.DataFrame) -> str:
    """Explain the numbers and marks of a table of scores, which is `shown` by part, in a paragraph."""
    compared = tidy[tidy.baseline != ""]
    within = f"{EQUAL} within ±{margin} (two one-sided tests of each method, p below {LEVEL:g})"
    seeds = "" if len(about.seeds) == 1 else " and, of trained methods, over seeds"
    scores = part_of(shown, SCORE).columns
    unit = next((name for name in part_of(shown, COST) if name.startswith(COMPUTE)), "").removeprefix(COMPUTE)
    parts = [
        seeds_note(about.seeds),
        f"{TIED} may be the best of its column" if tidy.in_best_set.any() else "",
        f"differences have 95 % intervals over test {items}{seeds}" if len(compared) else "",
        "p is corrected (Holm) for the number of compared methods in a column: it is multiplied by up to "
        "this number and cut at 1.000, which does not mean that methods are equal"
        if compared.p.notna().any()
        else "",
        within if margin and compared.p_equal.notna().any() else "",
        f"{apart(RANK, scores, COMPARISON)}: the possible ranks of a method (simultaneous 95 % intervals)"
        if tidy.rank_low.notna().any()
        else "",
        f"{apart(COMPUTE, scores, COST)}: operations of models{unit}" if unit else "",
    ]
    return f"{'; '.join(filter(None, parts))}."
