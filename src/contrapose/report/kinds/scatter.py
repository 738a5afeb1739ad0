"""A figure of alignment against uniformity, a labelled point per row of a table."""

from typing import Annotated, ClassVar, Literal

import pandas as pd
from pydantic import Field

from contrapose.base.errors import TableError
from contrapose.jobs.step import Rows
from contrapose.report.about import About
from contrapose.report.kinds.base import ReportSettings
from contrapose.report.kinds.rows import OfTables
from contrapose.report.output import Drawing
from contrapose.report.plots import Layout, point_table
from contrapose.tables import CELLS


class Scatter(OfTables, ReportSettings):
    """The figure shows alignment against uniformity, with a labelled point for each row of a table."""

    kind: Literal["scatter"]
    of: str = Field(description="This table of kind `geometry` in the same study is shown.")

    shows: ClassVar[tuple[str, ...]] = ("geometry",)


def build(spec: Scatter, about: About, tables: Annotated[pd.DataFrame, Rows(CELLS)]) -> Drawing:
    """Return the points of each row, and the paper's unless the catalog makes its own text.

    A row that lacks alignment or uniformity has no point, neither ours nor the paper's; raises TableError if
    no row has both.
    """
    points = []
    keys = ["row", "group", "model", "seed"]
    for (_, line, label, seed), cells in tables[tables.variant == ""].groupby(keys, sort=False, dropna=False):
        if cells.value.isna().any():
            continue
        sources = {"ours": cells.value}
        if pd.isna(seed) and cells.published.notna().all() and not about.generated:
            sources["published"] = cells.published
        for source, values in sources.items():
            place = dict(zip(cells.column, values, strict=True))
            point = {"line": line, "label": label, "seed": seed, "source": source}
            points.append({**point, "x": place["uniformity"], "value": place["alignment"]})
    if not points:
        raise TableError(
            f"{about.name}: no method of {spec.of} has alignment and uniformity. Add STS-B to the "
            "benchmarks, or add encoders."
        )
    titles = ("uniformity, lower is better", "alignment, lower is better")  # x and y as in SimCSE's figure 3
    layout = Layout("dots", *titles, size=(5.6, 4.6), labelled=True)
    return Drawing(point_table(about, points), layout, about)
