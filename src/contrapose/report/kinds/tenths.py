"""A figure of the labels in each tenth of synthetic pairs by p(human), a panel per source."""

from typing import Literal

import pandas as pd
from pydantic import Field

from contrapose.jobs.step import InputFiles
from contrapose.report.about import About
from contrapose.report.kinds.base import ReportSettings
from contrapose.report.kinds.rows import DetectedTexts
from contrapose.report.output import Drawing
from contrapose.report.plots import COLOURS, Layout, point_table
from contrapose.report.row_settings import DetectionSource
from contrapose.settings.plan import Plan
from contrapose.tables import DECILES, read_table

# Lines of the labels that a text was to have, from below to above.
LINES = {"1": "y = 1", "0.5": "y = 0.5", "0": "y = 0", "random": "random pair"}
SHADES = dict(zip(LINES.values(), (*COLOURS[:3], "0.7"), strict=True))
GAP = 1.4  # between the last tenth and the bar of all pairs together


class Tenths(DetectedTexts, ReportSettings):
    """The figure shows the labels in each tenth of synthetic pairs by p(human), one panel per source."""

    kind: Literal["tenths"]
    sources: list[DetectionSource] = Field(
        min_length=1,
        description="Each entry is a panel of the figure: a pair set and the classifier that judged it.",
    )

    def inputs(self, project: Plan, about: About) -> dict[str, InputFiles]:
        return {"tenths": [project.paths.linguistics(source, "-tenths") for source in about.ids]}


def build(spec: Tenths, about: About, tenths: list[str]) -> Drawing:
    """Return the shares of every source, from the DECILES of existing ones, in tenths and in all."""
    labels = [source.label for source in about.sources if source.id]
    parts = []
    for label, path in zip(labels, tenths, strict=True):
        counts = read_table(path, DECILES).assign(panel=label, label=lambda table: table.tenth.astype(str))
        together = counts.groupby("level", as_index=False).n.sum()
        share, place = together.n / together.n.sum(), counts.tenth.max() + GAP
        parts += [counts, together.assign(panel=label, label="all", tenth=place, share=share)]
    points = pd.concat(parts) if parts else pd.DataFrame(columns=["level", "tenth", "share"])
    order = points.level.map(list(LINES).index)
    points = points.assign(line=points.level.map(LINES), x=points.tenth, value=points.share)
    titles = {
        source.label: source.label if source.id else f"{source.label}: {source.note}"
        for source in about.sources
    }
    layout = Layout("bars", "tenth of p(human), 1: highest", "share of pairs", size=(3.1, 3.2), titles=titles)
    points = point_table(about, points.iloc[order.argsort(kind="stable")])
    return Drawing(points, layout._replace(ticks=True, colours=SHADES), about)
