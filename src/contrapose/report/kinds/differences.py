"""A figure of how far the rows of a table of scores are above their baseline, with the table's intervals."""

from typing import Annotated, ClassVar, Literal

import numpy as np
import pandas as pd
from pydantic import Field

from contrapose.jobs.step import Rows
from contrapose.report.about import About, row_label
from contrapose.report.kinds.base import ReportSettings
from contrapose.report.kinds.rows import OfTables
from contrapose.report.output import Drawing
from contrapose.report.plots import Layout, point_table
from contrapose.tables import CELLS


class Differences(OfTables, ReportSettings):
    """The figure shows the differences of methods of a table of scores to their baseline, with intervals."""

    kind: Literal["differences"]
    of: str = Field(
        description="This table of the same study is shown, of kind `sts`, `transfer` or `fine_tuned`. "
        "Its baseline counts, and each group of its rows is a panel."
    )

    shows: ClassVar[tuple[str, ...]] = ("sts", "transfer", "fine_tuned")


def build(spec: Differences, about: About, tables: Annotated[pd.DataFrame, Rows(CELLS)]) -> Drawing:
    """Return how far each row is above its baseline in each column, as given in the table.

    The paper's difference of the same two rows is beside ours, unless the catalog makes its own text.
    """
    means = tables[tables.seed.isna() & (tables.variant == "")]
    labels = pd.Series(map(row_label, means["group"], means.model), means.index, dtype=str)
    printed = means.groupby([labels, "column"]).published.first()
    trainings = tables.groupby("row").seed.nunique()
    means = means[means.baseline != ""]
    ours = means.assign(
        **{"panel": means["group"], "line": means.model, "label": means.column, "source": "ours"},
        x=pd.factorize(means.column)[0],
        n=means["row"].map(trainings),
        std=np.nan,
        **{"value": means.difference, "ci_low": means.difference_low, "ci_high": means.difference_high},
    )
    at_baseline = printed.reindex(list(zip(means.baseline, means.column, strict=True))).to_numpy(float)
    theirs = ours.assign(
        source="published", value=means.published - at_baseline, ci_low=np.nan, ci_high=np.nan
    )
    parts = [ours, *([] if about.generated else [theirs.dropna(subset="value")])]
    points = point_table(about, pd.concat(parts, ignore_index=True))
    seeds = int(ours.n.max()) if len(ours) else 0
    over = {0: "test pairs", 1: "test pairs, of one seed"}.get(seeds, f"test pairs and {seeds} seeds")
    names = {each.removeprefix(f"{group}: ") for group, each in zip(ours.panel, ours.baseline, strict=True)}
    to = names.pop() if len(names) == 1 else "the baseline"
    lines, places = points.line.nunique(), points.label.nunique()
    layout = Layout(
        "dots",
        text=f"difference to {to} · 95 % interval over {over}",
        size=(2.9, 1.4 + 0.14 * max(3, lines) * max(3, places)),
        titles={} if len(points) else {"": "no methods have values to compare"},
        horizontal=True,
        ticks=True,
        guide="zero",
        gap=0.7 / max(1, lines),
    )
    return Drawing(points, layout, about)
