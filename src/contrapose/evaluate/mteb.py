"""Score one encoder on tasks of mteb; see `mteb_scores`."""

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import pandas as pd

from contrapose.evaluate.evaluation import Evaluation, Folder
from contrapose.settings.worlds import MtebTasks
from contrapose.steps import FromJob, Rows, State, Writer, planned, with_facts
from contrapose.tables import SCORES

if TYPE_CHECKING:
    from contrapose.project import Project


class Mteb(Evaluation):
    """What the scores of one encoder on tasks of mteb depend on, beside its folder and their files."""

    tasks: MtebTasks

    @classmethod
    @planned
    def of(cls, project: "Project", tasks: str, run: str) -> "Mteb":  # type: ignore[override]
        from contrapose.project.data import mteb_tasks

        return super().of(project, run, tasks=mteb_tasks(project, tasks))


class MtebScores(NamedTuple):
    """Mteb's own results and predictions, and the scores."""

    results: Writer
    scores: Annotated[pd.DataFrame, Rows(SCORES)]


def build(
    spec: Mteb,
    source: Folder,
    files: list[str],
    folders: Annotated[dict[str, str], FromJob(lambda spec, job: json.loads(job.resources.mteb))],
    state: State,
    resources: Annotated[Any, FromJob(lambda spec, job: job.resources)],
) -> MtebScores:
    """Score one encoder: one of a run, or a pretrained one; tasks that are done survive a kill in `state`.

    The file of scores says the metric that each task reports.
    """
    from contrapose.evaluate.mteb_scores import scores_of_job

    scores, metrics, results = scores_of_job(spec, source, folders, files, state, resources)

    def write(draft: Path) -> None:
        shutil.copytree(results, draft)

    return MtebScores(write, with_facts(scores, metrics=metrics))
