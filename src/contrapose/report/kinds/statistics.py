"""A table of statistics: words per sentence of corpora and evaluation sets, or their mean gold scores.

On the original files these are exact numbers.  So they are computed for every way of reading the texts, and
the report says which of them gives the digits that the paper prints.
"""

import logging
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Annotated, Literal, NamedTuple

import numpy as np
import pandas as pd
from pydantic import Field, model_validator

from contrapose.markdown import bullets, markdown_table
from contrapose.report.about import About, Source, row_label
from contrapose.report.kinds.base import FormChoice, Printed, Published, Report
from contrapose.report.published import PaperRows, published_numbers
from contrapose.settings.rows import StatisticsRow
from contrapose.settings.spec import Reading
from contrapose.status import missing_sets
from contrapose.steps import Paths, Project, Rows, planned
from contrapose.tables import BENCHMARK, NAIVE, PUNKT, SENTENCES, STATISTICS, read_table, read_tables
from contrapose.tasks import TASKS

logger = logging.getLogger(__name__)

DECIMALS = {"words_per_sentence": 1, "mean_score_normalised": 2}  # as the thesis prints them
SAME = "same digits in"  # names of the readings that agree
COUNTED = {"words_per_sentence": "sentences", "mean_score_normalised": "pairs"}


class StatisticsTable(Printed):
    """Statistics of texts and gold scores: words per sentence, or mean gold score in [0, 1]."""

    kind: Literal["statistics"]
    statistic: Literal["words_per_sentence", "mean_score_normalised"]
    reading: Reading = Field(
        "evaluated",
        description="Texts that are counted. evaluated: pairs with a gold score, with quotation marks as "
        "text; naive: every line of a year of STS, and STS-B by a CSV reader that interprets "
        "quotation marks",
    )
    form: FormChoice = "senteval"
    rows: list[StatisticsRow] = Field(min_length=1)

    @model_validator(mode="after")
    def _scores_need_a_task(self) -> "StatisticsTable":
        if self.statistic == "mean_score_normalised" and any(row.task is None for row in self.rows):
            raise ValueError("only a task has gold scores: give every row a task")
        return self

    @planned
    def about(self, project: Project, name: str) -> About:
        sources = []
        for corpus in dict.fromkeys(row.corpus for row in self.rows if row.corpus is not None):
            there = not project.lacking(project.corpus(corpus))
            told = [project.corpus_note(corpus), project.notes.words(project.corpus(corpus))] if there else []
            note = "; ".join(filter(None, told))
            sources.append(Source(label=corpus, id=corpus if there else None, note=note))
        return About(**project.reports.about(name), sources=sources)

    @planned
    def inputs(self, project: Project, name: str) -> dict[str, Paths]:
        places = project.places
        sets = any(row.task for row in self.rows)
        counted = sets and self.statistic == "words_per_sentence"
        return {
            "sets": [places.benchmarks("english")] if sets else [],
            "naive": [places.naive] if counted else [],
            "punkt": [places.punkt] if counted else [],
            "corpora": [places.corpus(each) for each in project.reports.about_of(name).ids],
        }


class TextSource(NamedTuple):
    """The data behind the statistics."""

    benchmarks: pd.DataFrame  # BENCHMARK
    naive: pd.DataFrame  # NAIVE
    corpora: Mapping[str, pd.DataFrame]  # SENTENCES, by name
    words: Callable[[str], int] | None = None  # counts the words of a text; for evaluation sets


class Variant(NamedTuple):
    """One way to read a row's material; all empty for a corpus, which has only one."""

    reading: str = ""
    form: str = ""
    split: str = ""


def build(
    spec: StatisticsTable,
    about: About,
    sets: list[str],
    naive: Annotated[pd.DataFrame, Rows(NAIVE)],
    punkt: list[str],
    corpora: list[str],
    published: Published,
) -> Report:
    """Compute a mean for every row, for every way of reading its material.

    There are no `sets` if only corpora are counted, and neither `naive` nor `punkt` if no words of sets are.
    Each row has first the printed cell, without a value if the world lacks the data.  Words: both sentences
    of every pair count.  Scores: (score - lowest) / (highest - lowest) of the scale.
    """
    texts = {
        name: read_table(path, SENTENCES, ["words"]) for name, path in zip(about.ids, corpora, strict=True)
    }
    material = TextSource(read_tables(sets, BENCHMARK), naive, texts, _counter(punkt))
    tidy = statistics_cells(material, published, spec, about)
    table, missing = _printed(tidy, spec), missing_sets(sets)
    told = list(_notes(table, spec, about, missing))
    notes = [
        f"{row_label(row.group, row.label)}: {note}."
        for row, of_row in zip(spec.rows, told, strict=True)
        for note in of_row
    ]
    notes += [f"Reading `{spec.reading}`, text form `{spec.form}` unless a table below says otherwise."]
    readings = reading_table(tidy, spec)
    parts = []
    if not about.generated and len(readings):
        parts = [
            "## Which reading gives the paper's number",
            f"As printed in: {about.source}. The same digits:",
            bullets(reading_counts(readings)),
            markdown_table(readings),
        ]
    body, lines = markdown_table(table), ["; ".join(of_row) for of_row in told]
    return spec.report(about, tidy, notes, *parts, shown=table, body=body, told=lines, schema=STATISTICS)


def _counter(punkt: list[str]) -> Callable[[str], int] | None:
    from contrapose.corpus.punkt_parameters import splitter
    from contrapose.corpus.words import words_of

    if not punkt:
        return None
    split = splitter(read_table(punkt[0], PUNKT))
    return cache(lambda text: words_of(text, split))


def statistics_cells(
    material: TextSource, printed: PaperRows, spec: StatisticsTable, about: About
) -> pd.DataFrame:
    """Return the means as a STATISTICS table: see `build`."""
    cells = []
    for number, row in enumerate(spec.rows):
        theirs = published_numbers(row.published, row.label, printed)
        told = {"table": about.name, "world": about.world, "row": number, "group": row.group}
        told |= {"label": row.label, "published": theirs.get(spec.statistic)}
        told |= {"published_row": row.published or ""}
        for at, variant in enumerate(_variants(row, spec)):
            values = _values(row, variant, material, spec)
            if not len(values) and at:  # this reading does not exist
                continue
            column = ", ".join([spec.statistic, *(variant if at else ())])
            mean = float(values.mean()) if len(values) else None
            spread = float(values.std(ddof=1)) if len(values) > 1 else None
            cell = {"column": column, **variant._asdict(), "value": mean, "n": len(values), "spread": spread}
            cells.append({**told, **cell})
    table = pd.DataFrame(cells, columns=STATISTICS.columns)
    logger.info("%d rows, %d cells", len(spec.rows), len(table))
    return table.astype({"value": float, "spread": float, "published": float})


def _variants(row: StatisticsRow, spec: StatisticsTable) -> list[Variant]:
    """Return the ways to read a row, the printed one first."""
    if row.task is None:
        return [Variant()]
    first = Variant(spec.reading, spec.form, row.split)
    if spec.statistic == "words_per_sentence":
        pairs = [(reading, form) for form in ("senteval", "raw") for reading in ("evaluated", "naive")]
        others = [Variant(reading, form, row.split) for reading, form in pairs]
    else:  # reading a text differently does not change its score
        first = first._replace(reading="evaluated")
        others = [first._replace(split=split) for split in ("all", "train", "dev", "test")]
    return list(dict.fromkeys([first, *others]))


def _values(row: StatisticsRow, variant: Variant, material: TextSource, spec: StatisticsTable) -> np.ndarray:
    """Return the values behind a cell, shape (sentences,) or (pairs,); empty if there are none."""
    if row.corpus is not None:
        found = material.corpora.get(row.corpus)
        return np.empty(0) if found is None else found.words.to_numpy(float)
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
    found = table[(table.task == row.task) & (table.form == variant.form)]
    found = found if variant.split == "all" else found[found.split == variant.split]
    return found if row.subset is None else found[found.subset == row.subset]


def _printed(tidy: pd.DataFrame, spec: StatisticsTable) -> pd.DataFrame:
    cells = tidy[tidy.column == spec.statistic].sort_values("row")
    return pd.DataFrame(
        {
            "group": cells.group,
            "label": cells.label,
            COUNTED[spec.statistic]: cells.n.astype(str),
            spec.statistic: [_digits(value, spec) if value == value else "–" for value in cells.value],
        }
    ).reset_index(drop=True)


def reading_table(tidy: pd.DataFrame, spec: StatisticsTable) -> pd.DataFrame:
    """Return, for each row of the paper, its number, ours in every reading, and which readings agree."""
    found = tidy[tidy.published.notna() & tidy.value.notna()]
    rows = []
    for _, cells in found.groupby("row", sort=True):
        first = cells.iloc[0]
        ours = {_name(cell, spec): _digits(cell["value"], spec) for cell in cells.to_dict("records")}
        paper = _digits(first.published, spec)
        same = [name for name, digits in ours.items() if digits == paper]
        labels = {"group": first.group, "label": first.label, "paper": paper}
        rows.append({**labels, **ours, SAME: "; ".join(same) or "none"})
    table = pd.DataFrame(rows, dtype=object).fillna("–")
    return table[[*table.columns.drop(SAME), SAME]] if rows else table


def _name(cell: Mapping, spec: StatisticsTable) -> str:
    differing = ("reading", "form") if spec.statistic == "words_per_sentence" else ("split",)
    return ", ".join(filter(None, (cell[name] for name in differing))) or "as published"


def reading_counts(readings: pd.DataFrame) -> list[str]:
    """Say for each reading how many rows have the paper's digits, and how many rows have them in no reading.

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


def _digits(value: float, spec: StatisticsTable) -> str:
    return f"{value:.{DECIMALS[spec.statistic]}f}"


def _notes(
    table: pd.DataFrame, spec: StatisticsTable, about: About, missing: Mapping[str, str]
) -> Iterator[list[str]]:
    for row, value in zip(spec.rows, table[spec.statistic], strict=True):
        unnamed = ["left out: the world's copy of the set does not name it"] if value == "–" else []
        yield list(_row_notes(row, spec, about, missing)) or unnamed


def _row_notes(
    row: StatisticsRow, spec: StatisticsTable, about: About, missing: Mapping[str, str]
) -> Iterator[str]:
    for source in (each for each in about.sources if each.label == row.corpus):
        if source.id is None:
            yield f"left out: the file of corpus '{row.corpus}' is missing"
        elif source.note:
            yield source.note
    if row.task is not None:
        for what, path in missing.items():
            task, form, split = what.split("/")
            if (task, form) == (row.task, spec.form) and row.split in ("all", split):
                yield f"left out: {split} ({path} is missing)"
