"""A figure of how far the rows of a table of scores are above their baseline, with the table's intervals."""

from functools import partial
from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np
import pandas as pd
from pydantic import Field

from contrapose.report.about import About, row_label
from contrapose.report.figures import differences_figure
from contrapose.report.kinds.base import Drawing, Drawn, check_shown
from contrapose.steps import Paths, Rows, planned
from contrapose.tables import DIFFERENCES, PUBLISHABLE

if TYPE_CHECKING:
    from contrapose.project import Project
    from contrapose.project.documents import Study


class Differences(Drawn):
    """A figure: how far rows of a table of scores are above their baseline, with intervals."""

    kind: Literal["differences"]
    of: str = Field(
        description="Table of kind sts, transfer or fine_tuned in the same study, which knows the baseline; "
        "a panel per group of its rows"
    )

    @planned
    def check_in(self, study: "Study", name: str, project: "Project") -> None:
        check_shown(study, name, self.of, ("sts", "transfer", "fine_tuned"))

    @planned
    def inputs(self, project: "Project", name: str) -> dict[str, Paths]:
        return {"table": [project.reports.shown_table(name, self.of)]}


def build(spec: Differences, about: About, table: Annotated[pd.DataFrame, Rows(PUBLISHABLE)]) -> Drawing:
    """Return how far each row is above its baseline in each column, as given in the table.

    The paper's difference of the same two rows is beside ours, unless the world makes its own text.
    """
    means = table[table.seed.isna()]
    labels = pd.Series(map(row_label, means["group"], means.model), means.index, dtype=str)
    printed = means.groupby([labels, "column"]).published.first()
    trainings = table.groupby("row").seed.nunique()
    means = means[means.baseline != ""]
    told = {"figure": about.name, "world": about.world, "seeds": means["row"].map(trainings)}
    ours = means.assign(**told, source="ours", low=means.difference_low, high=means.difference_high)
    at_baseline = printed.reindex(list(zip(means.baseline, means.column, strict=True))).to_numpy(float)
    theirs = ours.assign(source="published", difference=means.published - at_baseline)
    theirs = theirs.assign(low=np.nan, high=np.nan)[: 0 if about.generated else None]
    tidy = pd.concat([ours, theirs.dropna(subset="difference")], ignore_index=True)[DIFFERENCES.columns]

    return Drawing(tidy, DIFFERENCES, partial(differences_figure, tidy, about))
