"""The Markdown of the tables as self-contained HTML, and the templates around it."""

import base64
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import takewhile
from pathlib import Path
from typing import Any, NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml
from markdown_it.token import Token
from markupsafe import Markup, escape

from contrapose.errors import TableError
from contrapose.report.files import with_html

NUMBER = re.compile(  # with a spread, an interval with its p-value, a mark, a range; unknown, or empty
    r"[-+–]?([\d.,]+(e[-+]?\d+)?( ± [\d.,]+)?( \[.*\](, p (below )?[\d.]+)?)?( to \d+)?( [†≈])?)?|\?"
)
# Leading columns that a page shows as one: narrow screens have no room for more.
ROW_NAMES = (("group", "model"), ("group", "label"))
TEMPLATES = Path(__file__).parent / "templates"
MEDIA_TYPES = {".csv": "text/csv", ".png": "image/png"}


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


def filled(template: str, **values: Any) -> Markup:
    """Fill a template of `templates/`; every value is escaped unless it is `Markup`.

    Raises jinja2.UndefinedError if the template asks for a value that is not there.
    """
    return Markup(_environment().get_template(template).render(**values))


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    environment.filters["breakable"] = breakable
    return environment


def breakable(identifier: str) -> Markup:
    """Allow line breaks after each `/`, `+` and `_` of an id, so that long ids need no wide column."""
    return Markup(re.sub("([/+_])", r"\1<wbr>", str(escape(identifier))))


def data_uri(path: str | Path) -> str:
    """Return a CSV or PNG file as a `data:` URL, to embed it in a page."""
    path = Path(path)
    return f"data:{MEDIA_TYPES[path.suffix]};base64,{base64.b64encode(path.read_bytes()).decode()}"


def html_of(text: str, label: str, images: Mapping[str, str]) -> Markup:
    """Turn the Markdown of a table into HTML.

    HTML, links and image addresses in it are shown as text: cells hold sentences by models and unknown
    people, and a page loads nothing.  Cells of tables are plain text.  `label` is what the text is about and
    names its tables; `images` are the `data:` addresses of the files that it may show.  Raises TableError if
    it shows a PNG file beside it that is not among them.
    """
    parser = _parser()
    shown: list[Token] = []
    tokens = iter(parser.parse(text))
    for token in tokens:
        if token.type == "table_open":
            inside = takewhile(lambda each: each.type != "table_close", tokens)
            token = Token("html_block", "", 0, content=filled("grid.html", grid=_grid(inside, label)))
        shown.append(token)
    return Markup(parser.renderer.render(shown, parser.options, {"images": images, "label": label}))


def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False}).enable("table").disable(["link", "autolink"])
    parser.add_render_rule("image", _image)
    return parser


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
        raise TableError(f"{values['label']} shows {source}, which is not among the page's images.")
    return escapeHtml(f"{token.content} ({source})")
