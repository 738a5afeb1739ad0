"""A table of correlations on the pairs of an evaluation set whose shorter sentence has some length."""

from collections.abc import Mapping

import pandas as pd
from scipy.stats import spearmanr

from contrapose.errors import TableError
from contrapose.evaluate.bootstrap import percentile_interval, resampled_correlations
from contrapose.evaluate.sts import FEWEST_PAIRS
from contrapose.jobs import LengthsTableJob
from contrapose.report.files import bullets, deviation_parts, joined, markdown_table, row_notes, seeds_note
from contrapose.report.published import printed_rows, published_table
from contrapose.report.sts_table import NOTHING, laid_out, printed_table
from contrapose.seeds import generator

KEYS = ["task", "form", "split", "subset", "row"]  # of a pair


def lengths_table(
    benchmarks: pd.DataFrame,
    cosines: Mapping[str, pd.DataFrame],
    published: pd.DataFrame | None,
    job: LengthsTableJob,
) -> pd.DataFrame:
    """Lay out Spearman x100 on the test pairs of a task, a column per band of lengths.

    The length of a pair is that of its shorter sentence, in words between white space.  PrdSimCSE,
    section 5.4.

    Parameters
    ----------
    benchmarks : BENCHMARK table
    cosines : mapping of run: COSINES table
    published : the paper's printed table, optional
    job : LengthsTableJob

    Returns
    -------
    PUBLISHABLE table
        As `laid_out` has it, with 95 % bootstrap intervals; a band with fewer than three pairs is empty.

    Raises
    ------
    ConfigError
        The paper has no row of the name that a row gives.
    TableError
        A run has no cosine for a pair.
    """
    wanted = (benchmarks.task == job.task) & (benchmarks.form == job.form) & (benchmarks.split == "test")
    pairs = benchmarks[wanted].reset_index(drop=True)
    words = pd.concat([pairs[side].str.split().str.len() for side in ("sentence1", "sentence2")], axis=1)
    shorter = words.min(axis=1)
    inside = {band.name: shorter.between(band.at_least, band.most) for band in job.bands}
    scored = {run: _scored(pairs, table, run) for run, table in cosines.items()}

    def cells(run: str) -> dict[str, dict]:
        if run not in scored:
            return dict.fromkeys(inside, NOTHING)
        return {name: _cell(scored[run][chosen], name, job) for name, chosen in inside.items()}

    return laid_out(cells, published, job)


def _scored(pairs: pd.DataFrame, cosines: pd.DataFrame, run: str) -> pd.DataFrame:
    found = pairs.merge(cosines, on=KEYS, how="left")
    if found.cosine.isna().any():
        raise TableError(
            f"{run}: {int(found.cosine.isna().sum())} of {len(pairs)} pairs have no cosine. "
            "Score it again: snakemake --forcerun evaluate_run"
        )
    return found


def _cell(pairs: pd.DataFrame, band: str, job: LengthsTableJob) -> dict:
    if len(pairs) < FEWEST_PAIRS or pairs.score.nunique() == 1 or pairs.cosine.nunique() == 1:
        return {**NOTHING, "n": len(pairs)}
    values, gold = pairs.cosine.to_numpy(), pairs.score.to_numpy()
    rng = generator("bootstrap", job.task, job.form, "test", band)
    low, high = percentile_interval(resampled_correlations(values, gold, job.bootstrap, rng)["spearman"])
    value = 100 * float(spearmanr(values, gold).statistic)
    return {"value": value, "n": len(pairs), "low": 100 * low, "high": 100 * high, "spread": None}


def lengths_csv(tidy: pd.DataFrame, job: LengthsTableJob) -> pd.DataFrame:
    """Return the printed table with the world in front and a note behind each row."""
    table = printed_table(tidy)
    table.insert(0, "world", job.world)
    counts = counts_note(tidy)
    table["note"] = ["; ".join(filter(None, [row.note, counts])) for row in job.rows]
    return table


def counts_note(tidy: pd.DataFrame) -> str:
    """Say how many pairs are in each band."""
    counts = tidy[tidy.n > 0].groupby("column", sort=False).n.first()
    return "pairs: " + ", ".join(f"{name} {n}" for name, n in counts.items()) if len(counts) else ""


def _sentence(note: str) -> str:
    return f"{note[:1].upper()}{note[1:]}." if note else ""


def lengths_markdown(tidy: pd.DataFrame, published: pd.DataFrame | None, job: LengthsTableJob) -> str:
    """Write the table for people; the paper's numbers only if the world does not make its own text."""
    notes = [f"{seeds_note(job.seeds)}.", _sentence(counts_note(tidy)), *row_notes(job.rows)]
    if job.generated:
        notes.append(f"World {job.world} makes its own text: these numbers do not compare with any paper's.")
    parts = [
        f"# {job.table}",
        job.caption,
        f"World `{job.world}`: {job.world_description}.",
        markdown_table(printed_table(tidy).replace("", "–")),
        f"![{job.table}]({job.table}.png)",
        bullets([*notes, *job.notes]),
    ]
    if published is not None and not job.generated:
        printed = printed_rows(job.table, published, job.layout)
        labels, columns = [row.published for row in job.rows], [band.name for band in job.bands]
        parts += ["## The paper's numbers", f"As printed in: {job.source}."]
        parts += [markdown_table(published_table(printed, labels, columns, decimals=2))]
    return joined([*parts, *deviation_parts(job.deviations)])
