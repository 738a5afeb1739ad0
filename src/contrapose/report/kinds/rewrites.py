"""A table of the rewrites a dictionary offers at some thresholds, and of those kept by perplexity."""

from functools import partial
from typing import TYPE_CHECKING, ClassVar, Literal, NamedTuple

import pandas as pd
from pydantic import Field

from contrapose.errors import ConfigError
from contrapose.markdown import markdown_table
from contrapose.report.about import About, Source, row_label
from contrapose.report.cells import NOTHING, cell_table, printed_table, row_cells
from contrapose.report.files import image
from contrapose.report.kinds.base import Printed, Report
from contrapose.report.plots import relations_plot
from contrapose.settings.rows import RewritesRow
from contrapose.steps import Paths, planned
from contrapose.tables import REWRITE_STATISTICS, read_table

if TYPE_CHECKING:
    from contrapose.project import Project
    from contrapose.project.documents import Study


class Column(NamedTuple):
    """The content of a column."""

    measure: str  # of REWRITE_STATISTICS
    decimals: int
    factor: float = 1.0


COLUMNS = {
    "candidates": Column("candidates", 2),
    "with any": Column("any", 2, 100),
    "capped": Column("capped", 2, 100),
    "BLEU": Column("bleu", 2, 100),
    "p offered": Column("probability_offered", 3),
    "p kept": Column("probability_kept", 3),
    "perplexity offered": Column("perplexity_offered", 1),
    "perplexity kept": Column("perplexity_kept", 1),
}
STAGES = ("offered", "chance", "kept")  # measures of REWRITE_STATISTICS that each relation has; shares
OF_RELATIONS = (*STAGES, "refused")
RELATION_DECIMALS = 2
NO_CLASS = "no class"
NOTES = [
    "candidates: mean per sentence of the corpus. with any: % of the sentences with at least one. "
    "capped: % with the largest number that is made.",
    "BLEU x100: mean of a sentence against its most fluent candidate, which is kept; not smoothed.",
    "p: mean probability of the rule. Perplexity: geometric mean over all candidates, and over those "
    "that are kept.",
]


class RewritesTable(Printed):
    """What a dictionary offers the sentences of a corpus, and what the choice by perplexity keeps of it."""

    kind: Literal["rewrites"]
    rows: list[RewritesRow] = Field(min_length=1)
    published: None = None

    plotted: ClassVar[bool] = True
    plot_after_table: ClassVar[bool] = False

    @planned
    def check_in(self, study: "Study", name: str, project: "Project") -> None:
        for row in self.rows:
            rewrites = project.entry("rewrites", row.rewrites)
            if rewrites.lm is None:
                raise ConfigError(
                    f"row '{row.model}': rewrites.{row.rewrites} has no lm, but this table needs "
                    "perplexities. Name an lm there, or remove the row."
                )
            rewrites.check_threshold(row.threshold, row.rewrites, f"row '{row.model}'")

    @planned
    def about(self, project: "Project", name: str) -> About:
        sources = []
        for row in self.rows:
            missing = project.lacking(project.entry("rewrites", row.rewrites))
            note = f"left out: {missing}" if missing else project.rewriters_note(row.rewrites)
            made = None if missing else f"{row.rewrites}/statistics-{row.threshold:g}"
            sources.append(Source(label=row_label(row.group, row.model), id=made, note=note))
        return About(**project.reports.about(name), sources=sources)

    @planned
    def inputs(self, project: "Project", name: str) -> dict[str, Paths]:
        ids = project.reports.about_of(name).ids
        return {"statistics": [f"<results>/score/rewrites/{each}.parquet" for each in ids]}


def build(spec: RewritesTable, about: About, statistics: list[str]) -> Report:
    """Arrange statistics of rewrites, the REWRITE_STATISTICS files of sources, as the cells of a table.

    Shares and BLEU x100.  For each row COLUMNS, then `Equivalence, offered` and so on, OF_RELATIONS, for
    every relation that any row has, empty in rows whose dictionary has no relations.
    """
    tables = {
        each: read_table(path, REWRITE_STATISTICS) for each, path in zip(about.ids, statistics, strict=True)
    }
    told = [set(table.relation[table.measure.isin(OF_RELATIONS)]) for table in tables.values()]
    relations = sorted(set().union(*(each for each in told if any(each))))
    columns = {(each.measure, ""): (name, each.factor) for name, each in COLUMNS.items()}
    for relation in relations:
        for measure in OF_RELATIONS:
            columns[measure, relation] = (f"{relation or NO_CLASS}, {measure}", 100)
    cells: list[dict] = []
    for number, (row, source) in enumerate(zip(spec.rows, about.sources, strict=True)):
        found = _found(tables[source.id]) if source.id else {}
        own = {}
        for place, (name, factor) in columns.items():
            value, n = found.get(place, (None, 0))
            own[name] = {**NOTHING, "value": value if value is None else factor * value, "n": n}
        cells += row_cells(about, number, own, {}, row.model, row.group)
    tidy = cell_table(cells)
    is_common = tidy.column.isin(list(COLUMNS))
    parts = [] if is_common.all() else _refused(tidy[~is_common], about)
    shown, csv, plot = _printed(tidy[is_common]), _printed(tidy), partial(relations_plot, tidy, about)
    return spec.report(about, tidy, NOTES, *parts, shown=shown, csv=csv, rows=about.sources, plot=plot)


def _found(statistics: pd.DataFrame) -> dict[tuple[str, str], tuple[float, int]]:
    """Return {(measure, relation): (value, n)}; nothing by relation for a dictionary without classes."""
    columns = ["measure", "relation", "value", "n"]
    found = {
        (measure, relation): (value, n)
        for measure, relation, value, n in statistics[columns].itertuples(index=False)
    }
    if not any(relation for _, relation in found):
        found = {place: cell for place, cell in found.items() if place[0] not in OF_RELATIONS}
    return found


def _printed(tidy: pd.DataFrame) -> pd.DataFrame:
    of_relations = dict.fromkeys(tidy.column, RELATION_DECIMALS)
    return printed_table(tidy, of_relations | {name: each.decimals for name, each in COLUMNS.items()})


def _refused(tidy: pd.DataFrame, about: About) -> list[str]:
    return [
        "## What perplexity refuses",
        "Relation of what is replaced to what stands for it, in %. Offered: its share among all "
        "candidates. Chance: what a choice without perplexity would keep, the mean over sentences of its "
        "share among their candidates. Kept: its share among the most fluent ones; below chance it is "
        "refused. Refused: of the sentences that are offered it and another one, those that keep the "
        "other.",
        markdown_table(_by_relation(tidy)),
        image(about),
    ]


def _by_relation(tidy: pd.DataFrame) -> pd.DataFrame:
    names = tidy.column.str.rpartition(", ")
    shown = tidy.assign(relation=names[0], measure=names[2]).dropna(subset="value")
    rows = []
    for (_, relation), cells in shown.groupby(["row", "relation"]):
        about = {**cells[["group", "model"]].iloc[0], "relation": relation}
        values = zip(cells.measure, cells.value, strict=True)
        rows.append({**about, **{name: f"{value:.{RELATION_DECIMALS}f}" for name, value in values}})
    return pd.DataFrame(rows, columns=["group", "model", "relation", *OF_RELATIONS], dtype=object).fillna("–")
