"""What a person gives to `new`: read as the jobs will read it, before anything is written or trained."""

import csv
import json
import logging
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pandas as pd
from safetensors import SafetensorError, safe_open

from contrapose.base.errors import ConfigError, TableError, are_missing
from contrapose.corpus.published_lines import (
    BLANK_LINES,
    ORDER,
    SentenceFile,
    counted,
    distinct_lines,
    published_lines,
)
from contrapose.evaluate.sharing import Sharing
from contrapose.models.declared import Declared
from contrapose.models.folder_files import ADAPTER, MODULES, VOCABULARIES, damaged
from contrapose.report.inference import FEWEST_PAIRS
from contrapose.retrieve.dictionary_lines import CSV_ADVICE, CSV_HEADER, PROBABILITY
from contrapose.retrieve.formats import usable_pairs
from contrapose.retrieve.lines import Line, json_rows
from contrapose.retrieve.overlaps import SO, overlaps, pair_words, repeats
from contrapose.retrieve.triplet_files import HARD_NEGATIVE, SIMCSE_NAMES, simcse_rows
from contrapose.retrieve.user_pairs import USER_HEADER, check_user_pairs, user_pairs
from contrapose.retrieve.user_tables import user_rows, with_points
from contrapose.settings.catalogs.model_folders import CONFIG, checked_folder, encoder_files

logger = logging.getLogger(__name__)
FEW_SENTENCES = 20  # below which a comparison is hardly about more than these texts.  Ours
ADVICE_OF_INIT = "Correct --column or --documents, or the first line of the file."
ANSWER_KEYS = ("sentence", "paraphrases", "negative")  # as the catalog of `init` names them
ANSWER_FORM = (
    "Each line must be a JSON object with the keys sentence, paraphrases (a list of five texts) and negative "
    "(a text)."
)
NO_ANSWERS = (".csv", ".tsv", ".xlsx", ".parquet")  # endings of files that are no answers
INDEX = ".safetensors.index.json"  # of weights in several files: {"weight_map": {name: file}}

# Of tables that rows are made from: columns, of which the last may be missing, and what reads them.
MATERIAL: Mapping[str, tuple[Sequence[str], Callable[..., Iterator[Line]]]] = {
    "pairs": ([*SIMCSE_NAMES, HARD_NEGATIVE], simcse_rows),
    "phrases": (CSV_HEADER, partial(user_rows, names=CSV_HEADER, advice=CSV_ADVICE)),
}


class GivenTable(NamedTuple):
    """Columns of a person's table."""

    header: Sequence[str]
    rows: list[Line]

    def write(self, path: Path) -> None:
        """Write it as CSV, as the jobs read it."""
        with path.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(
                [self.header, *(line.fields for line in self.rows)]
            )


def checked_pairs(tests: Sequence[Path], dev: Path | None, separator: str = ",") -> dict[Path, GivenTable]:
    """Read scored pairs of a person's own, in any format of `user_rows`.

    The log warns of test pairs that are too few for a test of differences.  Raises TableError if a file
    cannot be read, a line is malformed, or nothing can be scored on the pairs.
    """
    tables, pairs = {}, {}
    for file in [*tests, *filter(None, [dev])]:
        tables[file] = GivenTable(USER_HEADER, user_pairs(file, separator))
        fields = ((line, *line.fields) for line in tables[file].rows)
        pairs[file] = usable_pairs(fields, str(file), "own", every_pair=True, spaces=True)[0]  # type: ignore[arg-type]
        check_user_pairs({"dev" if file == dev else "test": pairs[file]}, file)
    for test in tests if dev else ():
        check_user_pairs({"test": pairs[test], "dev": pairs[dev]}, dev)  # type: ignore[index]
    for test in tests:
        count, alone = (
            len(pairs[test]),
            Sharing(*zip(*(pair[1:3] for pair in pairs[test]), strict=True)).effective,
        )
        if alone < FEWEST_PAIRS:
            shared = f", which share sentences and count as {int(alone)} independent pairs"
            logger.warning(
                "%s: there are %d test pairs%s. With fewer than %d, the table shows scores but tests no "
                "difference on these pairs, and recommends no method by them.",
                *(test, count, shared if alone < count else "", FEWEST_PAIRS),
            )
    return tables


def given_overlaps(
    tests: Sequence[Path], files: Mapping[str, Path], column: str | None, tables: Mapping[Path, GivenTable]
) -> list[str]:
    """Return what test pairs share with the sentences and the pairs to train on, and pairs that occur twice.

    `tables` are those of `files` and `tests`, see `checked_pairs`, `checked_sentences`, `checked_material`.
    """
    texts, pairs = {}, {}
    if file := files.get("sentences"):
        lines = (
            published_lines(SentenceFile(path=file.name), file.parent).text
            if column is None
            else [line.fields[0] for line in tables[file].rows]
        )
        texts[f"the training sentences{SO}"] = lines
    if file := files.get("pairs"):
        pairs[f"the training pairs{SO}"] = _sides(tables[file])
    named = {str(test): _sides(tables[test]) for test in tests}
    others = [files[name] for name in ("dev", "pairs") if name in files]
    twice = [said for file in others for said in repeats(str(file), _words(tables[file]))]
    return [*overlaps(named, texts, pairs), *twice]


def _sides(table: GivenTable) -> list[tuple[str, str]]:
    return [(line.fields[0], line.fields[1]) for line in table.rows]


def _words(table: GivenTable) -> list[tuple[str, str]]:
    return [pair_words(*pair) for pair in _sides(table)]


def checked_sentences(
    file: Path, column: str | None, documents: str | None, separator: str = ","
) -> GivenTable | None:
    """Read sentences of a person's own; return their columns if they are a table.

    Raises TableError if the file cannot be read, lacks a column, has fewer than two sentences, or a single
    document where they have names or ends.
    """
    table = None
    if column is None:
        texts = published_lines(SentenceFile(path=file.name, documents=documents), file.parent)
    else:
        names = [column, *filter(None, [documents])]
        table = GivenTable(names, list(user_rows(file, names, ADVICE_OF_INIT, separator)))
        rows = [(line.fields[0], line.fields[-1]) for line in table.rows]
        texts = pd.DataFrame(rows, columns=["text", "document"], dtype=str)
    distinct, dropped = distinct_lines(texts[["text"]])
    counted(distinct, dropped, str(file))
    if len(distinct) < FEW_SENTENCES:
        logger.warning(
            "%s: there are only %d sentences, so each step of a training reads the same ones, and the result "
            "holds for little else. Give hundreds of sentences or more.",
            *(file, len(distinct)),
        )
    if documents not in (None, ORDER) and texts.document.nunique() < 2:
        what = "no blank line between two sentences"
        if documents != BLANK_LINES:
            what = f"the same name in each row of the column {documents}"
        raise TableError(
            f"{file}: the file has {what}, so with --documents {documents} it is one document. Mark where "
            "documents end, or omit the option."
        )
    return table


def checked_material(files: Mapping[str, Path], separator: str = ",") -> dict[Path, GivenTable]:
    """Read a person's pairs, phrases and recorded answers, and return those that are tables.

    A TableError names the line that is wrong.
    """
    tables = {}
    for name, (columns, reader) in MATERIAL.items():
        if file := files.get(name):
            rows = list(reader(file, separator=separator))
            rows = with_points(rows, columns.index(PROBABILITY)) if PROBABILITY in columns else rows
            width = len(rows[0].fields) if rows else len(columns)
            tables[file] = GivenTable(columns[:width], rows)
    if answers := files.get("answers"):
        if answers.suffix.lower() in NO_ANSWERS:
            raise TableError(f"{answers} is not a file of answers. {ANSWER_FORM}")
        for _ in json_rows(answers):
            pass
    return tables


def check_answers(file: Path) -> None:
    """Read recorded answers; raise a TableError for a line without their keys."""
    for where, row in json_rows(file):
        if missing := [key for key in ANSWER_KEYS if key not in row]:
            raise TableError(f"{where}: {are_missing('key', missing)}. {ANSWER_FORM}")


def checked_encoder(folder: Path) -> Declared:
    """Return what the folder of an encoder declares; a ConfigError says what it lacks.

    All parts are held against each other, but the values of weights are not read.
    """
    from contrapose.models.sentence_encoder import check_encoder  # loads PyTorch

    inside = sorted(path.parent for path in folder.rglob("*.safetensors") if (path.parent / CONFIG).is_file())
    marked = any((folder / name).is_file() for name in (CONFIG, MODULES, ADAPTER))
    if inside and not marked:
        raise ConfigError(
            f"--encoder {folder}: the folder has no {CONFIG}, but its folder {inside[0]} has one. Give "
            "that folder."
        )
    checked_folder(folder, "--encoder")
    try:
        check_model([Path(file) for file in encoder_files(str(folder))], tokenizer=True)
        return check_encoder(folder)
    except ConfigError as error:
        raise ConfigError(f"--encoder: {error}") from error


def check_model(paths: Sequence[Path], tokenizer: bool) -> None:
    """Raise a ConfigError if a file of a model is cut off or missing; of weights the headers are read."""
    for path in paths:
        try:
            if path.name == CONFIG or path.name.endswith(INDEX):
                content = json.loads(path.read_text(encoding="utf-8"))
                if not isinstance(content, dict):
                    raise ValueError(f"the content is a {type(content).__name__}, but an object is expected")
                _check_shards(path, content.get("weight_map", {}))
            if path.suffix == ".safetensors":
                safe_open(path, framework="numpy").__exit__(None, None, None)
        except (ValueError, SafetensorError) as error:
            raise damaged(path, error) from error
    if tokenizer and not any(path.match(name) for path in paths for name in (*VOCABULARIES, ADAPTER)):
        names = ", ".join(VOCABULARIES)
        raise ConfigError(
            f"'{os.path.commonpath(paths)}' has no tokenizer, because none of these files exists: {names}. "
            "Save the tokenizer there with save_pretrained."
        )


def _check_shards(index: Path, files: Mapping[str, str]) -> None:
    """Refuse an index of weights that names a file or a weight that is not there."""
    for name in sorted(set(files.values())):
        shard = index.parent / name
        if not shard.is_file():
            raise ValueError(f"the file names {name}, which does not exist")
        with safe_open(shard, framework="numpy") as opened:
            lacking = {weight for weight, file in files.items() if file == name} - {*opened.keys()}
        if lacking:
            raise ValueError(f"{name} lacks the weight {min(lacking)}")
