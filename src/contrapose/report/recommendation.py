"""What a table of scores recommends, in a sentence, from its tests: docs/statistics.md has the rule."""

from collections.abc import Iterator, Sequence
from statistics import median
from typing import NamedTuple

import numpy as np
import pandas as pd

from contrapose.report.about import About, label_of
from contrapose.report.cells import scores_of_rows
from contrapose.report.comparison import SECOND, difference_text
from contrapose.report.inference import LEVEL, Difference, comparisons, least_difference
from contrapose.report.row_costs import cheapest

# With how much more a table that tells nothing would tell most: ten times the test pairs, or four times the
# seeds.  Ours: the first can be collected, the second still be trained.
MORE_PAIRS, MORE_SEEDS = 10, 4
NAMED = 3  # rows named in a sentence; the table has the rest
VERDICT, RUN, RANKING = "verdict", "recommended run", "ranking column"  # facts in the status of a table


class Recommendation(NamedTuple):
    """What the tests of a column say about the rows that are compared with one baseline."""

    text: str  # a sentence or two
    row: int | None = None  # place in the table of the row to use; None: none is recommended


class Family(NamedTuple):
    """The means of a column that are compared with one baseline: parts of a CELLS table."""

    every: pd.DataFrame  # all cells of the column, of single seeds, too
    baseline: pd.Series
    compared: pd.DataFrame
    decimals: int
    items: str

    @property
    def name(self) -> str:
        return label_of(self.baseline)

    @property
    def rows(self) -> pd.DataFrame:
        return pd.concat([self.baseline.to_frame().T.astype(self.compared.dtypes), self.compared])

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
    decimals: int = 2,
    items: str = "pairs",
) -> list[Recommendation]:
    """Return what each of some columns recommends, for each baseline; empty if nothing is compared.

    Parameters
    ----------
    tidy : CELLS table with the differences of `with_differences`, and costs if it has some
    columns : that decide: the average, or without one all, of which those with a result are named
    sets : columns of single test sets behind an average
    items : what test sets hold
    """
    families = {column: list(_families(tidy, column, decimals, items)) for column in columns}
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
        text = f"In {others} of a column with a baseline no row can be told from the baseline."
        advice.append(Recommendation(text))
    return advice


def verdict_text(advice: Sequence[Recommendation]) -> str:
    """Return what a table says in all, as its page, the report and the end of a run have it."""
    return " ".join(each.text for each in advice)


def _families(tidy: pd.DataFrame, column: str, decimals: int, items: str) -> Iterator[Family]:
    every = tidy[(tidy.column == column) & tidy.slot.isna() & tidy.value.notna()]
    first = every[every.seed.isna() & (every.variant == "")]
    labels = pd.Series([label_of(row) for _, row in first.iterrows()], first.index, str)
    for name in dict.fromkeys(first.baseline[first.baseline != ""]):
        compared = first[(first.baseline == name) & first.difference.notna()]
        if len(compared):
            yield Family(every, first[labels == name].iloc[0], compared, decimals, items)


def _of_family(family: Family, tidy: pd.DataFrame, sets: Sequence[str]) -> Recommendation:
    compared = family.compared
    above, below = _significant(compared, 1), _significant(compared, -1)
    has_costs = bool(compared.flops.notna().any())
    if above.empty:
        row = int(family.baseline["row"]) if has_costs else None
        return Recommendation(_nothing_above(family, len(below), has_costs), row)
    best = _cheapest_best(family, above) if has_costs else None
    if best is None:
        return Recommendation(_all_above(family, above))
    return Recommendation(best.text + _alone(tidy, sets, best.row, family), best.row)


def _significant(cells: pd.DataFrame, sign: int) -> pd.DataFrame:
    return cells[(cells.p <= LEVEL) & (cells.difference * sign > 0)]


def _cheapest_best(family: Family, above: pd.DataFrame) -> Recommendation | None:
    """Recommend the cheapest of the candidates; None if no cost is known."""
    tied = family.rows[family.rows.tied.eq(True)]
    candidates, than = _candidates(family, tied, above)
    known = candidates if len(candidates) == 1 else cheapest(candidates)
    if known.empty:
        return None
    # Of those that cost the same, a baseline is the simplest; the highest is as good a choice as any other.
    second = family.every[family.every.variant == SECOND]
    labels = [label_of(row) for _, row in known.iterrows()]
    simplest = known[[label in set(second.baseline) for label in labels]]
    best = known.loc[(simplest if len(simplest) else known).value.idxmax()]
    parts = [f"Use {label_of(best)}: {_why(candidates, tied, than)}"]
    parts += [f"{family.difference(best)} above {family.name}"] if best["row"] in set(above["row"]) else []
    parts += [_to_second(family, best)] if len(second) else []
    return Recommendation(f"{'; '.join(parts)}.", int(best["row"]))


def _candidates(family: Family, tied: pd.DataFrame, above: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Return the rows that may be the best and are above the baselines that any is above, and these."""
    candidates, than = tied[tied["row"].isin(above["row"])], [family.name]
    if candidates.empty:  # those above it are below another row, which is told from it less well
        candidates, than = tied[tied["row"] != family.baseline["row"]], []
    above_second = _significant(family.second(candidates), 1)
    if above_second.empty:
        return candidates, than
    return candidates[candidates["row"].isin(above_second["row"])], [*than, above_second.baseline.iloc[0]]


def _why(candidates: pd.DataFrame, tied: pd.DataFrame, than: Sequence[str]) -> str:
    if len(tied) == 1:
        return "no other row may be the best"
    one = len(candidates) == 1
    is_above = f" and {'is' if one else 'are'} above {' and '.join(than)}" if than else ""
    which = "may be the best" + is_above * (len(candidates) < len(tied))
    if one:
        return f"no other row {which}"
    least = "costs least" if candidates.usd.max() > 0 else "takes the least work"
    unknown = int(candidates[["usd", "flops"]].isna().any(axis=1).sum())
    return f"of {len(candidates)} rows that {which} it {least}" + (
        f" (of {unknown} the cost is not known)" if unknown else ""
    )


def _to_second(family: Family, best: pd.Series) -> str:
    cells = family.second(family.rows[family.rows["row"] == best["row"]])
    if cells.empty:  # it is the second baseline
        above = len(_significant(family.second(family.rows), 1))
        return f"{above or 'no'} row{'s are' if above > 1 else ' is'} above it"
    cell = cells.iloc[0]
    is_significant, word = cell.p <= LEVEL, "above" if cell.difference > 0 else "against"
    return f"{family.difference(cell)} {word} {cell.baseline}" + ", not told apart" * (not is_significant)


def _alone(tidy: pd.DataFrame, sets: Sequence[str], row: int | None, family: Family) -> str:
    """Return on which of several test sets a recommended row is above the baseline, or below it."""
    cells = tidy[(tidy["row"] == row) & (tidy.variant == "") & tidy.seed.isna() & tidy.column.isin(sets)]
    if len(cells) < 2 or cells.baseline.iloc[0] != family.name:
        return ""
    above, below = (list(_significant(cells, sign).column) for sign in (1, -1))
    harm = f", and below it on {', '.join(below)}: the sets disagree" if below else ""
    return f" It is above {family.name} on {len(above)} of {len(cells)} test sets taken alone{harm}."


def _all_above(family: Family, above: pd.DataFrame) -> str:
    first = above.sort_values("difference", ascending=False, kind="stable")
    names = [f"{label_of(cell)} ({family.difference(cell)})" for _, cell in first.head(NAMED).iterrows()]
    more = f" and {len(above) - NAMED} more" if len(above) > NAMED else ""
    tied = int(first.tied.eq(True).sum())
    apart = ", not told apart from each other" if tied > 1 else ""
    return (
        f"Is a row above {family.name}? Yes, {len(above)} of {len(family.compared)}: "
        f"{', '.join(names)}{more}" + (f"; {tied} of them may be the best{apart}." if tied else ".")
    )


def _nothing_above(family: Family, below: int, has_costs: bool) -> str:
    name, limit, rows = family.name, _limit(family), len(family.compared)
    close = int((family.compared.p_equal <= LEVEL).sum())
    within = f"as good within the margin: {close} of {rows} rows" if close else ""
    parts = "; ".join(filter(None, [within, limit]))
    if below:
        which = f"{'all ' if below == rows else f'{below} of '}{rows} rows are below it"
        text = f"Use {name}: no row is above it" if has_costs else f"Is a row above {name}? No"
        return f"{text}, {which}{'; ' * bool(parts)}{parts}."
    if not has_costs:
        return f"Is a row above {name}? Not told apart with {family.test_set}{': ' * bool(parts)}{parts}."
    text = f"With {family.test_set} nothing can be told from {name}{': ' * bool(parts)}{parts}."
    return f"{text} Until more is known, keep {name}."


def _limit(family: Family) -> str:
    """Return which differences cannot be seen, and which could with more pairs or seeds: what helps most."""
    compared = family.compared[family.compared.least.notna()]
    if compared.empty:
        return ""
    least = compared.least.median()
    text = f"differences under {family.number(least)} are not visible"
    known = _differences(family)
    if not known:
        return text
    tests, seeds = len(family.compared), family.every.seed.nunique()
    ways = {f"{MORE_PAIRS * compared.n.iloc[0]:,} {family.items}": (MORE_PAIRS, 1)}
    ways |= {f"{MORE_SEEDS * seeds} seeds": (1, MORE_SEEDS)} if seeds else {}
    now, *then = (
        median(least_difference(_with_more(each, *factors), tests) for each in known)
        for factors in ((1, 1), *ways.values())
    )
    best, more = min(zip(then, ways, strict=True))
    return f"{text}; {more} would show {family.number(least * best / now)}"


def _with_more(estimate: Difference, pairs: int, seeds: int) -> Difference:
    over_pairs, over_seeds = estimate.over_pairs / pairs, (estimate.error**2 - estimate.over_pairs) / seeds
    freedom = pairs * (estimate.freedom[0] + 1) - 1, seeds * estimate.freedom[1]
    return estimate._replace(error=(over_pairs + over_seeds) ** 0.5, over_pairs=over_pairs, freedom=freedom)


def _differences(family: Family) -> list[Difference]:
    """Return the differences to the baseline with what is behind them; none without resamples."""
    scores = scores_of_rows(family.every[family.every["row"].isin(family.rows["row"])])
    baseline = family.baseline["row"]
    pairs = {row: baseline for row in scores if row != baseline and baseline in scores}
    return [each for each in comparisons(scores, pairs).values() if each.error and each.p == each.p]


def _is_untested(family: Family) -> bool:
    """Whether no trained row has a p-value; an average of one seed's encoder counts as none."""
    trained = family.every["row"][family.every.seed.notna()]
    of_trained = family.compared[family.compared["row"].isin(trained)]
    return bool((of_trained if len(of_trained) else family.compared).p.isna().all())


def _has_result(family: Family) -> bool:
    return bool(len(_significant(family.compared, 1)) or len(_significant(family.compared, -1)))


def _untested(families: Sequence[Family], one_set: bool) -> str:
    names = families[0].name if len({family.name for family in families}) == 1 else "their baselines"
    if not families[0].every.seed.notna().any():
        return f"Nothing is tested against {names}: how certain the scores are is not known."
    widths = [
        (each.compared.difference_high - each.compared.difference_low).median() / 2 for each in families
    ]
    ends = dict.fromkeys(f"±{families[0].number(end(widths))}" for end in (min, max))
    known = one_set and not np.isnan(widths).any()
    alone = f": {families[0].test_set} alone leave {' to '.join(ends)}" if known else ""
    return f"Rows were trained once, so none can be told from {names}{alone}. Train more: --config seeds=5."


def with_forgetting(
    said: Sequence[Recommendation], tidy: pd.DataFrame, about: About, general: Sequence[str], decimals: int
) -> list[Recommendation]:
    """Add to the text of a recommended row on which general columns it is below an untrained encoder.

    Where that is significant, as in `forgetting`, which says it of every row.
    """
    cells = _from_untrained(tidy, about)
    lost = _significant(cells[cells.column.isin(general)], -1)

    def completed(one: Recommendation) -> Recommendation:
        losses = lost[lost["row"] == one.row].to_dict("records")
        if not losses:
            return one
        parts = ", ".join(f"{each['column']} ({difference_text(each, decimals)})" for each in losses)
        label, baseline = label_of(losses[0]), losses[0]["baseline"]
        return one._replace(text=f"{one.text} But {label} is below {baseline} on {parts}.")

    return [completed(one) for one in said]


def _from_untrained(tidy: pd.DataFrame, about: About) -> pd.DataFrame:
    """Return the means of rows that are compared with an untrained encoder, the first of several."""
    untrained = [row.label for row in about.rows if row.runs and not row.trained]
    cells = tidy[tidy.seed.isna() & tidy.baseline.isin(untrained)]
    return cells[cells.baseline == next(iter(cells.baseline), "")].drop_duplicates(["row", "column"])


def forgetting(tidy: pd.DataFrame, about: About, mean: str, general: str, decimals: int) -> str:
    """Return a warning of rows that are above an untrained encoder in one column and below it in another.

    Both differences have to be significant, so the chance of a warning for a row that does not forget is no
    larger than that of one of the tests.  Without such a row it says which loss the test would have found.
    Empty if no row is compared with an untrained encoder.
    """
    cells = _from_untrained(tidy, about)
    gains, losses = (cells[cells.column == name].set_index("row") for name in (mean, general))
    gains = gains[gains.index.isin(losses.index)]
    if gains.empty:
        return ""
    losses, baseline = losses.loc[gains.index], gains.baseline.iloc[0]
    if losses.p.isna().all():
        return (
            f"Whether rows lose on {general} is not tested: they were trained once. Set `seeds` to 3 or more."
        )
    gained = (gains.p <= LEVEL) & (gains.difference > 0)
    lost = (losses.p <= LEVEL) & (losses.difference < 0)

    def named(which: pd.Series) -> str:
        both = gains[which], losses[which]
        return "; ".join(
            f"{label_of(gain)} ({mean} {gain['difference']:+.{decimals}f}, {general} "
            f"{difference_text(loss, decimals)})"
            for gain, loss in zip(*(each.to_dict("records") for each in both), strict=True)
        )

    least = losses.least.median()
    seen = "" if np.isnan(least) else f" A loss of {least:.{decimals}f} would be found with 80 %."
    if not (gained & lost).any():
        return f"No row that is above {baseline} on {mean} is significantly below it on {general}.{seen}"
    kept = named(gained & ~lost) or "no row; a recipe of kind averaged with alpha 0.5, halfway back, may be"
    return (
        f"**Warning: forgetting.** Above {baseline} on {mean}, but below it on {general}: "
        f"{named(gained & lost)}. Above it on {mean} without a significant loss on {general}: {kept}.{seen}"
    )
