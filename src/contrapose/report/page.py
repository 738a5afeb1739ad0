"""A page of the report: a table, a figure or the claims of a study, with all that readers need to know."""

import json
from collections.abc import Mapping

import pandas as pd
from markupsafe import Markup

from contrapose.base.markdown import bullets
from contrapose.report.about import About
from contrapose.report.files import image, page_text
from contrapose.report.results import CatalogFacts, Result, StudyResults
from contrapose.report.web import Grid, filled, grid_of, html_of

# Columns that the page shows elsewhere, and one with a thousand numbers per cell.
HIDDEN = ("table", "figure", "catalog", "study", "row", "resampled")
FIRST = ("group", "model", "column", "variant", "seed", "slot", "value", "low", "high")  # readers look for
PUBLISHED = "published"  # prefix of the names of columns with a paper's numbers
NOTHING = "–"
MOST_ROWS = 500  # per page: the pages of all studies have to fit into a phone's memory
# What columns mean in tables whose cells are rows.
EXPLANATIONS = {
    "n": "n: pairs, sentences or runs behind a value",
    "low": "low and high: the 95 % interval",
    "spread": "spread: standard deviation over seeds",
    "error": "error: the standard error",
    "seed": f"seed {NOTHING}: the mean over seeds",
    "difference": "difference: to the baseline, with its 95 % interval and p-value, corrected (Holm)",
    "tied": "tied: no significant difference to the best row of the column",
    PUBLISHED: "published: the paper's number for the same cell",
}


def page(result: Result, study: StudyResults, catalog: CatalogFacts) -> Markup:
    """Write the page of a result as HTML that loads nothing: its Markdown, its rows, its provenance."""
    shown = cells(result, catalog)
    explained = EXPLANATIONS if "value" in shown.columns else {}
    meanings = [meaning for column, meaning in explained.items() if column in shown.columns]
    return filled(
        "page.html",
        result=result,
        study=study,
        beside=study.of(result),
        body=html_of(result.text, result.name, result.images),
        cells=shown._replace(rows=shown.rows[:MOST_ROWS]),
        count=len(shown.rows),
        explanation=f"{'; '.join(meanings)}." if meanings else "Every row behind what is shown above.",
        settings=json.dumps(result.made["settings"], indent=1, ensure_ascii=False),
    )


def cells(result: Result, catalog: CatalogFacts) -> Grid:
    """Return the rows of a Parquet file as texts, without columns that are `HIDDEN` or empty.

    A catalog that makes its own text shows none of the paper's numbers.
    """
    tidy = result.tidy
    dropped = [name for name in tidy if name in HIDDEN or tidy[name].isna().all() or (tidy[name] == "").all()]
    if catalog.generated:
        dropped += [name for name in tidy if name.startswith(PUBLISHED)]
    shown = tidy.drop(columns=list(dict.fromkeys(dropped)))
    names = [name for name in FIRST if name in shown]
    shown = shown[[*names, *(name for name in shown if name not in names)]]
    rows = [[_text(value) for value in row] for row in shown.itertuples(index=False, name=None)]
    return grid_of(f"All numbers of {result.name}", list(shown), rows)


def _text(value: object) -> str:
    if pd.isna(value):
        return NOTHING
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def figure_markdown(made: Mapping) -> str:
    """Write the text about a figure, from the provenance of its Parquet file."""
    about = About.model_validate(made["settings"]["about"])
    notes = list(about.notes)
    if about.generated:
        of_no_paper = "is made up: this figure cannot be compared with any paper's."
        notes.append(f"Catalog {about.catalog} {of_no_paper}")
    return page_text(about, made["settings"]["spec"]["caption"], image(about), bullets(notes))
