"""A table of how well classifiers tell machine from human texts, and of how calibrated they are."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from scipy.special import expit

from contrapose.evaluate.bootstrap import percentile_interval, resampled_means
from contrapose.jobs import IdentificationTableJob, IdentifiedRow
from contrapose.report.calibration import (
    BINS,
    TEMPERATURES,
    calibration_error,
    fitted_temperature,
    mean_loss,
)
from contrapose.report.files import bullets, deviation_parts, joined, markdown_table
from contrapose.report.published import printed_rows, published_numbers, published_table
from contrapose.report.sts_table import NOTHING, NUMBERS, mean_cells, printed_table
from contrapose.seeds import generator
from contrapose.tables import PUBLISHABLE

ACCURACY = "accuracy"
# Decimals of each column.  Loss and ECE first of the logits as they are, then at two temperatures.
COLUMNS = {
    ACCURACY: 2,
    "texts": 0,
    **{"loss": 4, "ECE": 4},
    **{"T": 2, "loss at T": 4, "ECE at T": 4},
    **{"fitted T": 2, "loss at fitted T": 4, "ECE at fitted T": 4},
}


def identification_table(
    held_out: Mapping[str, pd.DataFrame], published: pd.DataFrame | None, job: IdentificationTableJob
) -> pd.DataFrame:
    """Lay out what classifiers say of held-out texts as the cells of a table, tidy.

    Parameters
    ----------
    held_out : mapping of {pairs}/{identifier}: HELD_OUT table
    published : the paper's printed table, optional
    job : IdentificationTableJob

    Returns
    -------
    PUBLISHABLE table
        A cell per row and column.  accuracy x100, with the bootstrap interval over texts of one classifier;
        loss in nats; ECE in [0, 1], see `calibration_error`.  Of several folds the mean, and as spread the
        standard deviation over folds.

    Raises
    ------
    ConfigError
        The paper has no row of the name that a row gives.
    """
    printed = printed_rows(job.table, published, job.layout)
    cells = []
    for number, row in enumerate(job.rows):
        numbers = published_numbers(row.published, row.model, printed)
        about = {"table": job.table, "world": job.world, "row": number, "group": row.group}
        about |= {"model": row.model, "run": row.identified or "", "seed": None}
        about |= {"published_row": row.published or ""}
        for column, cell in _row_cells(held_out, row, job).items():
            cells.append({**about, "column": column, **cell, "published": numbers.get(column)})
    return pd.DataFrame(cells, columns=PUBLISHABLE.columns).astype(NUMBERS)


def _row_cells(
    held_out: Mapping[str, pd.DataFrame], row: IdentifiedRow, job: IdentificationTableJob
) -> dict[str, dict]:
    """Return {column: cell} of a row, empty ones if this world cannot have it."""
    if row.identified is None:
        return dict.fromkeys(COLUMNS, NOTHING)
    folds = [own for _, own in held_out[row.identified].groupby("fold")]
    cells = mean_cells([_cells(own, row.temperature) for own in folds])
    if len(folds) == 1:
        correct = ((folds[0].logit > 0) == folds[0].human).to_numpy(float)
        draws = generator("bootstrap", "identification", len(correct))
        low, high = percentile_interval(resampled_means(correct[:, None], job.bootstrap, draws)[:, 0])
        cells[ACCURACY] = {**cells[ACCURACY], "low": 100 * low, "high": 100 * high}
    for same in ("texts", "T"):  # as all classifiers are held against the same texts
        cells[same] = {**cells[same], "spread": None}
    return cells


def _cells(held_out: pd.DataFrame, temperature: float) -> dict[str, dict]:
    """Return the cells of one classifier."""
    logits, human = held_out.logit.to_numpy(), held_out.human.to_numpy()
    fitted = fitted_temperature(logits, human)
    values = {ACCURACY: 100 * float(np.mean((logits > 0) == human)), "texts": float(len(human))}
    for end, divisor in (("", 1.0), (" at T", temperature), (" at fitted T", fitted)):
        values["loss" + end] = mean_loss(logits, human, divisor)
        values["ECE" + end] = calibration_error(expit(logits / divisor), human)
    values |= {"T": temperature, "fitted T": fitted}
    return {name: {**NOTHING, "value": values[name], "n": len(human)} for name in COLUMNS}


def _printed(tidy: pd.DataFrame) -> pd.DataFrame:
    parts = [
        printed_table(tidy[tidy.column == name], decimals, intervals=True)
        for name, decimals in COLUMNS.items()
    ]
    return pd.concat([parts[0], *(part.drop(columns=["group", "model"]) for part in parts[1:])], axis=1)


def identification_csv(tidy: pd.DataFrame, job: IdentificationTableJob) -> pd.DataFrame:
    """Return the printed table with the world in front and a note behind each row."""
    table = _printed(tidy)
    table.insert(0, "world", job.world)
    return table.assign(note=[row.note for row in job.rows])


def identification_markdown(
    tidy: pd.DataFrame, published: pd.DataFrame | None, job: IdentificationTableJob
) -> str:
    """Write the table for people; the paper's numbers only if the world does not make its own text."""
    parts = [
        f"# {job.table}",
        job.caption,
        f"World `{job.world}`: {job.world_description}.",
        markdown_table(_printed(tidy).replace("", "–")),
        bullets(_notes(tidy, job)),
    ]
    if published is not None and not job.generated:
        labels = [row.published for row in job.rows]
        theirs = published_table(printed_rows(job.table, published, job.layout), labels, [ACCURACY], 2)
        parts += ["## The paper's numbers", f"As printed in: {job.source}.", markdown_table(theirs)]
    return joined([*parts, *deviation_parts(job.deviations)])


def _notes(tidy: pd.DataFrame, job: IdentificationTableJob) -> list[str]:
    notes = [
        "Of held-out texts, half of them human, none of which taught a classifier. In brackets: the 95 % "
        "bootstrap interval over texts.",
        f"ECE: mean distance of p(human) from the share of human texts, over texts in {BINS} equal bins. "
        "Loss: mean cross-entropy in nats; 0.6931 is that of guessing.",
        f"fitted T: the temperature of least loss on these very texts, from {TEMPERATURES[0]:g} to "
        f"{TEMPERATURES[1]:g}, so loss and ECE at it are a little too good. T: the one of the row.",
    ]
    if tidy.spread.notna().any():
        notes.append("± standard deviation over the classifiers of the folds.")
    notes += [f"{row.group}: {row.model}: {row.note}".removeprefix(": ") for row in job.rows if row.note]
    if job.generated:
        notes.append(f"World {job.world} makes its own text: these numbers do not compare with any paper's.")
    return notes + job.notes
