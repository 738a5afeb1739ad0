"""Laws of growth, fitted to points."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import nnls

ONE = np.ones_like


@dataclass(frozen=True)
class Law:
    """A sum of terms in x, each with a constant that is not negative.

    Parameters
    ----------
    formula : str
        With `{}` for each constant.
    terms : sequence of callables, float array -> float array
    """

    formula: str
    terms: Sequence[Callable[[np.ndarray], np.ndarray]]


@dataclass(frozen=True)
class Fit:
    """A law with its constants, and how far the points are from it."""

    constants: np.ndarray  # one of each term
    at: np.ndarray  # the law's values at the points
    furthest: float  # (point - law) / law, the largest either way
    furthest_x: float
    last_power: float  # p where the last two points lie on a x^p


CONSTANT = Law("{}", [ONE])
LINEAR = Law("{} + {} x", [ONE, lambda x: x])
SQUARE = Law("{} + {} x + {} x²", [ONE, lambda x: x, np.square])
INVERSE = Law("{} + {} / x", [ONE, lambda x: 1 / x])


def fitted(law: Law, x: Sequence[float], y: Sequence[float]) -> Fit:
    """Fit a law to points by least squares of the relative error, as points lie orders of magnitude apart.

    Parameters
    ----------
    law : Law
    x, y : sequences of at least two numbers, x ascending, all above 0
    """
    places, points = np.array(x, float), np.array(y, float)
    terms = np.stack([term(places) for term in law.terms], axis=1)  # (points, terms)
    constants, _ = nnls(terms / points[:, None], np.ones(len(points)))
    at = terms @ constants
    departures = points / at - 1
    worst = int(np.abs(departures).argmax())
    power = np.log(points[-1] / points[-2]) / np.log(places[-1] / places[-2])
    return Fit(constants, at, float(departures[worst]), float(places[worst]), float(power))
