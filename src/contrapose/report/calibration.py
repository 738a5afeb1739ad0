"""Do texts with a p(human) of 0.7 turn out human in 70 % of cases?  Guo et al. (2017)."""

import itertools
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.optimize import minimize_scalar
from scipy.special import expit

from contrapose.errors import TableError
from contrapose.jobs import CalibrationJob
from contrapose.report.plots import COLOURS, plt, save_figure
from contrapose.tables import CALIBRATION

READINGS = {"plain": "", "given": ", the paper's", "fitted": ", fitted"}  # and what a legend says
BINS = 10  # as usual for the calibration error of two classes
TEMPERATURES = (0.01, 100.0)  # between which one is fitted: at the lower end p is 0 or 1 for any logit seen


def mean_loss(logits: np.ndarray, human: np.ndarray, temperature: float = 1.0) -> float:
    """Return the mean cross-entropy of p(human) = sigmoid(logit / temperature), in nats.

    Parameters
    ----------
    logits : float array of shape (n,)
    human : bool array of shape (n,)
    temperature : float, > 0
    """
    return float(np.logaddexp(0, np.where(human, -logits, logits) / temperature).mean())


def fitted_temperature(logits: np.ndarray, human: np.ndarray) -> float:
    """Return the temperature of least loss; at an end of `TEMPERATURES` if that has none between them.

    The loss is convex in the inverse of the temperature, so what is found is the least.
    """
    found = minimize_scalar(
        lambda logarithm: mean_loss(logits, human, np.exp(logarithm)),
        bounds=np.log(TEMPERATURES),
        method="bounded",
        options={"xatol": 1e-6},
    )
    return float(np.exp(found.x))


def reliability(p: np.ndarray, human: np.ndarray, bins: int = BINS) -> pd.DataFrame:
    """Count texts in equal bins of p(human).

    Parameters
    ----------
    p : float array of shape (n,), in [0, 1]
    human : bool array of shape (n,)
    bins : int

    Returns
    -------
    table of columns low, high, texts, p and human
        A row per bin; a p of 1 is in the last.  p is the mean in the bin and human the share: NaN in an
        empty one.
    """
    edges = np.linspace(0, 1, bins + 1)
    bin_of = np.minimum(np.searchsorted(edges, p, side="right") - 1, bins - 1)
    texts, sums, humans = (np.bincount(bin_of, each, bins) for each in (np.ones_like(p), p, human))
    with np.errstate(invalid="ignore"):
        means = {"p": sums / texts, "human": humans / texts}
    return pd.DataFrame({"low": edges[:-1], "high": edges[1:], "texts": texts.astype(int), **means})


def calibration_error(p: np.ndarray, human: np.ndarray) -> float:
    """Return the mean distance of p(human) from the share of human texts, over texts in `BINS` bins.

    Of p(human) itself, as it is what weights are made of, and not of the likelier class's p.
    """
    bins = reliability(p, human).dropna()
    return float(np.average((bins.p - bins.human).abs(), weights=bins.texts))


def calibration_points(held_out: Mapping[str, pd.DataFrame], job: CalibrationJob) -> pd.DataFrame:
    """Return the points of a figure: at temperature 1, at the one given, and at that fitted to these texts.

    Parameters
    ----------
    held_out : mapping of {pairs}/{identifier}: HELD_OUT table
        With several folds, what all classifiers say of the texts, each at its own fitted temperature.
    job : CalibrationJob
        A panel that this world cannot have is left out.

    Returns
    -------
    CALIBRATION table
    """
    parts = []
    for panel in job.panels:
        if panel.identified is None:
            continue
        table = held_out[panel.identified]
        fitted = {
            fold: fitted_temperature(own.logit.to_numpy(), own.human.to_numpy())
            for fold, own in table.groupby("fold")
        }
        human = table.human.to_numpy()
        for reading, temperatures in (
            ("plain", np.ones(len(table))),
            ("given", np.full(len(table), panel.temperature)),
            ("fitted", table.fold.map(fitted).to_numpy()),
        ):
            bins = reliability(expit(table.logit.to_numpy() / temperatures), human, job.bins)
            about = {"figure": job.table, "world": job.world, "panel": panel.model, "reading": reading}
            parts.append(bins.assign(**about, temperature=temperatures.mean()))
    if not parts:
        reasons = "; ".join(dict.fromkeys(panel.note for panel in job.panels))
        raise TableError(f"{job.table}: this world has none of the figure's panels ({reasons}).")
    return pd.concat(parts, ignore_index=True)[CALIBRATION.columns]


def calibration_figure(points: pd.DataFrame, paths: Sequence[str | Path]) -> None:
    """Draw the share of human texts against p(human), and below it the texts in each bin.

    Parameters
    ----------
    points : CALIBRATION table
    paths : of the PDF, PNG or SVG files, told apart by their suffix
        Equal tables give equal bytes, for one version of matplotlib.
    """
    panels = list(dict.fromkeys(points.panel))
    figure, axes = plt.subplots(
        2, len(panels), sharex=True, sharey="row", squeeze=False, layout="constrained",
        figsize=(0.8 + 3.0 * len(panels), 4.4), height_ratios=(3, 1),
    )  # fmt: skip
    for panel, above, below in zip(panels, *axes, strict=True):
        above.plot([0, 1], [0, 1], color="0.7", linewidth=0.8)
        of_panel = points[points.panel == panel]
        readings = list(of_panel.groupby("reading", sort=False))
        for number, ((reading, bins), colour) in enumerate(zip(readings, itertools.cycle(COLOURS))):
            temperature = bins.temperature.iloc[0]
            label = f"T = {temperature:.3g}{READINGS[reading]}"
            above.plot(bins.p, bins.human, "o-", color=colour, markersize=3, linewidth=1, label=label)
            width = (bins.high - bins.low) / (len(readings) + 1)  # a gap as wide as a bar between bins
            below.bar(bins.low + (number + 0.5) * width, bins.texts, width, align="edge", color=colour)
        above.set_title(panel, fontsize=9)
        above.legend(fontsize=7, loc="upper left", frameon=False)
        below.set_xlabel("p(human)", fontsize=8)
        for axis in (above, below):
            axis.grid(color="0.9")
            axis.set_axisbelow(True)
            axis.tick_params(labelsize=7)
    axes[0][0].set_ylabel("share of human texts", fontsize=8)
    axes[1][0].set_ylabel("texts", fontsize=8)
    about, world = points[["figure", "world"]].iloc[0]
    figure.supxlabel(f"{about} · world {world} · held-out texts", fontsize=8)
    save_figure(figure, paths, about)
