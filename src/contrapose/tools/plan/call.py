"""The jobs of a call that still have to run, and the texts that they work on."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow.compute as pc

from contrapose.project import Project
from contrapose.tables import SENTENCES, open_table
from contrapose.tasks import TASKS, TRANSLATED, UNTRANSLATED
from contrapose.tools.jobs import Job

# UTF-8 bytes of a sentence.  Sampled and published: 25.9 and 22.6 words (thesis, Table 4.5) of 5.39 bytes, as
# 2,699 sentences that method 1 draws from 1,000 articles of Wikipedia of November 2023 have.  Segmented:
# 3,000 of these sentences; Japanese ones of PAWS-X.  Evaluation sets: STS test splits; Chinese ones.
LENGTHS: Mapping[str, float] = {
    "sampled": 140, "published": 122, "english": 111, "japanese": 144, "tasks": 61, "chinese": 45,
}  # fmt: skip
DISTINCT = {"tasks": 0.74, "chinese": 0.48}  # share of distinct sentences in the same sets


class Texts(NamedTuple):
    """The sentences of a corpus."""

    sentences: int | None  # None: unknown before the corpus is made
    length: float  # mean UTF-8 bytes of a sentence


@dataclass(frozen=True)
class Call:
    """Jobs that still have to run."""

    project: Project
    jobs: list[Job]

    @cached_property
    def _outputs(self) -> set[str]:
        return {path for job in self.jobs for path in job.outputs}

    def of(self, rule: str) -> list[dict[str, str]]:
        """Return the wildcards of the jobs of a rule."""
        return [job.wildcards for job in self.jobs if job.rule == rule]

    def made(self, place: str) -> Path | None:
        """Return a file of `<results>` that exists and that no job makes again."""
        path = place.replace("<results>", self.project.results)
        return Path(path) if path not in self._outputs and Path(path).is_file() else None

    def texts(self, corpus: str) -> Texts:
        """Return the sentences of a corpus, or of `untranslated`: counted in its file, else estimated."""
        if path := self.made(self.project.places.corpus(corpus)):
            with open_table(path, SENTENCES) as file:
                lengths = pc.binary_length(file.read(columns=["text"])["text"])
            return Texts(len(lengths), pc.mean(lengths).as_py() or 0.0)
        if corpus == UNTRANSLATED:
            size = getattr(self.project.world.translator, "size", None)
            pairs = (self.project.size(size) if size else TASKS[task].pairs["test"] for task in TRANSLATED)
            return Texts(2 * sum(pairs), LENGTHS["chinese"])
        spec, count = self.project.corpus(corpus), self.project.sentences(corpus)
        if spec.kind == "tasks":
            kind = "chinese" if TASKS[spec.tasks[0]].suite == "chinese" else "tasks"
            every = round(DISTINCT[kind] * 2 * sum(TASKS[task].pairs[spec.split] for task in spec.tasks))
            fewer = count is None or (spec.at_most and 0 < every < count)
            return Texts((every if fewer else count) or None, LENGTHS[kind])
        if spec.kind == "published":
            rows = getattr(self.project.entry("sentence_files", spec.file), "rows", None)
            return Texts(count or rows, LENGTHS["published"])
        return Texts(count, LENGTHS[getattr(spec, "language", "sampled")])

    def rows(self, pairs: str) -> float | None:
        """Return the rows of a pair set in one slot, which an epoch trains on; None if unknown."""
        spec: Any = self.project.pairs(pairs)
        rows = spec.rows(self.project)
        if rows is None and getattr(spec, "size", "") is None and hasattr(spec, "corpus"):
            return self.texts(spec.corpus).sentences
        return rows and rows / spec.slot_count(self.project)
