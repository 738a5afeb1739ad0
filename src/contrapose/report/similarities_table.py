"""A table of how similar a sentence is to texts that were made of it: rows are texts, columns encoders."""

import pandas as pd

from contrapose.jobs import SimilaritiesTableJob
from contrapose.report.files import bullets, deviation_parts, joined, markdown_table, row_notes, seeds_note
from contrapose.report.published import printed_rows, published_numbers, published_table
from contrapose.report.sts_table import NOTHING, NUMBERS, laid_out, printed_table

DECIMALS = 2  # as PrdSimCSE prints them


def similarities_table(
    found: pd.DataFrame, published: pd.DataFrame | None, job: SimilaritiesTableJob
) -> pd.DataFrame:
    """Lay out cosines as the cells of a table, tidy.

    Parameters
    ----------
    found : TEXT_SIMILARITIES table of all runs
    published : the paper's printed table, optional
    job : SimilaritiesTableJob

    Returns
    -------
    PUBLISHABLE table
        A row per text and a column per encoder, by seed and as mean over seeds as `laid_out` has them.

    Raises
    ------
    ConfigError
        The paper has no row of the name that a text gives.
    """
    cosines = found.set_index(["run", "label"]).cosine.to_dict()

    def cells(run: str) -> dict[str, dict]:
        values = {text.label: cosines.get((run, text.label)) for text in job.texts}
        return {
            label: NOTHING if value is None else {**NOTHING, "value": value, "n": 1}
            for label, value in values.items()
        }

    encoders = [row.model_copy(update={"published": None}) for row in job.rows]
    by_encoder = laid_out(cells, None, job.model_copy(update={"rows": encoders}))
    printed = printed_rows(job.table, published, job.layout)
    parts = []
    for number, text in enumerate(job.texts):
        numbers = published_numbers(text.published, text.label, printed)
        part = by_encoder[by_encoder.column == text.label]
        theirs = [numbers.get(job.rows[encoder].published or "") for encoder in part["row"]]
        labels = {"row": number, "group": "", "model": text.label, "column": part.model}
        parts.append(part.assign(**labels, published=theirs, published_row=text.published or ""))
    return pd.concat(parts, ignore_index=True).astype(NUMBERS)


def _printed(tidy: pd.DataFrame, job: SimilaritiesTableJob) -> pd.DataFrame:
    table = printed_table(tidy, DECIMALS).drop(columns="group").rename(columns={"model": "label"})
    table.insert(1, "text", [text.text for text in job.texts])
    return table


def similarities_csv(tidy: pd.DataFrame, job: SimilaritiesTableJob) -> pd.DataFrame:
    """Return the printed table with the world in front, and what is said of the encoders behind each row."""
    table = _printed(tidy, job)
    table.insert(0, "world", job.world)
    return table.assign(note="; ".join(row_notes(job.rows)))


def similarities_markdown(
    tidy: pd.DataFrame, published: pd.DataFrame | None, job: SimilaritiesTableJob
) -> str:
    """Write the table for people; the paper's numbers only if the world does not make its own text."""
    notes = [f"{seeds_note(job.seeds)}.", f"Cosines with: {job.sentence}", *row_notes(job.rows)]
    if job.generated:
        notes.append(f"World {job.world} makes its own text: these numbers do not compare with any paper's.")
    parts = [
        f"# {job.table}",
        job.caption,
        f"World `{job.world}`: {job.world_description}.",
        markdown_table(_printed(tidy, job).replace("", "–")),
        bullets([*notes, *job.notes]),
    ]
    if published is not None and not job.generated:
        labels, columns = [text.published for text in job.texts], [row.published or "" for row in job.rows]
        theirs = published_table(printed_rows(job.table, published, job.layout), labels, columns, DECIMALS)
        parts += ["## The paper's numbers", f"As printed in: {job.source}.", markdown_table(theirs)]
    return joined([*parts, *deviation_parts(job.deviations)])
