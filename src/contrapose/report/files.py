"""Tables, and texts about tables and figures, as files that people read: CSV and Markdown."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import pandas as pd

from contrapose.base.markdown import bullets, markdown_table
from contrapose.report.about import About, Source, TableRow
from contrapose.report.headers import ROW, headed
from contrapose.settings.deviations import Deviation
from contrapose.tables import written
from contrapose.text.equal_text import INVISIBLE

# What spreadsheets take for a formula, but numbers with a sign, such as `-0.31 ± 0.05` and `+20%`: also
# after blanks, apostrophes and characters that are not seen, and with the full-width and small signs of
# East Asian keyboards.
UNSEEN = "".join(map(chr, INVISIBLE)) + r"\u200b-\u200f\u202a-\u202e\u2060-\u206f"
FORMULA = re.compile(
    rf"[' \u00a0\u3000{UNSEEN}]*"
    rf"([=@＝＠﹦﹫\t\r\n]|[-+－＋﹣﹢](?![-+\d.,\s±%*†()\[\];–−{UNSEEN}]*\Z))"
)


def write_csv(table: pd.DataFrame, path: str | Path) -> None:
    """Write with a header line and Unix line endings."""
    with written(path) as draft:
        without_formulas(table).to_csv(draft, index=False, lineterminator="\n")


def without_formulas(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table whose texts no spreadsheet calculates: an apostrophe stands before those it would.

    See owasp.org, "CSV Injection".  `with_formula` takes it off again.
    """
    texts = table.select_dtypes(["object", "string", "category"])
    return table.assign(**texts.astype(object).map(_without_formula)).rename(columns=_without_formula)


def _without_formula(cell: object) -> object:
    return f"'{cell}" if isinstance(cell, str) and FORMULA.match(cell) else cell


def with_formula(text: str) -> str:
    """Return a text that `without_formulas` was given."""
    return text[1:] if text.startswith("'") and FORMULA.match(text[1:]) else text


def write_text(text: str, path: str | Path) -> None:
    """Write in UTF-8."""
    with written(path) as draft:
        draft.write_bytes(text.encode())


def page_text(about: About, caption: str, *parts: str) -> str:
    """Write Markdown about a table or figure: what it is, the parts, and our deviations from the paper."""
    catalog = f"Catalog `{about.catalog}`: {about.catalog_description}."
    return joined([f"# {about.name}", caption, catalog, *parts, *deviation_parts(about.deviations)])


def deviation_parts(deviations: Sequence[Deviation]) -> list[str]:
    """Return the section on what a paper leaves open, as parts for `joined`; empty if there are none."""
    lines = [f"{each.where}. {each.paper} **In Contrapose:** {each.ours}" for each in deviations]
    return ["## Deviations from the paper, and points that it leaves open", bullets(lines)] if lines else []


def joined(parts: Sequence[str]) -> str:
    """Join the non-empty parts of a Markdown text, as text without HTML."""
    return without_html("\n\n".join(part for part in parts if part)) + "\n"


def without_html(text: str) -> str:
    """Escape `<`, and `&` where it begins a reference, so that Markdown readers see no HTML."""
    return re.sub(r"&(?=#?\w+;)", "&amp;", text).replace("<", "&lt;")


def with_html(text: str) -> str:
    """Return the text that `without_html` was given."""
    return text.replace("&lt;", "<").replace("&amp;", "&")


def image(about: About) -> str:
    """Return the Markdown image of the plot beside the Markdown of a table."""
    return f"![{about.name}]({about.name}.png)"


def shown_table(table: pd.DataFrame) -> str:
    """Write a table of texts in Markdown, with a dash for missing values and no column of empty groups.

    Its columns may be by part, see `headers`.
    """
    group = (ROW, "group") if table.columns.nlevels > 1 else "group"
    if group in table and not table[group].any():
        table = table.drop(columns=[group])
    return markdown_table(headed(table).replace("", "–"))


def seeds_note(seeds: Sequence[int]) -> str:
    """Return how many trainings are behind a row, in words."""
    if len(seeds) == 1:
        return f"One training per method (seed {seeds[0]})"
    numbers = ", ".join(map(str, seeds))
    return f"Mean ± standard deviation over {len(seeds)} trainings per method (seeds {numbers})"


def row_notes(rows: Sequence[TableRow] | Sequence[Source]) -> Iterator[str]:
    """Yield the notes of rows, after the rows' names; a note that most rows share has no names."""
    labels: dict[str, list[str]] = {}
    for row in rows:
        if row.note:
            labels.setdefault(row.note, []).append(row.label)
    for note, names in labels.items():
        yield note if len(names) > max(1, len(rows) / 2) else f"{', '.join(names)}: {note}"
