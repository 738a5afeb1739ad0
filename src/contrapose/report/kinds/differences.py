"""A figure of how far the rows of a table are above one of their group, with intervals over seeds."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np
import pandas as pd
from pydantic import Field

from contrapose.ids import named
from contrapose.kinds import Paths, Read, planned
from contrapose.report.about import About
from contrapose.report.kinds.base import Drawing, Drawn, check_shown
from contrapose.tables import DIFFERENCES, PUBLISHABLE

if TYPE_CHECKING:
    from contrapose.project import Project
    from contrapose.settings.studies import Study

MEAN = "mean"  # of the columns, per seed
CONFIDENCE = 0.95


class Differences(Drawn):
    """A figure: how far rows of a table are above one of their group, with intervals over seeds."""

    kind: Literal["differences"]
    of: str = Field(description="Table of kind sts in the same study; a panel per group of its rows")
    baseline: str = Field(description="Label of the row in each group that the others are compared with")

    @planned
    def check_in(self, study: "Study", name: str, project: "Project") -> None:
        """There is such a table, and the baseline is a row of it."""
        check_shown(study, name, self.of, ("sts",))
        rows = study.tables[self.of].encoder_rows(project, self.of)
        named({row.model: None for row in rows}, self.baseline, f"{name}.baseline: rows of {self.of}")

    @planned
    def inputs(self, project: "Project", name: str) -> dict[str, Paths]:
        """The table."""
        return {"table": [project.reports.shown_table(name, self.of)]}


def build(spec: Differences, about: About, table: Annotated[pd.DataFrame, Read(PUBLISHABLE)]) -> Drawing:
    """Return how far each row is above the baseline of its group, column by column and in their mean.

    Seeds are paired: seed 43 of a row is compared with seed 43 of the baseline, as what a seed decides is
    alike in both.  The interval is Student's t over these differences; one seed has none, as an interval over
    test pairs is not one of the difference.

    Parameters
    ----------
    table : PUBLISHABLE table
        Rows without seeds, of pretrained encoders, are not compared.

    Returns
    -------
    Drawing of a DIFFERENCES table
        The paper's beside ours, unless the world makes its own text: of the columns that ours have, so that
        both means are over the same; of all where nothing of ours is there.
    """
    found = []
    trained = table[table.seed.notna() & table.value.notna()]
    printed = table[table.seed.isna() & table.published.notna()].assign(value=table.published, seed=0)
    if about.generated or len(trained):
        printed = printed[printed.column.isin([] if about.generated else trained.column)]
    for source, cells in (("ours", trained), ("published", printed)):
        for group, of_group in cells.groupby("group", sort=False):
            by_seed = of_group.pivot(index=["model", "seed"], columns="column", values="value")
            by_seed = by_seed[list(dict.fromkeys(of_group.column))]
            models = list(dict.fromkeys(of_group.model))
            if spec.baseline not in models:
                continue
            for model in (name for name in models if name != spec.baseline):
                apart = (by_seed.loc[model] - by_seed.loc[spec.baseline]).dropna(axis="columns")
                apart = apart.assign(**{MEAN: apart.mean(axis="columns")}) if apart.shape[1] > 1 else apart
                told = {"figure": about.name, "world": about.world, "source": source}
                told |= {"group": group, "model": model}
                found += [
                    {**told, "column": name, **_interval(apart[name]), "seeds": len(apart)} for name in apart
                ]
    numbers = dict.fromkeys(("difference", "low", "high"), float)
    tidy = pd.DataFrame(found, columns=DIFFERENCES.columns).astype(numbers)

    def draw(paths: Sequence[str]) -> None:
        from contrapose.report.figures import differences_figure

        differences_figure(tidy, about, spec.baseline, paths, last=MEAN)

    return Drawing(tidy, DIFFERENCES, draw)


def _interval(values: pd.Series) -> dict[str, float]:
    """Return the mean, and of two seeds or more the ends of its interval."""
    from scipy.stats import t  # takes longer to import than a plan has time for

    n, mean = len(values), float(values.mean())
    half = t.ppf((1 + CONFIDENCE) / 2, n - 1) * values.std(ddof=1) / np.sqrt(n) if n > 1 else np.nan
    return {"difference": mean, "low": mean - half, "high": mean + half}
