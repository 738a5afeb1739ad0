"""How much the jobs of a call work on: sentences, rows of pairs, test pairs."""

import math
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.compute as pc

from contrapose.base.errors import ContraposeError
from contrapose.base.tasks import TASKS, TRANSLATED, UNTRANSLATED, Task
from contrapose.corpus.published_lines import distinct_lines
from contrapose.evaluate.sharing import Sharing
from contrapose.generate.llm_requests import PAIR_TEXTS
from contrapose.project import Project
from contrapose.project.rules import Asked, RuleRow
from contrapose.retrieve.benchmarks import AnySource, read_benchmarks
from contrapose.settings.corpora import LENGTHS, Texts
from contrapose.tables import BENCHMARK, PAIRS, SENTENCES, open_table, read_table
from contrapose.tools.dry_run import Job
from contrapose.tools.mini_sizes import generated_pairs

COUNTED = 50e6  # bytes of the largest file whose sentences are counted, in a second; as `check` reads
SPECIAL_TOKENS = 2  # at both ends of a text
BYTES_PER_TOKEN = 4.57  # in 2,699 sentences of Wikipedia, with the tokenizer of bert-base-uncased


@dataclass(frozen=True)
class Call:
    """Jobs that still have to run."""

    project: Project
    jobs: list[Job]
    # Evaluation sets that were read, by their file or task: a comparison asks for them at each job.
    read: dict[str, pd.DataFrame | None] = field(default_factory=dict, repr=False)

    @cached_property
    def _outputs(self) -> set[str]:
        return {path for job in self.jobs for path in job.outputs}

    def rule(self, job: Job) -> RuleRow:
        return self.project.rules.of(job.rule)

    @property
    def tables(self) -> list[str]:
        return [job.wildcards.get("table", "") for job in self.jobs]

    def of(self, rule: str) -> list[dict[str, str]]:
        return [job.wildcards for job in self.jobs if job.rule == rule]

    def asking(self, what: Asked) -> list[dict[str, str]]:
        """Return the wildcards of the jobs that ask a language model for something."""
        return [job.wildcards for job in self.jobs if self.rule(job).asks == what]

    def existing(self, place: str) -> Path | None:
        """Return a file of `<results>` that exists, be it up to date or not."""
        path = Path(place.replace("<results>", self.project.results))
        return path if path.is_file() else None

    def made(self, place: str) -> Path | None:
        """Return a file of `<results>` that exists and that no job makes again."""
        path = self.existing(place)
        return path if str(path) not in self._outputs else None

    @cached_property
    def _counts(self) -> dict[str, Texts | None]:
        return {}

    def counted(self, corpus: str) -> Texts | None:
        """Return the sentences of a corpus that is made, or comes from a file of the user; else None."""
        if corpus not in self._counts:
            self._counts[corpus] = self._counted(corpus)
        return self._counts[corpus]

    def _counted(self, corpus: str) -> Texts | None:
        if path := self.made(self.project.paths.corpus(corpus)):
            with open_table(path, SENTENCES) as file:
                lengths = pc.binary_length(file.read(columns=["text"])["text"])
            return Texts(len(lengths), pc.mean(lengths).as_py() or 0.0)
        if corpus not in self.project.recipes.corpora or not self.project.data:
            return None
        spec = self.project.corpus(corpus)
        try:
            lines = spec.lines(self.project, COUNTED)
        except ContraposeError:  # `check` says what is wrong
            return Texts(None, LENGTHS["sampled"])
        if lines is None:
            return None
        texts = lines.text if spec.as_published else distinct_lines(lines)[0].text
        count = len(texts) if spec.size is None else min(len(texts), self.project.size(spec.size))
        return Texts(count, texts.str.encode("utf-8").str.len().mean())

    def texts(self, corpus: str) -> Texts:
        """Return the sentences of a corpus, or of `untranslated`: counted in its file, else estimated.

        Of `pairs/X` an anchor with each positive and hard negative, as if no two rows shared them.
        """
        if counted := self.counted(corpus):
            return counted
        if corpus.startswith(PAIR_TEXTS):
            name = corpus.removeprefix(PAIR_TEXTS)
            rows, sides = self.all_rows(name), self.project.pairs(name).sides(self.project) - 1
            return Texts(None if rows is None else round(rows * sides), 2 * LENGTHS["sampled"])
        if corpus == UNTRANSLATED:
            translator = self.project.catalog.translator
            size = translator and translator.size
            pairs = (self.project.size(size) if size else TASKS[task].pairs["test"] for task in TRANSLATED)
            return Texts(2 * sum(pairs), LENGTHS["chinese"])
        return self.project.corpus(corpus).texts(_Counting(self), self.project.sentences(corpus))

    def all_rows(self, pairs: str) -> float | None:
        """Return the rows of a pair set in all slots and one view; None if unknown.

        They are counted if the pairs are made, and follow from the settings if its sentences are known.
        """
        spec: Any = self.project.pairs(pairs)
        if path := self.made(self.project.paths.pairs(pairs)):
            with open_table(path, PAIRS) as file:
                return file.metadata.num_rows / spec.views(self.project)
        return spec.rows(_Counting(self))

    def rows(self, pairs: str) -> float | None:
        """Return the rows of a pair set in one slot, which an epoch trains on; None if unknown."""
        rows = self.all_rows(pairs)
        return rows and rows / self.project.pairs(pairs).slot_count(self.project)

    def tokens(self, pairs: str) -> float:
        """Return the word pieces of a text of a pair set, if its sentences can be counted; else infinity."""
        counted = self._source(pairs)
        return counted.length / BYTES_PER_TOKEN + SPECIAL_TOKENS if counted else math.inf

    def is_unreadable(self, pairs: str) -> bool:
        """Whether the file of a pair set's sentences is there but cannot be read."""
        counted = self._source(pairs)
        return counted is not None and counted.sentences is None

    def _source(self, pairs: str) -> Texts | None:
        name = self.project.pairs(pairs).source_corpus(self.project)
        known = self.project.recipes.corpora.get(name)
        return self.counted((known and known.whole(self.project)) or name)

    def expected_pairs(self, task: Task, split: str) -> int | None:
        """Return the pairs of a set as published, or those that the generator of a mini world writes."""
        if self.project.catalog.mini:
            return generated_pairs(task, split, self.project.catalog.mini.pairs)
        return TASKS[task].pairs.get(split)

    def scored_pairs(self, task: Task, form: str, split: str) -> int | None:
        """Return the pairs of a set: counted in its file, else as expected; None if neither is known."""
        sources = self._sources(task)
        if not self.made(self.project.paths.benchmarks(TASKS[task].suite)):
            if expected := self.expected_pairs(task, split):
                return expected
            if makes := [each for each in sources.values() if each.made]:
                return makes[0].expected(self.project)
        table = self._test_pairs(task, form, split)
        return None if table is None else len(table) or None

    def sharing(self, task: Task, form: str, split: str) -> Sharing | None:
        """Return which pairs of a set share sentences; None unless its files are here."""
        sources = self._sources(task).values()
        in_files = bool(sources) and all(each.in_folder for each in sources)
        if not in_files and not self.made(self.project.paths.benchmarks(TASKS[task].suite)):
            return None
        table = self._test_pairs(task, form, split)
        return None if table is None or table.empty else Sharing(table.sentence1, table.sentence2)

    def _sources(self, task: Task) -> dict[str, AnySource]:
        return {name: each for name, each in self.project.catalog.benchmarks.items() if each.task == task}

    def _test_pairs(self, task: Task, form: str, split: str) -> pd.DataFrame | None:
        """Return the pairs of a set; None if its files are not there."""
        made = self.made(self.project.paths.benchmarks(TASKS[task].suite))
        whole, part = str(made or task), f"{made or task} {task} {form} {split}"
        if part not in self.read:
            if whole not in self.read:
                self.read[whole] = self._whole_set(task, made)
            table = self.read[whole]
            if table is not None:
                table = table[(table.task == task) & (table.form == form) & (table.split == split)]
            self.read[part] = table
        return self.read[part]

    def _whole_set(self, task: Task, made: Path | None) -> pd.DataFrame | None:
        folder = self.project.data and Path(self.project.data)
        try:
            return read_table(made, BENCHMARK) if made else read_benchmarks(folder, self._sources(task))[0]
        except ContraposeError:  # `check` says what is missing
            return None


class _Counting:
    """A project whose corpora have as many sentences as their files: `Counts`."""

    def __init__(self, call: Call) -> None:
        self._call = call

    def __getattr__(self, name: str) -> Any:
        return getattr(self._call.project, name)

    def sentences(self, corpus: str) -> int | None:
        return self.texts(corpus).sentences

    def texts(self, corpus: str) -> Texts:
        return self._call.texts(corpus)

    def expected_pairs(self, task: Task, split: str) -> int | None:
        return self._call.expected_pairs(task, split)
