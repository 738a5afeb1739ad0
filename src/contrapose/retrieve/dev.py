"""The dev pairs that select checkpoints, apart from test pairs: another test file retrains nothing."""

from typing import Annotated

import pandas as pd

from contrapose.base.tasks import Task
from contrapose.jobs.step import DataFolder, Rows, planned
from contrapose.retrieve.benchmarks import Benchmarks, read_benchmarks
from contrapose.retrieve.suites import dev_sources
from contrapose.settings.plan import Plan
from contrapose.tables import BENCHMARK


@planned
def plan(project: Plan, task: Task) -> Benchmarks:
    """Return the sources of a task's dev pairs."""
    return Benchmarks(dev_sources(project, task))


def build(spec: Benchmarks, data: DataFolder) -> Annotated[pd.DataFrame, Rows(BENCHMARK)]:
    """Read the dev split of an evaluation set."""
    pairs, _ = read_benchmarks(data, spec.root)
    return pairs[pairs.split == "dev"].reset_index(drop=True)
