"""A figure of what the rows of a table cost against how far they are above its baseline."""

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

import pandas as pd
from pydantic import Field

from contrapose.base.errors import ConfigError
from contrapose.jobs.status import read_status
from contrapose.report.about import About, row_label
from contrapose.report.kinds.base import ReportSettings
from contrapose.report.kinds.rows import OfTables
from contrapose.report.output import Drawing
from contrapose.report.plots import COLOURS, PALE, Layout, point_table
from contrapose.report.recommendation import RANKING
from contrapose.settings.ids import named
from contrapose.settings.plan import Plan
from contrapose.tables import CELLS, read_table

ADDED_UP = {"seconds": ["cpu_seconds", "gpu_seconds"], "usd": ["usd"], "work": ["flops"]}
UNITS = {"work": 1e12}
COST_NAMES = {
    **{"seconds": "cost, CPU + GPU seconds", "usd": "cost, USD"},
    "work": "compute, 10¹² operations of models",
}
UNKNOWN = "cost not known"
LINES = {False: "not dominated", True: "dominated", None: UNKNOWN}
TEXT = "dominated: another method costs no more and is no lower · bar: 95 % interval · near costs are apart"
DECADE = 10  # the axis is logarithmic from this ratio of costs


class Pareto(OfTables, ReportSettings):
    """The figure shows the cost of each row of a table against its difference to the baseline."""

    kind: Literal["pareto"]
    of: str = Field(description="This table of kind `sts` in the same study is shown. It has `costs: true`.")
    column: str | None = Field(
        None,
        description="This column of the table is shown. With null, the average is shown, or the only column.",
    )
    cost: Literal["seconds", "usd", "work"] = Field(
        "seconds",
        description="The cost is CPU and GPU seconds together (`seconds`), dollars (`usd`), or "
        "operations of local models (`work`). Operations are the same on any machine.",
    )

    shows: ClassVar[tuple[str, ...]] = ("sts",)

    def check_in(self, tables: Mapping[str, Any], name: str, project: Plan) -> None:
        super().check_in(tables, name, project)
        table = tables[self.of]
        if not table.costs:
            raise ConfigError(f"{name}.of: '{self.of}' does not say what its rows cost. Give it costs: true.")
        if self.column is not None:
            columns = [*table.columns, *filter(None, [table.average])]
            named(dict.fromkeys(columns), self.column, f"{name}.column: columns of {self.of}")
        elif len(table.columns) > 1 and table.average is None:
            raise ConfigError(f"{name}.column is null, and '{self.of}' has several. Name one of them.")


def build(spec: Pareto, about: About, tables: list[str]) -> Drawing:
    """Return cost and difference of each row that has a difference, and of the baseline, whose own is 0.

    A row is dominated if another one with the same baseline costs no more, is no lower, and is better in one
    of the two.  For a row of unknown cost this is unknown.
    """
    table = read_table(tables[0], CELLS)
    means = table[table.seed.isna() & table.value.notna() & (table.variant == "")]
    # An average over only some of the columns has a longer name than that of the settings.
    ranking = read_status(tables[0]).facts.get(RANKING)
    cells = means[means.column == (spec.column if spec.column in set(means.column) else ranking)]
    labels = [row_label(*each) for each in zip(cells["group"], cells.model, strict=True)]
    baselines = set(cells.baseline) - {""}
    cells = cells.assign(
        label=labels, cost=cells[ADDED_UP[spec.cost]].sum(axis=1, skipna=False) / UNITS.get(spec.cost, 1)
    )
    cells = cells[(cells.baseline != "") | cells.label.isin(baselines)]
    is_baseline = cells.baseline == ""
    costs = pd.DataFrame(
        {
            "label": cells.label,
            "baseline": cells.baseline.where(~is_baseline, cells.label),
            "x": cells.cost,
            "value": cells.difference.mask(is_baseline, 0.0),
            **{"low": cells.difference_low, "high": cells.difference_high},
        }
    )
    lines = [LINES[_is_dominated(costs, each)] for each in costs.to_dict("records")]
    panels = costs.x.isna().map({True: UNKNOWN, False: ""})
    points = point_table(about, costs.assign(line=lines, panel=panels))
    layout = Layout(
        "dots",
        COST_NAMES[spec.cost],
        f"difference to {', '.join(dict.fromkeys(points.baseline))}",
        TEXT,
        size=(7.5 if points.panel.nunique() < 2 else 5.0, 5.0),
        titles={each: each for each in sorted(set(points.panel))} or {"": "no two rows have scores"},
        colours=dict(zip(LINES.values(), (COLOURS[0], PALE, COLOURS[2]), strict=True)),
        labelled=True,
        apart=True,
        logarithmic=points.x.max() > DECADE * points.x[points.x > 0].min(),
        guide="zero",
    )
    return Drawing(points, layout, about)


def _is_dominated(points: pd.DataFrame, row: dict) -> bool | None:
    if pd.isna(row["x"]):
        return None
    others = points[points.baseline == row["baseline"]]
    no_worse = (others.x <= row["x"]) & (others.value >= row["value"])
    better = (others.x < row["x"]) | (others.value > row["value"])
    return bool((no_worse & better).any())
