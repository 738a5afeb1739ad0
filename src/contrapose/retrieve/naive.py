"""Evaluation sets as read by someone unaware of their pitfalls.

Never evaluated on.  The thesis's mean lengths show such readings, so tables of statistics print both.
"""

import csv
from collections.abc import Iterator, Mapping
from io import StringIO
from pathlib import Path
from typing import Annotated

import pandas as pd

from contrapose.base.errors import AGAIN, TableError
from contrapose.jobs.step import DataFolder, Rows
from contrapose.retrieve.benchmarks import SUBSETS, AnySource, BenchmarkFiles, Benchmarks, plan
from contrapose.retrieve.data_files import folders
from contrapose.retrieve.formats import split_files
from contrapose.retrieve.lines import text_lines
from contrapose.tables import NAIVE

__all__ = ["build", "plan"]  # it reads the same files

STSB_SENTENCES = slice(5, 7)  # columns: genre, file, year, index, score, sentence 1, sentence 2

Text = tuple[str, str, int, int, str]  # split, subset, row, side, text


def build(spec: Benchmarks, data: DataFolder) -> Annotated[pd.DataFrame, Rows(NAIVE)]:
    """Read the English evaluation sets naively."""
    return naive_texts(data, spec.root)


def naive_texts(data: Path | None, sources: Mapping[str, AnySource]) -> pd.DataFrame:
    """Read the texts of STS 2012 to 2016 and STS-B naively.

    For a year, every line counts, scored or not.  STS-B is read by a CSV reader that interprets quotation
    marks, which mean nothing there: a lone one swallows the rows up to the next, the last one all the rest.
    Swallowed sentences have no row, nor have missing files, SICK, and sets of the hub.
    """
    files = {name: source for name, source in sources.items() if isinstance(source, BenchmarkFiles)}
    rows = []
    for name, folder in folders(files, data)[0].items():
        source = files[name]
        readers = {"sts": _year(folder, source), "stsb": _stsb(folder, source)}
        rows += [(source.task, source.form, *text) for text in readers.get(source.kind, ())]
    return pd.DataFrame(rows, columns=NAIVE.columns).astype({"row": "int32", "side": "int16"})


def _year(folder: Path, source: BenchmarkFiles) -> Iterator[Text]:
    for subset in SUBSETS[source.task]:
        for line in text_lines(folder / f"STS.input.{subset}.txt"):
            for side, text in enumerate(line.fields[:2], 1):
                yield "test", subset, line.number, side, text


def _stsb(folder: Path, source: BenchmarkFiles) -> Iterator[Text]:
    for split, (file, _) in split_files("stsb", folder, source.task).items():
        if not (folder / file).is_file():
            continue
        for number, record in enumerate(_obeying_quotes(folder / file)):
            for side, text in enumerate(record[STSB_SENTENCES], 1):
                yield split, source.task, number, side, text


def _obeying_quotes(path: Path) -> Iterator[list[str]]:
    """Yield tab-separated records; swallowed text may be longer than csv's default limit for a field."""
    before = csv.field_size_limit(path.stat().st_size + 1)
    try:
        content = path.read_text(encoding="utf-8")
        yield from csv.reader(StringIO(content, newline=""), delimiter="\t")
    except (UnicodeDecodeError, csv.Error) as error:
        raise TableError(
            f"{path}: the file cannot be read as tab-separated UTF-8 ({error}). {AGAIN}"
        ) from error
    finally:
        csv.field_size_limit(before)
