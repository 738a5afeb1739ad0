"""A table of alignment and uniformity, and the points of its figure: rows are encoders."""

from collections.abc import Mapping, Sequence

import pandas as pd

from contrapose.evaluate.geometry import NEAR, TASK
from contrapose.jobs import GeometryTableJob, ScatterJob
from contrapose.report.files import bullets, deviation_parts, joined, markdown_table, row_notes, seeds_note
from contrapose.report.published import printed_rows, published_table
from contrapose.report.sts_table import NOTHING, laid_out, printed_table
from contrapose.tables import SCATTER

MEASURES = ["alignment", "uniformity"]
DECIMALS = 4  # as the thesis prints them
SPLITS = ("dev", "test", "train")


def geometry_table(
    measured: pd.DataFrame, published: pd.DataFrame | None, job: GeometryTableJob
) -> pd.DataFrame:
    """Lay out alignment and uniformity as the cells of a table, tidy.

    Parameters
    ----------
    measured : GEOMETRY table of all runs
    published : the paper's printed table, optional
    job : GeometryTableJob

    Returns
    -------
    PUBLISHABLE table
        As `laid_out` has it.  First of each row the cells of the split that is printed, `alignment` and
        `uniformity`; then those of the other splits that are there, `alignment, test`.

    Raises
    ------
    ConfigError
        The paper has no row of the name that a row gives.
    """
    of_form = measured[measured.form == job.form]
    others = [split for split in dict.fromkeys(of_form.split) if split != job.split]
    columns = {name: (job.split, name) for name in MEASURES}
    columns |= {f"{name}, {split}": (split, name) for split in others for name in MEASURES}
    found = {
        (cell["run"], cell["split"], cell["measure"]): {**NOTHING, "value": cell["value"], "n": cell["n"]}
        for cell in of_form[of_form.value.notna()].to_dict("records")
    }
    return laid_out(
        lambda run: {name: found.get((run, *what), NOTHING) for name, what in columns.items()}, published, job
    )


def _printed(tidy: pd.DataFrame) -> pd.DataFrame:
    return tidy[tidy.column.isin(MEASURES)]


def geometry_csv(tidy: pd.DataFrame, job: GeometryTableJob, missing: Mapping[str, str]) -> pd.DataFrame:
    """Return the printed table with the world in front and a note behind each row.

    Parameters
    ----------
    tidy : PUBLISHABLE table
    job : GeometryTableJob
    missing : mapping of `task/form/split`: file below the data folder
        From the metadata of the BENCHMARK table.
    """
    table = printed_table(_printed(tidy), DECIMALS)
    table.insert(0, "world", job.world)
    common = _left_out(job, missing, SPLITS if job.split == "all" else [job.split])
    table["note"] = ["; ".join(filter(None, [row.note, *common])) for row in job.rows]
    return table


def _left_out(job: GeometryTableJob, missing: Mapping[str, str], splits: Sequence[str]) -> list[str]:
    """Say which of some splits are not there."""
    wanted = {split: f"{TASK}/{job.form}/{split}" for split in splits}
    absent = {split: missing[what] for split, what in wanted.items() if what in missing}
    return [f"left out: {split} ({path} is not there)" for split, path in absent.items()]


def geometry_markdown(
    tidy: pd.DataFrame, published: pd.DataFrame | None, job: GeometryTableJob, missing: Mapping[str, str]
) -> str:
    """Write the table for people: the split that is printed, the others, what we did otherwise.

    The paper's numbers stand in a table of their own, and not at all if the world makes its own text.
    """
    others = tidy[~tidy.column.isin(MEASURES)]
    parts = [
        f"# {job.table}",
        job.caption,
        f"World `{job.world}`: {job.world_description}.",
        markdown_table(printed_table(_printed(tidy), DECIMALS).replace("", "–")),
        bullets(_notes(tidy, job, missing)),
    ]
    if len(others):
        parts += ["## On the other splits", markdown_table(printed_table(others, DECIMALS).replace("", "–"))]
    if published is not None and not job.generated and any(row.published for row in job.rows):
        labels = [row.published for row in job.rows]
        theirs = published_table(printed_rows(job.table, published, job.layout), labels, MEASURES, DECIMALS)
        parts += ["## The paper's numbers", f"As printed in: {job.source}.", markdown_table(theirs)]
    return joined([*parts, *deviation_parts(job.deviations)])


def _notes(tidy: pd.DataFrame, job: GeometryTableJob, missing: Mapping[str, str]) -> list[str]:
    notes = [f"{seeds_note(job.seeds)}.", "Lower is better for both. Vectors of length 1."]
    sizes: dict[str, list[str]] = {name: [] for name in MEASURES}
    for column, n in tidy[tidy.n > 0].groupby("column", sort=False).n.first().items():
        measure, _, split = str(column).partition(", ")
        sizes[measure].append(f"{split or job.split} {n}")
    notes.append(f"STS-B pairs with a gold score above {NEAR:g}: {', '.join(sizes['alignment']) or 'none'}.")
    notes.append(f"STS-B sentences, each text once: {', '.join(sizes['uniformity']) or 'none'}.")
    notes += [f"{note}." for note in _left_out(job, missing, SPLITS)]
    notes += row_notes(job.rows)
    if job.generated:
        notes.append(f"World {job.world} makes its own text: these numbers do not compare with any paper's.")
    return notes + job.notes


def scatter_points(tidy: pd.DataFrame, job: ScatterJob) -> pd.DataFrame:
    """Return the points of a figure: those of each row, and the paper's unless the world makes its own text.

    Parameters
    ----------
    tidy : PUBLISHABLE table, of alignment and uniformity
    job : ScatterJob

    Returns
    -------
    SCATTER table
        A row without both values has no point, neither ours nor the paper's.
    """
    points = []
    keys = ["row", "group", "model", "seed"]
    for place, cells in _printed(tidy).groupby(keys, sort=False, dropna=False):
        if cells.value.isna().any():
            continue
        sources = {"ours": cells.value}
        if cells.seed.isna().all() and cells.published.notna().all() and not job.generated:
            sources["published"] = cells.published
        for source, values in sources.items():
            about = {"figure": job.table, "world": job.world, "source": source}
            about |= dict(zip(keys, place, strict=True))
            points.append({**about, **dict(zip(cells.column, values, strict=True))})
    return pd.DataFrame(points, columns=SCATTER.columns).astype({"seed": "Int64"})
