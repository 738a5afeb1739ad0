"""The scores of one encoder folder: a row per task."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path

import pandas as pd
from pydantic import Field

from contrapose.base.errors import TableError
from contrapose.base.tasks import Task
from contrapose.jobs.status import missing_sets, read_status
from contrapose.jobs.step import Writer
from contrapose.report.files import without_formulas
from contrapose.report.scores import size_note
from contrapose.settings.plan import Plan
from contrapose.settings.spec import PoolingName, Spec
from contrapose.tables import SCORES, read_table

LABELS: dict[Task, str] = {
    "sts12": "STS12",
    "sts13": "STS13",
    "sts14": "STS14",
    "sts15": "STS15",
    "sts16": "STS16",
    "stsb": "STS-B",
    "sickr": "SICK-R",
    "sickr_train": "SICK-R train+trial",
}
COLUMNS = [
    *("task", "form", "split", "n", "spearman", "ci_low", "ci_high", "pearson"),
    *("encoder", "pooling", "note"),
]


class ScoreTableJob(Spec):
    """What `results/tables/score.csv` depends on, beside scores and benchmarks."""

    encoder: str = Field(description="Name of the folder, without the path to it")
    generated: bool = Field(False, description="The catalog makes its own sets, of its own sizes")
    pooling: PoolingName = "auto"


def plan(project: Plan) -> ScoreTableJob:
    """Return which folder `results/tables/score.csv` holds the scores of."""
    name = Path(project.config.encoder or "").resolve().name
    generated = project.catalog.generated
    return ScoreTableJob(encoder=name, generated=generated, pooling=project.config.pooling)


def build(
    spec: ScoreTableJob,
    scores: list[str],
    benchmarks: list[str],
) -> Writer:
    """Print the scores of one encoder folder as CSV; an error if there are none."""
    status = read_status(scores[0])
    if status.unavailable:
        raise TableError(f"{status.unavailable}.")
    score_rows, pooling = read_table(scores[0], SCORES), status.facts["pooling"]
    table = score_table(score_rows, missing_sets(benchmarks), pooling, spec)
    return partial(without_formulas(table).to_csv, index=False, lineterminator="\n")


def score_table(
    scores: pd.DataFrame, missing: Mapping[str, str], pooling: str, job: ScoreTableJob
) -> pd.DataFrame:
    """Return one row per task and text form found; a task without any form has a row, too.

    `missing` maps `task/form/split` to a file below the data folder; `pooling` is the encoder's, for example
    `mean + Normalize`.  `spearman` and `pearson` are x100 with two decimals; `ci_low` and `ci_high`
    bound Spearman's 95 % bootstrap interval.  `note` says which file a missing task was expected in, or that
    its number of pairs is not the published one.
    """
    pooling = f"auto: {pooling}" if job.pooling == "auto" else pooling
    test = scores[(scores.split == "test") & (scores.aggregation == "all")]
    rows = []
    for task, label in LABELS.items():
        about = {"task": label, "split": "test", "encoder": job.encoder, "pooling": pooling}
        of_task = test[test.task == task]
        for form, pair in of_task.groupby("form", sort=False):
            metric = {score["metric"]: score for score in pair.to_dict("records")}
            spearman, n = metric["spearman"], metric["spearman"]["n"]
            numbers = {name: f"{100 * spearman[name]:.2f}" for name in ("ci_low", "ci_high")}
            numbers |= {name: f"{100 * score['value']:.2f}" for name, score in metric.items()}
            note = "" if job.generated else size_note(n, task)
            rows.append({**about, "form": form, "n": n, **numbers, "note": note})
        tests = [f"{task}/{form}/test" for form in ("senteval", "raw")]
        absent = [path for what, path in missing.items() if what in tests]
        if of_task.empty and absent:
            note = f"skipped: {' or '.join(absent)} is missing"
            rows.append({**about, "form": "", "n": 0, "note": note})
    return pd.DataFrame(rows, columns=COLUMNS, dtype=object).fillna("")
