"""A table of sizes: rows of pair sets, and pairs of evaluation sets."""

from collections.abc import Iterator, Mapping

import pandas as pd

from contrapose.config.rows import SizesRow
from contrapose.jobs import SizesTableJob
from contrapose.report.files import bullets, deviation_parts, joined, markdown_table
from contrapose.report.published import printed_rows, published_numbers, published_table
from contrapose.report.sts_table import NOTHING, NUMBERS
from contrapose.tables import PUBLISHABLE


def sizes_table(
    pair_sets: Mapping[str, int],
    benchmarks: pd.DataFrame,
    published: pd.DataFrame | None,
    job: SizesTableJob,
) -> pd.DataFrame:
    """Count what each cell names.  RISE, Table 4.

    Parameters
    ----------
    pair_sets : mapping of id: number of rows
        The job's `pairs`.
    benchmarks : BENCHMARK table, without rows where this world lacks the sets
        Its columns task, form and split are enough.
    published : the paper's printed table, optional
    job : SizesTableJob

    Returns
    -------
    PUBLISHABLE table
        A cell without a value where a row leaves the column out, or this world lacks what is counted.
    """
    printed = printed_rows(job.table, published, job.layout)
    of_form = benchmarks[benchmarks.form == job.form]
    counts = of_form.groupby(["task", "split"]).size().to_dict()
    cells = []
    for number, row in enumerate(job.rows):
        numbers = published_numbers(row.published, row.label, printed)
        about = {"table": job.table, "world": job.world, "row": number, "group": "", "model": row.label}
        about |= {"run": "", "seed": None, "published_row": row.published or ""}
        for column in job.columns:
            n = pair_sets.get(row.pairs.get(column, ""), 0)
            if column in row.sets:
                n = counts.get(row.sets[column], 0)
            cell = {**NOTHING, "value": float(n) if n else None, "n": n, "published": numbers.get(column)}
            cells.append({**about, "column": column, **cell})
    return pd.DataFrame(cells, columns=PUBLISHABLE.columns).astype(NUMBERS)


def printed_sizes(tidy: pd.DataFrame, job: SizesTableJob) -> pd.DataFrame:
    """Return the table as it is printed, whole numbers."""
    shown = tidy.assign(text=["–" if pd.isna(value) else f"{value:.0f}" for value in tidy.value])
    wide = shown.pivot(index="row", columns="column", values="text")
    return pd.DataFrame(
        {"label": [row.label for row in job.rows], **{name: wide[name] for name in job.columns}}
    )


def sizes_csv(tidy: pd.DataFrame, job: SizesTableJob, missing: Mapping[str, str]) -> pd.DataFrame:
    """Return the printed table with the world in front and what is missing behind each row."""
    table = printed_sizes(tidy, job)
    table.insert(0, "world", job.world)
    table["note"] = ["; ".join(_lacking(row, job, missing)) for row in job.rows]
    return table


def sizes_markdown(
    tidy: pd.DataFrame, published: pd.DataFrame | None, job: SizesTableJob, missing: Mapping[str, str]
) -> str:
    """Write the table for people; the paper's numbers are not there if the world makes its own text."""
    notes = [f"{row.label}: {note}." for row in job.rows for note in _lacking(row, job, missing)]
    if job.generated:
        notes.append(f"World {job.world} makes its own text: these numbers do not compare with any paper's.")
    parts = [
        f"# {job.table}",
        job.caption,
        f"World `{job.world}`: {job.world_description}.",
        markdown_table(printed_sizes(tidy, job)),
        bullets([*notes, *job.notes]),
    ]
    labels = [row.published for row in job.rows]
    if published is not None and not job.generated and any(labels):
        theirs = published_table(printed_rows(job.table, published, job.layout), labels, job.columns, 0)
        parts += [
            "## The paper's numbers",
            f"As printed in: {job.source}.",
            markdown_table(theirs.replace("", "–")),
        ]
    return joined([*parts, *deviation_parts(job.deviations)])


def _lacking(row: SizesRow, job: SizesTableJob, missing: Mapping[str, str]) -> Iterator[str]:
    """Yield why cells of a row are empty."""
    columns: dict[str, list[str]] = {}  # of each reason, in the order of the table
    for column in job.columns:
        reason = job.lacking.get(row.pairs.get(column, ""))
        if column in row.sets:
            task, split = row.sets[column]
            path = missing.get(f"{task}/{job.form}/{split}")
            reason = f"{path} is not there" if path is not None else None
        if reason is not None:
            columns.setdefault(reason, []).append(column)
    for reason, names in columns.items():
        yield f"{' and '.join(names)} {'is' if len(names) == 1 else 'are'} left out: {reason}"
