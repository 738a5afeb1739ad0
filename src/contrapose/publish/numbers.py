"""What published tables and scores say of one run."""

from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from contrapose.report.files import bullets, markdown_table
from contrapose.tables import PUBLISHABLE, SCORES, Table, read_provenance, read_table, read_tables

MAIN_METRICS = {"spearman", "accuracy"}  # of the scores that a card lists
FINE_TUNED = "fine_tuned"  # their files' names begin so: scores of encoders that were trained on


@dataclass(frozen=True)
class Numbers:
    """Scores and printed cells of one run."""

    scores: pd.DataFrame  # SCORES, test splits, all subsets in one list
    cells: pd.DataFrame  # PUBLISHABLE

    @property
    def tables(self) -> list[str]:
        """Tables that the run stands in."""
        return list(self.cells.table.unique())


def numbers_of(run: str, package: Path) -> Numbers:
    """Return what `scores/` and `tables/` of a package say of a run; no rows where they say nothing."""
    scored = [path for path in _files(package / "scores", SCORES) if not path.name.startswith(FINE_TUNED)]
    scores = read_tables(scored, SCORES)
    chosen = (scores.run == run) & (scores.split != "dev") & (scores.aggregation == "all")
    # A column that is empty in one table has another type there: pandas is not asked to join those.
    printed = [frame[frame.run == run] for frame in map(_cells, _files(package / "tables", PUBLISHABLE))]
    filled = [frame for frame in printed if len(frame)] or [PUBLISHABLE.schema.empty_table().to_pandas()]
    return Numbers(scores[chosen & scores.metric.isin(MAIN_METRICS)], pd.concat(filled))


def score_parts(numbers: Numbers, with_published: bool) -> list[str]:
    """Return the scores as parts of a Markdown text.

    Parameters
    ----------
    numbers : Numbers
    with_published : bool
        Set the paper's own numbers beside: not for a world that makes its own text.
    """
    scores = numbers.scores
    if scores.empty:
        return ["None of the published tables scores it."]
    interval = [f"{low:.3f} to {high:.3f}" for low, high in zip(scores.low, scores.high, strict=True)]
    shown = pd.DataFrame(
        {
            "label": scores.task,
            "form": scores.form,
            "split": scores.split,
            "metric": scores.metric,
            "score": scores.value.map("{:.3f}".format),
            "95 % interval": interval,
            "n": scores.n,
        }
    )
    parts = [markdown_table(shown), "Intervals: percentiles of a bootstrap over pairs."]
    beside = numbers.cells[numbers.cells.published.notna()]
    if not with_published or beside.empty:
        return parts
    lines = [
        f"{row.table}, {row.column}: {row.value:.2f}; paper ({row.published_row}): {row.published:.2f}"
        for row in beside.itertuples()
    ]
    return [*parts, "Beside the paper, as its tables print it:", bullets(lines)]


def _files(folder: Path, table: Table) -> list[Path]:
    return [path for path in sorted(folder.glob("*.parquet")) if read_provenance(path)["table"] == table.name]


def _cells(path: Path) -> pd.DataFrame:
    return read_table(path, PUBLISHABLE)
