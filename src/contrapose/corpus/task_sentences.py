"""Corpora of the sentences of evaluation sets, without their scores."""

import logging
from typing import Annotated, Literal

import pandas as pd
from pydantic import Field, model_validator

from contrapose.base.errors import TableError
from contrapose.base.seeds import generator
from contrapose.base.tasks import TASKS, Task, one_suite
from contrapose.jobs.step import Rows, planned
from contrapose.retrieve.formats import PLACEHOLDER
from contrapose.settings.corpora import DISTINCT, LENGTHS, CorpusKind, Counts, Texts
from contrapose.settings.plan import Plan
from contrapose.settings.refs import Size, TaskName, as_number, resolved
from contrapose.settings.spec import Split
from contrapose.tables import BENCHMARK, SENTENCES

logger = logging.getLogger(__name__)


class TaskCorpus(CorpusKind):
    """The sentences are the distinct ones of evaluation sets, without their scores, shuffled. EdaCSE,
    section 4.1.
    """

    kind: Literal["tasks"]
    tasks: list[TaskName] = Field(
        min_length=1, description="The sentences come from these evaluation sets, which belong to one suite."
    )
    split: Split = Field("train", description="The sentences come from this split of the sets.")
    size: Size | None = Field(
        None,
        description="The corpus has this many sentences: a number, or the name of a size of the "
        "catalog. With null, it has every sentence of the sets.",
    )
    allow_fewer: bool = Field(
        False,
        description="If true, a corpus with fewer sentences than `size` is accepted, and has all of them.",
    )
    seed: int = Field(1, ge=0, description="This seed decides the order of the sentences.")

    @model_validator(mode="after")
    def _one_suite(self) -> "TaskCorpus":
        one_suite(self.tasks)
        return self

    def sets(self, project: Plan) -> list[Task]:
        return self.tasks

    def amount(self, project: Plan, count: int | None) -> str:
        return "at most " * (self.allow_fewer and count is not None) + super().amount(project, count)

    def texts(self, project: Counts, count: int | None) -> Texts:
        kind = "chinese" if TASKS[self.tasks[0]].suite == "chinese" else "tasks"
        pairs = sum(project.expected_pairs(task, self.split) or 0 for task in self.tasks)
        every = round(DISTINCT[kind] * 2 * pairs)
        fewer = count is None or (self.allow_fewer and 0 < every < count)
        return Texts((every if fewer else count) or None, LENGTHS[kind])


@planned
def plan(project: Plan, corpus: str) -> TaskCorpus:
    """Return which tasks and split a corpus has its sentences from."""
    return resolved(project.corpus(corpus), project)


def build(
    spec: TaskCorpus, benchmarks: Annotated[pd.DataFrame, Rows(BENCHMARK)]
) -> Annotated[pd.DataFrame, Rows(SENTENCES)]:
    """Join the sentences of a split of some sets, drop exact duplicates, and shuffle.  EdaCSE, section 4.1.

    Both sentences of a pair are used.  Of equal sentences the first is kept; PAWS-X's placeholder for a
    missing translation is dropped.  The log says how many sentences also occur in the other splits.

    The order depends on the seed alone; a small corpus is the head of a larger one with the same seed.
    `words` counts characters other than white space, as Chinese has no spaces between words.  Raises
    TableError if no set has such a split, or there are fewer sentences than wanted.
    """
    of_tasks = benchmarks[benchmarks.task.isin(spec.tasks)]
    pairs = of_tasks[of_tasks.split == spec.split]
    if lacking := [task for task in spec.tasks if task not in set(pairs.task)]:
        logger.warning(
            "split %s of %s does not exist, so the corpus has no sentences of it. To have them, put its file "
            "into the data folder",
            spec.split,
            ", ".join(lacking),
        )
    if pairs.empty:
        raise TableError(
            f"benchmarks: the corpus takes its sentences from {', '.join(spec.tasks)}, but none of "
            f"these sets has a split {spec.split}. Put the files of at least one of them into the "
            "data folder."
        )
    sides = [_side(pairs, side) for side in (1, 2)]
    # In the order of the settings, and both sentences of a pair together.
    rank = {task: number for number, task in enumerate(spec.tasks)}
    every = pd.concat(sides).sort_values(["article_id", "position"], kind="stable")
    every = every.sort_values("article_id", key=lambda names: names.map(rank), kind="stable")
    distinct = every[every.text != PLACEHOLDER].drop_duplicates("text")
    others = of_tasks[of_tasks.split != spec.split]
    elsewhere = int(distinct.text.isin({*others.sentence1, *others.sentence2}).sum())
    logger.info(
        "%d sentences, %d without repetitions and placeholders; %d of these also occur in other splits",
        len(every),
        len(distinct),
        elsewhere,
    )
    wanted = len(distinct) if spec.size is None else as_number(spec.size)
    if len(distinct) < wanted and not spec.allow_fewer:
        raise TableError(
            f"benchmarks: split {spec.split} of {', '.join(spec.tasks)} has {len(distinct)} distinct "
            f"sentences, but the corpus needs {wanted}. Lower its size, set the size to null for "
            "every sentence, or set allow_fewer: true."
        )
    order = generator("corpus", "tasks", spec.seed).permutation(len(distinct))
    return distinct.iloc[order[:wanted]].reset_index(drop=True)[SENTENCES.columns]


def _side(pairs: pd.DataFrame, side: int) -> pd.DataFrame:
    place = [f"{each.task}:{each.split}:{each.subset}:{each.row}:{side}" for each in pairs.itertuples()]
    texts = pairs[f"sentence{side}"]
    columns = {"id": place, "text": texts, "article_id": pairs.task, "position": pairs.row}
    words = texts.str.replace(r"\s", "", regex=True).str.len()
    return pd.DataFrame({**columns, "words": words.astype("int32")})
