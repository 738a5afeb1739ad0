"""A figure of the share of human texts by p(human), uncalibrated and at two temperatures."""

from typing import Literal

import numpy as np
import pandas as pd
from pydantic import Field

from contrapose.base.errors import TableError
from contrapose.jobs.step import InputFiles
from contrapose.report.about import About
from contrapose.report.kinds.base import ReportSettings
from contrapose.report.output import Drawing
from contrapose.report.planned_notes import writers
from contrapose.report.planned_rows import detection_source
from contrapose.report.plots import Layout, point_table
from contrapose.report.row_settings import DetectedPairs
from contrapose.settings.plan import Plan
from contrapose.tables import HELD_OUT, read_table

LINES = ("uncalibrated, T = 1", "the paper's T", "fitted T")


class CalibrationPanel(DetectedPairs):
    """A panel shows the calibration of one classifier."""

    label: str = Field(description="This text stands above the panel.")


class Calibration(ReportSettings):
    """The figure shows the share of human texts by p(human), uncalibrated and at two temperatures."""

    kind: Literal["calibration"]
    panels: list[CalibrationPanel] = Field(min_length=1, description="Each entry is a panel of the figure.")
    bins: int = Field(10, ge=1, description="The range of p(human) is split into this many equal bins.")

    def about(self, project: Plan, name: str) -> About:
        notes = writers(project, (panel.pairs for panel in self.panels))
        sources = [detection_source(project, panel.label, panel) for panel in self.panels]
        return About.planned(project, name, notes, sources=sources)

    def inputs(self, project: Plan, about: About) -> dict[str, InputFiles]:
        return {"held_out": [project.paths.detections(each, "-held_out") for each in about.ids]}


def build(spec: Calibration, about: About, held_out: list[str]) -> Drawing:
    """Return the points of a figure: at temperature 1, at the given one, and at that fitted to these texts.

    `held_out` are HELD_OUT files of the existing sources.  With several folds they hold the outputs of all
    classifiers, each at its own fitted temperature.  A panel that this catalog cannot have is left out;
    raises TableError if it has none.
    """
    from scipy.special import expit  # slow to import, and plans do not need it

    from contrapose.report.reliability import fitted_temperature, reliability

    detections = {each: read_table(path, HELD_OUT) for each, path in zip(about.ids, held_out, strict=True)}
    parts, titles = [], {}
    for panel, source in zip(spec.panels, about.sources, strict=True):
        if source.id is None:
            continue
        table = detections[source.id]
        fitted = {
            fold: fitted_temperature(texts.logit.to_numpy(), texts.human.to_numpy())
            for fold, texts in table.groupby("fold")
        }
        temperatures = (np.ones(len(table)), np.full(len(table), panel.temperature), table.fold.map(fitted))
        for line, at in zip(LINES, temperatures, strict=True):
            bins = reliability(expit(table.logit.to_numpy() / at), table.human.to_numpy(), spec.bins)
            parts.append(bins.assign(panel=panel.label, line=line, label=str(float(np.mean(at)))))
        titles[panel.label] = (
            f"{panel.label}: T = {panel.temperature:.3g}, fitted {np.mean(temperatures[2]):.3g}"
        )
    if not parts:
        reasons = "; ".join(dict.fromkeys(source.note for source in about.sources))
        raise TableError(f"{about.name}: the catalog has no input for any panel of the figure ({reasons}).")
    columns = {"p": "x", "low": "x_low", "high": "x_high", "human": "value", "texts": "n"}
    points = pd.concat(parts, ignore_index=True).rename(columns=columns)
    layout = Layout("line", "p(human)", "share of human texts", "held-out texts", size=(3.0, 4.4))
    layout = layout._replace(titles=titles, guide="diagonal", counts="texts")
    return Drawing(point_table(about, points), layout, about)
