"""A table of alignment and uniformity: rows are encoders."""

from typing import Annotated, ClassVar, Literal

import pandas as pd
from pydantic import Field

from contrapose.jobs.status import missing_sets
from contrapose.jobs.step import InputFiles, Rows
from contrapose.report.about import About
from contrapose.report.cells import EMPTY_CELL, cell_table, encoder_cells
from contrapose.report.files import seeds_note, shown_table
from contrapose.report.kinds.base import TableSettings
from contrapose.report.kinds.fields import PlainRows
from contrapose.report.kinds.rows import EncoderRows
from contrapose.report.output import Report
from contrapose.report.planned_rows import score_files
from contrapose.report.printed_cells import Decimals
from contrapose.settings.plan import Plan
from contrapose.settings.spec import SplitChoice
from contrapose.tables import GEOMETRY

MEASURES = ["alignment", "uniformity"]
FORM = "senteval"  # of the texts; their scores are the same in others
SPLITS = ("dev", "test", "train")


class GeometryTable(EncoderRows, TableSettings):
    """The table shows the alignment and uniformity of encoders on STS-B."""

    kind: Literal["geometry"]
    split: SplitChoice = Field(
        "dev",
        description="The numbers are those of this split of STS-B. With `all`, they are those of all its "
        "splits together.",
    )
    rows: PlainRows = Field(description="Each entry is a row of the table: an encoder, trained or not.")

    decimals: ClassVar[Decimals] = 4  # as the thesis prints them

    def inputs(self, project: Plan, about: About) -> dict[str, InputFiles]:
        return {
            "geometry": score_files(project, about, "geometry"),
            "sets": [project.paths.benchmarks("english")],
        }


def build(
    spec: GeometryTable, about: About, geometry: Annotated[pd.DataFrame, Rows(GEOMETRY)], sets: list[str]
) -> Report:
    """Arrange alignment and uniformity as the cells of a table.

    For each row first the cells of the printed split, `alignment` and `uniformity`; then, as variants, those
    of the other existing splits.  `sets` is the BENCHMARK file.
    """
    from contrapose.evaluate.geometry import NEAR, TASK  # imports scipy, too slow for a plan

    of_form = geometry[geometry.form == FORM]
    others = [split for split in dict.fromkeys(of_form.split) if split != spec.split]
    columns = {(name, ""): (spec.split, name) for name in MEASURES}
    columns |= {(name, split): (split, name) for split in others for name in MEASURES}
    values = {
        (cell["run"], cell["split"], cell["measure"]): {"value": cell["value"], "n": cell["n"]}
        for cell in of_form[of_form.value.notna()].to_dict("records")
    }
    rows = encoder_cells(
        about, lambda run: {name: values.get((run, *what), EMPTY_CELL) for name, what in columns.items()}
    )
    tidy = cell_table(about, rows)
    sizes: dict[str, list[str]] = {name: [] for name in MEASURES}
    for (measure, split), n in tidy[tidy.n > 0].groupby(["column", "variant"], sort=False).n.first().items():
        sizes[measure].append(f"{split or spec.split} {n}")
    files = {split: missing_sets(sets).get(f"{TASK}/{FORM}/{split}") for split in SPLITS}
    absent = {split: f"skipped: {split} ({path} is missing)" for split, path in files.items() if path}
    notes = [
        f"{seeds_note(about.seeds)}.",
        "Lower is better for both. Vectors of length 1.",
        f"STS-B pairs with a gold score above {NEAR:g}: {', '.join(sizes['alignment']) or 'none'}.",
        f"STS-B sentences, each text once: {', '.join(sizes['uniformity']) or 'none'}.",
        *(f"{note}." for note in absent.values()),
    ]
    of_others = tidy[tidy.variant != ""]
    sections = ["## On the other splits", shown_table(spec.printed(of_others))] if len(of_others) else []
    common = [note for split, note in absent.items() if spec.split in ("all", split)]
    return spec.report(about, tidy, notes, *sections, common=common)
