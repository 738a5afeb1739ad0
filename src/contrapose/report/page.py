"""A page of the report: a table, a figure or the claims of a study, with all that readers need to know."""

import json
import re
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from math import isinf

import pandas as pd
from markupsafe import Markup

from contrapose.base.markdown import bullets, markdown_table
from contrapose.jobs.status import read_status
from contrapose.report.about import About, row_label
from contrapose.report.chart import chart
from contrapose.report.files import image, page_text
from contrapose.report.findings import means_of, ranked
from contrapose.report.look import shortened
from contrapose.report.pictures import heat_maps, planes
from contrapose.report.recommendation import RANKING
from contrapose.report.results import CatalogFacts, Result, StudyResults
from contrapose.report.share_curves import share_curves
from contrapose.report.web import Grid, filled, grid_of, html_of

# Columns that the page shows elsewhere, and one with a thousand numbers per cell.
HIDDEN = ("table", "figure", "catalog", "study", "row", "resampled")
# Columns that readers look for.
FIRST = ("group", "model", "column", "variant", "seed", "slot", "value", "ci_low", "ci_high")
PUBLISHED = "published"  # prefix of the names of columns with a paper's numbers
NOTHING = "–"
COPIES = (
    "Both texts of each pair are the same, and so their cosine is 1. This method changes them only during "
    "training, for example by dropout inside the encoder."
)
FEW = 3  # notes that stand below a table without being folded
CUT = re.compile(r"([\d.]+ %) of the training texts are cut")
LEAST, LARGE = 0.0001, 1e6  # smaller and larger numbers would be printed with exponents
MOST_ROWS = 500  # per page: the pages of all studies have to fit into a phone's memory
# What columns mean in tables whose cells are rows.
EXPLANATIONS = {
    "n": "n: the number of pairs, sentences or runs of a value",
    "ci_low": "ci_low and ci_high: the 95 % interval of the value",
    "std": "std: the standard deviation over seeds",
    "error": "error: the standard error",
    "seed": f"seed {NOTHING}: the mean over seeds",
    "difference": "difference: to the baseline, with its 95 % interval and p-value, corrected (Holm)",
    "mde": "mde: the minimum detectable effect, which is found with a probability of 80 %",
    "in_best_set": "in_best_set: not significantly different from the best method of the column",
    PUBLISHED: "published: the paper's number for the same cell",
}


def page(result: Result, study: StudyResults, catalog: CatalogFacts) -> Markup:
    """Write the page of a result as HTML that loads nothing: its Markdown, its rows, its provenance."""
    shown, means, (column, _) = cells(result, catalog), means_of(result.tidy), ranked(result)
    names = [column] * bool(column)
    is_scores = bool(column) and RANKING in read_status(result.made).facts
    if is_scores:
        names += [*result.general, *means.column]
    charts = [
        chart(result, name, of) for name in dict.fromkeys(names) if len(of := means[means.column == name])
    ]
    explained = EXPLANATIONS if "value" in shown.columns else {}
    meanings = [meaning for column, meaning in explained.items() if column in shown.columns]
    return filled(
        "page.html",
        result=result,
        study=study,
        beside=study.of(result),
        charts=charts,
        curves=share_curves(result, means, dict.fromkeys(names)),
        planes=planes(result, means, column, result.general) if is_scores else [],
        heats=heat_maps(result, means, names) if names else [],
        cards=pair_cards(result),
        body=html_of(_for_page(result, is_scores), result.title, result.images),
        cells=shown._replace(rows=shown.rows[:MOST_ROWS]),
        count=len(shown.rows),
        explanation=f"{'; '.join(meanings)}."
        if meanings
        else "This table has every row that the result above is made from.",
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
    if not isinstance(value, float):
        return str(value)
    if isinf(value):  # of factors: nothing would do
        return "none"
    if 0 < abs(value) < LEAST:
        return f"below {LEAST}"
    return f"{value:,.0f}" if abs(value) >= LARGE else f"{value:.6g}"


def spec_kind(result: Result) -> str:
    """Return the kind of a table or figure."""
    return result.made["settings"].get("spec", {}).get("kind", "")


def skipped_rows(result: Result) -> dict[str, str]:
    """Return why each row of a table has no numbers, by its label."""
    rows = result.made["settings"].get("about", {}).get("rows", [])
    built = set(means_of(result.tidy)["row"]) if rows else set()
    return {
        row_label(row["group"], row["model"]): (row["note"] or "its notes say why").removeprefix("skipped: ")
        for number, row in enumerate(rows)
        if number not in built
    }


def _for_page(result: Result, has_chart: bool) -> str:
    """Return the Markdown of a result without title and plot, its notes folded, those on rows in a table."""
    text = re.sub(r"\A# .*\n", "", result.text)
    if has_chart:
        text = text.replace(f"![{result.name}]({result.name}.png)\n", "")
    if spec_kind(result) == "samples":
        text = text.partition("\n### ")[0]  # pairs are cards
    found = re.search(r"(?m)(^- .*(\n|\Z))+", text)
    if not found or found[0].count("\n- ") < FEW:
        return text
    labels = [
        row_label(row["group"], row["model"])
        for row in result.made["settings"].get("about", {}).get("rows", [])
    ]
    of_rows: dict[str, list[str]] = {}
    others = []
    for line in found[0].splitlines():
        note, named = _note_of_rows(line.removeprefix("- "), labels)
        for label in named:
            of_rows.setdefault(label, []).append(note)
        others += [] if named else [line]
    table = pd.DataFrame(
        [
            (label, _cut(notes), "; ".join(note for note in notes if not CUT.search(note)))
            for label, notes in of_rows.items()
        ],
        columns=["method", "texts cut", "notes"],
    )
    shown = [markdown_table(table.replace("", NOTHING))] if len(table) else []
    notes = "\n\n".join(["### Notes", *shown, "\n".join(others)])
    after = text[found.end() :]
    return (
        f"{text[: found.start()]}{after if after.strip() else ''}\n\n{notes}\n"
        if "## " not in after
        else (f"{text[: found.start()]}{notes}\n\n{after}")
    )


def _cut(notes: Sequence[str]) -> str:
    return next((found[1] for note in notes if (found := CUT.search(note))), "")


def _note_of_rows(line: str, labels: Sequence[str]) -> tuple[str, list[str]]:
    """Split a note from the labels of its rows, which stand before or after it; no labels if it has none."""
    for colon in (each.start() for each in re.finditer(": ", line)):
        before, after = line[:colon], line[colon + 2 :]
        if named := _labels(before, labels):
            return after, named
        if named := _labels(after.removesuffix("."), labels):
            return before, named
    return line, []


def _labels(text: str, labels: Sequence[str]) -> list[str]:
    """Return the labels that a text is a list of; empty if it is none.  Labels may hold commas."""
    for label in labels:
        if text == label:
            return [label]
        if text.startswith(f"{label}, ") and (rest := _labels(text[len(label) + 2 :], labels)):
            return [label, *rest]
    return []


def pair_cards(result: Result) -> list[Mapping[str, object]]:
    """Return the pairs of each method in a table of samples, with the words that a positive changes."""
    if spec_kind(result) != "samples":
        return []
    shown: list[Mapping[str, object]] = []
    for _, pairs in result.tidy.groupby("row", sort=False):
        first = pairs.iloc[0]
        means = {"positives": first.mean_cosine, "hard negatives": first.mean_negative_cosine}
        known = ", ".join(f"{name} {mean:.3f}" for name, mean in means.items() if pd.notna(mean))
        shown.append(
            {
                "label": row_label(first["group"], first["model"]),
                "cosines": f"mean cosine before training: {known}" if known else "",
                "note": COPIES if (pairs.anchor == pairs.positive).all() else "",
                "pairs": [_pair(pair) for pair in pairs.to_dict("records")],
            }
        )
    return shown


def _pair(pair: Mapping) -> dict[str, object]:
    numbers = {"label": "label", "cosine": "cosine before training", "negative_cosine": "of negatives"}
    return {
        "anchor": shortened(pair["anchor"]),
        "positive": _changed(shortened(pair["anchor"]).split(), shortened(pair["positive"]).split()),
        "negative": shortened(pair["negative"]) if pd.notna(pair["negative"]) else "",
        "numbers": ", ".join(
            f"{name} {pair[key]:.2f}" for key, name in numbers.items() if pd.notna(pair[key])
        ),
    }


def _changed(before: Sequence[str], after: Sequence[str]) -> list[tuple[str, str]]:
    """Return runs of words with the HTML element that marks their change; empty: as before."""
    runs = []
    for kind, start, end, first, last in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if kind == "equal":
            runs.append((" ".join(after[first:last]), ""))
            continue
        runs += [(" ".join(before[start:end]), "del")] * (end > start)
        runs += [(" ".join(after[first:last]), "ins")] * (last > first)
    return runs


def figure_markdown(made: Mapping) -> str:
    """Write the text about a figure, from the provenance of its Parquet file."""
    about = About.model_validate(made["settings"]["about"])
    notes = list(about.notes)
    if about.generated:
        of_no_paper = "is made up: this figure cannot be compared with any paper's."
        notes.append(f"Catalog {about.catalog} {of_no_paper}")
    return page_text(about, made["settings"]["spec"]["caption"], image(about), bullets(notes))
