"""The tasks of mteb that the catalog names: mteb's own, and tasks in files."""

from typing import Annotated, Literal

from pydantic import Discriminator, Field, Tag

from contrapose.retrieve.data_files import BELOW
from contrapose.settings.spec import Name, PathText, Spec


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
