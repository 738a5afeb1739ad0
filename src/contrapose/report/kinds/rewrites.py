"""A table of the rewrites a dictionary offers at some thresholds, and of those kept by perplexity."""

from collections.abc import Mapping
from functools import partial
from typing import Any, ClassVar, Literal, NamedTuple

import pandas as pd
from pydantic import Field

from contrapose.base.errors import ConfigError
from contrapose.base.markdown import markdown_table
from contrapose.jobs.step import InputFiles
from contrapose.report.about import About, Source, row_label
from contrapose.report.cells import RowCells, cell_table
from contrapose.report.files import image
from contrapose.report.kinds.base import TableSettings
from contrapose.report.output import Report
from contrapose.report.printed_cells import Decimals
from contrapose.report.table_plots import STAGES, relations_plot
from contrapose.settings.plan import Plan
from contrapose.settings.refs import RewritesName
from contrapose.settings.spec import Spec
from contrapose.tables import REWRITE_STATISTICS, read_table


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
OF_RELATIONS = (*STAGES, "refused")  # measures of REWRITE_STATISTICS that each relation has; shares
NO_CLASS = "no class"
NOTES = [
    (
        "candidates: mean number per sentence of the corpus. with any: % of the sentences with at least "
        "one candidate. capped: % of the sentences with the largest number that is made."
    ),
    "BLEU x100: mean BLEU of a sentence against its most fluent candidate, which is kept; not smoothed.",
    (
        "p: mean probability of the rule. Perplexity: geometric mean over all candidates, and over those "
        "that are kept."
    ),
]


class RewritesRow(Spec):
    """A row shows the candidates of a dictionary at a threshold."""

    group: str = Field("", description="Rows with the same group stand under one heading.")
    model: str = Field(description="This is the label of the row.")
    rewrites: RewritesName = Field(description="This names an entry under `rewrites`.")
    threshold: float = Field(gt=0, le=1, description="A rule of the dictionary needs at least this p(d|s).")


class RewritesTable(TableSettings):
    """The table shows how many candidates a dictionary offers, and which of them the choice by perplexity
    keeps.
    """

    kind: Literal["rewrites"]
    rows: list[RewritesRow] = Field(
        min_length=1, description="Each entry is a row of the table: rewrites at a threshold."
    )
    published: None = Field(None, description="This key stays null, since no paper prints such a table.")

    plotted: ClassVar[bool] = True
    plot_after_table: ClassVar[bool] = False
    decimals: ClassVar[Decimals] = {name: each.decimals for name, each in COLUMNS.items()}

    def check_in(self, tables: Mapping[str, Any], name: str, project: Plan) -> None:
        for row in self.rows:
            rewrites = project.entry("rewrites", row.rewrites)
            if rewrites.lm is None:
                raise ConfigError(
                    f"method '{row.model}': rewrites.{row.rewrites} has no language model (lm), but this "
                    "table needs perplexities. Name an lm there, or remove the method."
                )
            rewrites.check_threshold(row.threshold, row.rewrites, f"row '{row.model}'")

    def about(self, project: Plan, name: str) -> About:
        sources = []
        for row in self.rows:
            missing = project.lacking_entry("rewrites", row.rewrites)
            rewrites = project.entry("rewrites", row.rewrites)
            note = f"skipped: {missing}" if missing else rewrites.note(project, row.rewrites)
            made = None if missing else f"{row.rewrites}/statistics-{row.threshold:g}"
            sources.append(Source(label=row_label(row.group, row.model), id=made, note=note))
        return About.planned(project, name, sources=sources)

    def inputs(self, project: Plan, about: About) -> dict[str, InputFiles]:
        return {"statistics": [f"<results>/score/rewrites/{each}.parquet" for each in about.ids]}


def build(spec: RewritesTable, about: About, statistics: list[str]) -> Report:
    """Arrange statistics of rewrites, the REWRITE_STATISTICS files of sources, as the cells of a table.

    Shares and BLEU x100.  For each row COLUMNS, then OF_RELATIONS as variants of every relation that any row
    has, empty in rows whose dictionary has no relations.
    """
    files = zip(about.ids, statistics, strict=True)
    values = {each: _values(read_table(path, REWRITE_STATISTICS)) for each, path in files}
    relations = sorted(
        {relation for of_row in values.values() for measure, relation in of_row if measure in OF_RELATIONS}
    )
    columns: dict = {(each.measure, ""): (name, each.factor) for name, each in COLUMNS.items()}
    for relation in relations:
        for measure in OF_RELATIONS:
            columns[measure, relation] = ((relation or NO_CLASS, measure), 100)
    rows = []
    for row, source in zip(spec.rows, about.sources, strict=True):
        of_row, cells = values.get(source.id or "", {}), {}
        for key, (name, factor) in columns.items():
            value, n = of_row.get(key, (None, 0))
            cells[name] = {"value": value if value is None else factor * value, "n": n}
        rows.append(RowCells(row.model, cells, row.group))
    tidy = cell_table(about, rows)
    shares = tidy[tidy.variant != ""]
    sections = _refused(shares, about) if len(shares) else []
    csv, plot = spec.printed(tidy), partial(relations_plot, tidy, about)
    return spec.report(about, tidy, NOTES, *sections, csv=csv, plot=plot)


def _values(statistics: pd.DataFrame) -> dict[tuple[str, str], tuple[float, int]]:
    """Return {(measure, relation): (value, n)}; nothing by relation for a dictionary without classes."""
    columns = ["measure", "relation", "value", "n"]
    of_rules = statistics.measure.isin(OF_RELATIONS)
    if (statistics.relation == "").all():
        statistics = statistics[~of_rules]
    return {
        (measure, relation): (value, n)
        for measure, relation, value, n in statistics[columns].itertuples(index=False)
    }


def _refused(shares: pd.DataFrame, about: About) -> list[str]:
    return [
        "## Which replacements perplexity rejects",
        (
            "The relation between a phrase and its replacement, in %. Offered: its share among all "
            "candidates. Chance: its share if candidates were kept at random (the mean over sentences of "
            "its share among their candidates). Kept: its share among the most fluent candidates; a "
            "share below chance means that perplexity rejects it. Refused: the share of sentences that "
            "keep another relation, among those that are offered both."
        ),
        markdown_table(_by_relation(shares)),
        image(about),
    ]


def _by_relation(shares: pd.DataFrame) -> pd.DataFrame:
    known = shares.dropna(subset="value").assign(text=lambda cells: cells.value.map("{:.2f}".format))
    names = ["row", "group", "model", "column"]
    table = known.pivot(index=names, columns="variant", values="text").reindex(columns=list(OF_RELATIONS))
    return table.fillna("–").reset_index(names[1:]).rename(columns={"column": "relation"})
