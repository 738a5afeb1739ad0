"""A figure of alignment against uniformity, a labelled point per row of a table."""

from functools import partial
from typing import TYPE_CHECKING, Annotated, Literal

import pandas as pd
from pydantic import Field

from contrapose.report.about import About
from contrapose.report.figures import scatter_figure
from contrapose.report.kinds.base import Drawing, Drawn, check_shown
from contrapose.report.kinds.geometry import shown_measures
from contrapose.steps import Paths, Rows, planned
from contrapose.tables import PUBLISHABLE, SCATTER

if TYPE_CHECKING:
    from contrapose.project import Project
    from contrapose.project.documents import Study


class Scatter(Drawn):
    """A figure: alignment against uniformity, a labelled point per row of a table."""

    kind: Literal["scatter"]
    of: str = Field(description="Table of kind geometry in the same study")

    @planned
    def check_in(self, study: "Study", name: str, project: "Project") -> None:
        check_shown(study, name, self.of, ("geometry",))

    @planned
    def inputs(self, project: "Project", name: str) -> dict[str, Paths]:
        return {"table": [project.reports.shown_table(name, self.of)]}


def build(spec: Scatter, about: About, table: Annotated[pd.DataFrame, Rows(PUBLISHABLE)]) -> Drawing:
    """Return the points of each row, and the paper's unless the world makes its own text.

    A row that lacks alignment or uniformity has no point, neither ours nor the paper's.
    """
    points = []
    keys = ["row", "group", "model", "seed"]
    for place, cells in shown_measures(table).groupby(keys, sort=False, dropna=False):
        if cells.value.isna().any():
            continue
        sources = {"ours": cells.value}
        if cells.seed.isna().all() and cells.published.notna().all() and not about.generated:
            sources["published"] = cells.published
        for source, values in sources.items():
            told = {"figure": about.name, "world": about.world, "source": source}
            told |= dict(zip(keys, place, strict=True))
            points.append({**told, **dict(zip(cells.column, values, strict=True))})
    tidy = pd.DataFrame(points, columns=SCATTER.columns).astype({"seed": "Int64"})

    return Drawing(tidy, SCATTER, partial(scatter_figure, tidy, about))
