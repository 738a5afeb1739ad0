"""The verdict on a claim: its difference, and how certain seeds and test pairs make it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Literal, NamedTuple, get_args

import numpy as np

from contrapose.report.inference import LEVEL, Difference, mean_difference

Kind = Literal[
    "holds", "same direction", "not significant", "opposite", "one seed", "not judged in this catalog"
]
KINDS: tuple[Kind, ...] = get_args(Kind)

DIGITS = 9  # printed numbers have at most four decimals; further digits are rounding errors of subtraction


@dataclass(frozen=True)
class Verdict:
    """Whether a claim holds.

    holds : everything that the claim says is true
    same direction : its main difference has the claimed sign, but not everything is true (too small, not for
        every model), or that two rows are alike is not shown
    not significant : the main difference is 0, or may be by chance, see `verdict`
    opposite : the main difference has the other sign
    one seed : encoders behind it were trained once, so a difference cannot be told from chance
    not judged in this catalog : it is about something the catalog lacks, such as a model that follows prompts
    """

    kind: Kind
    difference: float  # mean over seeds, in units of the table; positive is as claimed
    error: float | None  # its standard error; None for one seed without resamples of test pairs
    seeds: int
    detail: str  # the differences behind it
    by_sign: Kind  # the kind if nothing were chance


class Deciding(NamedTuple):
    """A difference that was chosen among several for what it is, and among how many."""

    difference: np.ndarray
    largest_of: int = 1  # so many times as often as a single one it is above 0 by chance, at most
    least_of: int = 1  # the same for below 0


def verdict(
    parts: Mapping[str, np.ndarray],
    difference: np.ndarray | Deciding | None = None,
    holds: bool | None = None,
    note: str = "",
    alike: Mapping[str, np.ndarray] | None = None,
) -> Verdict:
    """Judge a claim by the differences that it is about, arrays as in `Cells`, positive as claimed.

    The main difference, the mean of the parts if not given, is judged as tables of scores compare rows, see
    `mean_difference`; without resamples of test pairs that is Student's t over seeds.
    The part of its variance from test pairs counts as normal: their numbers, at least some hundred, are not
    known here.  Shapes broadcast: 1 seed is a number that depends on no seed, no resamples one that depends
    on no resample of test pairs.  `holds` says whether everything that the claim says is true; by default,
    whether all parts have a positive mean, which is not tested.  `alike` are further parts, see `within`:
    each must be shown to be above 0 as well, as a mean near 0 does not show equality.

    So the claim and its opposite have half of `LEVEL` each.  If the main difference was chosen among several,
    that is divided by their number where the choice favours what is judged (Bonferroni): see `at_least`.
    """
    if difference is None:
        difference = np.mean(np.broadcast_arrays(*parts.values()), axis=0)
    chosen = difference if isinstance(difference, Deciding) else Deciding(difference)
    mean, test = mean_of(chosen.difference), _tested(chosen.difference)
    alike = alike or {}
    every = {**parts, **alike}
    if holds is None:
        holds = all(mean_of(part) > 0 for part in every.values())
    shown = holds and not any(_tested(part).p > LEVEL for part in alike.values())
    detail = "; ".join(f"{name} {mean_of(part):+.4g}" for name, part in every.items())
    by_sign, kind = _kind(mean, holds), _kind(mean, shown)
    if test.p > LEVEL / (chosen.largest_of if mean > 0 else chosen.least_of):  # if p is nan, the sign counts
        kind = "not significant"
    error, detail = (
        test.error if chosen.difference.size > 1 else None,
        ". ".join(filter(None, [detail, note])),
    )
    return Verdict(kind, mean, error, len(chosen.difference), detail, by_sign)


def _tested(difference: np.ndarray) -> Difference:
    return mean_difference(difference[:, 0], difference[:, 1:], np.inf)


def of_one_seed(one: Verdict) -> Verdict:
    """Return a verdict on single trainings, which gives what their difference would be only in its detail."""
    detail = f"{one.by_sign}, if chance is ignored"
    if one.error is not None:
        detail += f"; {one.kind} if only test pairs vary"
    return replace(one, kind="one seed", detail=f"{detail}. {one.detail}")


def _kind(mean: float, holds: bool) -> Kind:
    if mean == 0:
        return "not significant"
    if holds:
        return "holds"
    return "same direction" if mean > 0 else "opposite"


def mean_of(values: np.ndarray) -> float:
    """Return the mean over seeds, without rounding errors of subtraction."""
    return round(float(np.mean(values[:, 0])), DIGITS)


def at_least(number: int, *differences: np.ndarray) -> Deciding:
    """Return what decides whether so many of some differences, at least, are above 0.

    Of n differences it is that with the `number`-th strongest evidence for being above 0.  Evidence decides
    and not the mean, as their errors and units may differ.  That so many are above 0 is judged at the level
    divided by n - number + 1, and that there are fewer at the level divided by `number` (Benjamini and Heller
    2008, Biometrics 64, 1215, section 2).  So where all must be above 0, `all_of`, only the opposite is
    judged at a lower level, and where one is enough, `one_of`, only that the claim holds.
    """
    ordered = sorted(differences, key=_against)
    return Deciding(ordered[number - 1], len(differences) - number + 1, number)


def all_of(*differences: np.ndarray) -> Deciding:
    """Return the difference with the weakest evidence: for a claim whose parts must all hold."""
    return at_least(len(differences), *differences)


def one_of(*differences: np.ndarray) -> Deciding:
    """Return the difference with the strongest evidence: for a claim for which one of many is enough."""
    return at_least(1, *differences)


def _against(difference: np.ndarray) -> tuple[float, float]:
    """Return the one-sided p-value of a difference above 0, and the mean below 0 for those of the same p."""
    mean, p = mean_of(difference), np.nan_to_num(_tested(difference).p)
    return (p / 2 if mean > 0 else 1 - p / 2), -mean


def mean_deciding(*chosen: Deciding) -> Deciding:
    """Return the mean of differences each of which was chosen: among all combinations."""
    differences = np.broadcast_arrays(*(each.difference for each in chosen))
    numbers = (prod(each.largest_of for each in chosen), prod(each.least_of for each in chosen))
    return Deciding(np.mean(differences, axis=0), *numbers)


def within(difference: np.ndarray, limit: float) -> np.ndarray:
    """Return how far a difference is inside of [-limit, limit], for a claim that two are alike.

    The result has the same shape, and is the distance from the end that the mean is nearer to.  A test that
    it is above 0 is that of two one-sided tests which decides (Schuirmann 1987, Journal of Pharmacokinetics
    and Biopharmaceutics 15, 657); one that it is below 0 shows a difference outside.  The latter errs up to
    twice as often as other tests where the limit is far below the standard error.
    """
    return limit - (difference if mean_of(difference) >= 0 else -difference)


def trend(values: Sequence[np.ndarray]) -> np.ndarray:
    """Return the rank correlation (Spearman) of values with their places, for each seed and resample.

    `values` are arrays of shape (seeds, 1 + resamples), in the order in which they are claimed to rise.  The
    result, of the same shape, is in [-1, 1]; 0 where all values are alike, NaN where one is.
    """
    from scipy.stats import rankdata  # slow to import, and plans do not need it

    ranks = rankdata(np.round(np.stack(np.broadcast_arrays(*values)), DIGITS), axis=0)
    places = np.arange(len(values)) - (len(values) - 1) / 2
    ranks -= ranks.mean(axis=0)
    spread = np.sqrt((places**2).sum() * (ranks**2).sum(axis=0))
    return np.divide(np.tensordot(places, ranks, 1), spread, out=np.zeros_like(spread), where=spread != 0)
