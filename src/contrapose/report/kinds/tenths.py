"""A figure of the labels in each tenth of synthetic pairs by p(human), a panel per source."""

from typing import Literal

import pandas as pd
from pydantic import Field

from contrapose.report.about import About
from contrapose.report.figures import deciles_figure
from contrapose.report.kinds.base import Drawing, Drawn, OfDetections
from contrapose.settings.rows import DetectionSource
from contrapose.steps import Paths, Project, planned
from contrapose.tables import DECILES, LEVELS, read_table


class Tenths(OfDetections, Drawn):
    """A figure: the labels in each tenth of synthetic pairs by p(human), a panel per source."""

    kind: Literal["tenths"]
    sources: list[DetectionSource] = Field(min_length=1)

    @planned
    def inputs(self, project: Project, name: str) -> dict[str, Paths]:
        sources = [each.id for each in project.reports.about_of(name).sources if each.id]
        return {"tenths": [project.places.linguistics(each, "-tenths") for each in sources]}


def build(spec: Tenths, about: About, tenths: list[str]) -> Drawing:
    """Return the counts of every source, from the DECILES tables of existing sources, as LEVELS."""
    there = [source.label for source in about.sources if source.id]
    tables = [read_table(path, DECILES).assign(source=name) for name, path in zip(there, tenths, strict=True)]
    found = pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(columns=LEVELS.columns)
    return spec.drawing(about, LEVELS, found, deciles_figure)
