"""A table of the wording of human and machine texts: rows are measures, columns are groups of texts."""

from collections.abc import Mapping
from typing import NamedTuple

import pandas as pd

from contrapose.jobs import LinguisticsTableJob
from contrapose.report.files import bullets, deviation_parts, joined, markdown_table
from contrapose.report.published import printed_rows, published_table
from contrapose.report.sts_table import NOTHING, NUMBERS, printed_table
from contrapose.tables import PUBLISHABLE

GROUPS = {"human": "human", "top": "top10", "bottom": "bottom10"}  # the paper's columns, behind the source
EXPONENTS = ("zipf", "zipf_10_1000")  # all other measures are printed x100
TEXTS = ("equal", "all")
PARTNERS = ("all", "positive")


class Reading(NamedTuple):
    """What a column holds: the source's LINGUISTICS rows of these groups."""

    source: str
    group: str
    texts: str
    partner: str


def linguistics_table(
    measured: Mapping[str, pd.DataFrame], published: pd.DataFrame | None, job: LinguisticsTableJob
) -> pd.DataFrame:
    """Lay out measures of wording as the cells of a table, tidy.

    Parameters
    ----------
    measured : mapping of a source's name: LINGUISTICS table
        A source without one has empty cells.
    published : the paper's printed table, optional
    job : LinguisticsTableJob

    Returns
    -------
    PUBLISHABLE table
        x100 but for the exponents of Zipf's law.  First of each row the cells that are printed,
        `STSb_human`, then the other readings: `STSb_human, all texts, positive pairs`.
    """
    printed = printed_rows(job.table, published, job.layout)
    keys = ["group", "texts", "partner", "measure"]
    found = {
        (source, *place): (value, n)
        for source, table in measured.items()
        for *place, value, n in table[[*keys, "value", "n"]].itertuples(index=False)
    }
    cells = []
    for number, (name, measure) in enumerate(job.measures):
        about = {"table": job.table, "world": job.world, "row": number, "group": "", "model": name}
        about |= {"run": "", "seed": None, "published_row": name if name in printed else ""}
        for column, reading in (printed_columns(job) | other_columns(job)).items():
            value, n = found.get((*reading, measure), (None, 0))
            shown = value if value is None or measure in EXPONENTS else 100 * value
            theirs = printed.get(name, {}).get(column)
            cells.append({**about, "column": column, **NOTHING, "value": shown, "n": n, "published": theirs})
    return pd.DataFrame(cells, columns=PUBLISHABLE.columns).astype(NUMBERS)


def printed_columns(job: LinguisticsTableJob) -> dict[str, Reading]:
    """Return {printed name: what it holds}."""
    return {
        f"{source.name}_{label}": Reading(
            source.name, group, job.texts, job.partner if group == "human" else "source"
        )
        for source in job.sources
        for group, label in GROUPS.items()
    }


def other_columns(job: LinguisticsTableJob) -> dict[str, Reading]:
    """Return the same of the readings that are not printed: other sizes of groups, other partners."""
    columns: dict[str, Reading] = {}
    for name, own in printed_columns(job).items():
        for texts in TEXTS:
            for partner in PARTNERS if own.group == "human" else ("source",):
                other = own._replace(texts=texts, partner=partner)
                pairs = f", {partner} pairs" if own.group == "human" else ""
                columns |= {} if other == own else {f"{name}, {texts} texts{pairs}": other}
    return columns


def printed_linguistics(tidy: pd.DataFrame) -> pd.DataFrame:
    """Return some columns as they are printed: a measure per row."""
    return printed_table(tidy).drop(columns="group").rename(columns={"model": "label"})


def linguistics_csv(tidy: pd.DataFrame, job: LinguisticsTableJob) -> pd.DataFrame:
    """Return the printed table with the world in front and a note behind each row."""
    table = printed_linguistics(tidy[tidy.column.isin(list(printed_columns(job)))])
    table.insert(0, "world", job.world)
    return table.assign(note="; ".join([_reading(job), *_left_out(job)]))


def linguistics_markdown(tidy: pd.DataFrame, published: pd.DataFrame | None, job: LinguisticsTableJob) -> str:
    """Write the table for people: the printed reading, the others, what we did otherwise.

    The paper's numbers stand in a table of their own, and not at all if the world makes its own text.
    """
    columns = printed_columns(job)
    own = tidy[tidy.column.isin(list(columns))]
    parts = [
        f"# {job.table}",
        job.caption,
        f"World `{job.world}`: {job.world_description}.",
        markdown_table(printed_linguistics(own).replace("", "–")),
        bullets(_notes(own, job)),
        "## Other readings",
    ]
    others = other_columns(job)
    for source in job.sources:
        names = [name for name, reading in others.items() if reading.source == source.name]
        if not source.missing:
            parts.append(markdown_table(printed_linguistics(tidy[tidy.column.isin(names)]).replace("", "–")))
    printed = printed_rows(job.table, published, job.layout)
    if printed and not job.generated:
        rows: list[str | None] = [name for name, _ in job.measures if name in printed]
        theirs = published_table(printed, rows, list(columns), decimals=2)
        parts += ["## The paper's numbers", f"As printed in: {job.source}.", markdown_table(theirs)]
    return joined([*parts, *deviation_parts(job.deviations)])


def _reading(job: LinguisticsTableJob) -> str:
    sizes = {"all": "all of its texts", "equal": "as many texts as the smallest"}
    pairs = {"all": "all gold pairs", "positive": "positive gold pairs (4 of 5 or more, label 1)"}
    return f"each group has {sizes[job.texts]}; human texts are of {pairs[job.partner]}"


def _left_out(job: LinguisticsTableJob) -> list[str]:
    return [f"left out: {source.name} ({source.missing})" for source in job.sources if source.missing]


def _notes(printed: pd.DataFrame, job: LinguisticsTableJob) -> list[str]:
    sizes = printed[printed.n > 0].groupby("column", sort=False).n.first()
    notes = [
        "human: the second sentences of gold pairs of the set that texts were written for, partner the "
        "first. top10, bottom10: the tenth of the machine texts of highest and of lowest p(human), without "
        "random pairs; partner the sentence that a text was written for.",
        f"{_reading(job).capitalize()}.",
        "BLEU-n: n-grams of 1 to n words, smoothing method 1, mean over texts. Jaccard: of sets of words. "
        "Distinct-n: different n-grams of a group over all. x100, but for Zipf coefficients.",
        f"Texts: {', '.join(f'{name} {n}' for name, n in sizes.items()) or 'none'}.",
        *(f"{note}." for note in _left_out(job)),
    ]
    if job.generated:
        notes.append(f"World {job.world} makes its own text: these numbers do not compare with any paper's.")
    return notes + job.notes
