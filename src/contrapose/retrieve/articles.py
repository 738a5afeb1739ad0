"""Articles from files or from the Hugging Face hub, streamed into one table.

Three file formats: Parquet with a column per field, JSON lines with a key per field, and the output of
WikiExtractor (`<doc id= url= title=>` ... `</doc>`, many articles per file).
"""

import ast
import html
import logging
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, ClassVar, Literal

import pandas as pd
from pydantic import Field, RootModel
from tqdm import tqdm

from contrapose.base.errors import AGAIN, TableError, shown
from contrapose.jobs.step import DataFolder, Rows, planned
from contrapose.retrieve.data_files import BELOW, matching
from contrapose.retrieve.lines import Row, is_text, json_rows, need_names, parquet_rows, whole_lines
from contrapose.settings.hub import HubDataset, unavailable
from contrapose.settings.plan import Plan
from contrapose.settings.spec import ByKind, PathText, Spec
from contrapose.tables import ARTICLES

logger = logging.getLogger(__name__)

# Articles in a piece, and so in a row group: the corpus stage reads single articles at random, which costs
# one group each (about 3 MB of Wikipedia text).
ARTICLES_PER_PIECE = 1000

# An attribute ends before the next one or the end of the tag: older WikiExtractors leave `"` in titles.
_ATTRIBUTE = re.compile(r'\b(\w+)="(.*?)"(?=\s+\w+="|\s*>\s*$)')

# A bytes literal as Python prints it.
_PRINTED_BYTES = re.compile(r"""b(['"]).*\1""", re.DOTALL)
ADVICE = (
    "Set articles.id, articles.title and articles.text in the catalog file to the names of the fields in "
    "the file."
)


class ArticleFields(Spec):
    """Where the parts of an article are."""

    text: str = Field("text", description="This is the column or key of the text.")
    id: str | None = Field(
        "id", description="This is the column or key of the id. With null, the articles are numbered."
    )
    title: str | None = Field(
        "title", description="This is the column or key of the title. With null, there are no titles."
    )

    @property
    def names(self) -> list[str]:
        return [name for name in (self.id, self.title, self.text) if name is not None]


class ArticleFiles(ArticleFields):
    """The articles are in files."""

    kind: Literal["files"] = "files"
    path: PathText = Field(description=f"These are files {BELOW}. The path may contain `*`.")
    format: Literal["parquet", "jsonl", "wikiextractor"] = Field(
        description="This is the format of the files."
    )

    rows: ClassVar[None] = None  # unknown before they are read

    @property
    def files(self) -> list[str]:
        return [self.path]

    def lacking(self, project: Plan, name: str) -> str:
        return ""  # a job that needs a file says that it is missing


class HubTable(HubDataset, ArticleFields):
    """The articles are a data set of the Hugging Face hub, at a pinned commit."""

    kind: Literal["hub"] = "hub"
    name: str | None = Field(None, description="This is the configuration of the data set.")
    split: str = Field("train", description="The articles are in this split of the data set.")
    rows: int | None = Field(
        None,
        ge=1,
        exclude=True,
        description="This is the number of articles, which only `contrapose plan` uses.",
    )


ArticleSource = Annotated[ArticleFiles | HubTable, ByKind("files")]
Articles = RootModel[ArticleFiles | HubTable]


@planned
def plan(project: Plan, collection: str = "") -> Articles:
    """Return where articles are read from: the catalog's own, or those of a collection."""
    return Articles(project.source("collections" if collection else "articles", collection))


def build(spec: Articles, data: DataFolder) -> Iterator[Annotated[pd.DataFrame, Rows(ARTICLES)]]:
    """Read articles into one table, piece by piece."""
    source = spec.root
    if isinstance(source, HubTable):
        return hub_articles(source)
    return read_articles(matching(source.files, data)[source.path], source)


def read_articles(files: list[Path], source: ArticleFiles) -> Iterator[pd.DataFrame]:
    """Read articles file by file, in tables of at most `ARTICLES_PER_PIECE` rows.

    Articles without text are counted and left out.  Memory holds one piece of articles and all ids, about
    110 bytes per article; no ids where `source.id` is null.

    Where `source.id` is null, the id is the running number of the article over all files, in their order,
    from 1: the line number in a file of JSON lines.

    Raises TableError if a file cannot be read, a field is missing or is not text, an id occurs twice, or
    there is no article with text.
    """
    if not files:
        raise TableError(
            f"No file matches articles.path = '{source.path}'. Put the files into the data folder, or "
            "change the key in the catalog file."
        )
    rows = (row for file in files for row in READERS[source.format](file, source))
    yield from _pieces(rows, ", ".join(file.name for file in files[:3]), source)


def hub_articles(source: HubTable) -> Iterator[pd.DataFrame]:
    """Stream the articles of a data set of the hub, at its pinned revision.

    Raises BackendError if the hub, the data set, the configuration or the split cannot be reached, and
    TableError as `read_articles` does.
    """
    name = f"{source.dataset}@{source.revision}"
    yield from _pieces(_hub_rows(source, name), name, source)


def _hub_rows(source: HubTable, name: str) -> Iterator[Row]:
    from datasets import load_dataset

    number = 0
    try:
        rows = load_dataset(
            source.dataset, source.name, split=source.split, revision=source.revision, streaming=True
        )
        for number, row in enumerate(rows, start=1):
            yield f"{name}, row {number}", row
    except Exception as error:  # the library raises errors of many others
        raise unavailable(
            f"{name}, configuration {source.name!r}, split '{source.split}': the download stopped "
            f"after row {number}",
            error,
            "Check its entry in the catalog file and the network.",
        ) from error


def _pieces(rows: Iterator[Row], name: str, source: ArticleFiles | HubTable) -> Iterator[pd.DataFrame]:
    """Check, number and count articles, and yield them as ARTICLES tables."""
    ids: set[str] = set()
    articles: list[tuple[str, str, str]] = []
    number = blank = 0
    progress = tqdm(rows, desc="articles", unit=" articles", mininterval=5)
    for number, (where, row) in enumerate(progress, start=1):
        need_names(source.names, row, where, ADVICE)
        identifier = str(number)
        if source.id is not None:
            identifier = _as_id(row[source.id], where)
            if identifier in ids:
                raise TableError(
                    f"{where}: the id '{identifier}' occurs twice, but ids must be unique. Correct "
                    "the file, or set articles.id: null to number the articles."
                )
            ids.add(identifier)
        text = _as_text(row[source.text], "text", where)
        if not text.strip():
            blank += 1
            continue
        articles.append((identifier, _as_text(row.get(source.title or ""), "title", where), text))
        if len(articles) == ARTICLES_PER_PIECE:
            yield pd.DataFrame(articles, columns=ARTICLES.columns)
            articles = []
    if number == blank:
        raise TableError(
            f"{name}: none of the {blank} articles has text in '{source.text}'. Check articles.path "
            "and articles.text in the catalog file."
        )
    logger.info("%d articles; %d without text are skipped", number - blank, blank)
    if articles:
        yield pd.DataFrame(articles, columns=ARTICLES.columns)


def _as_id(value: object, where: str) -> str:
    text = value if isinstance(value, bytes) else str(value)
    if isinstance(value, bool) or not isinstance(value, str | int | bytes) or not text:
        raise TableError(
            f"{where}: the id is {shown(value)}, but a text or a whole number is expected. "
            f"Set articles.id to another field, or to null to number the articles."
        )
    return _as_text(text, "id", where)


def _as_text(value: object, field: str, where: str) -> str:
    """Return a text field: empty if missing, decoded as UTF-8 if bytes (TFDS) or printed bytes (Wiki-40B)."""
    if value is None:
        return ""
    text = _printed_bytes(value) if isinstance(value, str) and _PRINTED_BYTES.fullmatch(value) else value
    try:
        text = text.decode() if isinstance(text, bytes) else text
    except UnicodeDecodeError as error:
        raise TableError(f"{where}: the {field} is not UTF-8 ({error.reason}). Correct the file.") from error
    if not is_text(text):
        raise TableError(f"{where}: the {field} is {shown(value)}, but a text is expected. Correct the file.")
    return text


def _printed_bytes(text: str) -> bytes | str:
    """Return the bytes that Python printed as `text`, or `text` if it is only quoted like them."""
    try:
        return ast.literal_eval(text.replace("\n", "\\n"))
    except (SyntaxError, ValueError):
        return text


def _wikiextractor_rows(path: Path, source: ArticleFiles) -> Iterator[Row]:
    """Read `<doc ...>`, the title again, the body, `</doc>`; the repeated title is not part of the text."""
    attributes: dict[str, str] = {}
    body: list[str] | None = None
    start = str(path)
    for where, _, line in whole_lines(path):
        if line.startswith("<doc "):
            if body is not None:
                raise TableError(
                    f"{where}: an article begins before the line '</doc>', which ends the article that "
                    f"begins at {start}. {AGAIN}"
                )
            start, body = where, []
            attributes = {name: html.unescape(value) for name, value in _ATTRIBUTE.findall(line)}
        elif body is None and line.strip():
            raise TableError(
                f"{where}: expected a line '<doc id=... title=...>' as WikiExtractor writes it, but "
                "found text. Check articles.path."
            )
        elif body is not None and line.rstrip() == "</doc>":
            if body and body[0] == attributes.get("title"):
                del body[0]
            yield start, {**attributes, source.text: "\n".join(body).strip("\n")}
            body = None
        elif body is not None:
            body.append(line)
    if body is not None:
        raise TableError(f"{start}: the file ends before the line '</doc>' of this article. {AGAIN}")


READERS = {
    "parquet": lambda path, source: parquet_rows(path, source.names),
    "jsonl": lambda path, source: json_rows(path),
    "wikiextractor": _wikiextractor_rows,
}
