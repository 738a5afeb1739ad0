"""Tables of statistics: words per sentence of corpora and evaluation sets, and their mean gold scores.

On the original files these are exact facts.  So every way in which the texts can be read is computed, and
the report says which of them gives the digits that the paper prints.
"""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
import pandas as pd

from contrapose.config.rows import StatisticsRow
from contrapose.corpus.punkt import Splitter, splitter
from contrapose.corpus.words import words_of
from contrapose.jobs import HistogramJob, StatisticsTableJob
from contrapose.report.files import bullets, deviation_parts, joined, markdown_table
from contrapose.report.published import printed_rows, published_numbers
from contrapose.tables import (
    BENCHMARK,
    HISTOGRAM,
    NAIVE,
    PUNKT,
    SENTENCES,
    STATISTICS,
    read_table,
    read_tables,
)
from contrapose.tasks import TASKS, Task

logger = logging.getLogger(__name__)

DECIMALS = {"words_per_sentence": 1, "mean_score_normalised": 2}  # as the thesis prints them
COUNTED = {"words_per_sentence": "sentences", "mean_score_normalised": "pairs"}


class Material(NamedTuple):
    """What the statistics are of."""

    benchmarks: pd.DataFrame  # BENCHMARK
    naive: pd.DataFrame  # NAIVE
    corpora: Mapping[str, pd.DataFrame]  # SENTENCES, by name
    split: Splitter | None = None  # needed to count the words of evaluation sets


def read_material(
    benchmarks: str,
    naive: Sequence[str],
    corpora: Sequence[str],
    punkt: Sequence[str],
    job: StatisticsTableJob,
) -> Material:
    """Read the files behind a table.

    Parameters
    ----------
    benchmarks : file of the BENCHMARK table
    naive, punkt : file of the NAIVE and of the PUNKT table, or none
    corpora : files of SENTENCES tables, in the order in which rows name the corpora
    job : StatisticsTableJob
    """
    names = dict.fromkeys(row.corpus for row in job.rows if row.corpus in job.corpora)
    files = zip(names, corpora, strict=True)
    return Material(
        benchmarks=read_table(benchmarks, BENCHMARK),
        naive=read_tables(naive, NAIVE),
        corpora={str(name): read_table(path, SENTENCES, ["words"]) for name, path in files},
        split=splitter(read_table(punkt[0], PUNKT)) if punkt else None,
    )


class Variant(NamedTuple):
    """One way to read a row's material; all empty for a corpus, which has only one."""

    reading: str = ""
    form: str = ""
    split: str = ""


def scale(task: Task) -> tuple[float, float]:
    """Return the lowest and the highest gold score of a set: 1 and 5 of SICK, 0 and 5 of STS."""
    return TASKS[task].low, TASKS[task].high


def statistics_table(
    material: Material, published: pd.DataFrame | None, job: StatisticsTableJob
) -> pd.DataFrame:
    """Compute a mean for every row, in every way that its material can be read.

    Parameters
    ----------
    material : Material
    published : the paper's printed table, optional
    job : StatisticsTableJob

    Returns
    -------
    STATISTICS table
        First of each row the cell that is printed, without a value where the world lacks the data.  Words:
        both sentences of every pair count.  Scores: (score - lowest) / (highest - lowest) of the scale.

    Raises
    ------
    ConfigError
        The paper has no row of the name that a row gives.
    """
    printed = printed_rows(job.table, published, job.layout)

    @cache
    def count(text: str) -> int:
        assert material.split is not None
        return words_of(text, material.split)

    cells = []
    for number, row in enumerate(job.rows):
        theirs = published_numbers(row.published, row.label, printed).get(job.statistic)
        about = {"table": job.table, "world": job.world, "row": number, "group": row.group}
        about |= {"label": row.label, "published": theirs, "published_row": row.published or ""}
        for at, variant in enumerate(_variants(row, job)):
            values = _values(row, variant, material, job, count)
            if not len(values) and at:  # nothing to read in this way
                continue
            column = ", ".join([job.statistic, *(variant if at else ())])
            mean = float(values.mean()) if len(values) else None
            spread = float(values.std(ddof=1)) if len(values) > 1 else None
            told = {"column": column, **variant._asdict(), "value": mean, "n": len(values), "spread": spread}
            cells.append({**about, **told})
    table = pd.DataFrame(cells, columns=STATISTICS.columns)
    logger.info("%d rows, %d cells", len(job.rows), len(table))
    return table.astype({"value": float, "spread": float, "published": float})


def _variants(row: StatisticsRow, job: StatisticsTableJob) -> list[Variant]:
    """Return the ways to read a row, the one that is printed first."""
    if row.task is None:
        return [Variant()]
    first = Variant(job.reading, job.form, row.split)
    if job.statistic == "words_per_sentence":
        pairs = [(reading, form) for form in ("senteval", "raw") for reading in ("evaluated", "naive")]
        others = [Variant(reading, form, row.split) for reading, form in pairs]
    else:  # a misread text has no other score
        first = first._replace(reading="evaluated")
        others = [first._replace(split=split) for split in ("all", "train", "dev", "test")]
    return list(dict.fromkeys([first, *others]))


def _values(
    row: StatisticsRow,
    variant: Variant,
    material: Material,
    job: StatisticsTableJob,
    count: Callable[[str], int],
) -> np.ndarray:
    """Return the values behind a cell, shape (sentences,) or (pairs,); empty if there are none."""
    if row.corpus is not None:
        found = material.corpora.get(row.corpus)
        return np.empty(0) if found is None else found.words.to_numpy(float)
    assert row.task is not None
    pairs = _selected(material.benchmarks, row, variant)
    if job.statistic == "mean_score_normalised":
        low, high = scale(row.task)
        return (pairs.score.to_numpy(float) - low) / (high - low)
    texts = [*pairs.sentence1, *pairs.sentence2]
    if variant.reading == "naive":
        # A set that has no other reading has the one.
        texts = list(_selected(material.naive, row, variant).text) or texts
    return np.array([count(text) for text in texts], float)


def _selected(table: pd.DataFrame, row: StatisticsRow, variant: Variant) -> pd.DataFrame:
    found = table[(table.task == row.task) & (table.form == variant.form)]
    found = found if variant.split == "all" else found[found.split == variant.split]
    return found if row.subset is None else found[found.subset == row.subset]


def printed_table(tidy: pd.DataFrame, job: StatisticsTableJob) -> pd.DataFrame:
    """Return the table as it is printed: group, label, how many, the mean; `–` where there is none."""
    cells = tidy[tidy.column == job.statistic].sort_values("row")
    return pd.DataFrame(
        {
            "group": cells.group,
            "label": cells.label,
            COUNTED[job.statistic]: cells.n.astype(str),
            job.statistic: [_digits(value, job) if value == value else "–" for value in cells.value],
        }
    ).reset_index(drop=True)


def reading_table(tidy: pd.DataFrame, job: StatisticsTableJob) -> pd.DataFrame:
    """Return, for each row that the paper has, its number, ours in every reading, and which are the same.

    Columns group, label, paper, one per reading, `same digits in`.
    """
    found = tidy[tidy.published.notna() & tidy.value.notna()]
    rows = []
    for _, cells in found.groupby("row", sort=True):
        first = cells.iloc[0]
        ours = {_name(cell, job): _digits(cell["value"], job) for cell in cells.to_dict("records")}
        paper = _digits(first.published, job)
        same = [name for name, digits in ours.items() if digits == paper]
        rows.append(
            {
                **{"group": first.group, "label": first.label, "paper": paper},
                **ours,
                "same digits in": "; ".join(same) or "none",
            }
        )
    table = pd.DataFrame(rows).fillna("–")
    return table[[name for name in table if name != "same digits in"] + ["same digits in"]] if rows else table


def _name(cell: Mapping, job: StatisticsTableJob) -> str:
    """Name what differs between the readings of a row."""
    differing = ("reading", "form") if job.statistic == "words_per_sentence" else ("split",)
    return ", ".join(filter(None, (cell[name] for name in differing))) or "as it is"


def reading_counts(readings: pd.DataFrame) -> list[str]:
    """Say for each reading how many of its rows have the paper's digits, and how many have them in none.

    With several readings to choose from some agree by chance, so single readings are counted first.
    """
    names = [name for name in readings if name not in ("group", "label", "paper", "same digits in")]
    lines = []
    for name in names:
        here = readings[readings[name] != "–"]
        lines.append(f"`{name}`: {sum(here[name] == here.paper)} of {len(here)} rows")
    unlike = readings[readings["same digits in"] == "none"]
    labels = [": ".join(filter(None, row)) for row in zip(unlike.group, unlike.label, strict=True)]
    return [*lines, f"in no reading: {', '.join(labels) or 'none'}"]


def _digits(value: float, job: StatisticsTableJob) -> str:
    return f"{value:.{DECIMALS[job.statistic]}f}"


def statistics_csv(tidy: pd.DataFrame, job: StatisticsTableJob, missing: Mapping[str, str]) -> pd.DataFrame:
    """Return the printed table with the world in front and what is missing behind each row."""
    table = printed_table(tidy, job)
    table.insert(0, "world", job.world)
    table["note"] = ["; ".join(notes) for notes in _notes(table, job, missing)]
    return table


def _notes(table: pd.DataFrame, job: StatisticsTableJob, missing: Mapping[str, str]) -> Iterator[list[str]]:
    """Yield what is missing of each row, or else why it has no value."""
    for row, value in zip(job.rows, table[job.statistic], strict=True):
        unnamed = ["left out: the world's copy of the set does not name it"] if value == "–" else []
        yield list(_row_notes(row, job, missing)) or unnamed


def _row_notes(row: StatisticsRow, job: StatisticsTableJob, missing: Mapping[str, str]) -> Iterator[str]:
    if row.corpus is not None and job.corpora.get(row.corpus) != "":
        yield job.corpora.get(row.corpus, f"left out: the file of corpus '{row.corpus}' is not there")
    if row.task is not None:
        for what, path in missing.items():
            task, form, split = what.split("/")
            if (task, form) == (row.task, job.form) and row.split in ("all", split):
                yield f"left out: {split} ({path} is not there)"


def statistics_markdown(tidy: pd.DataFrame, job: StatisticsTableJob, missing: Mapping[str, str]) -> str:
    """Write the table for people: the numbers, what is missing, which reading gives the paper's numbers.

    The paper's numbers are not there at all if the world makes its own text.
    """
    printed = printed_table(tidy, job)
    told = zip(job.rows, _notes(printed, job, missing), strict=True)
    notes = [f"{': '.join(filter(None, (row.group, row.label)))}: {note}." for row, of in told for note in of]
    notes += [f"Reading `{job.reading}`, text form `{job.form}` unless a table below says otherwise."]
    if job.generated:
        notes.append(f"World {job.world} makes its own text: these numbers do not compare with any paper's.")
    parts = [
        f"# {job.table}",
        job.caption,
        f"World `{job.world}`: {job.world_description}.",
        markdown_table(printed),
        bullets([*notes, *job.notes]),
    ]
    readings = reading_table(tidy, job)
    if not job.generated and len(readings):
        parts += [
            "## Which reading gives the paper's number",
            f"As printed in: {job.source}. The same digits:",
            bullets(reading_counts(readings)),
            markdown_table(readings),
        ]
    return joined([*parts, *deviation_parts(job.deviations)])


def score_histogram(benchmarks: pd.DataFrame, job: HistogramJob) -> pd.DataFrame:
    """Count gold scores in equal bins on the scale of each set, all splits together.

    Parameters
    ----------
    benchmarks : BENCHMARK table
        Text form senteval; the scores do not depend on it.
    job : HistogramJob

    Returns
    -------
    HISTOGRAM table
        `job.bins` rows per set; a set without pairs has none, which is logged.
    """
    rows = []
    for name, task in job.sets:
        low, high = scale(task)
        chosen = (benchmarks.task == task) & (benchmarks.form == "senteval")
        counts, edges = np.histogram(benchmarks.score[chosen], bins=job.bins, range=(low, high))
        total = int(counts.sum())
        if not total:
            logger.warning("left out: %s, because no scored pair of it is there", name)
            continue
        for at, count in enumerate(counts):
            bin = {"set": name, "low": edges[at], "high": edges[at + 1], "pairs": count}
            rows.append({"figure": job.table, "world": job.world, **bin, "share": count / total})
    return pd.DataFrame(rows, columns=HISTOGRAM.columns)
