"""A table of correlations on the pairs of an evaluation set whose shorter sentence has some length."""

from functools import partial
from typing import Annotated, ClassVar, Literal

import numpy as np
import pandas as pd
from pydantic import Field

from contrapose.base.directory import rebuild
from contrapose.base.errors import TableError
from contrapose.base.tasks import FEWEST_PAIRS, TASKS, Suite
from contrapose.evaluate.influence import scored, spearman
from contrapose.evaluate.sharing import Sharing
from contrapose.jobs.step import InputFiles, Rows
from contrapose.report.about import About
from contrapose.report.cells import EMPTY_CELL, Cells, cell_table, encoder_cells, first_sizes
from contrapose.report.files import seeds_note
from contrapose.report.kinds.base import TableSettings
from contrapose.report.kinds.fields import PlainRows
from contrapose.report.kinds.rows import EncoderRows
from contrapose.report.output import Report
from contrapose.report.planned_rows import score_files, scored_sets
from contrapose.report.resampling import PairsOfSets, Resamples
from contrapose.report.row_settings import Band
from contrapose.report.table_plots import scores_plot
from contrapose.settings.plan import Plan
from contrapose.settings.refs import TaskName
from contrapose.tables import BENCHMARK, COSINES, read_table

KEYS = ["task", "form", "split", "subset", "row"]  # identify a pair
FORM, SPLIT = "senteval", "test"


class LengthsTable(EncoderRows, TableSettings):
    """The table shows the correlations of encoders on the pairs of an evaluation set, by length."""

    kind: Literal["lengths"]
    task: TaskName = Field(description="The correlations are those on the pairs of this task.")
    bands: list[Band] = Field(
        min_length=1, description="Each entry is a column: a range of sentence lengths. Ranges may overlap."
    )
    rows: PlainRows = Field(description="Each entry is a row of the table: an encoder, trained or not.")

    plotted: ClassVar[bool] = True

    def suites(self, project: Plan, name: str, group: str | None = None) -> list[Suite]:
        return [TASKS[self.task].suite]

    def inputs(self, project: Plan, about: About) -> dict[str, InputFiles]:
        return {
            "cosines": score_files(project, about, TASKS[self.task].suite, "-cosines"),
            "benchmarks": scored_sets(project, about.name),
        }


def build(
    spec: LengthsTable, about: About, cosines: list[str], benchmarks: Annotated[pd.DataFrame, Rows(BENCHMARK)]
) -> Report:
    """Arrange Spearman x100 on the test pairs of a task, a column per band of lengths.

    The length of a pair is that of its shorter sentence, in words between white space.  PrdSimCSE, section
    5.4.  `cosines` are COSINES files of the runs of `about`.  With 95 % intervals; a band of fewer
    than three pairs is empty.  Raises TableError if a run has no cosine for a pair.
    """
    is_printed = (benchmarks.task == spec.task) & (benchmarks.form == FORM) & (benchmarks.split == SPLIT)
    pairs = benchmarks[is_printed].reset_index(drop=True)
    words = pd.concat([pairs[side].str.split().str.len() for side in ("sentence1", "sentence2")], axis=1)
    shorter = words.min(axis=1)
    inside = {band.name: shorter.between(band.at_least, band.most) for band in spec.bands}
    sharing = Sharing(pairs.sentence1, pairs.sentence2)
    resamples = Resamples(about.bootstrap, PairsOfSets(pairs.task.to_numpy(object), sharing))
    with_cosines = {run: _scored(pairs, path) for run, path in zip(about.runs, cosines, strict=True)}

    def cells(run: str) -> Cells:
        if run not in with_cosines:
            return dict.fromkeys(inside, EMPTY_CELL)
        return {name: _cell(with_cosines[run], chosen, sharing, resamples) for name, chosen in inside.items()}

    tidy = cell_table(about, encoder_cells(about, cells))
    sizes = first_sizes(tidy)
    counts = "pairs: " + ", ".join(f"{name} {n}" for name, n in sizes.items()) if sizes else ""
    notes = [f"{seeds_note(about.seeds)}.", *([f"P{counts[1:]}."] if counts else [])]
    plot = partial(scores_plot, tidy, about, "Spearman x100")
    return spec.report(about, tidy, notes, common=[counts], plot=plot)


def _scored(pairs: pd.DataFrame, path: str) -> pd.DataFrame:
    merged = pairs.merge(read_table(path, COSINES), on=KEYS, how="left")
    if merged.cosine.isna().any():
        raise TableError(
            f"{path}: {int(merged.cosine.isna().sum())} of {len(pairs)} pairs have no cosine. {rebuild(path)}"
        )
    return merged


def _cell(pairs: pd.DataFrame, inside: pd.Series, sharing: Sharing, resamples: Resamples) -> dict:
    """Return the cell of the pairs inside a band, whose resamples are those of all pairs."""
    chosen, task = pairs[inside], str(pairs.task.iloc[0])
    if len(chosen) < FEWEST_PAIRS or chosen.score.nunique() == 1 or chosen.cosine.nunique() == 1:
        return {"value": None, "n": len(chosen)}
    measured = spearman(chosen.cosine.to_numpy(), chosen.score.to_numpy())
    correlation = scored(measured, sharing[inside.to_numpy()], correlation=True)
    influence = np.zeros(len(pairs))
    influence[inside] = measured.influence * len(pairs) / len(chosen)
    numbers = {name: 100 * correlation[name] for name in ("value", "ci_low", "ci_high")}
    return {**numbers, "n": len(chosen), "resampled": 100 * resamples(task, measured.value, influence)}
