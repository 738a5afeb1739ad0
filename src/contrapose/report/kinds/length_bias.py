"""A table of how changes of length that keep the meaning change cosines: rows are encoders and pairs."""

from functools import partial
from typing import Annotated, ClassVar, Literal

import pandas as pd
from pydantic import AfterValidator, Field

from contrapose.base.tasks import TASKS
from contrapose.jobs.step import InputFiles, Rows
from contrapose.report.about import About
from contrapose.report.cells import EMPTY_CELL, Cells, cell_table, encoder_cells
from contrapose.report.files import seeds_note
from contrapose.report.headers import COUNT
from contrapose.report.kinds.base import TableSettings
from contrapose.report.kinds.fields import Ordered, without_choices
from contrapose.report.kinds.rows import EncoderRows
from contrapose.report.output import Report
from contrapose.report.planned_rows import table_rows
from contrapose.report.printed_cells import Decimals
from contrapose.report.row_settings import Row
from contrapose.report.table_plots import rows_plot
from contrapose.settings.plan import Plan
from contrapose.settings.recipes import LengthProbe
from contrapose.settings.refs import Ref
from contrapose.settings.spec import Spec
from contrapose.tables import LENGTH_BIAS

ADDED = {"filler": "the filler in front", "marks": "English punctuation marks at random gaps"}
COMPARISONS = {
    "equalised": "the shorter sentence lengthened by {added} until both are equally long",
    "diverged": "the longer sentence lengthened by {added} in the same ratio",
    "bias": "both equally long against lengths further apart, each by the same share of {added}",
}
MEASURES = {
    "change": "mean change of the cosine",
    "before": "mean cosine before",
    "after": "mean cosine after",
}


class BiasRow(Row):
    """A row shows an encoder on the pairs of a probe."""

    probe: Annotated[str, Ref("probes")] = Field(description="This names an entry under `probes`.")
    label: Literal["positive", "negative"] = Field(
        description="The row shows the positive or the negative pairs of the probe."
    )


class BiasColumn(Spec):
    """A column shows one comparison of cosines."""

    added: Literal["filler", "marks"] = Field(
        description="This text is added to sentences: the filler of the probe (`filler`), or EdaCSE's "
        "six marks (`marks`)."
    )
    comparison: Literal["equalised", "diverged", "bias"] = Field(
        "equalised",
        description="With `equalised`, the shorter sentence is lengthened until both are equally long. "
        "With `diverged`, the longer one is lengthened in the same ratio. With `bias`, the "
        "two are compared.",
    )
    measure: Literal["change", "before", "after"] = Field(
        "change",
        description="With `change`, the column has the mean change of the cosine, with an interval. "
        "With `before` or `after`, it has the mean cosine.",
    )


class LengthBiasTable(EncoderRows, TableSettings):
    """The table shows how the cosines of pairs change when meaningless text is added."""

    kind: Literal["length_bias"]
    columns: Ordered[BiasColumn] = Field(
        min_length=1, description="Each entry maps a printed name to the content of the column."
    )
    rows: Annotated[list[BiasRow], Field(min_length=1), AfterValidator(without_choices)] = Field(
        description="Each entry is a row of the table: an encoder and the pairs of a probe."
    )

    plotted: ClassVar[bool] = True
    decimals: ClassVar[Decimals] = 4  # as EdaCSE prints its largest cosines
    intervals: ClassVar[bool] = True

    def about(self, project: Plan, name: str) -> "BiasAbout":
        rows = table_rows(project, name)
        probes = {row.probe: project.entry("probes", row.probe) for row in self.rows}
        return BiasAbout.planned(project, name, rows=rows, probes=probes)

    def inputs(self, project: Plan, about: About) -> dict[str, InputFiles]:
        rows = zip(self.rows, about.rows, strict=True)
        scored = dict.fromkeys((row.probe, run) for row, behind in rows for run in behind.runs)
        return {"bias": [project.paths.evaluated(f"length_bias/{probe}", run) for probe, run in scored]}


class BiasAbout(About):
    """Facts about a table of length bias."""

    probes: dict[str, LengthProbe]


def build(
    spec: LengthBiasTable, about: BiasAbout, bias: Annotated[pd.DataFrame, Rows(LENGTH_BIAS)]
) -> Report:
    """Arrange cosines and their changes as cells; changes have intervals.

    Without a printed table, `published_row` is taken from the row, so that claims find it.
    """
    measured = bias.set_index(["run", "probe", "label", "added", "comparison"]).to_dict("index")

    def cells(row: BiasRow, run: str) -> Cells:
        shown = {}
        for name, column in spec.columns.items():
            values = measured.get((run, row.probe, row.label, column.added, column.comparison), {"n": 0})
            ends = ("ci_low", "ci_high") if column.measure == "change" else ()
            cell = {"value": values.get(column.measure), **{end: values.get(end) for end in ends}}
            shown[name] = {**cell, "n": values["n"]} if values["n"] else EMPTY_CELL
        return shown

    rows = [
        row_cells._replace(row=number)
        for number, (row, behind) in enumerate(zip(spec.rows, about.rows, strict=True))
        for row_cells in encoder_cells(about, partial(cells, row), [behind])
    ]
    tidy = cell_table(about, rows)
    pairs = tidy.groupby("row", sort=True).n.max().tolist()
    shown, notes = spec.printed_parts(tidy), _notes(spec, about, pairs)
    shown[COUNT, "pairs"] = pairs
    plot = partial(rows_plot, tidy, about, "cosine, or its change", one_scale=True)
    return spec.report(about, tidy, notes, shown=shown, plot=plot)


def _notes(spec: LengthBiasTable, about: BiasAbout, pairs: list[int]) -> list[str]:
    notes = [f"{seeds_note(about.seeds)}. In brackets: 95 % intervals over pairs."]
    notes += [
        f"{name}: {COMPARISONS[column.comparison].format(added=ADDED[column.added])}, "
        f"{MEASURES[column.measure]}."
        for name, column in spec.columns.items()
    ]
    counts: dict[tuple[str, str], int] = {}
    for row, n in zip(spec.rows, pairs, strict=True):  # empty for a row without an encoder
        counts[row.probe, row.label] = max(n, counts.get((row.probe, row.label), 0))
    for (name, label), n in counts.items():
        probe = about.probes[name]
        score = f"of {probe.positive:g} or more" if label == "positive" else f"of {probe.negative:g} or less"
        some = f"{n} {label} pairs" + ("" if n == probe.pairs else f" of the {probe.pairs} wanted")
        notes.append(
            f"Probe {name}: {some}; test splits of {', '.join(probe.tasks)} "
            f"(scores up to {TASKS[probe.tasks[0]].high:g}), a gold score {score}, lengths that differ by "
            f"{probe.difference} {probe.unit} or more; filler '{probe.filler}'."
        )
    return notes
