"""Do texts with a p(human) of 0.7 turn out human in 70 % of cases?  Guo et al. (2017)."""

import numpy as np
import pandas as pd
from scipy.optimize import minimize_scalar

BINS = 10  # as usual for the calibration error of two classes
TEMPERATURES = (0.01, 100.0)  # range of the fit: at the lower end p is 0 or 1 for any logit seen


def mean_loss(logits: np.ndarray, human: np.ndarray, temperature: float = 1.0) -> float:
    """Return the mean cross-entropy of p(human) = sigmoid(logit / temperature), in nats.

    `logits` (float) and `human` (bool) have shape (n,); temperature > 0.
    """
    return float(np.logaddexp(0, np.where(human, -logits, logits) / temperature).mean())


def fitted_temperature(logits: np.ndarray, human: np.ndarray) -> float:
    """Return the temperature of least loss within `TEMPERATURES`, which may be one of its ends.

    The loss is convex in the inverse of the temperature, so the minimum found is the global one.
    """
    minimum = minimize_scalar(
        lambda logarithm: mean_loss(logits, human, np.exp(logarithm)),
        bounds=np.log(TEMPERATURES),
        method="bounded",
        options={"xatol": 1e-6},
    )
    return float(np.exp(minimum.x))


def reliability(p: np.ndarray, human: np.ndarray, bins: int = BINS) -> pd.DataFrame:
    """Count texts in equal bins of p(human): a table of columns low, high, texts, p and human.

    `p` (float, in [0, 1]) and `human` (bool) have shape (n,).  A p of 1 is in the last bin.  Column p is the
    mean, human the share in the bin: NaN if it is empty.
    """
    edges = np.linspace(0, 1, bins + 1)
    bin_of = np.minimum(np.searchsorted(edges, p, side="right") - 1, bins - 1)
    texts, sums, humans = (np.bincount(bin_of, each, bins) for each in (np.ones_like(p), p, human))
    with np.errstate(invalid="ignore"):
        means = {"p": sums / texts, "human": humans / texts}
    return pd.DataFrame({"low": edges[:-1], "high": edges[1:], "texts": texts.astype(int), **means})


def calibration_error(p: np.ndarray, human: np.ndarray) -> float:
    """Return the mean distance of p(human) from the share of human texts, over texts in `BINS` bins.

    Computed for p(human) itself, from which weights are made, not for the p of the likelier class.
    """
    bins = reliability(p, human).dropna()
    return float(np.average((bins.p - bins.human).abs(), weights=bins.texts))
