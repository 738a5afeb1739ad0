"""Score one encoder on tasks of mteb; see `mteb_scores`."""

import json
import shutil
from functools import partial
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Discriminator, Field, Tag

from contrapose.evaluate.evaluation import Folder, RunEncoder, RunSettings, run_settings
from contrapose.retrieve.data_files import BELOW
from contrapose.settings.spec import Name, PathText, Spec
from contrapose.status import with_status
from contrapose.step import FromJob, Outputs, Project, State, planned
from contrapose.tables import SCORES


class MtebFiles(Spec):
    """A task in files, which mteb scores like its own."""

    name: Name
    type: Literal["STS", "PairClassification", "Retrieval", "Clustering"]
    path: PathText = Field(
        description=f"Folder {BELOW}, with CSV, JSON Lines or Parquet "
        "files. STS: test with sentence1, sentence2, "
        "score; PairClassification: the same with labels (0, 1); Clustering: test with sentences, labels; "
        "Retrieval: corpus (id, text, perhaps title), queries (id, text), qrels (query-id, corpus-id, score)"
    )
    language: str = Field("eng-Latn", pattern="[a-z]{3}-[A-Z][a-z]{3}", description="As mteb names it")


MtebTask = Annotated[
    Annotated[Name, Tag("name")] | Annotated[MtebFiles, Tag("files")],
    Discriminator(lambda task: "name" if isinstance(task, str) else "files"),
]
MtebTasks = Annotated[
    list[MtebTask],
    Field(min_length=1, description="Names of mteb's tasks, whose data are fetched, or tasks in files"),
]


class Mteb(RunSettings):
    """What the scores of one encoder on tasks of mteb depend on, beside its folder and their files."""

    tasks: MtebTasks


@planned
def plan(project: Project, tasks: str, run: str) -> Mteb:
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
    scores = mteb_scores(encoder, tasks, spec, revision, results)
    metrics = {task.metadata.name: str(task.metadata.main_score) for task in tasks}
    return (partial(shutil.copytree, results), with_status(scores, facts=metrics))
