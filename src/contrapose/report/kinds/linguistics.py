"""A table of the wording of human and machine texts: rows are measures, columns are groups of texts."""

from collections.abc import Collection, Iterator
from typing import ClassVar, Literal, NamedTuple

import pandas as pd
from pydantic import Field

from contrapose.report.about import About
from contrapose.report.cells import NOTHING, cell_table, first_sizes, row_cells
from contrapose.report.files import shown_table
from contrapose.report.kinds.base import OfDetections, Ordered, Printed, Published, Report
from contrapose.settings.rows import DetectionSource, Measure
from contrapose.steps import Paths, Project, planned
from contrapose.tables import LINGUISTICS, read_table

GROUPS = {"human": "human", "top": "top10", "bottom": "bottom10"}  # the paper's columns, behind the source
EXPONENTS = ("zipf", "zipf_10_1000")  # all other measures are printed x100
TEXTS = ("equal", "all")
PARTNERS = ("all", "positive")


class LinguisticsTable(OfDetections, Printed):
    """Linguistic features of human sentences and of the machine texts that look most and least human."""

    kind: Literal["linguistics"]
    measures: Ordered[Measure] = Field(min_length=1, description="Printed name of a row: what it holds")
    sources: list[DetectionSource] = Field(
        min_length=1, description="Three columns each: `name_human`, `name_top10`, `name_bottom10`"
    )
    texts: Literal["equal", "all"] = Field(
        "equal", description="equal: cut all groups to the size of the smallest, as Distinct falls with size"
    )
    partner: Literal["all", "positive"] = Field(
        "all", description="Gold pairs whose second sentences are the human texts"
    )

    labelled: ClassVar[bool] = True

    @planned
    def stand_ins(self, project: Project, name: str) -> list[str]:
        return project.notes.writers(source.pairs for source in self.sources)

    @planned
    def inputs(self, project: Project, name: str) -> dict[str, Paths]:
        sources = [each.id for each in project.reports.about_of(name).sources if each.id]
        return {"measured": [project.places.linguistics(each) for each in sources]}


class Reading(NamedTuple):
    """The content of a column: a source's LINGUISTICS rows of these groups."""

    source: str
    group: str
    texts: str
    partner: str


def build(spec: LinguisticsTable, about: About, measured: list[str], published: Published) -> Report:
    """Arrange measures of wording as the cells of a PUBLISHABLE table.

    `measured` are LINGUISTICS files of the existing sources; others have empty cells.  Cells are x100 except
    for the exponents of Zipf's law.  Each row has first the printed cells, `STSb_human`, then the other
    readings: `STSb_human, all texts, positive pairs`.
    """
    there = [source.label for source in about.sources if source.id]
    tables = {name: read_table(path, LINGUISTICS) for name, path in zip(there, measured, strict=True)}
    keys = ["group", "texts", "partner", "measure"]
    found = {
        (source, *place): (value, n)
        for source, table in tables.items()
        for *place, value, n in table[[*keys, "value", "n"]].itertuples(index=False)
    }
    columns = _columns(spec)
    cells: list[dict] = []
    for number, (name, measure) in enumerate(spec.measures.items()):
        own = {}
        for column, reading in (columns | _other_columns(spec)).items():
            value, n = found.get((*reading, measure), (None, 0))
            shown = value if value is None or measure in EXPONENTS else 100 * value
            own[column] = {**NOTHING, "value": shown, "n": n}
        cells += row_cells(about, number, own, published, name, published=name if name in published else None)
    tidy = cell_table(cells)
    of_paper = tidy[tidy.column.isin(list(columns))]
    parts, others = ["## Other readings"], _other_columns(spec)
    for source in there:
        names = [name for name, reading in others.items() if reading.source == source]
        parts.append(shown_table(spec.printed(tidy[tidy.column.isin(names)])))
    lacking = [*_lacking(spec, there, found), *_left_out(about)]
    notes = [*_notes(of_paper, spec), *(f"{note}." for note in lacking)]
    told = "; ".join([_reading(spec), *lacking])
    return spec.report(about, tidy, notes, *parts, columns=columns, told=told, published=published)


def _columns(spec: LinguisticsTable) -> dict[str, Reading]:
    return {
        f"{source.name}_{label}": Reading(
            source.name, group, spec.texts, spec.partner if group == "human" else "source"
        )
        for source in spec.sources
        for group, label in GROUPS.items()
    }


def _other_columns(spec: LinguisticsTable) -> dict[str, Reading]:
    """Return the readings that are not printed: other sizes of groups, other partners."""
    columns: dict[str, Reading] = {}
    for name, own in _columns(spec).items():
        for texts in TEXTS:
            for partner in PARTNERS if own.group == "human" else ("source",):
                other = own._replace(texts=texts, partner=partner)
                pairs = f", {partner} pairs" if own.group == "human" else ""
                columns |= {} if other == own else {f"{name}, {texts} texts{pairs}": other}
    return columns


def _reading(spec: LinguisticsTable) -> str:
    sizes = {"all": "all of its texts", "equal": "as many texts as the smallest"}
    pairs = {"all": "all gold pairs", "positive": "positive gold pairs (4 of 5 or more, label 1)"}
    return f"each group has {sizes[spec.texts]}; human texts are of {pairs[spec.partner]}"


def _lacking(spec: LinguisticsTable, there: Collection[str], found: Collection[tuple]) -> Iterator[str]:
    for column, reading in _columns(spec).items():
        if reading.source not in there:
            continue
        absent: dict[str, list[str]] = {}
        for name, measure in spec.measures.items():
            if (*reading, measure) not in found:
                absent.setdefault(_reason(reading, measure, found), []).append(name)
        yield from (f"{column} has no {', '.join(names)}: {reason}" for reason, names in absent.items())


def _reason(reading: Reading, measure: Measure, found: Collection[tuple]) -> str:
    if not any(key[: len(reading)] == reading for key in found):
        return "there are no such texts"
    of_pairs = measure == "jaccard" or measure.startswith("bleu")
    return "sentences of a corpus have no partner" if of_pairs else "too few words"


def _left_out(about: About) -> list[str]:
    return [f"left out: {source.label} ({source.note})" for source in about.sources if not source.id]


def _notes(printed: pd.DataFrame, spec: LinguisticsTable) -> list[str]:
    sizes = ", ".join(f"{name} {n}" for name, n in first_sizes(printed).items())
    return [
        "human: the second sentences of gold pairs of the set that texts were written for, partner the "
        "first; or the sentences of the corpus, which have no partner. top10, bottom10: the tenth of the "
        "machine texts of highest and of lowest p(human), without random pairs; partner the sentence that a "
        "text was written for.",
        f"{_reading(spec).capitalize()}.",
        "BLEU-n: n-grams of 1 to n words, smoothing method 1, mean over texts. Jaccard: of sets of words. "
        "Distinct-n: different n-grams of a group over all. x100, but for Zipf coefficients.",
        f"Texts: {sizes or 'none'}.",
    ]
