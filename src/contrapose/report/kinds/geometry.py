"""A table of alignment and uniformity: rows are encoders."""

from collections.abc import Mapping, Sequence
from typing import Annotated, ClassVar, Literal

import pandas as pd
from pydantic import Field

from contrapose.report.about import About
from contrapose.report.budgets import with_budgets
from contrapose.report.cells import NOTHING, tidy_cells
from contrapose.report.files import seeds_note, shown_table
from contrapose.report.kinds.base import FormChoice, OfEncoders, PlainRows, Printed, Published, Report
from contrapose.report.published import Decimals
from contrapose.settings.spec import SplitChoice
from contrapose.status import missing_sets
from contrapose.steps import Paths, Project, Rows, planned
from contrapose.tables import GEOMETRY

MEASURES = ["alignment", "uniformity"]
SPLITS = ("dev", "test", "train")


class GeometryTable(OfEncoders, Printed):
    """Alignment and uniformity of encoders on STS-B."""

    kind: Literal["geometry"]
    split: SplitChoice = Field("dev", description="Split that is printed; all: all existing splits together")
    form: FormChoice = "senteval"
    rows: PlainRows

    decimals: ClassVar[Decimals] = 4  # as the thesis prints them

    @planned
    def inputs(self, project: Project, name: str) -> dict[str, Paths]:
        return {
            "geometry": project.reports.scores(name, "geometry"),
            "sets": [project.places.benchmarks("english")],
        }


def build(
    spec: GeometryTable,
    about: About,
    geometry: Annotated[pd.DataFrame, Rows(GEOMETRY)],
    sets: list[str],
    histories: list[str],
    published: Published,
) -> Report:
    """Arrange alignment and uniformity as the cells of a table.

    For each row first the cells of the printed split, `alignment` and `uniformity`; then those of the other
    existing splits, such as `alignment, test`.  `sets` is the BENCHMARK file.
    """
    of_form = geometry[geometry.form == spec.form]
    others = [split for split in dict.fromkeys(of_form.split) if split != spec.split]
    columns = {name: (spec.split, name) for name in MEASURES}
    columns |= {f"{name}, {split}": (split, name) for split in others for name in MEASURES}
    found = {
        (cell["run"], cell["split"], cell["measure"]): {**NOTHING, "value": cell["value"], "n": cell["n"]}
        for cell in of_form[of_form.value.notna()].to_dict("records")
    }
    tidy = tidy_cells(
        lambda run: {name: found.get((run, *what), NOTHING) for name, what in columns.items()},
        *(about.rows, about, published),
    )
    tidy = with_budgets(tidy, histories)
    missing = missing_sets(sets)
    absent = _left_out(spec, missing, SPLITS if spec.split == "all" else [spec.split])
    notes, others = _notes(tidy, spec, about, missing), tidy[~tidy.column.isin(MEASURES)]
    parts = ["## On the other splits", shown_table(spec.printed(others))] if len(others) else []
    return spec.report(about, tidy, notes, *parts, columns=MEASURES, common=absent, published=published)


def shown_measures(tidy: pd.DataFrame) -> pd.DataFrame:
    """Return the printed cells: those of the split of the table."""
    return tidy[tidy.column.isin(MEASURES)]


def _left_out(spec: GeometryTable, missing: Mapping[str, str], splits: Sequence[str]) -> list[str]:
    from contrapose.evaluate.geometry import TASK  # imports scipy, too slow for a plan

    wanted = {split: f"{TASK}/{spec.form}/{split}" for split in splits}
    absent = {split: missing[what] for split, what in wanted.items() if what in missing}
    return [f"left out: {split} ({path} is missing)" for split, path in absent.items()]


def _notes(tidy: pd.DataFrame, spec: GeometryTable, about: About, missing: Mapping[str, str]) -> list[str]:
    from contrapose.evaluate.geometry import NEAR

    sizes: dict[str, list[str]] = {name: [] for name in MEASURES}
    for column, n in tidy[tidy.n > 0].groupby("column", sort=False).n.first().items():
        measure, _, split = str(column).partition(", ")
        sizes[measure].append(f"{split or spec.split} {n}")
    return [
        f"{seeds_note(about.seeds)}.",
        "Lower is better for both. Vectors of length 1.",
        f"STS-B pairs with a gold score above {NEAR:g}: {', '.join(sizes['alignment']) or 'none'}.",
        f"STS-B sentences, each text once: {', '.join(sizes['uniformity']) or 'none'}.",
        *(f"{note}." for note in _left_out(spec, missing, SPLITS)),
    ]
