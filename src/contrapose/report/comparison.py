"""The comparisons of a table of scores: which rows are compared, and what the table says about it."""

from collections.abc import Mapping, Sequence
from math import inf

import pandas as pd

from contrapose.report.about import About, TableRow
from contrapose.report.cells import TYPES
from contrapose.report.files import shown_table
from contrapose.report.inference import (
    LEVEL,
    Difference,
    Score,
    comparisons,
    equivalence,
    least_difference,
    may_be_best,
    needed,
    ranks,
)
from contrapose.report.row_settings import BaselineRow
from contrapose.tables import COMPARED

TIED = "†"  # appended to a value that may be the best of its column
EQUAL = "≈"  # appended to a difference that is within the margin
SECOND = "second baseline"  # variant of cells that are compared with it


def baseline_rows(rows: Sequence[TableRow], baseline: BaselineRow | None) -> list[int | None]:
    """Return the index of the row with which each row is compared; None if there is none.

    `by: encoder`: the named row, or row of a named group, with the same encoder.  Else the row of the same
    group, or of all rows if only one group has such a row; without a name the first row of a group that has
    runs, or of the table if no group has two rows.
    """
    found: dict[str, int] = {}
    by_encoder = baseline is not None and baseline.by == "encoder"
    for number, row in reversed(list(enumerate(rows))):
        names = (row.model, row.label, *([row.group] if by_encoder else []))
        if row.runs if baseline is None else baseline.row in names:
            found[row.encoder if by_encoder else row.group] = number
    if by_encoder:
        return [found.get(row.encoder) for row in rows]
    groups = [row.group for row in rows]
    one_each = baseline is None and len(set(groups)) == len(groups)
    if found and (one_each or (baseline is not None and len(found) == 1)):
        return [min(found.values())] * len(rows)
    return [found.get(group) for group in groups]


def with_differences(
    tidy: pd.DataFrame,
    scores: Mapping[str, Mapping[int, Score]],
    rows: Sequence[TableRow],
    baselines: Sequence[Sequence[int | None]],
    margin: float | None = None,
) -> pd.DataFrame:
    """Add to the means over seeds their differences to baselines, whether they may be the best, and ranks.

    The first baseline's differences stand in the cells of the means, a second one's in cells of their own, of
    the variant `SECOND`.  p-values are corrected for the number of rows of a column that are compared with a
    baseline; those behind `tied`, for the number of other rows.  `scores` are by
    column and row.
    """
    facts: dict[tuple[int, str], dict] = {}
    others: dict[tuple[int, str], dict] = {}
    for column, of_column in scores.items():
        for kind in dict.fromkeys(score.of for score in of_column.values()):
            alike = {row: score for row, score in of_column.items() if score.of == kind}
            for row, (low, high) in ranks(alike).items():
                facts.setdefault((row, column), {}).update(rank_low=low, rank_high=high)
            for row, tied in may_be_best(alike).items():
                facts.setdefault((row, column), {})["tied"] = tied
            for baseline, found in zip(baselines, (facts, others), strict=False):
                for row, compared in _to_baseline(alike, baseline, rows, margin).items():
                    found.setdefault((row, column), {}).update(compared)
    is_mean = tidy.seed.isna() & (tidy.variant == "")
    of_mean = list(zip(tidy["row"], tidy.column, is_mean, strict=True))
    second = tidy[[key[2] and key[:2] in others for key in of_mean]]
    second = second.assign(variant=SECOND, resampled=None)
    keys = list(zip(second["row"], second.column, strict=True))
    first = _with(tidy, [facts.get(key[:2], {}) if key[2] else {} for key in of_mean])
    return pd.concat([first, _with(second, [others[key] for key in keys])], ignore_index=True)


def _with(tidy: pd.DataFrame, facts: Sequence[Mapping]) -> pd.DataFrame:
    names = ["baseline", *COMPARED, "tied", "rank_low", "rank_high"]
    table = pd.DataFrame(facts, index=tidy.index, columns=names)
    return tidy.assign(**table.astype({name: TYPES[name] for name in names}).fillna({"baseline": ""}))


def _to_baseline(
    scores: Mapping[int, Score],
    baseline: Sequence[int | None],
    rows: Sequence[TableRow],
    margin: float | None,
) -> dict[int, dict]:
    pairs = {
        row: other
        for row in scores
        if (other := baseline[row]) is not None and other in scores.keys() - {row}
    }
    found = comparisons(scores, pairs)
    return {
        row: {"baseline": rows[pairs[row]].label, **_facts(each, len(found), margin)}
        for row, each in found.items()
    }


def _facts(found: Difference, tests: int, margin: float | None) -> dict[str, float | None]:
    more_pairs, more_seeds = needed(found) if found.error else (inf, inf)
    p_equal = equivalence(found, margin) if margin else None
    values = (*found[:4], p_equal, least_difference(found, tests), more_pairs, more_seeds)
    return dict(zip(COMPARED, values, strict=True))


def marked_ties(tidy: pd.DataFrame, shown: pd.DataFrame) -> pd.DataFrame:
    """Return a printed table with `TIED` after each value that may be the best of its column."""
    marked = shown.copy()
    for cell in tidy[tidy.tied.fillna(False)].itertuples():
        marked.loc[cell.row, cell.column] += f" {TIED}"
    return marked


def difference_sections(tidy: pd.DataFrame, decimals: int) -> list[str]:
    """Return the sections on differences to one baseline, or to two: a column for each of the table's."""
    cells = tidy[tidy.baseline != ""]
    parts = [cells[cells.variant == variant] for variant in ("", SECOND)]
    return [part for compared in parts if len(compared) for part in _section(compared, decimals)]


def difference_notes(
    tidy: pd.DataFrame,
    decimals: int,
    about: About,
    items: str,
    baselines: Sequence[BaselineRow],
    sets: Sequence[str],
    general: Sequence[str] = (),
) -> list[str]:
    """Return what differences to baselines, of which the first may be named, say together.

    `sets` are the columns that are no average, of test `items`; notes are not about `general` ones.
    """
    cells = tidy[tidy.baseline != ""]
    if cells.empty:
        names = " or ".join(each.row for each in baselines)
        return [f"No row is compared with {names}: it has no numbers, or no other row has."] * bool(names)
    cells = cells[~cells.column.isin(list(general))]
    single = len(about.seeds) == 1 and any(row.trained and row.runs for row in about.rows)
    return [] if single else [*_on_sets(cells, sets), *_power(cells, decimals, items)]


def _on_sets(cells: pd.DataFrame, sets: Sequence[str]) -> list[str]:
    """Return notes on how many of several sets rows are above a baseline or below it; nothing for a single set."""
    notes = []
    for baseline, compared in cells[cells.column.isin(sets) & (cells.p <= LEVEL)].groupby("baseline"):
        above = compared[compared.difference > 0].groupby("row").model.agg(["first", "size"])
        below = compared[compared.difference < 0].groupby("row").model.agg(["first", "size"])
        for word, rows in (("Above", above), ("Below", below)):
            counts = [f"{name} on {size}" for name, size in rows.to_numpy()]
            notes.append(f"{word} {baseline}, of {len(sets)} sets: {', '.join(counts) or 'no row'}.")
        if mixed := above["first"][above.index.isin(below.index)].tolist():
            notes.append(f"Help on some sets and harm on others: {', '.join(mixed)}.")
    return notes if sets[1:] else []


def _section(cells: pd.DataFrame, decimals: int) -> list[str]:
    baselines = list(dict.fromkeys(cells.baseline))
    texts = cells.assign(text=[printed_difference(cell, decimals) for cell in cells.to_dict("records")])
    labels = ["row", "group", "model", *(["baseline"] if baselines[1:] else [])]
    shown = texts.pivot(index=labels, columns="column", values="text").fillna("").reset_index()
    shown = shown[[*labels[1:], *dict.fromkeys(cells.column)]]
    to = "the baseline" if baselines[1:] else baselines[0]
    return [f"## Difference to {to}", shown_table(shown)]


def difference_text(cell: Mapping | pd.Series, decimals: int) -> str:
    """Write the difference of a cell with its interval."""
    number, low, high = (f"{cell[name]:+.{decimals}f}" for name in COMPARED[:3])
    return f"{number} [{low}, {high}]"


def printed_difference(cell: Mapping, decimals: int) -> str:
    """Write the difference of a cell with its interval, p-value and mark."""
    p = f", {p_text(cell['p'])}" if pd.notna(cell["p"]) else ""
    return f"{difference_text(cell, decimals)}{p}" + f" {EQUAL}" * (cell["p_equal"] <= LEVEL)


def _power(cells: pd.DataFrame, decimals: int, items: str) -> list[str]:
    """Return a note on the least difference that the last compared column shows, and on what halves it."""
    last = cells[(cells.column == cells.column.iloc[-1]) & cells.least.notna()]
    if last.empty:
        return []
    least, more_pairs, more_seeds = (last[name].median() for name in ("least", "more_pairs", "more_seeds"))
    ways = {f"test {items}": more_pairs, "seeds": more_seeds}
    finite = [f"{factor:.1f} times the {name}" for name, factor in ways.items() if factor < inf]
    takes = f"takes {' or '.join(finite)}" if finite else f"takes more test {items} and more seeds together"
    return [
        f"{last.column.iloc[0]}: a difference of {least:.{decimals}f} is found with 80 % (median over rows); "
        f"half of it {takes}."
    ]


def rank_note(cells: pd.DataFrame) -> str:
    """Return the ranks that rows may have in the last column, perhaps the average; empty if not known."""
    last = cells[(cells.column == cells.column.iloc[-1]) & cells.rank_low.notna() & (cells.variant == "")]
    if last.empty:
        return ""
    last = last.sort_values("value", ascending=False)
    texts = [f"{cell['model']} {cell['rank_low']} to {cell['rank_high']}" for cell in last.to_dict("records")]
    return f"Ranks by {last.column.iloc[0]} that rows may have (95 %, all together): {', '.join(texts)}."


def only_baseline(cells: pd.DataFrame) -> str:
    """Return the baseline that all compared rows of a table of scores have in common; empty if none."""
    first = cells[cells.variant == ""] if "variant" in cells else cells
    names = set(first.get("baseline", [])) - {""}
    return names.pop() if len(names) == 1 else ""


def p_text(p: float) -> str:
    """Write a p-value."""
    return f"p {p:.3f}" if p >= 0.0005 else "p below 0.001"
