"""A table of the wording of human and machine texts: rows are measures, columns are groups of texts."""

from collections.abc import Collection, Mapping
from typing import ClassVar, Literal, NamedTuple

from pydantic import Field

from contrapose.jobs.step import InputFiles
from contrapose.report.about import About
from contrapose.report.cells import RowCells, cell_table, first_sizes
from contrapose.report.files import shown_table
from contrapose.report.kinds.base import TableSettings
from contrapose.report.kinds.fields import Ordered
from contrapose.report.kinds.rows import DetectedTexts
from contrapose.report.output import Report
from contrapose.report.planned_notes import writers
from contrapose.report.row_settings import DetectionSource
from contrapose.settings.plan import Plan
from contrapose.tables import LINGUISTICS, read_table

Measure = Literal[
    "bleu1", "bleu2", "bleu3", "bleu4", "bleu", "jaccard",
    "distinct1", "distinct2", "distinct3", "distinct", "zipf", "zipf_10_1000",
]  # fmt: skip
GROUPS = {"human": "human", "top": "top10", "bottom": "bottom10"}  # the paper's columns, behind the source
EXPONENTS = ("zipf", "zipf_10_1000")  # all other measures are printed x100
TEXTS = ("equal", "all")
PARTNERS = ("all", "positive")
# As Distinct falls with the number of texts.
READING = "each group has as many texts as the smallest group; human texts are drawn from all gold pairs"
NOTES = [
    (
        "human: the second sentences of gold pairs of the set for which texts were written, with the "
        "first sentence as partner; or the sentences of the corpus, which have no partner. top10, "
        "bottom10: the tenth of the machine texts with the highest and the lowest p(human), without "
        "random pairs; their partner is the sentence for which a text was written."
    ),
    f"{READING.capitalize()}.",
    "BLEU-n: n-grams of 1 to n words, smoothing method 1, mean over texts. Jaccard: of sets of words. "
    "Distinct-n: different n-grams of a group over all. x100, but for Zipf coefficients.",
]


class LinguisticsTable(DetectedTexts, TableSettings):
    """The table shows linguistic features of human sentences, and of the machine texts that look most and
    least human.
    """

    kind: Literal["linguistics"]
    measures: Ordered[Measure] = Field(
        min_length=1, description="Each entry maps the printed name of a row to the feature that it shows."
    )
    sources: list[DetectionSource] = Field(
        min_length=1,
        description="Each entry makes three columns, `name_human`, `name_top10` and `name_bottom10`.",
    )

    labels: ClassVar[Mapping[str, str]] = {"label": "model"}

    def stand_ins(self, project: Plan, name: str) -> list[str]:
        return writers(project, (source.pairs for source in self.sources))

    def inputs(self, project: Plan, about: About) -> dict[str, InputFiles]:
        return {"measured": [project.paths.linguistics(source) for source in about.ids]}


class Reading(NamedTuple):
    """The content of a column: a source's LINGUISTICS rows of these groups."""

    source: str
    group: str
    texts: str
    partner: str


def build(spec: LinguisticsTable, about: About, measured: list[str]) -> Report:
    """Arrange measures of wording as cells.

    `measured` are LINGUISTICS files of the existing sources; others have empty cells.  Cells are x100 except
    for the exponents of Zipf's law.  Each row has first the printed cells, `STSb_human`, then the other
    readings as variants: `all texts, positive pairs`.
    """
    names = [source.label for source in about.sources if source.id]
    keys = ["group", "texts", "partner", "measure"]
    values = {
        (source, *place): (value, n)
        for source, path in zip(names, measured, strict=True)
        for *place, value, n in read_table(path, LINGUISTICS)[[*keys, "value", "n"]].itertuples(index=False)
    }
    readings, rows = _readings(spec), []
    for name, measure in spec.measures.items():
        cells, factor = {}, 1 if measure in EXPONENTS else 100
        for key, reading in readings.items():
            value, n = values.get((*reading, measure), (None, 0))
            cells[key] = {"value": value if value is None else factor * value, "n": n}
        rows.append(RowCells(name, cells, published=name if name in about.published else None))
    tidy = cell_table(about, rows)
    printed = {column: reading for (column, variant), reading in readings.items() if not variant}
    sections = ["## Other readings"]
    for source in names:
        columns = [column for column, reading in printed.items() if reading.source == source]
        of_source = tidy[tidy.column.isin(columns) & (tidy.variant != "")]
        sections.append(shown_table(spec.printed(of_source)))
    reasons = []
    for column, reading in printed.items():
        missing: dict[str, list[str]] = {}  # of each reason
        for name, measure in spec.measures.items() if reading.source in names else ():
            if (*reading, measure) not in values:
                missing.setdefault(_reason(reading, measure, values), []).append(name)
        reasons += [f"{column} has no {', '.join(each)}: {reason}" for reason, each in missing.items()]
    reasons += [f"skipped: {source.label} ({source.note})" for source in about.sources if not source.id]
    counts = ", ".join(f"{name} {n}" for name, n in first_sizes(tidy[tidy.variant == ""]).items())
    notes = [*NOTES, f"Texts: {counts or 'none'}.", *(f"{each}." for each in reasons)]
    return spec.report(about, tidy, notes, *sections, row_notes="; ".join([READING, *reasons]))


def _readings(spec: LinguisticsTable) -> dict[tuple[str, str], Reading]:
    """Return the content of each column and variant: other sizes of groups, other partners."""
    printed, others = {}, {}
    for source in spec.sources:
        for group, label in GROUPS.items():
            name = f"{source.name}_{label}"
            for texts in TEXTS:
                for partner in PARTNERS if group == "human" else ("source",):
                    reading = Reading(source.name, group, texts, partner)
                    variant = f"{texts} texts" + (f", {partner} pairs" if group == "human" else "")
                    if texts == "equal" and partner != "positive":
                        printed[name, ""] = reading
                    else:
                        others[name, variant] = reading
    return printed | others


def _reason(reading: Reading, measure: Measure, values: Collection[tuple]) -> str:
    if not any(key[: len(reading)] == reading for key in values):
        return "there are no such texts"
    of_pairs = measure == "jaccard" or measure.startswith("bleu")
    return "sentences of a corpus have no partner" if of_pairs else "too few words"
