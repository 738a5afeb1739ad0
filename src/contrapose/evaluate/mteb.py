"""Score one encoder on tasks of mteb; see `mteb_scores`."""

import json
import shutil
from functools import partial
from pathlib import Path
from typing import Annotated

from contrapose.evaluate.evaluation import Folder, RunEncoder, RunSettings, run_settings
from contrapose.evaluate.mteb_files import MtebTasks
from contrapose.jobs.status import with_status
from contrapose.jobs.step import FromJob, Outputs, State, planned
from contrapose.settings.plan import Plan
from contrapose.tables import SCORES


class Mteb(RunSettings):
    """What the scores of one encoder on tasks of mteb depend on, beside its folder and their files."""

    tasks: MtebTasks


@planned
def plan(project: Plan, tasks: str, run: str) -> Mteb:
    """Return the tasks of mteb under a name of the config, and the encoder of a run."""
    return run_settings(Mteb, project, run, tasks=project.source("mteb", tasks))


def build(
    spec: Mteb,
    source: Folder,
    encoder: RunEncoder,
    files: list[str],
    folders: Annotated[dict[str, str], FromJob(lambda spec, job: json.loads(job.resources.mteb))],
    state: State,
) -> Annotated[tuple, Outputs(results=None, scores=SCORES)]:
    """Score one encoder: one of a run, or a pretrained one; tasks that are done survive a kill in `state`.

    What is kept there is for exactly this encoder and the `files` of the tasks.  The status of the scores has
    the metric that each task reports.
    """
    from contrapose.evaluate.mteb_scores import digest_of, mteb_scores, mteb_tasks, revision_of

    revision = spec.encoder.revision if spec.encoder else revision_of(Path(source))
    tasks = mteb_tasks(spec.tasks, folders)
    results = state / revision / digest_of(map(Path, files))
    scores = mteb_scores(encoder, tasks, spec.run, revision, results)
    metrics = {task.metadata.name: str(task.metadata.main_score) for task in tasks}
    return (partial(shutil.copytree, results), with_status(scores, facts=metrics))
