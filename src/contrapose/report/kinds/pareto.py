"""A figure of what the rows of a table cost against how far they are above its baseline."""

from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import pandas as pd
from pydantic import Field

from contrapose.errors import ConfigError
from contrapose.ids import named
from contrapose.report.about import About, row_label
from contrapose.report.kinds.base import Drawing, FigureSettings, OfTables
from contrapose.report.pareto import pareto_figure
from contrapose.steps import Rows, planned
from contrapose.tables import CELLS, PARETO

if TYPE_CHECKING:
    from contrapose.project import Project
    from contrapose.project.documents import Study

ADDED_UP = {"seconds": ["cpu_seconds", "gpu_seconds"], "usd": ["usd"]}


class Pareto(OfTables, FigureSettings):
    """A figure: the cost of each row of a table against its difference to the baseline."""

    kind: Literal["pareto"]
    of: str = Field(description="Table of kind sts in the same study, with costs: true")
    column: str | None = Field(
        None, description="Column of the table, such as its average; null: its only one"
    )
    cost: Literal["seconds", "usd"] = Field("seconds", description="CPU and GPU seconds together, or USD")

    shows: ClassVar[tuple[str, ...]] = ("sts",)

    @planned
    def check_in(self, study: "Study", name: str, project: "Project") -> None:
        super().check_in(study, name, project)
        table: Any = study.tables[self.of]
        if not table.costs:
            raise ConfigError(f"{name}.of: '{self.of}' does not say what its rows cost. Give it costs: true.")
        if self.column is not None:
            columns = [*table.columns, *filter(None, [table.average])]
            named(dict.fromkeys(columns), self.column, f"{name}.column: columns of {self.of}")
        elif len(table.columns) > 1:
            raise ConfigError(f"{name}.column is null, and '{self.of}' has several. Name one of them.")


def build(spec: Pareto, about: About, tables: Annotated[pd.DataFrame, Rows(CELLS)]) -> Drawing:
    """Return cost and difference of each row that has a difference, and of the baseline, whose own is 0.

    A row is dominated if another one with the same baseline costs no more, is no lower, and is better in one
    of the two.  For a row of unknown cost this is unknown.
    """
    means = tables[tables.seed.isna() & tables.value.notna()]
    wanted = spec.column or next(iter(means.column), "")
    cells = means[_is_column(means.column, wanted) & means.tied.notna()]
    labels = [row_label(*each) for each in zip(cells["group"], cells.model, strict=True)]
    baselines = set(cells.baseline) - {""}
    cells = cells.assign(own=labels, cost=cells[ADDED_UP[spec.cost]].sum(axis=1, skipna=False))
    cells = cells[(cells.baseline != "") | cells.own.isin(baselines)]
    is_baseline = cells.baseline == ""
    points = pd.DataFrame(
        {
            **{"row": cells["row"], "label": cells.own},
            "baseline": cells.baseline.where(~is_baseline, cells.own),
            "cost": cells.cost,
            "difference": cells.difference.mask(is_baseline, 0.0),
            **{"low": cells.difference_low, "high": cells.difference_high},
        }
    )
    dominated = [_is_dominated(points, each) for each in points.to_dict("records")]
    points["dominated"] = pd.array(dominated, "boolean")
    return spec.drawing(about, PARETO, points, pareto_figure, spec.cost)


def _is_column(names: pd.Series, wanted: str) -> pd.Series:
    """Tell which names are that of a column, or of an average over only some of the columns."""
    return (names == wanted) | names.str.startswith(f"{wanted} of ")


def _is_dominated(points: pd.DataFrame, own: dict) -> bool | None:
    if pd.isna(own["cost"]):
        return None
    others = points[points.baseline == own["baseline"]]
    no_worse = (others.cost <= own["cost"]) & (others.difference >= own["difference"])
    better = (others.cost < own["cost"]) | (others.difference > own["difference"])
    return bool((no_worse & better).any())
