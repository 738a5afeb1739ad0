"""A table of sizes: number of rows of pair sets, and of pairs of evaluation sets."""

from collections.abc import Iterator, Mapping
from typing import ClassVar, Literal

from pydantic import Field, model_validator

from contrapose.errors import unknown
from contrapose.report.about import About, Source
from contrapose.report.cells import NOTHING, cell_table, row_cells
from contrapose.report.files import dashed
from contrapose.report.kinds.base import Printed, Published, Report
from contrapose.report.published import Decimals
from contrapose.settings.rows import SizesRow
from contrapose.settings.spec import TextForm
from contrapose.status import missing_sets
from contrapose.steps import Paths, Project, planned
from contrapose.tables import BENCHMARK, PAIRS, count_rows, read_tables
from contrapose.tasks import TASKS, Suite


class SizesTable(Printed):
    """How many rows pair sets have, and how many pairs evaluation sets."""

    kind: Literal["sizes"]
    columns: list[str] = Field(min_length=1, description="Printed names; a row may leave some out")
    form: TextForm = Field("senteval", description="Text form of the evaluation sets")
    rows: list[SizesRow] = Field(min_length=1)

    decimals: ClassVar[Decimals] = 0
    labelled: ClassVar[bool] = True

    @model_validator(mode="after")
    def _known(self) -> "SizesTable":
        for name in (name for row in self.rows for name in (*row.pairs, *row.sets)):
            if name not in self.columns:
                raise ValueError(str(unknown("columns", name, self.columns)))
        if len({TASKS[task].suite for row in self.rows for task, _ in row.sets.values()}) > 1:
            raise ValueError("tasks of several suites; they are read one at a time")
        return self

    @planned
    def suites(self, project: Project, name: str, group: str | None = None) -> list[Suite]:
        suites = (TASKS[task].suite for row in self.rows for task, _ in row.sets.values())
        return list(dict.fromkeys(suites))

    @planned
    def about(self, project: Project, name: str) -> About:
        ids = dict.fromkeys(project.pairs_id(each) for row in self.rows for each in row.pairs.values())
        missing = {each: project.missing_pairs(each) for each in ids}
        sources = [Source(label=each, id=None if why else each, note=why) for each, why in missing.items()]
        return About(**project.reports.about(name), sources=sources)

    @planned
    def inputs(self, project: Project, name: str) -> dict[str, Paths]:
        return {
            "pairs": [project.places.pairs(each) for each in project.reports.about_of(name).ids],
            "sets": project.reports.scored_sets(name),
        }


def build(spec: SizesTable, about: About, pairs: list[str], sets: list[str], published: Published) -> Report:
    """Count the rows or pairs for each cell.  RISE, Table 4.

    `pairs` are PAIRS files of the sources; there are no `sets` if this world lacks them.  A cell has no value
    if its row leaves the column out, or this world lacks what is counted.
    """
    of_pairs = {each: count_rows(path, PAIRS) for each, path in zip(about.ids, pairs, strict=True)}
    benchmarks = read_tables(sets, BENCHMARK, ["task", "form", "split"])  # millions of rows: not their texts
    of_sets = benchmarks[benchmarks.form == spec.form].groupby(["task", "split"]).size().to_dict()
    cells: list[dict] = []
    for number, row in enumerate(spec.rows):
        own = {}
        for column in spec.columns:
            n = of_pairs.get(row.pairs.get(column, ""), 0)
            if column in row.sets:
                n = of_sets.get(row.sets[column], 0)
            own[column] = {**NOTHING, "value": float(n) if n else None, "n": n}
        cells += row_cells(about, number, own, published, row.label, published=row.published)
    tidy = cell_table(cells)
    missing = missing_sets(sets)
    lacking = [list(_lacking(row, spec, about, missing)) for row in spec.rows]
    of_rows = zip(spec.rows, lacking, strict=True)
    notes = [f"{row.label}: {note}." for row, of_row in of_rows for note in of_row]
    shown, told = dashed(spec.printed(tidy), spec.columns), ["; ".join(of_row) for of_row in lacking]
    return spec.report(about, tidy, notes, columns=spec.columns, published=published, shown=shown, told=told)


def _lacking(row: SizesRow, spec: SizesTable, about: About, missing: Mapping[str, str]) -> Iterator[str]:
    absent = {source.label: source.note for source in about.sources if not source.id}
    columns: dict[str, list[str]] = {}  # of each reason, in the order of the table
    for column in spec.columns:
        reason = absent.get(row.pairs.get(column, ""))
        if column in row.sets:
            task, split = row.sets[column]
            path = missing.get(f"{task}/{spec.form}/{split}")
            reason = f"{path} is missing" if path is not None else None
        if reason is not None:
            columns.setdefault(reason, []).append(column)
    for reason, names in columns.items():
        yield f"{' and '.join(names)} {'is' if len(names) == 1 else 'are'} left out: {reason}"
