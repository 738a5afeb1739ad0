"""The recommendation of a table of scores; its rule is in docs/explanation/statistics.md."""

from collections.abc import Iterator, Mapping, Sequence
from math import inf
from statistics import median
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import pandas as pd

from contrapose.report.about import TableRow, label_of
from contrapose.report.cells import scores_of_rows
from contrapose.report.comparison import SECOND, same_rows, shown_on
from contrapose.report.comparison_text import difference_text, interval_text
from contrapose.report.inference import (
    FEWEST_FREEDOM,
    FEWEST_PAIRS,
    LEVEL,
    Difference,
    Score,
    comparisons,
    least_difference,
    may_be_best,
    most_above,
    needed,
)
from contrapose.report.row_costs import SAME, cheapest, unknown_costs
from contrapose.report.scores import PERCENT_DECIMALS

# With how much more a table that tells nothing would tell most: ten times the test pairs, or four times the
# seeds.  Ours: the first can be collected, the second still be trained.
MORE_PAIRS, MORE_SEEDS = 10, 4
NAMED = 3  # rows named in a sentence; the table has the rest
# Facts in the status of a table.
VERDICT, RUN, RANKING = "verdict", "recommended run", "ranking column"
MEASURE, ORIGINS = "measure", "test pairs"  # what it holds, and how its own test pairs came about


class Recommendation(NamedTuple):
    """What the tests of a column say about the rows that are compared with one baseline."""

    text: str  # a sentence or two
    row: int | None = None  # place in the table of the row to use; None: none is recommended


class Family(NamedTuple):
    """The means of a column that are compared with one baseline: parts of a CELLS table."""

    every: pd.DataFrame  # all cells of the column, of single seeds, too
    baseline: pd.Series
    compared: pd.DataFrame
    decimals: int = PERCENT_DECIMALS
    items: str = "pairs"
    margin: float | None = None
    of_table: Sequence[TableRow] = ()  # its rows
    has_sets: bool = False  # the column is the average of several test sets
    retention: Mapping[str, Mapping[int, Score]] = MappingProxyType({})  # scores of rows, by columns

    @property
    def name(self) -> str:
        return label_of(self.baseline)

    @property
    def rows(self) -> pd.DataFrame:
        means = self.every[self.every.seed.isna() & (self.every.variant == "")]
        return means[means["row"].isin([self.baseline["row"], *self.compared["row"]])]

    @property
    def scores(self) -> dict[int, Score]:
        """What is known of the score of each row; rows without resamples have none."""
        chosen = scores_of_rows(self.every, self.of_table)
        return {row: score for row, score in chosen.items() if row in set(self.rows["row"])}

    def gain(self, value: float) -> str:
        """Write how much better a row is; scores are x100, or fractions."""
        return self.number(value) + " points" * (self.decimals == PERCENT_DECIMALS)

    def label(self, row: int) -> str:
        return label_of(self.rows[self.rows["row"] == row].iloc[0])

    @property
    def tied(self) -> pd.DataFrame:
        """The rows that may be the best."""
        return self.rows[self.rows.in_best_set.eq(True)]

    @property
    def test_set(self) -> str:
        return f"{self.compared.n.iloc[0]:,} test {self.items}"

    def second(self, rows: pd.DataFrame) -> pd.DataFrame:
        """Return how some rows compare with the second baseline."""
        return self.every[(self.every.variant == SECOND) & self.every["row"].isin(rows["row"])]

    def number(self, value: float) -> str:
        return f"{value:.{self.decimals}f}"

    def difference(self, cell: pd.Series) -> str:
        return difference_text(cell, self.decimals)


def recommendations(
    tidy: pd.DataFrame,
    columns: Sequence[str],
    sets: Sequence[str] = (),
    decimals: int = PERCENT_DECIMALS,
    items: str = "pairs",
    margin: float | None = None,
    rows: Sequence[TableRow] = (),
    general: Sequence[str] = (),
) -> list[Recommendation]:
    """Return what each of some columns recommends, for each baseline; empty if nothing is compared.

    Parameters
    ----------
    tidy : CELLS table with the differences of `with_differences`, and costs if it has some
    columns : that decide: the average, or without one all, of which those with a result are named
    sets : columns of single test sets behind an average
    items : what test sets hold
    margin : differences within it count as none
    rows : of the table; one for which a search selected what the study has is not counted again
    general : columns of retention test sets, by which rows are left out
    """
    tidy = tidy[~tidy["row"].isin(same_rows(rows))]
    has_sets, retention = len(sets) > 1 and not {*columns} & {*sets}, _retention(tidy, general, rows)
    families = {
        column: [
            Family(*each, decimals, items, margin, rows, has_sets, retention)
            for each in _families(tidy, column)
        ]
        for column in columns
    }
    every = [family for of_column in families.values() for family in of_column]
    if every and all(map(_is_untested, every)):
        return [Recommendation(_untested(every, one_set=len(columns) == 1))]
    if len(columns) == 1:
        return [_of_family(family, tidy, sets) for family in every]
    advice = [
        each._replace(text=f"{column}: {each.text}")
        for column, of_column in families.items()
        for each in (_of_family(family, tidy, sets) for family in of_column if _has_result(family))
    ]
    if other := sum(not _has_result(family) for family in every):
        others = f"{'the other' if advice else 'all'} {other} comparison{'s' * (other > 1)}"
        text = f"In {others} of a column with a baseline, no method differs significantly from the baseline."
        advice.append(Recommendation(text))
    return advice


def _families(tidy: pd.DataFrame, column: str) -> Iterator[tuple[pd.DataFrame, pd.Series, pd.DataFrame]]:
    every = tidy[(tidy.column == column) & tidy.slot.isna() & tidy.value.notna()]
    first = every[every.seed.isna() & (every.variant == "")]
    labels = pd.Series([label_of(row) for _, row in first.iterrows()], first.index, str)
    for name in dict.fromkeys(first.baseline[first.baseline != ""]):
        compared = first[(first.baseline == name) & first.difference.notna()]
        if len(compared):
            yield every, first[labels == name].iloc[0], compared


def _of_family(family: Family, tidy: pd.DataFrame, sets: Sequence[str]) -> Recommendation:
    above, below = (significant(family.compared, sign) for sign in (1, -1))
    has_costs = bool(family.compared.flops.notna().any())
    if above.empty:
        row = int(family.baseline["row"]) if has_costs else None
        return Recommendation(_nothing_above(family, len(below), has_costs), row)
    if has_costs and (best := _cheapest_of_the_best(family, above)):
        named = family.rows[family.rows["row"] == best.row].iloc[0]
        return best._replace(text=best.text + _on_sets(tidy, sets, named, family))
    return Recommendation(_all_above(family, above))


def significant(cells: pd.DataFrame, sign: int) -> pd.DataFrame:
    """Return the cells whose difference is significant and has a sign."""
    return cells[(cells.p <= LEVEL) & (cells.difference * sign > 0)]


def _cheapest_of_the_best(family: Family, above: pd.DataFrame) -> Recommendation | None:
    """Recommend the cheapest row that is as good as the highest; None if no cost is known."""
    choice = _candidates(family, above)
    near = _near_the_highest(family, choice.kept)
    known = near if len(near) == 1 else cheapest(near)
    if known.empty:
        return None
    # Of those that cost the same, a baseline is the simplest; else the highest.
    baselines = set(family.every.baseline[family.every.variant == SECOND])
    simplest = known[[label_of(row) in baselines for _, row in known.iterrows()]]
    best = known.loc[(simplest if len(simplest) else known).value.idxmax()]
    is_alone = "it is the only method that may be the best"
    reason = is_alone if len(family.tied) == 1 else "no other method is significantly better"
    texts = [
        choice.text,
        _why(near, best),
        _to_baselines(family, best),
        _may_be_lost(family, best),
    ]
    text = " ".join([f"Use {label_of(best)}: {reason}.", *filter(None, texts)])
    return Recommendation(text, int(best["row"]))


class Candidates(NamedTuple):
    """The rows to choose from, and rows that may be as good but are worse on a retention test set."""

    kept: pd.DataFrame
    left_out: pd.DataFrame
    where: list[str]  # the retention test sets by which rows are left out

    @property
    def text(self) -> str:
        """Say which rows are left out, and by which retention test sets; empty if none is."""
        if self.left_out.empty:
            return ""
        names = [label_of(row) for _, row in self.left_out.iterrows()]
        which = " and ".join(names) if len(names) < NAMED else f"{len(names)} other methods"
        better = f"another method is significantly better on {' or '.join(self.where)}"
        return (
            f"{which} may be as good, but {better}, so {'it is' if len(names) == 1 else 'they are'} left out."
        )


def _candidates(family: Family, above: pd.DataFrame) -> Candidates:
    """Return the rows that may be the best, and are above the baseline where one is.

    Of these, one that another one is significantly above on a retention test set is left out, unless this
    leaves none.
    """
    tied = family.tied
    # Each row above the baseline may be below another one, whose own gain is less certain.
    gaining = tied[tied["row"].isin(above["row"])]
    good = gaining if len(gaining) else tied[tied["row"] != family.baseline["row"]]
    worse = {}
    for name, scores in family.retention.items():
        compared = {row: score for row, score in scores.items() if row in set(good["row"])}
        worse[name] = [row for row, may_be in may_be_best(compared).items() if not may_be]
    is_kept = ~good["row"].isin([row for rows in worse.values() for row in rows])
    if not is_kept.any():
        return Candidates(good, good.head(0), [])
    return Candidates(good[is_kept], good[~is_kept], [name for name, rows in worse.items() if rows])


def _retention(
    tidy: pd.DataFrame, general: Sequence[str], rows: Sequence[TableRow]
) -> dict[str, dict[int, Score]]:
    """Return the scores of rows on the retention test sets that are tested."""
    columns = {name: tidy[tidy.column == name] for name in general}
    tested = {name: cells for name, cells in columns.items() if cells.in_best_set.notna().any()}
    return {name: scores_of_rows(cells, rows) for name, cells in tested.items()}


def grounds(
    tidy: pd.DataFrame,
    column: str,
    row: int,
    rows: Sequence[TableRow] = (),
    general: Sequence[str] = (),
) -> tuple[str, list[int]]:
    """Return why a recommended row was chosen, and the other rows that may be as good.

    The first two arguments are a CELLS table and the column that decides, the others as of `recommendations`.
    The text is empty if no other row may be the best, for a baseline, and if the costs did not decide.
    """
    tidy = tidy[~tidy["row"].isin(same_rows(rows))]
    retention = _retention(tidy, general, rows)
    found = [Family(*each, of_table=rows, retention=retention) for each in _families(tidy, column)]
    family = next((each for each in found if row in set(each.rows["row"])), None)
    if family is None:
        return "", []
    if row == family.baseline["row"]:
        return "", [int(each) for each in family.tied["row"] if each != row]
    above = significant(family.compared, 1)
    choice = _candidates(family, above)
    others = [int(each) for each in choice.kept["row"] if each != row]
    near = _near_the_highest(family, choice.kept)
    if len(family.tied) < 2 or family.compared.flops.isna().all() or row not in set(near["row"]):
        return "", others
    is_gain = bool(choice.kept["row"].isin(above["row"]).all())
    if not others:
        only = " and gains significantly" if is_gain else f", besides {family.name}"
        why = (
            "No other method remains."
            if choice.text
            else f"It is the only method that may be the best{only}."
        )
    elif len(near) == 1:
        tied = "methods that may be the best" + " and gain significantly" * is_gain
        which = "remaining methods" if choice.text else tied
        why = f"Of the {which}, it has the highest score, by more than one standard error."
    else:
        simplest = {family.label(other) for other in others if other not in set(near["row"])}
        far = sorted(simplest & {*family.second(near).baseline})
        below = (f"{label} is further below this score, but not significantly." for label in far)
        why = " ".join([_why(near, near[near["row"] == row].iloc[0]), *below])
    return f"{choice.text} {why}".strip(), others


def _near_the_highest(family: Family, candidates: pd.DataFrame) -> pd.DataFrame:
    """Return the rows that are within one standard error of the highest of them, paired.

    The rule that takes the simplest of what is as good as the best: Breiman, Friedman, Olshen and Stone
    (1984), Classification and Regression Trees, section 3.4.3.
    """
    highest, scores = int(candidates.loc[candidates.value.idxmax(), "row"]), family.scores
    below = most_above(scores, highest) if highest in scores else {}
    is_near = [row not in below or -below[row].difference <= below[row].error for row in candidates["row"]]
    return candidates[is_near]


def _why(near: pd.DataFrame, best: pd.Series) -> str:
    if len(near) == 1:
        return ""
    equal = f"{len(near)} methods are within one standard error of the best score, so they count as equal."
    unknown, among = [label_of(row) for _, row in near[unknown_costs(near)].iterrows()], "these"
    if unknown:
        which = f"The cost of {unknown[0]}" if len(unknown) == 1 else f"The costs of {len(unknown)} of these"
        equal += f" {which} {'is' if len(unknown) == 1 else 'are'} not known."
        among = "the others"
    if near.usd.max() > 0:
        return f"{equal} Of {among}, {label_of(best)} costs the least."
    more = f", or at most {round(100 * (SAME - 1))} % more" * bool(best.flops > near.flops.min())
    return f"{equal} Of {among}, {label_of(best)} needs the least compute{more}."


def _to_baselines(family: Family, best: pd.Series) -> str:
    """Return how far a row is above its baselines, on the test sets of the table."""
    parts = [
        f"{family.difference(cell)} vs. {cell.baseline}" + " (not significant)" * (not cell.p <= LEVEL)
        for cell in (best, *(cell for _, cell in family.second(best.to_frame().T).iterrows()))
    ]
    return f"{'On these sets, its' if family.has_sets else 'Its'} gain is {' and '.join(parts)}."


def _may_be_lost(family: Family, named: pd.Series) -> str:
    """Return by how much the best other method may be above a row, and what would tell, see `most_above`."""
    scores, is_asking_of = family.scores, family.rows.set_index("row").requests.ne(0)
    asks = {row: bool(is_asking_of[row]) for row in scores if row != named["row"]}
    groups = len({*asks.values()})
    others = most_above(scores, named["row"], groups) if named["row"] in scores else {}
    if not others:
        return ""
    parts = []
    for is_asking in (False, True)[:groups]:
        rows = [row for row in others if groups == 1 or asks[row] is is_asking]
        most = max(rows, key=lambda row: others[row].high)
        who = f"the best with one ({family.label(most)})" if is_asking else "the best other method"
        who += " without a language model" * (groups > 1 and not is_asking)
        better = f"at most {family.gain(others[most].high)} better" if others[most].high > 0 else "not better"
        parts.append(f"{who} is {better}")
    return f"With 95 % confidence, {', and '.join(parts)}.{_what_would_tell(family, named, others)}"


def _what_would_tell(family: Family, named: pd.Series, others: Mapping[int, Difference]) -> str:
    """Return what would tell whether a dearer row is better by more than the margin, if it may be."""
    rows = family.rows[family.rows["row"].isin(others)]
    dearer = rows[unknown_costs(rows) | (rows.usd > named.usd) | (rows.flops > SAME * named.flops)]
    most = max(dearer["row"], key=lambda row: others[row].high, default=None)
    if most is None or not family.margin or not others[most].high > family.margin:
        return ""
    share = family.margin / least_difference(others[most])
    if not share < 1:
        return ""
    ways = zip(needed(others[most], share), (f"test {family.items}", "seeds"), strict=True)
    finite = [f"{factor:.1f} times as many {what}" for factor, what in ways if factor < inf]
    takes = " or ".join(finite) or f"more test {family.items} and more seeds together"
    return f" To detect a gain of {family.gain(family.margin)} by {family.label(most)} takes {takes}."


def _on_sets(tidy: pd.DataFrame, sets: Sequence[str], best: pd.Series, family: Family) -> str:
    """Return on how many test sets a row is above the baseline, and what that says of a further one."""
    of_row = tidy[(tidy["row"] == best["row"]) & (tidy.variant == "") & tidy.seed.isna()]
    cells = of_row[of_row.column.isin(sets)]
    if len(cells) < 2 or cells.baseline.iloc[0] != family.name:
        return ""
    above, below = (shown_on(cells, sign) for sign in (1, -1))
    harm = f", and significantly worse on {', '.join(below)}, so the sets disagree" if below else ""
    where = f"on at least {len(above)} of {len(cells)} test sets (95 %)"
    name = label_of(best)
    text = f" {name} is better than {family.name} {where}{harm}."
    if not above:
        text = f" On no single test set is {name} significantly better than {family.name}{harm}."
    if pd.isna(best.sets_low):
        return text
    interval = interval_text(best.sets_low, best.sets_high, family.decimals)
    if best.sets_low > 0:
        return f"{text} On a further set of this kind, a difference in {interval} is expected."
    return f"{text} It is not known whether {name} also gains on a further set of this kind: {interval}."


def _all_above(family: Family, above: pd.DataFrame) -> str:
    first = above.sort_values("difference", ascending=False, kind="stable").head(NAMED)
    names = [f"{label_of(cell)} ({family.difference(cell)})" for _, cell in first.iterrows()]
    more = f" and {len(above) - NAMED} more" if len(above) > NAMED else ""
    tied = int(above.in_best_set.eq(True).sum())
    best = f" {tied} of them may be the best." if tied else ""
    said = f"Yes, {len(above)} of {len(family.compared)}: {', '.join(names)}{more}.{best}"
    return f"Is a method better than {family.name}? {said}"


def _nothing_above(family: Family, below: int, has_costs: bool) -> str:
    name, rows = family.name, len(family.compared)
    asked = "" if has_costs else f"Is a method better than {name}? "
    close = int((family.compared.p_equal <= LEVEL).sum())
    if below:
        start = f"Use {name}: no other method is significantly better." if has_costs else f"{asked}No."
        first = f"{start} {many_are(below, rows)} significantly worse."
    else:
        first = f"{asked}With {family.test_set}, no method differs significantly from {name}."
    margin = f" (within {family.gain(family.margin)})" if family.margin else ""
    within = f"{many_are(close, rows)} equivalent to {name}{margin}." if close else ""
    lost = _may_be_lost(family, family.baseline) if has_costs else ""
    keep = f"Keep {name} until more is known." if has_costs and not below else ""
    return " ".join(filter(None, [first, within, _limit(family), lost, keep]))


def many_are(some: int, every: int) -> str:
    """Return the subject and verb of a sentence about some of all methods: "All methods are"."""
    if some == every:
        return "All methods are" if every > 1 else "The only other method is"
    return f"{some} of {every} methods {'is' if some == 1 else 'are'}"


def _limit(family: Family) -> str:
    """Return which differences cannot be seen, and which could with more pairs or seeds: what helps most."""
    compared, seeds = family.compared[family.compared.mde.notna()], family.every.seed.nunique()
    if compared.empty:
        few = f"The smallest detectable difference is known only with {FEWEST_FREEDOM + 1} or more seeds."
        return few * (1 < seeds <= FEWEST_FREEDOM)
    mde = compared.mde.median()
    text = f"Differences under {family.number(mde)} cannot be detected"
    tests = len(family.compared)
    known = [each for each in _differences(family) if not np.isnan(least_difference(each, tests))]
    if not known:
        return f"{text}."
    ways = {f"{MORE_PAIRS * compared.n.iloc[0]:,} {family.items}": (MORE_PAIRS, 1)}
    ways |= {f"{MORE_SEEDS * seeds} seeds": (1, MORE_SEEDS)} if seeds else {}
    now, *then = (
        median(least_difference(_with_more(each, *factors), tests) for each in known)
        for factors in ((1, 1), *ways.values())
    )
    best, more = min(zip(then, ways, strict=True))
    return f"{text}; {more} would detect {family.number(mde * best / now)}."


def _with_more(estimate: Difference, pairs: int, seeds: int) -> Difference:
    over_pairs, over_seeds = estimate.over_pairs / pairs, (estimate.error**2 - estimate.over_pairs) / seeds
    freedom = pairs * (estimate.freedom[0] + 1) - 1, seeds * estimate.freedom[1]
    return estimate._replace(error=(over_pairs + over_seeds) ** 0.5, over_pairs=over_pairs, freedom=freedom)


def _differences(family: Family) -> list[Difference]:
    """Return the differences to the baseline with what is behind them; none without resamples."""
    scores, baseline = family.scores, family.baseline["row"]
    pairs = {row: baseline for row in scores if row != baseline and baseline in scores}
    return [each for each in comparisons(scores, pairs).values() if each.error and each.p == each.p]


def _is_untested(family: Family) -> bool:
    """Whether no trained row has a p-value; an average of one seed's encoder counts as none."""
    trained = family.every["row"][family.every.seed.notna()]
    of_trained = family.compared[family.compared["row"].isin(trained)]
    return bool((of_trained if len(of_trained) else family.compared).p.isna().all())


def _has_result(family: Family) -> bool:
    return bool(len(significant(family.compared, 1)) or len(significant(family.compared, -1)))


def _untested(families: Sequence[Family], one_set: bool) -> str:
    names = families[0].name if len({family.name for family in families}) == 1 else "their baselines"
    compared = [family.compared for family in families]
    if max(each.n.max() for each in compared) < FEWEST_PAIRS:
        few = f"Fewer than {FEWEST_PAIRS} test {families[0].items} are too few for a test"
        return f"{few}, so no method can be compared with {names}."
    if not families[0].every.seed.notna().any():
        return f"No difference to {names} is tested, because the uncertainty of the scores is not known."
    widths = [(each.difference_high - each.difference_low).median() / 2 for each in compared]
    ends = dict.fromkeys(f"±{families[0].number(end(widths))}" for end in (min, max))
    known = one_set and not np.isnan(widths).any()
    alone = f" (uncertainty from {families[0].test_set} only: {' to '.join(ends)})" if known else ""
    once = f"Each method was trained once, so differences to {names} cannot be tested{alone}."
    return f"{once} Train more seeds: --config seeds=5."
