"""Summaries of the training logs of the runs behind the tables."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import pandas as pd

from contrapose.jobs.status import read_status

WIDTH, HEIGHT, MARGIN = 100.0, 24.0, 2.0  # of a curve, in units of its own
MOST_POINTS = 200  # per curve: a screen shows no more
TAIL = 0.1  # last share of the steps: the loss of a single step says little


# Names of the cells of a run, and what they mean; those without a meaning say it themselves.
CELLS = {
    "dev": "the best dev score",
    "at step": "",
    "steps": "",
    "epochs": "",
    "texts seen": "the texts of all steps together, where every text of a pair counts",
    "loss": "the mean over the last tenth of the steps",
}
NOTHING = "–"


class RunRow(NamedTuple):
    """A trained encoder, as the overview shows it."""

    name: str
    curve: str  # points of an SVG polyline
    curve_of: str  # in words
    cells: tuple[str, ...]  # of CELLS
    encoder: str


def run_row(name: str, history: pd.DataFrame, made: Mapping) -> RunRow:
    """Summarise the training of a run from its HISTORY table and that table's provenance."""
    scored = history[history.dev_score.notna()]
    curve = scored.dev_score if len(scored) > 1 else history.loss
    of = "dev score" if len(scored) > 1 else "loss"
    encoder = made["settings"]["recipe"]["encoder"]
    if history.empty:  # of a fit, or of a training that was left out
        return RunRow(name, "", read_status(made).unavailable or "no steps", (NOTHING,) * len(CELLS), encoder)
    last = history.iloc[-1]
    best = scored.loc[scored.dev_score.idxmax()] if len(scored) else None
    tail = history.loss.tail(max(1, round(TAIL * len(history))))
    numbers = (
        f"{best.dev_score:.4f}" if best is not None else NOTHING,
        f"{int(best.step):,}" if best is not None else NOTHING,
        f"{int(last.step):,}",
        f"{int(last.epoch) + 1}",
        f"{int(last.sentences):,}",
        f"{tail.mean():.4f}",
    )
    said = f"{of} from {curve.iloc[0]:.3f} to {curve.iloc[-1]:.3f}"
    return RunRow(name, polyline(curve.tolist()), said, numbers, encoder)


def without_empty(runs: Sequence[RunRow]) -> tuple[dict[str, str], list[RunRow]]:
    """Return the cells that any of some runs has, by name with their meanings, and the runs with these."""
    kept = [at for at in range(len(CELLS)) if any(run.cells[at] != NOTHING for run in runs)]
    names = list(CELLS)
    shown = [run._replace(cells=tuple(run.cells[at] for at in kept)) for run in runs]
    return {names[at]: CELLS[names[at]] for at in kept}, shown


def polyline(values: list[float]) -> str:
    """Return values, from left to right, as points of an SVG polyline of `WIDTH` x `HEIGHT`, higher is up."""
    step = max(1, -(-len(values) // MOST_POINTS))
    taken = values[::step] if len(values) > 1 else values * 2
    low, high = min(taken), max(taken)
    across = WIDTH / (len(taken) - 1)
    up = (HEIGHT - 2 * MARGIN) / (high - low) if high > low else 0.0
    return " ".join(
        f"{at * across:.1f},{HEIGHT - MARGIN - (value - low) * up:.1f}" for at, value in enumerate(taken)
    )
