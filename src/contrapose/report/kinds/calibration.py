"""A figure of the share of human texts by p(human), uncalibrated and at two temperatures."""

from typing import Literal

import numpy as np
import pandas as pd
from pydantic import Field

from contrapose.errors import TableError
from contrapose.report.about import About
from contrapose.report.figures import calibration_figure
from contrapose.report.kinds.base import Drawing, Drawn
from contrapose.settings.rows import DetectedPairs
from contrapose.steps import Paths, Project, planned
from contrapose.tables import CALIBRATION, HELD_OUT, read_table


class CalibrationPanel(DetectedPairs):
    """A panel of a figure of calibration."""

    label: str


class Calibration(Drawn):
    """A figure: share of human texts by p(human), uncalibrated and at two temperatures."""

    kind: Literal["calibration"]
    panels: list[CalibrationPanel] = Field(min_length=1)
    bins: int = Field(10, ge=1, description="Equal bins of p(human)")

    @planned
    def about(self, project: Project, name: str) -> About:
        notes = project.notes.writers(panel.pairs for panel in self.panels)
        sources = [project.reports.detection_source(panel.label, panel) for panel in self.panels]
        return About(**project.reports.about(name, notes), sources=sources)

    @planned
    def inputs(self, project: Project, name: str) -> dict[str, Paths]:
        ids = project.reports.about_of(name).ids
        return {"held_out": [project.places.detections(each, "-held_out") for each in ids]}


def build(spec: Calibration, about: About, held_out: list[str]) -> Drawing:
    """Return the points of a figure: at temperature 1, at the given one, and at that fitted to these texts.

    `held_out` are HELD_OUT files of the existing sources.  With several folds they hold the outputs of all
    classifiers, each at its own fitted temperature.  A panel that this world cannot have is left out; raises
    TableError if it has none.
    """
    from scipy.special import expit  # slow to import, and plans do not need it

    from contrapose.report.calibration import fitted_temperature, reliability

    detections = {each: read_table(path, HELD_OUT) for each, path in zip(about.ids, held_out, strict=True)}
    parts = []
    for panel, source in zip(spec.panels, about.sources, strict=True):
        if source.id is None:
            continue
        table = detections[source.id]
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
            bins = reliability(expit(table.logit.to_numpy() / temperatures), human, spec.bins)
            told = {"panel": panel.label, "reading": reading}
            parts.append(bins.assign(**told, temperature=temperatures.mean()))
    if not parts:
        reasons = "; ".join(dict.fromkeys(source.note for source in about.sources))
        raise TableError(f"{about.name}: this world has none of the figure's panels ({reasons}).")
    points = pd.concat(parts, ignore_index=True)
    return spec.drawing(about, CALIBRATION, points, calibration_figure)
