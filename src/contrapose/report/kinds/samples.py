"""A table of the pairs behind the rows of a table of scores: what they are like, and some of them."""

from typing import Annotated, ClassVar, Literal, NamedTuple

import pandas as pd
from pydantic import Field

from contrapose.markdown import markdown_table
from contrapose.report.about import About, TableRow
from contrapose.report.cells import Cells, RowCells, cell_table
from contrapose.report.files import shown_table
from contrapose.report.kinds.base import Decimals, OfRows, Report, TableSettings
from contrapose.report.look import scores_in_words, shown_pairs
from contrapose.stage import run_of
from contrapose.status import read_status
from contrapose.steps import Paths, Project, Rows
from contrapose.tables import CELLS, PAIR_SAMPLES, read_provenance, read_table

NOTES = [
    "copies: pairs whose positive is the anchor itself. duplicates: pairs whose two texts have stood before. "
    "cut: training texts that are longer than the recipe's `max_length`.",
    "cosine: of anchor and positive by the encoder before training, mean ± standard deviation over up to 200 "
    "sentences. Hard negatives that are nearer than positives may be right answers.",
]


class SamplesTable(OfRows, TableSettings):
    """Some pairs of each row of a table of scores, and what its pair set is like."""

    kind: Literal["samples"]
    of: str = Field(description="Table of kind sts in the same study")
    pairs: int = Field(10, ge=1, le=200, description="Pairs shown of each row")
    published: None = None

    papers: ClassVar[str] = ""
    decimals: ClassVar[Decimals] = {"pairs": 0, "copies %": 1, "duplicates %": 1, "cut %": 1}
    missing: ClassVar[str] = "–"
    reads_logs: ClassVar[bool] = True

    def inputs(self, project: Project, name: str) -> dict[str, Paths]:
        sets = filter(None, map(pair_set, project.reports.about_of(name).rows))
        samples = [project.places.pair_samples(*each) for each in dict.fromkeys(sets)]
        return {**super().inputs(project, name), "samples": samples}


class Sample(NamedTuple):
    """Pairs that were drawn from a pair set, and counts of all of them."""

    texts: pd.DataFrame
    counts: dict[str, int]


def pair_set(row: TableRow) -> tuple[str, str] | None:
    """Return the pair set of a row's first training, and the role of its encoder; None without a training."""
    runs = [run.split("/") for run in row.every_run[:1]]
    return (runs[0][0], row.encoder) if runs and runs[0][0] != "released" else None


def build(
    spec: SamplesTable, about: About, tables: Annotated[pd.DataFrame, Rows(CELLS)], samples: list[str]
) -> Report:
    """Arrange what pair sets are like, then some pairs of each; rows without pairs are left out."""
    found = dict(map(_read, samples))
    cuts = dict(map(_cut, about.histories))
    scores = scores_in_words(tables)
    rows, sections = [], dict[tuple[str, str], list[str]]()
    for number, row in enumerate(about.rows):
        key = pair_set(row)
        if key in found and len(found[key].texts):
            cut = next((cuts[run] for run in row.every_run if run in cuts), None)
            rows.append(RowCells(row.model, _cells(found[key], cut), row.group, row=number))
            sections.setdefault(key, []).append(f"{row.label}: {scores.get(number, 'no score')}")
    tidy = cell_table(about.model_copy(update={"histories": []}), rows)
    shown = spec.printed(tidy)
    shown.insert(2, "score", [scores.get(row.row, "–") for row in rows])
    if not shown["group"].any():
        shown = shown.drop(columns="group")
    parts = [
        f"### {'; '.join(labels)}\n\n{markdown_table(shown_pairs(found[key].texts.head(spec.pairs)))}"
        for key, labels in sections.items()
    ]
    return spec.report(about, tidy, NOTES, *parts, shown=shown, body=shown_table(shown), row_notes="")


def _read(file: str) -> tuple[tuple[str, str], Sample]:
    made = read_provenance(file)
    of = made["wildcards"]["pairs"], made["wildcards"]["scorer"]
    return of, Sample(read_table(file, PAIR_SAMPLES), read_status(made).counts)


def _cut(history: str) -> tuple[str, float | None]:
    """Return a run and the share of its training texts that were cut, in %; None if its log does not say."""
    made = read_provenance(history)
    counts = read_status(made).counts
    return run_of(made), 100 * counts["cut"] / counts["texts"] if counts.get("texts") else None


def _cells(sample: Sample, cut: float | None) -> Cells:
    rows = sample.counts["rows"]
    shares = {f"{name} %": 100 * sample.counts[name] / rows for name in ("copies", "duplicates")}
    cells = {
        name: {"value": value, "n": rows} for name, value in {"pairs": rows, **shares, "cut %": cut}.items()
    }
    for name, column in (("cosine", "cosine"), ("cosine of negatives", "negative_cosine")):
        known = sample.texts[column].dropna()
        cells[name] = {"value": known.mean(), "spread": known.std(), "n": len(known)}
    return cells
