"""A figure of alignment against uniformity, a labelled point per row of a table."""

from typing import Annotated, ClassVar, Literal

import pandas as pd
from pydantic import Field

from contrapose.report.about import About
from contrapose.report.figures import scatter_figure
from contrapose.report.kinds.base import Drawing, FigureSettings, OfTables
from contrapose.steps import Rows
from contrapose.tables import CELLS, SCATTER


class Scatter(OfTables, FigureSettings):
    """A figure: alignment against uniformity, a labelled point per row of a table."""

    kind: Literal["scatter"]
    of: str = Field(description="Table of kind geometry in the same study")

    shows: ClassVar[tuple[str, ...]] = ("geometry",)


def build(spec: Scatter, about: About, tables: Annotated[pd.DataFrame, Rows(CELLS)]) -> Drawing:
    """Return the points of each row, and the paper's unless the world makes its own text.

    A row that lacks alignment or uniformity has no point, neither ours nor the paper's.
    """
    points = []
    keys = ["row", "group", "model", "seed"]
    for place, cells in tables[tables.variant == ""].groupby(keys, sort=False, dropna=False):
        if cells.value.isna().any():
            continue
        sources = {"ours": cells.value}
        if cells.seed.isna().all() and cells.published.notna().all() and not about.generated:
            sources["published"] = cells.published
        for source, values in sources.items():
            told = dict(zip(keys, place, strict=True))
            points.append({**told, "source": source, **dict(zip(cells.column, values, strict=True))})
    tidy = pd.DataFrame(points, columns=SCATTER.columns).astype({"seed": "Int64"})
    return spec.drawing(about, SCATTER, tidy, scatter_figure)
