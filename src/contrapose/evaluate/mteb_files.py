"""The tasks of mteb that the catalog names: mteb's own, and tasks in files."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Discriminator, Field, Tag

from contrapose.base.errors import ConfigError
from contrapose.retrieve.data_files import BELOW, below, data_folder
from contrapose.settings.plan import Plan
from contrapose.settings.spec import Name, PathText, Spec


class MtebFiles(Spec):
    """A task in files is scored by mteb like its own tasks."""

    name: Name = Field(description="Tables and messages call the task by this name.")
    type: Literal["STS", "PairClassification", "Retrieval", "Clustering"] = Field(
        description="This is mteb's type of the task."
    )
    path: PathText = Field(
        description=f"This is a folder {BELOW}, with CSV, JSON Lines or Parquet files. An STS task has "
        "`test` with sentence1, sentence2 and score. PairClassification has `test` with "
        "sentence1, sentence2 and labels of 0 or 1. Clustering has `test` with sentences "
        "and labels. Retrieval has `corpus` (id, text, perhaps title), `queries` (id, text) "
        "and `qrels` (query-id, corpus-id, score)."
    )
    language: str = Field(
        "eng-Latn",
        pattern="[a-z]{3}-[A-Z][a-z]{3}",
        description="This is the language in mteb's notation, such as `eng-Latn`.",
    )


MtebTask = Annotated[
    Annotated[Name, Tag("name")] | Annotated[MtebFiles, Tag("files")],
    Discriminator(lambda task: "name" if isinstance(task, str) else "files"),
]

MtebTasks = Annotated[
    list[MtebTask],
    Field(
        min_length=1,
        description="The list holds names of tasks of mteb, whose data mteb downloads, and tasks in files.",
    ),
]


def mteb_folders(project: Plan, tasks: str) -> dict[str, str]:
    """Return the folders of those tasks of an mteb list that are in files, by name."""
    listed, data = project.source("mteb", tasks), data_folder(project)
    return {task.name: str(below(task.path, data)) for task in listed if not isinstance(task, str)}


def mteb_inputs(project: Plan, tasks: str) -> list[str]:
    """Return the files of an mteb list; raise a ConfigError if a folder is missing."""
    by_task = mteb_folders(project, tasks)
    for name, folder in by_task.items():
        if not Path(folder).is_dir():
            raise ConfigError(
                f"mteb.{tasks}: the folder of {name}, '{folder}', does not exist. Create it with the "
                "files of the task."
            )
    return [str(path) for folder in by_task.values() for path in sorted(Path(folder).glob("*.*"))]
