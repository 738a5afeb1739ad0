"""A table of sizes: number of rows of pair sets, and of pairs of evaluation sets."""

from collections.abc import Iterator, Mapping
from typing import ClassVar, Literal

from pydantic import Field, model_validator

from contrapose.base.errors import unknown
from contrapose.base.tasks import TASKS, Suite, Task, one_suite
from contrapose.jobs.status import missing_sets
from contrapose.jobs.step import InputFiles
from contrapose.report.about import About, Source
from contrapose.report.cells import RowCells, cell_table
from contrapose.report.kinds.base import TableSettings
from contrapose.report.output import Report
from contrapose.report.planned_rows import scored_sets
from contrapose.report.printed_cells import Decimals
from contrapose.settings.plan import Plan
from contrapose.settings.refs import PairsId, TaskName
from contrapose.settings.spec import Spec, Split, TextForm, check_one_of
from contrapose.tables import BENCHMARK, PAIRS, count_rows, read_tables


class SizesRow(Spec):
    """A row shows pair sets, a split of evaluation sets, or the splits of one set."""

    label: str = Field(description="This is the label of the row.")
    pairs: dict[str, PairsId] = Field({}, description="Each entry maps a column to the id of a pair set.")
    tasks: dict[str, TaskName] = Field({}, description="Each entry maps a column to a task.")
    split: Split = Field("test", description="The numbers are those of this split of the tasks.")
    task: TaskName | None = Field(None, description="This is the task whose splits are counted.")
    splits: dict[str, Split] = Field({}, description="Each entry maps a column to a split of `task`.")
    published: str | None = Field(
        None,
        description="This is the label that the paper's table has for the same row. Its printed "
        "numbers then stand next to this row. Leave it null if the paper has no such row.",
    )

    @model_validator(mode="after")
    def _one_kind(self) -> "SizesRow":
        check_one_of(self, ("pairs",), ("tasks",), ("task", "splits"))
        return self

    @property
    def sets(self) -> dict[str, tuple[Task, Split]]:
        """The task and split that are counted, by column."""
        if self.task:
            return {column: (self.task, split) for column, split in self.splits.items()}
        return {column: (task, self.split) for column, task in self.tasks.items()}


class SizesTable(TableSettings):
    """The table shows how many pairs are in pair sets and in evaluation sets."""

    kind: Literal["sizes"]
    columns: list[str] = Field(
        min_length=1,
        description="These are the printed names of the columns. A row may not have all of them.",
    )
    form: TextForm = Field("senteval", description="This is the text form of the evaluation sets.")
    rows: list[SizesRow] = Field(min_length=1, description="Each entry is a row of the table.")

    decimals: ClassVar[Decimals] = 0
    labels: ClassVar[Mapping[str, str]] = {"label": "model"}
    missing: ClassVar[str] = "–"

    @model_validator(mode="after")
    def _known(self) -> "SizesTable":
        for name in (name for row in self.rows for name in (*row.pairs, *row.sets)):
            if name not in self.columns:
                raise ValueError(str(unknown("columns", name, self.columns)))
        if tasks := [task for row in self.rows for task, _ in row.sets.values()]:
            one_suite(tasks)
        return self

    def suites(self, project: Plan, name: str, group: str | None = None) -> list[Suite]:
        suites = (TASKS[task].suite for row in self.rows for task, _ in row.sets.values())
        return list(dict.fromkeys(suites))

    def about(self, project: Plan, name: str) -> About:
        ids = dict.fromkeys(project.pairs_id(each) for row in self.rows for each in row.pairs.values())
        missing = {each: project.lacking_entry("pairs", each) for each in ids}
        sources = [Source(label=each, id=None if why else each, note=why) for each, why in missing.items()]
        return About.planned(project, name, sources=sources)

    def inputs(self, project: Plan, about: About) -> dict[str, InputFiles]:
        return {
            "pairs": [project.paths.pairs(each) for each in about.ids],
            "sets": scored_sets(project, about.name),
        }


def build(spec: SizesTable, about: About, pairs: list[str], sets: list[str]) -> Report:
    """Count the rows or pairs for each cell.  RISE, Table 4.

    `pairs` are PAIRS files of the sources; there are no `sets` if this catalog lacks them.  A cell has no
    value if its row leaves the column out, or this catalog lacks what is counted.
    """
    of_pairs = {each: count_rows(path, PAIRS) for each, path in zip(about.ids, pairs, strict=True)}
    benchmarks = read_tables(sets, BENCHMARK, ["task", "form", "split"])  # millions of rows: not their texts
    of_sets = benchmarks[benchmarks.form == spec.form].groupby(["task", "split"]).size().to_dict()
    rows = []
    for row in spec.rows:
        counts = {column: of_pairs.get(row.pairs.get(column, ""), 0) for column in spec.columns}
        counts |= {column: of_sets.get(of_set, 0) for column, of_set in row.sets.items()}
        cells = {column: {"value": n or None, "n": n} for column, n in counts.items()}
        rows.append(RowCells(row.label, cells, published=row.published))
    missing = missing_sets(sets)
    reasons = [list(_unavailable(row, spec, about, missing)) for row in spec.rows]
    notes = [f"{row.label}: {why}." for row, of_row in zip(spec.rows, reasons, strict=True) for why in of_row]
    row_notes = list(map("; ".join, reasons))
    return spec.report(about, cell_table(about, rows), notes, row_notes=row_notes)


def _unavailable(row: SizesRow, spec: SizesTable, about: About, missing: Mapping[str, str]) -> Iterator[str]:
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
        yield f"{' and '.join(names)} {'is' if len(names) == 1 else 'are'} skipped: {reason}"
