"""A figure of the distribution of gold scores of some evaluation sets."""

import logging
from typing import Annotated, Literal

import numpy as np
import pandas as pd
from pydantic import Field

from contrapose.report.about import About
from contrapose.report.figures import histogram_figure
from contrapose.report.kinds.base import Drawing, FigureSettings, Ordered
from contrapose.steps import Paths, Project, Rows, planned
from contrapose.tables import BENCHMARK, HISTOGRAM
from contrapose.tasks import TASKS, Task

logger = logging.getLogger(__name__)


class Histogram(FigureSettings):
    """A figure: the distribution of gold scores of some evaluation sets."""

    kind: Literal["histogram"]
    sets: Ordered[Task] = Field(min_length=1, description="Printed name: task; all splits together")
    bins: int = Field(10, ge=1, description="Equal bins on the set's own scale")

    @planned
    def inputs(self, project: Project, name: str) -> dict[str, Paths]:
        return {"benchmarks": [project.places.benchmarks("english")]}


def build(spec: Histogram, about: About, benchmarks: Annotated[pd.DataFrame, Rows(BENCHMARK)]) -> Drawing:
    """Count gold scores in equal bins on the scale of each set, all splits together.

    In text form senteval; the scores do not depend on it.  A set without pairs has no rows, which is logged.
    """
    rows = []
    for name, task in spec.sets.items():
        chosen = (benchmarks.task == task) & (benchmarks.form == "senteval")
        scale = (TASKS[task].low, TASKS[task].high)
        counts, edges = np.histogram(benchmarks.score[chosen], bins=spec.bins, range=scale)
        total = int(counts.sum())
        if not total:
            logger.warning("left out: %s, because no scored pair of it is there", name)
            continue
        for at, count in enumerate(counts):
            bin = {"set": name, "low": edges[at], "high": edges[at + 1], "pairs": count}
            rows.append({**bin, "share": count / total})
    tidy = pd.DataFrame(rows, columns=HISTOGRAM.columns)
    return spec.drawing(about, HISTOGRAM, tidy, histogram_figure)
