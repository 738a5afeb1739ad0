"""A figure of how far the rows of a table of scores are above their baseline, with the table's intervals."""

from typing import Annotated, ClassVar, Literal

import numpy as np
import pandas as pd
from pydantic import Field

from contrapose.report.about import About, row_label
from contrapose.report.figures import differences_figure
from contrapose.report.kinds.base import Drawing, FigureSettings, OfTables
from contrapose.steps import Rows
from contrapose.tables import CELLS, DIFFERENCES


class Differences(OfTables, FigureSettings):
    """A figure: how far rows of a table of scores are above their baseline, with intervals."""

    kind: Literal["differences"]
    of: str = Field(
        description="Table of kind sts, transfer or fine_tuned in the same study, which knows the baseline; "
        "a panel per group of its rows"
    )

    shows: ClassVar[tuple[str, ...]] = ("sts", "transfer", "fine_tuned")


def build(spec: Differences, about: About, tables: Annotated[pd.DataFrame, Rows(CELLS)]) -> Drawing:
    """Return how far each row is above its baseline in each column, as given in the table.

    The paper's difference of the same two rows is beside ours, unless the world makes its own text.
    """
    means = tables[tables.seed.isna()]
    labels = pd.Series(map(row_label, means["group"], means.model), means.index, dtype=str)
    printed = means.groupby([labels, "column"]).published.first()
    trainings = tables.groupby("row").seed.nunique()
    means = means[means.baseline != ""]
    seeds = means["row"].map(trainings)
    ours = means.assign(seeds=seeds, source="ours", low=means.difference_low, high=means.difference_high)
    at_baseline = printed.reindex(list(zip(means.baseline, means.column, strict=True))).to_numpy(float)
    theirs = ours.assign(source="published", difference=means.published - at_baseline)
    theirs = theirs.assign(low=np.nan, high=np.nan)[: 0 if about.generated else None]
    points = pd.concat([ours, theirs.dropna(subset="difference")], ignore_index=True)
    return spec.drawing(about, DIFFERENCES, points, differences_figure)
