"""With which settings the runs behind a table were trained: what their training logs say of themselves."""

from collections.abc import Mapping

import pandas as pd

from contrapose.config.rows import OF_PAIRS
from contrapose.errors import TableError
from contrapose.jobs import SettingsTableJob
from contrapose.report.files import bullets, deviation_parts, joined, markdown_table
from contrapose.report.published import printed_rows, published_numbers, published_table
from contrapose.report.sts_table import NOTHING, NUMBERS
from contrapose.tables import PUBLISHABLE


def settings_table(
    made: Mapping[str, Mapping], published: pd.DataFrame | None, job: SettingsTableJob
) -> pd.DataFrame:
    """Lay out the settings of runs as the cells of a table, tidy.

    Parameters
    ----------
    made : mapping of run id: provenance of its training log
        See `contrapose.stage.provenance`.
    published : the paper's printed table, optional
    job : SettingsTableJob
        Without candidates: see `sts_table.selected_rows`.

    Returns
    -------
    PUBLISHABLE table
        A cell per row and column, without a seed; `n` counts the runs.  A value is missing where a setting is
        null, which leaves it to the encoder, and in a row without runs.

    Raises
    ------
    ConfigError
        The paper has no row of the name that a row gives.
    TableError
        The runs of a row differ in a setting, or one is no number.
    """
    printed = printed_rows(job.table, published, job.layout)
    cells = []
    for number, row in enumerate(job.rows):
        numbers = published_numbers(row.published, row.model, printed)
        about = {"table": job.table, "world": job.world, "row": number, "group": row.group}
        about |= {"model": row.model, "run": "", "seed": None, "published_row": row.published or ""}
        for column, setting in job.columns:
            value = _setting(setting, row.runs, made, job)
            cell = {**NOTHING, "value": value, "n": len(row.runs), "published": numbers.get(column)}
            cells.append({**about, "column": column, **cell})
    return pd.DataFrame(cells, columns=PUBLISHABLE.columns).astype(NUMBERS)


def _setting(
    name: str, runs: list[str], made: Mapping[str, Mapping], job: SettingsTableJob
) -> float | str | None:
    """Return the one value of a setting that runs were trained with."""
    if name.startswith(OF_PAIRS):
        values = {job.pairs[run][name.removeprefix(OF_PAIRS)] for run in runs} or {None}
    else:
        values = {made[run]["settings"]["recipe"][name] for run in runs} or {None}
    if len(values) > 1:
        raise TableError(f"{runs[0]} and its other seeds differ in {name}: {values}. Train them again.")
    (value,) = values
    if value is not None and not isinstance(value, int | float):
        raise TableError(f"{runs[0]}: {name} is '{value}', no number. Leave this column out of the table.")
    return value


def printed_settings(tidy: pd.DataFrame) -> pd.DataFrame:
    """Return the table as it is printed; a setting that is left to the encoder is `–`."""
    rows = []
    for _, cells in tidy.groupby("row", sort=True):
        first = cells.iloc[0]
        texts = {cell["column"]: _text(cell["value"]) for cell in cells.to_dict("records")}
        rows.append({"group": first["group"], "model": first["model"], **texts})
    return pd.DataFrame(rows)


def _text(value: float) -> str:
    return "–" if pd.isna(value) else f"{value:g}"


def settings_csv(tidy: pd.DataFrame, job: SettingsTableJob) -> pd.DataFrame:
    """Return the printed table with the world in front and a note behind each row."""
    table = printed_settings(tidy)
    table.insert(0, "world", job.world)
    table["note"] = [row.note for row in job.rows]
    return table


def settings_markdown(tidy: pd.DataFrame, published: pd.DataFrame | None, job: SettingsTableJob) -> str:
    """Write the table for people; settings are the paper's own, so its table may always stand beside ours."""
    seeds = ", ".join(map(str, job.seeds))
    notes = [f"Read from the logs of the trainings (seeds {seeds})."]
    notes += [f"{row.group}: {row.model}: {row.note}" for row in job.rows if row.note]
    parts = [
        f"# {job.table}",
        job.caption,
        f"World `{job.world}`: {job.world_description}.",
        markdown_table(printed_settings(tidy)),
        bullets([*notes, *job.notes]),
    ]
    if published is not None:
        printed = printed_rows(job.table, published, job.layout)
        names = [name for name, _ in job.columns]
        theirs = published_table(printed, [row.published for row in job.rows], names, decimals=None)
        parts += ["## The paper's settings", f"As printed in: {job.source}.", markdown_table(theirs)]
    return joined([*parts, *deviation_parts(job.deviations)])
