"""The Markdown of the tables as self-contained HTML, and the templates around it."""

import base64
import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml
from markdown_it.token import Token
from markupsafe import Markup, escape

from contrapose.base.errors import TableError
from contrapose.report.files import with_html
from contrapose.report.plots import DPI

NUMBER = re.compile(  # with a spread, an interval with its p-value, a mark, a range; unknown, or empty
    r"[-+–]?([\d.,]+(e[-+]?\d+)?( ± [\d.,]+)?( \[.*\](, p (below )?[\d.]+)?)?( to \d+)?( [†≈])?)?"
    r"|\?|none|below [\d.]+"
)
# Leading columns that a page shows as one: narrow screens have no room for more.
ROW_NAMES = (("group", "model"), ("group", "label"))
POINTS_PER_INCH = 72  # as SVG files of matplotlib count
TEMPLATES = Path(__file__).parent / "templates"
MEDIA_TYPES = {".csv": "text/csv", ".png": "image/png", ".tex": "application/x-tex"}
SCRIPT = Markup((TEMPLATES / "page.js").read_text(encoding="utf-8"))
# The page loads nothing, and runs nothing but `SCRIPT`: no word of a table or picture could.
POLICY = (
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'; "
    f"script-src 'sha256-{base64.b64encode(hashlib.sha256(SCRIPT.encode()).digest()).decode()}'"
)


class Grid(NamedTuple):
    """A table of texts, as a page shows it.  The first column names the rows."""

    label: str  # what it holds: caption and ARIA label
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    words: Sequence[bool]  # for each column: whether it holds words, not numbers

    @property
    def grouped(self) -> bool:
        return tuple(self.columns[:2]) in ROW_NAMES


def grid_of(label: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> Grid:
    """Return a table of texts; columns of numbers are recognised by their content."""
    cells = list(zip(*rows, strict=True)) or [()] * len(columns)
    return Grid(label, columns, rows, [not all(map(NUMBER.fullmatch, column)) for column in cells])


def filled(template: str, **values: object) -> Markup:
    """Fill a template of `templates/`; every value is escaped unless it is `Markup`.

    Raises jinja2.UndefinedError if the template asks for a value that is not there.
    """
    return Markup(ENVIRONMENT.get_template(template).render(**values))


def breakable(identifier: str) -> Markup:
    """Allow line breaks after each `/`, `+` and `_` of an id, so that long ids need no wide column."""
    return Markup(re.sub("([/+_])", r"\1<wbr>", str(escape(identifier))))


def heading(column: str) -> str:
    """Return the name of a column in words."""
    return re.sub(r"\b(cpu|gpu|usd)\b", lambda found: found[0].upper(), column.replace("_", " "))


ENVIRONMENT = Environment(
    loader=FileSystemLoader(TEMPLATES),
    autoescape=True,
    trim_blocks=True,
    lstrip_blocks=True,
    undefined=StrictUndefined,
)
ENVIRONMENT.filters |= {"breakable": breakable, "heading": heading}


def data_uri(path: str | Path) -> str:
    """Return a CSV or PNG file as a `data:` URL, to embed it in a page."""
    path = Path(path)
    return f"data:{MEDIA_TYPES[path.suffix]};base64,{base64.b64encode(path.read_bytes()).decode()}"


def picture(png: str | Path) -> str:
    """Return a picture for a page: the SVG file beside a PNG file, as large as that; or its `data:` URL."""
    svg = Path(png).with_suffix(".svg")
    if not svg.is_file():
        return data_uri(png)
    drawing = svg.read_text(encoding="utf-8").partition("<svg")[2]
    in_pixels = re.sub(
        r'(width|height)="([\d.]+)pt"',
        lambda length: f'{length[1]}="{float(length[2]) * DPI / POINTS_PER_INCH:.0f}"',
        drawing,
        count=2,
    )
    return Markup(f"<svg{in_pixels}")


def html_of(text: str, label: str, images: Mapping[str, str]) -> Markup:
    """Turn the Markdown of a table into HTML.

    HTML, links and image addresses in it are shown as text: cells hold sentences by models and unknown
    people, and a page loads nothing.  Cells of tables are plain text.  What follows a heading of the third
    level is folded below it.  `label` is what the text is about and
    names its tables; `images` are the pictures that it may show, by the names of their PNG files.  Raises
    TableError if it shows a PNG file beside it that is not among them.
    """
    parser = MarkdownIt("commonmark", {"html": False}).enable("table").disable(["link", "autolink"])
    parser.add_render_rule("image", _image)
    shown: list[Token] = []
    tokens, folded = iter(parser.parse(text)), False
    for token in tokens:
        if token.type == "table_open":
            inside = takewhile(lambda each: each.type != "table_close", tokens)
            token = _html(filled("grid.html", grid=_grid(inside, label)))
        elif token.type == "heading_open":
            if folded:
                shown.append(_html("</details>"))
            folded = token.tag == "h3"
            if folded:
                shown.append(_html("<details>"))
        if token.tag == "h3":
            token.tag = "summary"
        shown.append(token)
    if folded:
        shown.append(_html("</details>"))
    return Markup(parser.renderer.render(shown, parser.options, {"images": images, "label": label}))


def _html(content: str) -> Token:
    return Token("html_block", "", 0, content=content)


def _grid(tokens: Iterable[Token], label: str) -> Grid:
    lines: list[list[str]] = []
    for token in tokens:
        if token.type == "tr_open":
            lines.append([])
        elif token.type == "inline":
            lines[-1].append(with_html(token.content))
    return grid_of(label, lines[0], lines[1:])


def _image(renderer: object, tokens: Sequence[Token], at: int, options: object, values: Mapping) -> str:
    """Embed an image of ours, and show any other as its alternative text and address."""
    token = tokens[at]
    source, images = str(token.attrs["src"]), values["images"]
    if source in images:
        alt = f"Plot of {values['label']}: its numbers are in the tables of this page."
        return filled("image.html", source=images[source], alt=alt)
    if source == f"{token.content}.png":  # as our own tables write it
        raise TableError(
            f"{values['label']} shows {source}, which is not an image of this page. Build the result again."
        )
    return escapeHtml(f"{token.content} ({source})")
