"""Score one encoder on tasks of mteb; see `mteb_scores`."""

import json
import shutil
from pathlib import Path
from typing import Annotated, Any

from contrapose.evaluate.evaluation import Folder, Resamples, RunId, run_settings
from contrapose.settings.encoders import EncoderSettings
from contrapose.settings.worlds import MtebTasks
from contrapose.status import with_status
from contrapose.steps import FromJob, Outputs, Project, State, planned
from contrapose.tables import SCORES


class Mteb(EncoderSettings):
    """What the scores of one encoder on tasks of mteb depend on, beside its folder and their files."""

    run: RunId
    bootstrap: Resamples = 1000
    tasks: MtebTasks


@planned
def plan(project: Project, tasks: str, run: str) -> Mteb:
    from contrapose.project.data import mteb_tasks

    return run_settings(Mteb, project, run, tasks=mteb_tasks(project, tasks))


def build(
    spec: Mteb,
    source: Folder,
    files: list[str],
    folders: Annotated[dict[str, str], FromJob(lambda spec, job: json.loads(job.resources.mteb))],
    state: State,
    resources: Annotated[Any, FromJob(lambda spec, job: job.resources)],
) -> Annotated[tuple, Outputs(results=None, scores=SCORES)]:
    """Score one encoder: one of a run, or a pretrained one; tasks that are done survive a kill in `state`.

    The file of scores says the metric that each task reports.
    """
    from contrapose.evaluate.mteb_scores import scores_of_job

    scores, metrics, results = scores_of_job(spec, source, folders, files, state, resources)

    def write(draft: Path) -> None:
        shutil.copytree(results, draft)

    return (write, with_status(scores, facts=metrics))
