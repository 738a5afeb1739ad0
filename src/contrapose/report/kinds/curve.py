"""A figure of a column of tables against a number that each row stands for, a line per group of rows."""

from typing import ClassVar, Literal

import pandas as pd
from pydantic import Field

from contrapose.base.errors import TableError
from contrapose.report.about import SELECTED, About
from contrapose.report.kinds.base import ReportSettings
from contrapose.report.kinds.rows import OfTables
from contrapose.report.output import Drawing
from contrapose.report.plots import Layout, point_table
from contrapose.tables import CELLS, read_table


class Curve(OfTables, ReportSettings):
    """The figure shows a column of tables against a number that their rows stand for, one line per group
    of rows.
    """

    kind: Literal["curve"]
    of: list[str] = Field(
        min_length=1,
        description="These tables of the same study are shown. They are of kind `sts`, `fine_tuned` or "
        "`rewrites`.",
    )
    column: str = Field(
        description="This is the printed name of the column that is shown. The average over fewer "
        "columns may replace it."
    )
    points: dict[str, float] = Field(
        min_length=2,
        description="Each entry maps the label of a row to its place on the axis. The setting that a "
        "search selects is a line of its own.",
    )
    axis: str = Field(description="This text labels the axis.")
    logarithmic: bool = Field(False, description="If true, the axis is logarithmic.")

    shows: ClassVar[tuple[str, ...]] = ("sts", "fine_tuned", "rewrites")


def build(spec: Curve, about: About, tables: list[str]) -> Drawing:
    """Return the points of a figure: a line per group of rows.

    Means over seeds with the standard deviation, or with the interval of one seed; the paper's
    numbers unless the catalog makes its own text.  Rows without a place in `points` are left out; raises
    TableError if no row of a table has one.
    """
    rows = []
    for name, path in zip(spec.of, tables, strict=True):
        table = read_table(path, CELLS)
        # The average over fewer columns than the paper's has a longer name.
        names = [each for each in dict.fromkeys(table.column) if each.partition(" of ")[0] == spec.column]
        labels = table.model.str.removesuffix(SELECTED)
        means = table.seed.isna() & (table.variant == "")
        cells = table[means & table.column.isin(names[:1]) & labels.isin(list(spec.points))]
        if cells.empty:
            raise TableError(
                f"{about.name}: no method of {name} is one of {', '.join(spec.points)}. Correct the names "
                "under points, or of."
            )
        for cell in cells.to_dict("records"):
            label = cell["model"].removesuffix(SELECTED)
            line = (cell["group"] or name) + cell["model"].removeprefix(label)
            place = {"line": line, "label": label, "x": spec.points[label]}
            numbers = {each: cell[each] for each in ("value", "ci_low", "ci_high", "std", "n")}
            rows.append({**place, "source": "ours", **numbers})
            if pd.notna(cell["published"]) and not about.generated:
                rows.append({**place, "source": "published", "value": cell["published"]})
    points = point_table(about, rows).sort_values(["source", "line", "x"], kind="stable", ignore_index=True)
    layout = Layout("line", spec.axis, spec.column, size=(6.0, 4.4), logarithmic=spec.logarithmic)
    return Drawing(points, layout, about)
