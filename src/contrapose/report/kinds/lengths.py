"""A table of correlations on the pairs of an evaluation set whose shorter sentence has some length."""

from functools import partial
from typing import Annotated, ClassVar, Literal

import pandas as pd
from pydantic import Field

from contrapose.errors import TableError
from contrapose.report.about import About
from contrapose.report.budgets import with_budgets
from contrapose.report.cells import NOTHING, Cells, first_sizes, tidy_cells
from contrapose.report.files import seeds_note
from contrapose.report.kinds.base import OfEncoders, PlainRows, Printed, Published, Report
from contrapose.report.plots import scores_plot
from contrapose.seeds import generator
from contrapose.settings.rows import Band
from contrapose.steps import Paths, Project, Rows, planned
from contrapose.tables import BENCHMARK, COSINES, read_table
from contrapose.tasks import TASKS, Suite, Task

KEYS = ["task", "form", "split", "subset", "row"]  # identify a pair
FORM, SPLIT = "senteval", "test"


class LengthsTable(OfEncoders, Printed):
    """Correlations of encoders on the pairs of an evaluation set, by length."""

    kind: Literal["lengths"]
    task: Task
    bands: list[Band] = Field(min_length=1, description="Columns; they may overlap")
    rows: PlainRows

    plotted: ClassVar[bool] = True

    @planned
    def suites(self, project: Project, name: str, group: str | None = None) -> list[Suite]:
        return [TASKS[self.task].suite]

    @planned
    def inputs(self, project: Project, name: str) -> dict[str, Paths]:
        return {
            "cosines": project.reports.scores(name, TASKS[self.task].suite, "-cosines"),
            "benchmarks": project.reports.scored_sets(name),
        }


def build(
    spec: LengthsTable,
    about: About,
    cosines: list[str],
    benchmarks: Annotated[pd.DataFrame, Rows(BENCHMARK)],
    histories: list[str],
    published: Published,
) -> Report:
    """Arrange Spearman x100 on the test pairs of a task, a column per band of lengths.

    The length of a pair is that of its shorter sentence, in words between white space.  PrdSimCSE, section
    5.4.  `cosines` are COSINES files of the runs of `about`.  With 95 % bootstrap intervals; a band of fewer
    than three pairs is empty.  Raises TableError if a run has no cosine for a pair.
    """
    wanted = (benchmarks.task == spec.task) & (benchmarks.form == FORM) & (benchmarks.split == SPLIT)
    pairs = benchmarks[wanted].reset_index(drop=True)
    words = pd.concat([pairs[side].str.split().str.len() for side in ("sentence1", "sentence2")], axis=1)
    shorter = words.min(axis=1)
    inside = {band.name: shorter.between(band.at_least, band.most) for band in spec.bands}
    scored = {
        run: _scored(pairs, read_table(path, COSINES), run)
        for run, path in zip(about.runs, cosines, strict=True)
    }

    def cells(run: str) -> Cells:
        if run not in scored:
            return dict.fromkeys(inside, NOTHING)
        return {
            name: _cell(scored[run][chosen], name, spec, about.bootstrap) for name, chosen in inside.items()
        }

    tidy = with_budgets(tidy_cells(cells, about.rows, about, published), histories)
    sizes = first_sizes(tidy)
    counts = "pairs: " + ", ".join(f"{name} {n}" for name, n in sizes.items()) if sizes else ""
    notes = [f"{seeds_note(about.seeds)}.", *([f"P{counts[1:]}."] if counts else [])]
    plot = partial(scores_plot, tidy, about, "Spearman x100")
    return spec.report(about, tidy, notes, columns=inside, common=[counts], published=published, plot=plot)


def _scored(pairs: pd.DataFrame, cosines: pd.DataFrame, run: str) -> pd.DataFrame:
    found = pairs.merge(cosines, on=KEYS, how="left")
    if found.cosine.isna().any():
        raise TableError(
            f"{run}: {int(found.cosine.isna().sum())} of {len(pairs)} pairs have no cosine. "
            "Score it again: snakemake --forcerun evaluate_suite"
        )
    return found


def _cell(pairs: pd.DataFrame, band: str, spec: LengthsTable, bootstrap: int) -> dict:
    from scipy.stats import spearmanr  # slow to import, and plans do not need it

    from contrapose.evaluate.bootstrap import resampled_correlations, with_interval
    from contrapose.evaluate.suite import FEWEST_PAIRS

    if len(pairs) < FEWEST_PAIRS or pairs.score.nunique() == 1 or pairs.cosine.nunique() == 1:
        return {**NOTHING, "n": len(pairs)}
    values, gold = pairs.cosine.to_numpy(), pairs.score.to_numpy()
    rng = generator("bootstrap", spec.task, FORM, SPLIT, band)
    resampled = 100 * resampled_correlations(values, gold, bootstrap, rng)["spearman"]
    return NOTHING | with_interval(100 * spearmanr(values, gold).statistic, resampled, len(pairs))
