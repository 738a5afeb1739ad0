"""Write the folder of a comparison of your own, from `examples/wiki`: your files, settings with comments."""

import argparse
import logging
import shlex
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from contrapose.directory import with_directory
from contrapose.encoders.declared import declared
from contrapose.errors import ConfigError
from contrapose.home import HOME
from contrapose.settings.worlds import EmbeddingEndpoint
from contrapose.tasks import OWN
from contrapose.tools.check_input import (
    GivenTable,
    checked_material,
    checked_pairs,
    checked_sentences,
    given_leaks,
)
from contrapose.tools.new_settings import (
    ENCODERS,
    MOST_HELD_OUT,
    WORLD,
    Given,
    changes,
    given_embedder,
    place_of,
)

logger = logging.getLogger(__name__)
EXAMPLE = HOME / "examples/wiki/config"
FILES = {  # of each option, where its file goes below data/
    "sentences": "sentences.txt",
    "test": "test_pairs/test.csv",
    "dev": "test_pairs/dev.csv",
    "general": "general/test.csv",  # what the encoder could do before
    "pairs": "pairs.csv",
    "phrases": "phrases.csv",
    "answers": "answers.jsonl",
}
SCORED = ("test", "dev", "general")  # of these, scored pairs
HELP = {"general": ": test pairs of what the encoder could do before, to see what it forgets"}
OPTIONS = {
    "column": "of sentences in a table (.csv, .parquet, .xlsx ...); without it one a line",
    "documents": "blank_lines, if they end documents of --sentences; order, if its lines follow each other "
    "as in a text; or the column of their names. Without --test, neighbouring sentences are test pairs",
    "judge": "YAML of a language model that grades test pairs: '{endpoint: URL, model: NAME}'",
    "embedder": "URL ending in /v1, of an encoder to compare with, paid for or not",
    "embedder-model": "its name there",
    "embedder-key": "environment variable that holds its key, if it wants one",
    "separator": "of columns of CSV files: ';' or tab",
}


def main(arguments: list[str]) -> None:
    """Write the folder and print the next steps."""
    logging.basicConfig(level=logging.WARNING, format="%(message)s", force=True)  # what readers notice
    parser = with_directory(argparse.ArgumentParser(prog="contrapose new", description=__doc__))
    add = parser.add_argument
    add("folder", type=Path, help="folder to write; must not exist yet")
    add("--encoder", help="its folder, or its name on the hub: NAME@COMMIT, or NAME for the latest")
    for name, place in FILES.items():
        several = f"; up to {len(OWN)} times, each is a column" * (name == "test")
        says = f"copied to data/{place}{HELP.get(name, several)}"
        kind = {"action": "append", "default": []} if several else {}
        add(f"--{name}", type=Path, metavar="FILE", help=says, **kind)  # type: ignore[arg-type]
    for name, says in OPTIONS.items():
        add(f"--{name}", help=says, default="," if name == "separator" else None)
    options = parser.parse_args(arguments)
    separator = "\t" if options.separator in ("tab", r"\t") else options.separator
    if len(separator) != 1:
        raise ConfigError(f"--separator {separator}: expected one character, such as ';', or tab.")
    written = write(
        options.folder,
        options.encoder,
        {name: getattr(options, name) for name in FILES} | {"test": next(iter(options.test), None)},
        options.column,
        options.documents,
        options.test[1:],
        options.judge,
        given_embedder(options.embedder, options.embedder_model, options.embedder_key),
        separator,
    )
    lacking = [f"data/{FILES[name]}" for name in ("sentences", "test") if name not in written]
    if "sentences" in written and "test" not in written:
        print(_about_test(options.folder, options.documents, options.judge))
    elif lacking:
        print(f"Still needed, in the form that {options.folder / WORLD} describes: {', '.join(lacking)}.")
    if options.encoder and Path(options.encoder).is_dir():
        print(f"{declared(Path(options.encoder)).sentence} Trained encoders keep that.")
    print(f"Look through {options.folder}/config/, then:")
    print(f"    contrapose run --directory {shlex.quote(str(options.folder))} -- compare")


def write(
    folder: Path,
    encoder: str | None,
    files: dict[str, Path | None],
    column: str | None = None,
    documents: str | None = None,
    more_tests: Sequence[Path] = (),
    judge: str | None = None,
    embedder: EmbeddingEndpoint | None = None,
    separator: str = ",",
) -> list[str]:
    """Write a folder with settings and copies of files; return the names of the files that were given.

    Sentences without test pairs are divided, and test pairs made of a part: of neighbouring sentences of
    documents; by a language model, the entry of `llms` in the text `judge`; or by hand, later.  Raises a
    ConfigError or TableError, before anything is written, if the folder exists, or a file, column or encoder
    does not, cannot be read, or is not enough to compare anything.

    Parameters
    ----------
    column, documents : those of `SentenceFile`
    more_tests : become further columns
    embedder : becomes a row
    separator : of tables that are CSV; what is used of a table is written as CSV
    """
    if folder.exists():
        raise ConfigError(f"{folder} already exists. Name another folder; nothing was written.")
    inputs = {name: file for name, file in files.items() if file is not None}
    for file in (*inputs.values(), *more_tests):
        if not file.is_file():
            raise ConfigError(f"{file} is not a file. Nothing was written.")
    if len(more_tests) >= (most := len(OWN) - ("general" in inputs)):
        raise ConfigError(f"--test: {1 + len(more_tests)} files, at most {most}. Nothing was written.")
    tests = [inputs[name] for name in ("test", "general") if name in inputs]
    tables = checked_pairs([*tests, *more_tests], inputs.get("dev"), separator)
    tables |= checked_material(inputs, separator)
    options = Given(inputs, column, documents, more_tests, judge, embedder, separator)
    sentences, texts = changes(encoder, options)
    sentence_file = inputs.get("sentences")
    if sentence_file and (table := checked_sentences(sentence_file, column, documents, separator)):
        tables[sentence_file] = table
    for leak in given_leaks([*tests, *more_tests], inputs, column, tables):
        logger.warning("%s", leak)
    shutil.copytree(EXAMPLE, folder / "config")
    for name, of_file in texts.items():
        _replace(folder / name, of_file)
    for name, place in (FILES | {"sentences": sentences}).items():
        if name in inputs:
            _put(inputs[name], folder / "data" / place, tables)
    for number, file in enumerate(more_tests, 2):
        _put(file, folder / f"data/test_pairs_{number}/test.csv", tables)
    (folder / "data/test_pairs").mkdir(parents=True, exist_ok=True)
    if encoder and Path(encoder).is_dir():
        _link(Path(encoder), folder)
    return list(inputs)


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


def _link(encoder: Path, folder: Path) -> None:
    """Link to an encoder's folder, so that no setting, result or publication names a path of this machine."""
    (folder / ENCODERS).mkdir()
    (folder / place_of(encoder)).symlink_to(encoder.resolve(), target_is_directory=True)


def _about_test(folder: Path, documents: str | None, judge: str | None) -> str:
    """Describe what the test pairs are going to be."""
    sheet = (
        f"in {folder}, `contrapose pairs --make 200` writes a sheet to grade by hand, and `contrapose pairs "
        "--read sheet.csv` makes it the test"
    )
    if judge:
        return "Test pairs: the language model grades pairs of held-out sentences, each twice."
    if documents:
        return (
            "Test pairs: neighbouring sentences of held-out documents, against sentences of two documents. "
            f"Grades say more: {sheet}."
        )
    return (
        f"Test pairs: none yet. A third of the sentences, at most {MOST_HELD_OUT}, is held out for them: "
        f"{sheet}. Or write the folder again with --judge, a language model that grades, or with "
        "--documents: blank_lines if these end documents, order if lines follow each other as in a text."
    )
