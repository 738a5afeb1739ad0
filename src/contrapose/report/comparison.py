"""The comparisons of a table of scores: which rows are compared, and how far they are apart."""

from collections.abc import Mapping, Sequence
from math import inf, nan

import pandas as pd

from contrapose.report.about import TableRow
from contrapose.report.cells import TYPES
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
from contrapose.settings.ids import Released
from contrapose.tables import COMPARED

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
        if rows[own].runs[0] != Released(rows[own].encoder, "auto").id:
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
    baseline; those behind `in_best_set`, for the number of other rows.  A row for which a
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
            for row, is_in in may_be_best(alike).items():
                facts.setdefault((row, column), {})["in_best_set"] = is_in
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
    names = ["baseline", *COMPARED, "in_best_set", "rank_low", "rank_high"]
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


def only_baseline(cells: pd.DataFrame) -> str:
    """Return the baseline that all compared rows of a table of scores have in common; empty if none."""
    first = cells[cells.variant == ""] if "variant" in cells else cells
    names = set(first.get("baseline", [])) - {""}
    return names.pop() if len(names) == 1 else ""


def shown_on(cells: pd.DataFrame, sign: int) -> list[str]:
    """Return the test sets on which a row is shown to be above its baseline (sign 1), or below it (-1).

    `cells` are the row's differences on several sets.  Corrected for the number of sets (Holm), so that in
    95 % of tables a row truly is so on at least as many: replicability by partial conjunctions, Dror et al.
    (2017), Transactions of the Association for Computational Linguistics 5, 471.
    """
    corrected = holm(cells.p.where(cells.difference * sign > 0, 1.0).fillna(1.0).tolist())
    return [str(name) for name, p in zip(cells.column, corrected, strict=True) if p <= LEVEL]
