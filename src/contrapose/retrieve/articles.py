"""Articles from files or from the Hugging Face hub, streamed into one table.

Three file formats: Parquet with a column per field, JSON lines with a key per field, and the output of
WikiExtractor (`<doc id= url= title=>` ... `</doc>`, many articles per file).
"""

import ast
import html
import json
import logging
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, NamedTuple

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import RootModel
from tqdm import tqdm

from contrapose.errors import ContraposeError, TableError
from contrapose.retrieve.hub import unavailable
from contrapose.settings.worlds import ArticleFiles, HubTable
from contrapose.steps import Project, Rows, planned
from contrapose.tables import ARTICLES

logger = logging.getLogger(__name__)

# Articles in a piece, and so in a row group: the corpus stage reads single articles at random, which costs
# one group each (about 3 MB of Wikipedia text).
ARTICLES_PER_PIECE = 1000

# An attribute ends before the next one or the end of the tag: older WikiExtractors leave `"` in titles.
_ATTRIBUTE = re.compile(r'\b(\w+)="(.*?)"(?=\s+\w+="|\s*>\s*$)')

# A bytes literal as Python prints it.
_PRINTED_BYTES = re.compile(r"""b(['"]).*\1""", re.DOTALL)


class _Found(NamedTuple):
    """One article as read from its file; `id` is missing if the articles are to be numbered."""

    where: str  # file and line or row, for messages
    id: object
    title: object
    text: object


ArticlesOf = RootModel[ArticleFiles | HubTable]


@planned
def plan(project: Project, collection: str = "") -> ArticlesOf:
    from contrapose.project import data

    return ArticlesOf(data.collection_source(project, collection) if collection else data.articles(project))


def build(spec: ArticlesOf, files: list[str]) -> Iterator[Annotated[pd.DataFrame, Rows(ARTICLES)]]:
    """Read articles into one table, piece by piece."""
    source = spec.root
    if isinstance(source, HubTable):
        return hub_articles(source)
    return read_articles(article_paths(map(Path, files), source), source)


def article_paths(inputs: Iterable[Path], source: ArticleFiles) -> list[Path]:
    """Return the files to read: the inputs, and for a folder the files below it that match `source.path`."""
    paths = []
    for place in inputs:
        paths += sorted(place.glob(source.path)) if place.is_dir() else [place]
    return paths


def read_articles(files: Iterable[Path], source: ArticleFiles) -> Iterator[pd.DataFrame]:
    """Read articles file by file, in tables of at most `ARTICLES_PER_PIECE` rows.

    Articles without text are counted and left out.  Memory holds one piece of articles and all ids, about
    110 bytes per article; no ids where `source.id` is null.

    Where `source.id` is null, the id is the running number of the article over all files, in their order,
    from 1: the line number in a file of JSON lines.

    Raises TableError if a file cannot be read, a field is missing or is not text, an id occurs twice, or
    there is no article with text.
    """
    paths = [Path(file) for file in files]
    if not paths:
        raise TableError(
            f"No file matches articles.path = '{source.path}'. Put the files below the data folder, "
            f"or change the key in the world file."
        )
    read = _READERS[source.format]
    found = (article for path in paths for article in read(path, source))
    yield from _pieces(found, ", ".join(path.name for path in paths[:3]), source.text)


def hub_articles(source: HubTable) -> Iterator[pd.DataFrame]:
    """Stream the articles of a data set of the hub, at its pinned revision.

    Raises BackendError if the hub, the data set, the configuration or the split cannot be reached, and
    TableError as `read_articles` does.
    """
    from datasets import load_dataset

    name = f"{source.dataset}@{source.revision}"
    try:
        rows = load_dataset(
            source.dataset, source.name, split=source.split, revision=source.revision, streaming=True
        )
        first = next(iter(rows), None)
    except Exception as error:  # the library raises errors of many others
        raise unavailable(
            f"{name}: cannot open configuration {source.name!r}, split '{source.split}'",
            error,
            "Check its entry in the world file and the network.",
        ) from error
    if first is not None:
        _need([source.id, source.title, source.text], first, name, "columns")
    yield from _pieces(_hub_rows(rows, source, name), name, source.text)


def _hub_rows(rows: Iterable[dict], source: HubTable, name: str) -> Iterator[_Found]:
    number = 0
    try:
        for number, row in enumerate(rows, start=1):
            yield _found(row, source, f"{name}, row {number}")
    except ContraposeError:
        raise
    except Exception as error:  # as above
        raise unavailable(f"{name}: broke off after row {number}", error, "Start the step again.") from error


def _pieces(articles: Iterator[_Found], source: str, text_field: str) -> Iterator[pd.DataFrame]:
    """Check, number and count articles, and yield them as ARTICLES tables."""
    seen: set[str] = set()
    rows: list[tuple[str, str, str]] = []
    number = blank = 0
    progress = tqdm(articles, desc="articles", unit=" articles", mininterval=5)
    for number, article in enumerate(progress, start=1):
        if article.id is None:
            identifier = str(number)
        else:
            identifier = _as_id(article)
            if identifier in seen:
                raise TableError(
                    f"{article.where}: id '{identifier}' occurs twice; ids must be unique. "
                    f"Correct the file, or set articles.id: null to number the articles."
                )
            seen.add(identifier)
        text = _as_text(article.text, "text", article.where)
        if not text.strip():
            blank += 1
            continue
        rows.append((identifier, _as_text(article.title, "title", article.where), text))
        if len(rows) == ARTICLES_PER_PIECE:
            yield pd.DataFrame(rows, columns=ARTICLES.columns)
            rows = []
    if number == blank:
        raise TableError(
            f"{source}: {blank} articles, none with text in '{text_field}'. "
            f"Check articles.path and articles.text in the world file."
        )
    logger.info("%d articles; %d without text left out", number - blank, blank)
    if rows:
        yield pd.DataFrame(rows, columns=ARTICLES.columns)


def _as_id(article: _Found) -> str:
    if isinstance(article.id, bytes) and article.id:
        return _as_text(article.id, "id", article.where)
    if isinstance(article.id, bool) or not isinstance(article.id, str | int) or article.id == "":
        raise TableError(
            f"{article.where}: the id is {article.id!r}, expected a text or a whole number. "
            f"Set articles.id to another field, or to null to number the articles."
        )
    return _as_text(str(article.id), "id", article.where)


def _as_text(value: object, field: str, where: str) -> str:
    """Return a text field: empty if missing, decoded as UTF-8 if bytes (TFDS) or printed bytes (Wiki-40B)."""
    if value is None:
        return ""
    if isinstance(value, str) and _PRINTED_BYTES.fullmatch(value):
        value = _printed_bytes(value)
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError as error:
            raise TableError(
                f"{where}: the {field} is not UTF-8 ({error.reason}). Correct the file."
            ) from error
    if not isinstance(value, str):
        raise TableError(f"{where}: the {field} is {type(value).__name__}, expected text.")
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError as error:  # half of a surrogate pair, which JSON allows
            raise TableError(
                f"{where}: the {field} holds a character that is no Unicode text ({error.reason}). "
                f"Correct the file."
            ) from error
    return value


def _printed_bytes(text: str) -> bytes | str:
    """Return the bytes that Python printed as `text`, or `text` if it is only quoted like them."""
    try:
        return ast.literal_eval(text.replace("\n", "\\n"))
    except (SyntaxError, ValueError):
        return text


def _need(fields: Iterable[str | None], present: Iterable[str], where: str, kind: str) -> None:
    """Refuse an article or a file that lacks one of `fields`."""
    known = list(present)
    missing = [field for field in fields if field is not None and field not in known]
    if missing:
        raise TableError(
            f"{where}: no {kind} {missing}; there are {known}. "
            f"Set articles.id, articles.title and articles.text in the world file to what the file has."
        )


def _parquet_articles(path: Path, source: ArticleFiles) -> Iterator[_Found]:
    fields = [source.id, source.title, source.text]
    row = 0
    try:
        with pq.ParquetFile(path, pre_buffer=False) as file:
            _need(fields, file.schema_arrow.names, str(path), "columns")
            columns = sorted({field for field in fields if field is not None})
            for batch in file.iter_batches(batch_size=ARTICLES_PER_PIECE, columns=columns):
                for record in batch.to_pylist():
                    row += 1
                    yield _found(record, source, f"{path}, row {row}")
    except (pa.ArrowException, OSError) as error:
        raise TableError(
            f"{path}: cannot be read as Parquet after row {row} ({error}). "
            f"Fetch the file again, or correct articles.format."
        ) from error


def _json_articles(path: Path, source: ArticleFiles) -> Iterator[_Found]:
    for where, line in _lines(path):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise TableError(
                f"{where}: not JSON ({error}). Expected one object a line; "
                f"correct the line or articles.format."
            ) from error
        if not isinstance(record, dict):
            raise TableError(f"{where}: holds a {type(record).__name__}, expected one JSON object a line.")
        _need([source.id, source.title, source.text], record, where, "keys")
        yield _found(record, source, where)


def _wikiextractor_articles(path: Path, source: ArticleFiles) -> Iterator[_Found]:
    """Read `<doc ...>`, the title again, the body, `</doc>`; the repeated title is not part of the text."""
    attributes: dict[str, str] = {}
    body: list[str] | None = None
    start = where = str(path)
    for where, line in _lines(path):
        if line.startswith("<doc "):
            if body is not None:
                raise TableError(f"{where}: an article starts before '</doc>' ended that of {start}.")
            start, body = where, []
            attributes = {name: html.unescape(value) for name, value in _ATTRIBUTE.findall(line)}
            _need([source.id, source.title], attributes, where, "attributes")
        elif body is None and line.strip():
            raise TableError(
                f"{where}: expected a line '<doc id=... title=...>' of WikiExtractor, found text."
            )
        elif body is not None and line.rstrip() == "</doc>":
            if body and body[0].rstrip("\n") == attributes.get("title"):
                del body[0]
            yield _found({**attributes, source.text: "".join(body).strip("\n")}, source, start)
            body = None
        elif body is not None:
            body.append(line)
    if body is not None:
        raise TableError(f"{start}: the file ends before the article's '</doc>'. Fetch the file again.")


def _found(record: dict, source: ArticleFiles | HubTable, where: str) -> _Found:
    if source.id is not None and record[source.id] is None:
        raise TableError(f"{where}: no id. Set articles.id: null in the world file to number the articles.")
    return _Found(where, record.get(source.id), record.get(source.title), record[source.text])


def _lines(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the lines of a UTF-8 file, each with its place for messages."""
    number = 0
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                text = line.decode("utf-8-sig" if number == 1 else "utf-8")
                yield f"{path}, line {number}", text.replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise TableError(f"{path}: line {number} is not UTF-8 ({error.reason}). Convert the file.") from error
    except OSError as error:
        raise TableError(f"{path}: cannot be read ({error.strerror}). Check articles.path.") from error


_READERS = {"parquet": _parquet_articles, "jsonl": _json_articles, "wikiextractor": _wikiextractor_articles}
