"""A table of statistics: words per sentence of corpora and evaluation sets, or their mean gold scores.

On the original files these are exact numbers.  So they are computed for every way of reading the texts, and
the report says which of them gives the digits that the paper prints.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Annotated, ClassVar, Literal, NamedTuple

import numpy as np
import pandas as pd
from pydantic import Field, model_validator

from contrapose.base.markdown import bullets, markdown_table
from contrapose.base.tasks import TASKS
from contrapose.jobs.status import missing_sets
from contrapose.jobs.step import InputFiles, Rows
from contrapose.report.about import About, Source, row_label
from contrapose.report.cells import Cells, RowCells, cell_table
from contrapose.report.kinds.base import TableSettings
from contrapose.report.output import Report
from contrapose.report.planned_notes import tokenizer
from contrapose.report.printed_cells import Decimals
from contrapose.settings.plan import Plan
from contrapose.settings.refs import CorpusName, TaskName
from contrapose.settings.spec import Spec, SplitChoice, check_one_of
from contrapose.tables import BENCHMARK, NAIVE, PUNKT, SENTENCES, read_table, read_tables

UNNAMED = "skipped: the copy of the set in the catalog does not name it"
FORM = "senteval"
SAME = "same digits in"  # names of the readings that agree
COUNTED = {"words_per_sentence": "sentences", "mean_score_normalised": "pairs"}


class StatisticsRow(Spec):
    """A row shows either a task or a corpus."""

    group: str = Field("", description="Rows with the same group stand under one heading.")
    label: str = Field(description="This is the label of the row.")
    task: TaskName | None = Field(None, description="The row shows the texts of this task.")
    subset: str | None = Field(
        None, description="The row shows this subset of the task. With null, it shows the whole task."
    )
    split: SplitChoice = Field(
        "all",
        description="The row shows this split of the task. With `all`, it shows all existing splits "
        "together.",
    )
    corpus: CorpusName | None = Field(None, description="The row shows the sentences of this corpus.")
    published: str | None = Field(
        None, description="This is `group: name`, or the data set, of the paper's row."
    )

    @model_validator(mode="after")
    def _one_source(self) -> "StatisticsRow":
        check_one_of(self, ("task",), ("corpus",))
        return self


class StatisticsTable(TableSettings):
    """The table shows statistics of texts and gold scores: the words per sentence, or the mean gold score
    in [0, 1].
    """

    kind: Literal["statistics"]
    statistic: Literal["words_per_sentence", "mean_score_normalised"] = Field(
        description="The table shows the words per sentence, or the mean gold score in [0, 1]."
    )
    rows: list[StatisticsRow] = Field(
        min_length=1, description="Each entry is a row of the table: a task or a corpus."
    )

    # As the thesis prints them.
    decimals: ClassVar[Decimals] = {"words_per_sentence": 1, "mean_score_normalised": 2}
    labels: ClassVar[Mapping[str, str]] = {"group": "group", "label": "model"}
    spread: ClassVar[str] = ""
    missing: ClassVar[str] = "–"

    @property
    def counted(self) -> str:
        return COUNTED[self.statistic]

    @model_validator(mode="after")
    def _scores_need_a_task(self) -> "StatisticsTable":
        if self.statistic == "mean_score_normalised" and any(row.task is None for row in self.rows):
            raise ValueError("gold scores need a task, but a row has none. Give every row a task")
        return self

    def about(self, project: Plan, name: str) -> About:
        sources = []
        for corpus in dict.fromkeys(row.corpus for row in self.rows if row.corpus is not None):
            known = not project.lacking_entry("corpora", corpus)
            spec = project.corpus(corpus)
            notes = [spec.note(project), tokenizer(project, spec)] if known else []
            note = "; ".join(filter(None, notes))
            sources.append(Source(label=corpus, id=corpus if known else None, note=note))
        return About.planned(project, name, sources=sources)

    def inputs(self, project: Plan, about: About) -> dict[str, InputFiles]:
        paths = project.paths
        sets = any(row.task for row in self.rows)
        counted = sets and self.statistic == "words_per_sentence"
        return {
            "sets": [paths.benchmarks("english")] if sets else [],
            "naive": [paths.naive] if counted else [],
            "punkt": [paths.punkt] if counted else [],
            "corpora": [paths.corpus(each) for each in about.ids],
        }


class TextSource(NamedTuple):
    """The data behind the statistics."""

    benchmarks: pd.DataFrame  # BENCHMARK
    naive: pd.DataFrame  # NAIVE
    corpora: Mapping[str, pd.DataFrame]  # SENTENCES, by name
    words: Callable[[str], int] | None = None  # counts the words of a text; for evaluation sets


class Variant(NamedTuple):
    """One way to read the texts or scores of a task.

    evaluated: pairs with a gold score, with quotation marks as text; naive: every line of a year of STS, and
    STS-B by a CSV reader that interprets quotation marks.
    """

    reading: str
    form: str
    split: str


def build(
    spec: StatisticsTable,
    about: About,
    sets: list[str],
    naive: Annotated[pd.DataFrame, Rows(NAIVE)],
    punkt: list[str],
    corpora: list[str],
) -> Report:
    """Compute a mean for every row, for every way of reading its material.

    There are no `sets` if only corpora are counted, and neither `naive` nor `punkt` if no words of sets are.
    Each row has first the printed cell, without a value if the catalog lacks the data.  Words: both sentences
    of every pair count.  Scores: (score - lowest) / (highest - lowest) of the scale.
    """
    texts = {
        name: read_table(path, SENTENCES, ["words"]) for name, path in zip(about.ids, corpora, strict=True)
    }
    words = None
    if punkt:
        from contrapose.corpus.punkt_parameters import splitter
        from contrapose.text.words import words_of

        split = splitter(read_table(punkt[0], PUNKT))
        words = cache(lambda text: words_of(text, split))
    material = TextSource(read_tables(sets, BENCHMARK), naive, texts, words)
    tidy, missing = statistics_cells(material, spec, about), missing_sets(sets)
    has_value = tidy[tidy.variant == ""].value.notna()
    reasons = [
        list(_row_notes(row, about, missing)) or ([] if known else [UNNAMED])
        for row, known in zip(spec.rows, has_value, strict=True)
    ]
    notes = [
        f"{row_label(row.group, row.label)}: {note}."
        for row, of_row in zip(spec.rows, reasons, strict=True)
        for note in of_row
    ]
    notes.append(
        f"The numbers use the reading `evaluated` and the text form `{FORM}`, unless a table below says "
        "something else."
    )
    readings = reading_table(tidy, spec)
    sections = []
    if not about.generated and len(readings):
        sections = [
            "## Which reading gives the number of the paper",
            f"As printed in: {about.source}. Readings with the same digits:",
            bullets(reading_counts(readings)),
            markdown_table(readings),
        ]
    return spec.report(about, tidy, notes, *sections, columns=[], row_notes=list(map("; ".join, reasons)))


def statistics_cells(material: TextSource, spec: StatisticsTable, about: About) -> pd.DataFrame:
    """Return the means as CELLS, see `build`; readings that are not printed are variants."""
    rows = []
    for row in spec.rows:
        cells: Cells = {}
        for name, variant in _readings(row, spec).items():
            values = pd.Series(_values(row, variant, material, spec), dtype=float)
            if not cells or len(values):  # otherwise this reading does not exist
                key = (spec.statistic, name if cells else "")
                cells[key] = {"value": values.mean(), "n": len(values), "std": values.std()}
        rows.append(RowCells(row.label, cells, row.group, row.published))
    return cell_table(about, rows)


def _readings(row: StatisticsRow, spec: StatisticsTable) -> dict[str, Variant]:
    """Return the ways to read a row by their names, the printed one first; a corpus has only one."""
    if row.task is None:
        return {"as published": Variant("", "", "")}
    if spec.statistic == "words_per_sentence":
        pairs = [(reading, form) for form in (FORM, "raw") for reading in ("evaluated", "naive")]
        return {", ".join(pair): Variant(*pair, row.split) for pair in pairs}
    # Reading a text differently does not change its score.
    splits = (row.split, "all", "train", "dev", "test")
    return {split: Variant("evaluated", FORM, split) for split in splits}


def _values(row: StatisticsRow, variant: Variant, material: TextSource, spec: StatisticsTable) -> np.ndarray:
    """Return the values behind a cell, shape (sentences,) or (pairs,); empty if there are none."""
    if row.corpus is not None:
        sentences = material.corpora.get(row.corpus)
        return np.empty(0) if sentences is None else sentences.words.to_numpy(float)
    assert row.task is not None
    pairs = _selected(material.benchmarks, row, variant)
    if spec.statistic == "mean_score_normalised":
        low, high = TASKS[row.task].low, TASKS[row.task].high
        return (pairs.score.to_numpy(float) - low) / (high - low)
    texts = [*pairs.sentence1, *pairs.sentence2]
    if variant.reading == "naive":
        # A set without this reading has only the one.
        texts = list(_selected(material.naive, row, variant).text) or texts
    assert material.words is not None
    return np.array([material.words(text) for text in texts], float)


def _selected(table: pd.DataFrame, row: StatisticsRow, variant: Variant) -> pd.DataFrame:
    pairs = table[(table.task == row.task) & (table.form == variant.form)]
    pairs = pairs if variant.split == "all" else pairs[pairs.split == variant.split]
    return pairs if row.subset is None else pairs[pairs.subset == row.subset]


def reading_table(tidy: pd.DataFrame, spec: StatisticsTable) -> pd.DataFrame:
    """Return, for each row of the paper, its number, ours in every reading, and which readings agree."""
    rows, form = [], spec.number_format(spec.statistic)
    for number, cells in tidy.groupby("row", sort=True):
        first, known = cells.iloc[0], cells[cells.value.notna()]
        if pd.isna(first.published) or known.empty:
            continue
        printed = next(iter(_readings(spec.rows[number], spec)))
        ours = {
            name or printed: format(value, form)
            for name, value in zip(known.variant, known.value, strict=True)
        }
        paper = format(first.published, form)
        same = [name for name, digits in ours.items() if digits == paper]
        labels = {"group": first["group"], "label": first.model, "paper": paper}
        rows.append({**labels, **ours, SAME: "; ".join(same) or "none"})
    table = pd.DataFrame(rows, dtype=object).fillna("–")
    return table[[*table.columns.drop(SAME), SAME]] if rows else table


def reading_counts(readings: pd.DataFrame) -> list[str]:
    """Return the number of rows with the paper's digits for each reading, and the rows without them in any.

    With several readings to choose from, some agree by chance, so single readings are counted first.
    """
    names = [name for name in readings if name not in ("group", "label", "paper", SAME)]
    lines = []
    for name in names:
        here = readings[readings[name] != "–"]
        lines.append(f"`{name}`: {sum(here[name] == here.paper)} of {len(here)} rows")
    unlike = readings[readings[SAME] == "none"]
    labels = [": ".join(filter(None, row)) for row in zip(unlike.group, unlike.label, strict=True)]
    return [*lines, f"in no reading: {', '.join(labels) or 'none'}"]


def _row_notes(row: StatisticsRow, about: About, missing: Mapping[str, str]) -> Iterator[str]:
    for source in (each for each in about.sources if each.label == row.corpus):
        if source.id is None:
            yield f"skipped: the file of corpus '{row.corpus}' is missing"
        elif source.note:
            yield source.note
    if row.task is not None:
        for what, path in missing.items():
            task, form, split = what.split("/")
            if (task, form) == (row.task, FORM) and row.split in ("all", split):
                yield f"skipped: {split} ({path} is missing)"
