"""The comparisons of a table of scores: which rows are compared, and what the table says about it."""

from collections.abc import Mapping, Sequence
from math import inf, nan

import pandas as pd

from contrapose.base.markdown import markdown_table
from contrapose.report.about import About, TableRow, row_label
from contrapose.report.cells import TYPES, WORK
from contrapose.report.files import seeds_note, shown_table
from contrapose.report.headers import COMPARISON, COST, COUNT, ROW, SCORE, TRAINING, apart, headed, part_of
from contrapose.report.inference import (
    LEVEL,
    Score,
    comparisons,
    equivalence,
    holm,
    least_difference,
    may_be_best,
    needed,
    over_sets,
    ranks,
)
from contrapose.report.row_settings import BaselineRow
from contrapose.tables import COMPARED

TIED = "†"  # appended to a value that may be the best of its column
EQUAL = "≈"  # appended to a difference that is within the margin
OVER_SETS = "over sets"  # column of the interval of an average over test sets of this kind
PAIRS, RANK, USD = "pairs", "rank", "usd"  # columns of a summary
SECOND = "second baseline"  # variant of cells that are compared with it


def baseline_rows(rows: Sequence[TableRow], baseline: BaselineRow | None) -> list[int | None]:
    """Return the index of the row with which each row is compared; None if there is none.

    `by: encoder`: the named row, or row of a named group, with the same encoder.  Else the row of the same
    group, or of all rows if only one group has such a row; without a name the first row of a group that has
    runs, or of the table if no group has two rows.

    If that row is an encoder without training, pooled as its folder declares, a row whose recipe pools it in
    another way is compared with the encoder pooled in that way: a change of the pooling is no gain of a
    training.  If all rows are such, the encoder as its folder pools it is compared with that, too.
    """
    found = _named_baselines(rows, baseline)
    runs = {row.runs[0]: number for number, row in enumerate(rows) if row.runs and not row.trained}
    for own in {number for number in found if number is not None and rows[number].runs}:
        if rows[own].runs[0] != f"released/{rows[own].encoder}/auto":
            continue
        compared = [number for number, each in enumerate(found) if each == own and number != own]
        anew = {number: runs[rows[number].untrained] for number in compared if rows[number].untrained in runs}
        for number, other in anew.items():
            found[number] = other
        if len({*anew.values()}) == 1 and {*compared} == {*anew, *anew.values()}:
            other = next(iter(anew.values()))
            found[own] = found[other] = other
    return found


def _named_baselines(rows: Sequence[TableRow], baseline: BaselineRow | None) -> list[int | None]:
    baselines: dict[str, int] = {}
    by_encoder = baseline is not None and baseline.by == "encoder"
    for number, row in reversed(list(enumerate(rows))):
        names = (row.model, row.label, *([row.group] if by_encoder else []))
        if row.runs if baseline is None else baseline.row in names:
            baselines[row.encoder if by_encoder else row.group] = number
    if by_encoder:
        return [baselines.get(row.encoder) for row in rows]
    groups = [row.group for row in rows]
    one_each = baseline is None and len(set(groups)) == len(groups)
    if baselines and (one_each or (baseline is not None and len(baselines) == 1)):
        return [min(baselines.values())] * len(rows)
    return [baselines.get(group) for group in groups]


def with_differences(
    tidy: pd.DataFrame,
    scores: Mapping[str, Mapping[int, Score]],
    rows: Sequence[TableRow],
    baselines: Sequence[Sequence[int | None]],
    margin: float | None = None,
    averaged: Sequence[str] = (),
) -> pd.DataFrame:
    """Add to the means over seeds their differences to baselines, whether they may be the best, and ranks.

    The first baseline's differences stand in the cells of the means, a second one's in cells of their own, of
    the variant `SECOND`.  p-values are corrected for the number of rows of a column that are compared with a
    baseline; those behind `tied`, for the number of other rows.  A row for which a
    search selects the settings of the study is the same row as that of the study, and has its facts.

    Parameters
    ----------
    scores : by column and row
    averaged : the column of an average and those that it is over, whose differences give its interval over
        test sets of this kind, see `over_sets`
    """
    facts: dict[tuple[int, str], dict] = {}
    others: dict[tuple[int, str], dict] = {}
    same = same_rows(rows)
    for column, of_column in scores.items():
        for kind in dict.fromkeys(score.of for score in of_column.values()):
            alike = {row: each for row, each in of_column.items() if each.of == kind and row not in same}
            for row, (low, high) in ranks(alike).items():
                facts.setdefault((row, column), {}).update(rank_low=low, rank_high=high)
            for row, tied in may_be_best(alike).items():
                facts.setdefault((row, column), {})["tied"] = tied
            for baseline, of_cells in zip(baselines, (facts, others), strict=False):
                for row, compared in _to_baseline(alike, baseline, rows, margin, same).items():
                    of_cells.setdefault((row, column), {}).update(compared)
    for of_cells in (facts, others):
        _add_intervals_over_sets(of_cells, averaged)
        of_cells |= {
            (row, column): of_cells[first, column]
            for row, first in same.items()
            for column in scores
            if (first, column) in of_cells
        }
    is_mean = tidy.seed.isna() & (tidy.variant == "")
    of_mean = list(zip(tidy["row"], tidy.column, is_mean, strict=True))
    second = tidy[[key[2] and key[:2] in others for key in of_mean]]
    second = second.assign(variant=SECOND, resampled=None)
    keys = list(zip(second["row"], second.column, strict=True))
    first = _with(tidy, [facts.get(key[:2], {}) if key[2] else {} for key in of_mean])
    return pd.concat([first, _with(second, [others[key] for key in keys])], ignore_index=True)


def same_rows(rows: Sequence[TableRow]) -> dict[int, int]:
    """Return the place of the row of the study of each row for which a search selected its settings."""
    places = {(row.label, *row.runs): number for number, row in enumerate(rows)}
    same = {number: places.get((str(row.selected_for), *row.runs)) for number, row in enumerate(rows)}
    return {number: place for number, place in same.items() if place is not None and rows[number].runs}


def _add_intervals_over_sets(facts: dict[tuple[int, str], dict], averaged: Sequence[str]) -> None:
    """Add the interval over test sets to the facts of an average; `averaged` as in `with_differences`."""
    for (row, column), of_row in facts.items():
        if "estimate" in of_row and column in averaged[:1]:
            of_sets = [facts[row, each]["estimate"] for each in averaged[1:] if (row, each) in facts]
            of_row["sets_low"], of_row["sets_high"] = over_sets(of_row["estimate"], of_sets)


def _with(tidy: pd.DataFrame, facts: Sequence[Mapping]) -> pd.DataFrame:
    names = ["baseline", *COMPARED, "tied", "rank_low", "rank_high"]
    table = pd.DataFrame(facts, index=tidy.index, columns=names)
    return tidy.assign(**table.astype({name: TYPES[name] for name in names}).fillna({"baseline": ""}))


def _to_baseline(
    scores: Mapping[int, Score],
    baseline: Sequence[int | None],
    rows: Sequence[TableRow],
    margin: float | None,
    same: Mapping[int, int],
) -> dict[int, dict]:
    pairs = {
        row: first
        for row in scores
        if (other := baseline[row]) is not None and (first := same.get(other, other)) in scores.keys() - {row}
    }
    differences = comparisons(scores, pairs)
    facts: dict[int, dict] = {}
    for row, each in differences.items():
        more = needed(each) if each.error else (inf, inf)
        p_equal = equivalence(each, margin) if margin else None
        values = (*each[:4], p_equal, least_difference(each, len(differences)), *more)
        compared = dict(zip(COMPARED, (*values, nan, nan), strict=True))
        facts[row] = {"baseline": rows[pairs[row]].label, "estimate": each, **compared}
    return facts


def marked_ties(tidy: pd.DataFrame, shown: pd.DataFrame) -> pd.DataFrame:
    """Return a printed table with `TIED` after each value that may be the best of its column."""
    marked = shown.copy()
    for cell in tidy[tidy.tied.fillna(False)].itertuples():
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
    parts, legend = {ROW: named, SCORE: wide[list(dict.fromkeys(cells.column))]}, []
    if len(over_sets):
        name = apart(OVER_SETS, parts[SCORE].columns, COMPARISON)
        legend = [f"{name}: 95 % interval of the average's difference over all test sets of this kind."]
        parts[COMPARISON] = pd.DataFrame({OVER_SETS: over_sets.reindex(wide.index).fillna("")})
    shown = pd.concat(parts, axis=1)
    to = "the baseline" if baselines[1:] else baselines[0]
    return [f"## Difference to {to}", shown_table(shown), *legend]


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
    return f"Ranks by {last.column.iloc[0]} that rows may have (95 %, all together): {', '.join(texts)}."


def only_baseline(cells: pd.DataFrame) -> str:
    """Return the baseline that all compared rows of a table of scores have in common; empty if none."""
    first = cells[cells.variant == ""] if "variant" in cells else cells
    names = set(first.get("baseline", [])) - {""}
    return names.pop() if len(names) == 1 else ""


def p_text(p: float) -> str:
    """Write a p-value."""
    return f"p {p:.3f}" if p >= 0.0005 else "p below 0.001"


def shown_on(cells: pd.DataFrame, sign: int) -> list[str]:
    """Return the test sets on which a row is shown to be above its baseline (sign 1), or below it (-1).

    `cells` are the row's differences on several sets.  Corrected for the number of sets (Holm), so that in
    95 % of tables a row truly is so on at least as many: replicability by partial conjunctions, Dror et al.
    (2017), Transactions of the Association for Computational Linguistics 5, 471.
    """
    corrected = holm(cells.p.where(cells.difference * sign > 0, 1.0).fillna(1.0).tolist())
    return [str(name) for name, p in zip(cells.column, corrected, strict=True) if p <= LEVEL]


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
            name = f"above {names.pop() if len(names) == 1 else other}"
            above[name] = pd.Series(texts, compared.index, str).reindex(shown.index).fillna("")
    ranked = cells[(cells.variant == "") & cells.rank_low.notna()]
    if len(ranked):
        ends = zip(ranked.rank_low, ranked.rank_high, strict=True)
        ranks = pd.Series([f"{low:.0f} to {high:.0f}" for low, high in ends], ranked.index)
        above[RANK] = ranks.reindex(shown.index).fillna("")
    costs = part_of(shown, COST)
    work = costs.loc[:, costs.columns.str.startswith(WORK)].set_axis([WORK], axis=1)
    usd = costs[[USD] if (tidy.usd > 0).any() else []]
    values = part_of(shown, SCORE)[list(scores)]
    parts = {ROW: _labels(shown), SCORE: values, COMPARISON: above, COST: work.join(usd)}
    numbers = (values != "").any(axis=1)
    return pd.concat(parts, axis=1)[numbers | (not numbers.any())]  # all, if none has any


def _labels(shown: pd.DataFrame) -> pd.DataFrame:
    """Return the label of each row of a printed table."""
    names = zip(shown[ROW, "group"], shown[ROW, "model"], strict=True)
    return pd.DataFrame({PAIRS: [row_label(*each) for each in names]}, shown.index)


def summary_parts(table: pd.DataFrame, shown: pd.DataFrame, about: About) -> tuple[str, list[str]]:
    """Return a `summary` in Markdown with a line on the rows without numbers, and a section on costs."""
    without = ", ".join(about.rows[number].label for number in shown.index.difference(table.index))
    rest = f"Without numbers ({about.name}.md says what each lacks): {without}." if without else ""
    took = {ROW: _labels(shown)} | {part: part_of(shown, part) for part in (COUNT, TRAINING, COST)}
    costs = ["## What each row took", shown_table(pd.concat(took, axis=1).loc[table.index])]
    return "\n\n".join(filter(None, [markdown_table(headed(table)), rest])), costs


def legend(tidy: pd.DataFrame, about: About, items: str, margin: float | None, shown: pd.DataFrame) -> str:
    """Explain the numbers and marks of a table of scores, which is `shown` by part, in a paragraph."""
    compared = tidy[tidy.baseline != ""]
    within = f"{EQUAL} within ±{margin} (two one-sided tests of each row alone, p below {LEVEL:g})"
    seeds = "" if len(about.seeds) == 1 else " and, of trained rows, over seeds"
    scores = part_of(shown, SCORE).columns
    unit = next((name for name in part_of(shown, COST) if name.startswith(WORK)), "").removeprefix(WORK)
    parts = [
        seeds_note(about.seeds),
        f"{TIED} may be the best of its column" if tidy.tied.any() else "",
        f"differences have 95 % intervals over test {items}{seeds}" if len(compared) else "",
        "p is corrected (Holm) for the rows that a column compares" if compared.p.notna().any() else "",
        within if margin and compared.p_equal.notna().any() else "",
        f"{apart(RANK, scores, COMPARISON)}: the places that a row may have, 95 %, all together"
        if tidy.rank_low.notna().any()
        else "",
        f"{apart(WORK, scores, COST)}: what models here computed{unit}" if unit else "",
    ]
    return f"{'; '.join(filter(None, parts))}."
