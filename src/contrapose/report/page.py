"""A page of the report: a table, a figure or the claims of a study, with all that a reader has to know."""

import json
from collections.abc import Mapping

import pandas as pd

from contrapose.report.about import About
from contrapose.report.files import bullets, image, page_text
from contrapose.report.jobs import PageJob
from contrapose.report.web import Grid, filled, grid_of, html_of

# Columns that the page says anyway, and one with a thousand numbers in a cell.
HIDDEN = ("table", "figure", "world", "study", "row", "resampled")
FIRST = ("group", "model", "label", "column", "seed", "slot", "value", "low", "high")  # what readers look for
PUBLISHED = "published"  # how the names of columns with a paper's numbers begin
NOTHING = "–"
# What columns mean in tables whose cells are rows.
EXPLANATIONS = {
    "n": "n: pairs, sentences or runs behind a value",
    "low": "low and high: the 95 % bootstrap interval",
    "spread": "spread: standard deviation over seeds",
    "error": "error: the standard error",
    "seed": f"seed {NOTHING}: the mean over seeds",
    "difference": "difference: to the baseline, with its 95 % interval and p-value, corrected (Holm)",
    "tied": "tied: no significant difference to the best row of the column",
    PUBLISHED: "published: the paper's number for the same cell",
}


def page(
    text: str, tidy: pd.DataFrame, made: Mapping, images: Mapping[str, str], csv: str | None, job: PageJob
) -> str:
    """Write a page as HTML that loads nothing.

    Parameters
    ----------
    text : str
        Its Markdown: that of a table or of claims, or `figure_markdown`.
    tidy : table of any schema
        Its Parquet file.  A paper's numbers are shown beside ours, unless the world makes its own text.
    made : mapping
        Provenance of that file.
    images : mapping of file name: `data:` address
    csv : `data:` address, optional
        Its CSV file.
    """
    shown = cells(tidy, job)
    explained = EXPLANATIONS if "value" in shown.columns else {}
    meanings = [meaning for column, meaning in explained.items() if column in shown.columns]
    return filled(
        "page.html",
        body=html_of(text, job.name, images),
        cells=shown,
        explanation=f"{'; '.join(meanings)}." if meanings else "Every row behind what is shown above.",
        csv=csv,
        made=made,
        settings=json.dumps(made["settings"], indent=1, ensure_ascii=False),
        job=job,
    )


def cells(tidy: pd.DataFrame, job: PageJob) -> Grid:
    """Return a tidy table as texts, without columns that say nothing to a reader.

    Those are `HIDDEN` and columns without a value.  In a world that makes its own text
    the paper's numbers are left out.
    """
    dropped = [name for name in tidy if name in HIDDEN or tidy[name].isna().all() or (tidy[name] == "").all()]
    if job.generated:
        dropped += [name for name in tidy if name.startswith(PUBLISHED)]
    shown = tidy.drop(columns=list(dict.fromkeys(dropped)))
    names = [name for name in FIRST if name in shown]
    shown = shown[[*names, *(name for name in shown if name not in names)]]
    rows = [[_text(value) for value in row] for row in shown.itertuples(index=False, name=None)]
    return grid_of(f"All numbers of {job.name}", list(shown), rows)


def _text(value: object) -> str:
    if pd.isna(value):
        return NOTHING
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def figure_markdown(made: Mapping) -> str:
    """Write what is said about a figure, from the provenance of its Parquet file."""
    about = About.model_validate(made["settings"]["about"])
    notes = list(about.notes)
    if about.generated:
        of_no_paper = "is made up: this figure cannot be compared with any paper's."
        notes.append(f"World {about.world} {of_no_paper}")
    return page_text(about, made["settings"]["spec"]["caption"], image(about), bullets(notes))
