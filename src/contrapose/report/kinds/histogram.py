"""A figure of the distribution of gold scores of some evaluation sets."""

import logging
from typing import Annotated, Literal

import numpy as np
import pandas as pd
from pydantic import Field

from contrapose.base.errors import TableError
from contrapose.base.tasks import TASKS
from contrapose.jobs.step import InputFiles, Rows
from contrapose.report.about import About
from contrapose.report.kinds.base import ReportSettings
from contrapose.report.kinds.fields import Ordered
from contrapose.report.output import Drawing
from contrapose.report.plots import Layout, point_table
from contrapose.settings.plan import Plan
from contrapose.settings.refs import TaskName
from contrapose.tables import BENCHMARK

logger = logging.getLogger(__name__)


class Histogram(ReportSettings):
    """The figure shows the distribution of gold scores of some evaluation sets."""

    kind: Literal["histogram"]
    sets: Ordered[TaskName] = Field(
        min_length=1,
        description="Each entry maps a printed name to a task. All splits of the task are shown together.",
    )
    bins: int = Field(10, ge=1, description="The scale of each set is split into this many equal bins.")

    def inputs(self, project: Plan, about: About) -> dict[str, InputFiles]:
        return {"benchmarks": [project.paths.benchmarks("english")]}


def build(spec: Histogram, about: About, benchmarks: Annotated[pd.DataFrame, Rows(BENCHMARK)]) -> Drawing:
    """Count gold scores in equal bins on the scale of each set, all splits together.

    In text form senteval; the scores do not depend on it.  A set without pairs is left out, which is logged;
    raises TableError if there is no other.
    """
    parts, titles = [], {}
    for name, task in spec.sets.items():
        chosen = (benchmarks.task == task) & (benchmarks.form == "senteval")
        scale = (TASKS[task].low, TASKS[task].high)
        counts, edges = np.histogram(benchmarks.score[chosen], bins=spec.bins, range=scale)
        total = counts.sum()
        if not total:
            logger.warning("skipped: %s, because it has no scored pairs", name)
            continue
        titles[name] = f"{name} (n = {total})"
        bins = pd.DataFrame({"x_low": edges[:-1], "x_high": edges[1:], "n": counts, "value": counts / total})
        parts.append(bins.assign(panel=name, line=name, x=bins[["x_low", "x_high"]].mean(axis=1)))
    if not parts:
        raise TableError(
            f"{about.name}: none of the sets {', '.join(spec.sets.values())} has scored pairs. Add the files "
            "of at least one to the benchmarks of the catalog."
        )
    layout = Layout("bars", "gold score", "share of pairs", size=(3.2, 3.0), titles=titles, legend=False)
    return Drawing(point_table(about, pd.concat(parts)), layout, about)
