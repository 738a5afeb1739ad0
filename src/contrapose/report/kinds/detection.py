"""A table of how well classifiers distinguish machine from human texts, and how calibrated they are."""

from typing import ClassVar, Literal

import numpy as np
import pandas as pd
from pydantic import Field

from contrapose.jobs.step import InputFiles
from contrapose.report.about import About, row_label
from contrapose.report.cells import EMPTY_CELL, Cells, RowCells, cell_table, mean_cells
from contrapose.report.kinds.base import TableSettings
from contrapose.report.output import Report
from contrapose.report.planned_notes import writers
from contrapose.report.planned_rows import detection_source
from contrapose.report.printed_cells import Decimals
from contrapose.report.row_settings import DetectedPairs
from contrapose.settings.plan import Plan
from contrapose.tables import HELD_OUT, read_table

ACCURACY = "accuracy"
# Decimals of each column.  Loss and ECE first for the unscaled logits, then at two temperatures.
COLUMNS = {
    ACCURACY: 2,
    "texts": 0,
    **{"loss": 4, "ECE": 4},
    **{"T": 2, "loss at T": 4, "ECE at T": 4},
    **{"fitted T": 2, "loss at fitted T": 4, "ECE at fitted T": 4},
}


class DetectionRow(DetectedPairs):
    """A row shows one classifier on the texts of one pair set."""

    group: str = Field("", description="Rows with the same group stand under one heading.")
    model: str = Field(description="This is the label of the row.")
    published: str | None = Field(
        None,
        description="This is the label that the paper's table has for the same row. Its printed "
        "numbers then stand next to this row. Leave it null if the paper has no such row.",
    )


class DetectionTable(TableSettings):
    """The table shows how well classifiers detect machine texts that are new to them, and how calibrated
    they are.
    """

    kind: Literal["detection"]
    rows: list[DetectionRow] = Field(
        min_length=1,
        description="Each entry is a row of the table: a classifier and the texts that it judges.",
    )

    decimals: ClassVar[Decimals] = COLUMNS
    intervals: ClassVar[bool] = True

    def stand_ins(self, project: Plan, name: str) -> list[str]:
        return writers(project, (row.pairs for row in self.rows))

    def about(self, project: Plan, name: str) -> About:
        sources = [detection_source(project, row_label(row.group, row.model), row) for row in self.rows]
        return About.planned(project, name, self.stand_ins(project, name), sources=sources)

    def inputs(self, project: Plan, about: About) -> dict[str, InputFiles]:
        return {"held_out": [project.paths.detections(each, "-held_out") for each in about.ids]}


def build(spec: DetectionTable, about: About, held_out: list[str]) -> Report:
    """Arrange the results of classifiers on held-out texts, the HELD_OUT files of sources, as cells.

    accuracy x100, with the interval over texts for one classifier; loss in nats; ECE in [0, 1], see
    `calibration_error`.  For several folds the mean, with the standard deviation over folds as spread.
    """
    detections = {each: read_table(path, HELD_OUT) for each, path in zip(about.ids, held_out, strict=True)}
    rows = []
    for row, source in zip(spec.rows, about.sources, strict=True):
        cells = dict.fromkeys(COLUMNS, EMPTY_CELL)
        if source.id:
            cells = _row_cells(detections[source.id], row.temperature, about.bootstrap)
        rows.append(RowCells(row.model, cells, row.group, row.published, run=source.id or ""))
    tidy = cell_table(about, rows)
    return spec.report(about, tidy, _notes(tidy))


def _row_cells(held_out: pd.DataFrame, temperature: float, bootstrap: int) -> Cells:
    from contrapose.evaluate.influence import mean, scored
    from contrapose.report.resampling import Resamples

    folds = [fold for _, fold in held_out.groupby("fold")]
    cells = mean_cells([_cells(fold, temperature) for fold in folds])
    if len(folds) == 1:
        correct = ((folds[0].logit > 0) == folds[0].human).to_numpy(float)
        accuracy = scored(mean(correct))
        resampled = Resamples(bootstrap)("identification", accuracy["value"], accuracy["influence"])
        cells[ACCURACY] |= {name: 100 * accuracy[name] for name in ("ci_low", "ci_high")}
        cells[ACCURACY]["resampled"] = 100 * resampled
    for same in ("texts", "T"):  # as all classifiers are tested on the same texts
        cells[same] = {**cells[same], "std": None}
    return cells


def _cells(held_out: pd.DataFrame, temperature: float) -> Cells:
    from scipy.special import expit  # slow to import, and plans do not need it

    from contrapose.report.reliability import calibration_error, fitted_temperature, mean_loss

    logits, human = held_out.logit.to_numpy(), held_out.human.to_numpy()
    fitted = fitted_temperature(logits, human)
    values = {ACCURACY: 100 * float(np.mean((logits > 0) == human)), "texts": float(len(human))}
    for end, divisor in (("", 1.0), (" at T", temperature), (" at fitted T", fitted)):
        values["loss" + end] = mean_loss(logits, human, divisor)
        values["ECE" + end] = calibration_error(expit(logits / divisor), human)
    values |= {"T": temperature, "fitted T": fitted}
    return {name: {"value": values[name], "n": len(human)} for name in COLUMNS}


def _notes(tidy: pd.DataFrame) -> list[str]:
    from contrapose.report.reliability import BINS, TEMPERATURES

    notes = [
        (
            "The scores are of held-out texts, half of them human. No classifier was trained on the "
            "texts that it is scored on. In brackets: 95 % intervals over texts."
        ),
        (
            f"ECE: mean distance between p(human) and the share of human texts, over texts in {BINS} "
            "equal bins. Loss: mean cross-entropy in nats; guessing gives 0.6931."
        ),
        (
            "fitted T: the temperature with the lowest loss on these same texts, from "
            f"{TEMPERATURES[0]:g} to {TEMPERATURES[1]:g}, so loss and ECE at fitted T are slightly "
            "optimistic. T: the temperature of this line."
        ),
    ]
    if tidy["std"].notna().any():
        notes.append("± standard deviation over the classifiers of the folds.")
    return notes
