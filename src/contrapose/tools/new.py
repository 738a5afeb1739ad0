"""Write the folder of a comparison of your own, from `examples/wiki`: your files, settings with comments."""

import argparse
import csv
import logging
import os
import shlex
import shutil
from collections.abc import Iterator, Mapping, Sequence
from logging.handlers import MemoryHandler
from pathlib import Path
from tempfile import TemporaryDirectory

import yaml

from contrapose.base.errors import ConfigError, ContraposeError, counted
from contrapose.base.home import HOME
from contrapose.base.tasks import USER_TASKS
from contrapose.models.declared import declared
from contrapose.retrieve.user_pairs import USER_HEADER
from contrapose.retrieve.user_tables import LONGEST, SEPARATORS
from contrapose.settings.catalogs import EmbeddingEndpoint
from contrapose.settings.cli_config import CONFIG
from contrapose.tools.arguments import parser_of
from contrapose.tools.check_input import (
    GivenTable,
    check_answers,
    checked_material,
    checked_pairs,
    checked_sentences,
    given_overlaps,
)
from contrapose.tools.new_arguments import FILES, FORM, HUB, NAMES
from contrapose.tools.new_encoders import curve_of, named_encoders, recipes_of, study_of
from contrapose.tools.new_hub import hub_split, is_hub_name
from contrapose.tools.new_settings import (
    CATALOG,
    CURVE,
    MOST_HELD_OUT,
    PLACE,
    RECIPES,
    STUDY,
    Given,
    changes,
    given_embedder,
    place_of,
)

logger = logging.getLogger(__name__)
# What an encoder does with its token vectors, by the name of the pooling.
POOLS = {
    "mean": "averages its token vectors",
    "cls_before_pooler": "takes the vector of its first token",
    "lasttoken": "takes the vector of its last token",
}
MOST_NOTICED = 10_000  # messages that wait until the project is created
SHEET_PAIRS = 200  # that a person grades in some hours.  Ours
EXAMPLE = HOME / "examples/wiki/config"
# Options that also take a data set of the hub: the split that is meant, and the columns.
HUB_COLUMNS = {
    "sentences": ("train", ["text"]),
    "test": ("test", USER_HEADER),
    "dev": ("validation", USER_HEADER),
    "general": ("test", USER_HEADER),
}
OF_ENCODERS = {STUDY: study_of, RECIPES: recipes_of, CURVE: curve_of}  # settings of several encoders


def main(arguments: list[str]) -> None:
    """Write the folder and print the next steps."""
    noticed = MemoryHandler(MOST_NOTICED, logging.CRITICAL, flushOnClose=False)
    logging.basicConfig(level=logging.WARNING, format="%(message)s", handlers=[noticed], force=True)
    options = parser_of("init").parse_args(arguments)
    try:
        written = _written(options)
    except ContraposeError as error:
        error.args = (f"{error}\nNothing was written.",)
        raise
    noticed.setTarget(logging.StreamHandler())
    noticed.flush()  # what readers of files noticed; of a call that ends with an error, only that counts
    noticed.setTarget(None)
    print(f"Created {options.folder}{_contents(options.folder / 'data')}.")
    for encoder in filter(os.path.isdir, options.encoder):
        print(_about_folder(Path(encoder), options.folder))
    graded = "sentences" in written and "test" not in written
    if graded:
        print(_about_test(options.documents, options.judge))
    print("Next:")
    for number, step in enumerate(_steps(options, written, graded), 1):
        print(f"  {number}. {step}")
    print(
        "Without `-- compare`, these commands also include the study more_sentences, which tests whether "
        "more sentences would help."
    )


def _written(options: argparse.Namespace) -> list[str]:
    """Write the folder that options describe; return the names of the files that were given."""
    separator = "\t" if options.separator in ("tab", r"\t") else options.separator
    if separator not in (",", *SEPARATORS):
        raise ConfigError(
            f"--separator {separator}: columns of a CSV file are separated by a comma, a semicolon, a tab or "
            "a vertical bar. Write ',', ';', tab or '|' after --separator."
        )
    _check_encoders(options.encoder)
    embedder = given_embedder(options.embedder, options.embedder_model, options.embedder_key)
    with TemporaryDirectory() as fetched:
        files, more_tests, origins = _files(options, Path(fetched))
        return write(
            options.folder, next(iter(options.encoder), None), files, options.column, options.documents,
            more_tests, options.judge, embedder, separator, options.encoder[1:], origins, options.llm,
        )  # fmt: skip


def _contents(data: Path) -> str:
    """Return how many sentences and test pairs a new project has; empty if it has none."""
    counts = {
        "sentence": sum(map(_rows, data.glob("sentences.*"))),
        "test pair": sum(map(_rows, data.glob("test_pairs*/test.csv"))),
    }
    said = " and ".join(counted(count, noun) for noun, count in counts.items() if count)
    return f" with {said}" if said else ""


def _rows(file: Path) -> int:
    """Return the number of texts or rows of a file of a project: a header is none."""
    csv.field_size_limit(LONGEST)  # as the reader of the given file, which ends with its own limit
    with file.open(encoding="utf-8-sig", newline="") as lines:
        if file.suffix == ".csv":
            return sum(1 for _ in csv.reader(lines)) - 1
        return sum(1 for line in lines if line.strip())


def _steps(options: argparse.Namespace, written: Sequence[str], graded: bool) -> Iterator[str]:
    """Yield what to do with a new folder; `graded`: its test pairs can be graded by hand."""
    at = f"--directory {shlex.quote(str(options.folder))}"
    if not options.encoder:
        yield _about_encoder(options.folder)
    lacking = [
        str(options.folder / "data" / FILES[name]) for name in ("sentences", "test") if name not in written
    ]
    if lacking and not graded:
        yield f"Add {' and '.join(lacking)}. {options.folder / CATALOG} describes the form of these files."
    if graded and not options.judge and not options.documents:
        recipes = yaml.safe_load((options.folder / RECIPES).read_text(encoding="utf-8"))
        most = min(SHEET_PAIRS, recipes["pairs"]["to_grade"]["size"])
        yield f"Write pairs to grade: contrapose annotate {at} --make {most}"
        yield f"Grade them, and make them the test pairs: contrapose annotate {at} --read sheet.csv"
    yield (
        f"Optional: change seeds in {options.folder / CONFIG}, or steps and max_length in "
        f"{options.folder / RECIPES}."
    )
    yield f"Find what is missing: contrapose check {at} -- compare"
    yield f"See the time and the disk space: contrapose plan {at} -- compare"
    yield f"Run the comparison: contrapose run {at} -- compare"


def _files(options: argparse.Namespace, folder: Path) -> tuple[dict[str, Path | None], list[Path], list[str]]:
    """Return the files of options, further test files, and which data sets of the hub some are from.

    These are fetched to `folder`, with the sentences in a column of a name that the options then have.
    """
    origins: list[str] = []

    def file_of(name: str, given: str) -> Path:
        if name not in HUB_COLUMNS or not is_hub_name(given):
            return Path(given)
        split, columns = HUB_COLUMNS[name]
        fetched = hub_split(given, f"--{name}", columns, split, folder / str(len(origins)))
        origins.append(fetched.note)
        if name == "sentences":
            options.column = columns[0]
        return fetched.file

    tests = [file_of("test", given) for given in options.test]
    others = {name: getattr(options, name) for name in FILES if name != "test"}
    files = {name: file_of(name, given) if given else None for name, given in others.items()}
    return {**files, "test": tests[0] if tests else None}, tests[1:], origins


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
    more_encoders: Sequence[str] = (),
    origins: Sequence[str] = (),
    llm: str | None = None,
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
    more_encoders : have all rows, too, each compared with its own encoder without training
    origins : of data sets of the hub; tables say them
    llm : writes paraphrases and hard negatives: an entry of `llms` as text
    """
    inputs = {name: file for name, file in files.items() if file is not None}
    _check_given(folder, inputs, more_tests)
    tests = [*(inputs[name] for name in ("test", "general") if name in inputs), *more_tests]
    tables = checked_pairs(tests, inputs.get("dev"), separator) | checked_material(inputs, separator)
    options = Given(inputs, column, documents, more_tests, llm, judge, embedder, separator, origins)
    encoders = [encoder, *more_encoders] if encoder else []
    sentences, texts = changes(encoders, options)
    if "answers" in inputs:
        check_answers(inputs["answers"])
    sentence_file = inputs.get("sentences")
    if sentence_file and (table := checked_sentences(sentence_file, column, documents, separator)):
        tables[sentence_file] = table
    for overlap in given_overlaps(tests, inputs, column, tables):
        logger.warning("%s", overlap)
    _make(folder)
    shutil.copytree(EXAMPLE, folder / "config")
    for name, of_file in texts.items():
        _replace(folder / name, of_file)
    for name, place in (FILES | {"sentences": sentences}).items():
        if name in inputs:
            _put(inputs[name], folder / "data" / place, tables)
    for number, file in enumerate(more_tests, 2):
        _put(file, folder / f"data/test_pairs_{number}/test.csv", tables)
    (folder / "data/test_pairs").mkdir(parents=True, exist_ok=True)
    if more_encoders:
        for name, of_encoders in OF_ENCODERS.items():
            file = folder / name
            file.write_text(of_encoders(file.read_text(), named_encoders(encoders)))
    for each, named in zip(encoders, named_encoders(encoders), strict=True):
        if Path(each).is_dir():
            _link(Path(each), folder / place_of(named))
    return list(inputs)


def _make(folder: Path) -> None:
    """Make the folder of a project; a ConfigError if that cannot be."""
    try:
        folder.mkdir(parents=True)
    except OSError as error:
        raise ConfigError(
            f"{folder}: this folder cannot be created ({error.strerror}). Name a folder in a place where you "
            "can write."
        ) from error


def _check_given(folder: Path, inputs: Mapping[str, Path], more_tests: Sequence[Path]) -> None:
    """Raise a ConfigError if the folder exists, a file does not, or more test pairs are given than fit."""
    if folder.exists():
        raise ConfigError(f"{folder} already exists. Name another folder.")
    for name, file in (*inputs.items(), *(("test", each) for each in more_tests)):
        if not file.is_file():
            raise _no_file(name, file)
    if "general" in inputs:
        for test in (*(inputs[name] for name in ("test",) if name in inputs), *more_tests):
            if test.samefile(inputs["general"]):
                raise ConfigError(
                    f"--retention-test {inputs['general']}: --test names the same file. "
                    "Give pairs from another domain, or omit the option."
                )
    if len(more_tests) >= (most := len(USER_TASKS) - ("general" in inputs)):
        raise ConfigError(f"--test: {1 + len(more_tests)} files are given, but at most {most} are possible.")


def _no_file(name: str, file: Path) -> ConfigError:
    """Build the error for what an option names in place of a file."""
    what = "there is no such file"
    if file.exists():
        what = f"this is {'a folder' if file.is_dir() else 'a pipe or a device'}, but a file is expected"
    or_hub = f", or name a data set of the hub: {FORM}" * (name in HUB)
    return ConfigError(f"--{NAMES.get(name, name)} {file}: {what}. Give the path of a file{or_hub}.")


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


def _link(encoder: Path, place: Path) -> None:
    """Link to an encoder's folder, so that no setting, result or publication names a path of this machine."""
    place.parent.mkdir(exist_ok=True)
    place.symlink_to(encoder.resolve(), target_is_directory=True)


def _check_encoders(encoders: Sequence[str]) -> None:
    """Raise a ConfigError for an encoder that is given twice: all its methods would be trained twice."""
    names = [str(Path(each).resolve()) if Path(each).is_dir() else each for each in encoders]
    for number, name in enumerate(names):
        if name in names[:number]:
            raise ConfigError(
                f"--encoder {encoders[number]}: this encoder is given twice. Remove one of the options. "
            )


def _about_folder(encoder: Path, folder: Path) -> str:
    """Describe what an encoder's folder declares, and what the project makes of it."""
    found = declared(encoder)
    recipes = yaml.safe_load((folder / RECIPES).read_text(encoding="utf-8"))
    length, most = recipes["recipes"]["compare"]["max_length"], found.max_length
    does = POOLS.get(found.pooling.name, f"pools its token vectors by {found.described}")
    if [module.kind for module in found.head] == ["Normalize"]:
        does += " and normalizes the result" * (found.pooling.name in POOLS)
    elif found.head:
        does = f"pools its token vectors by {found.described}"
    more = f" Its folder also declares {', '.join(found.further)}." if found.further else ""
    cut = f"{length} tokens" if not most else f"{length} of its {most} tokens"
    if most and most <= length:
        cut = f"its {most} tokens"
    return (
        f"Encoder {encoder}: It {does}, and training keeps this.{more} Texts are cut after {cut}. To change "
        f"this, edit max_length in {folder / RECIPES}. The project links to the encoder's folder, so keep it."
    )


def _about_encoder(folder: Path) -> str:
    """Describe how the encoder is named that was not given."""
    return (
        f"Add an encoder, which every run needs. Save or link its folder as {folder / PLACE}, or name a "
        f"model of the hub under `encoders` in {folder / CATALOG}:\n"
        "       mine: {kind: hub, model: ORG/NAME, revision: COMMIT}"
    )


def _about_test(documents: str | None, judge: str | None) -> str:
    """Describe what the test pairs are going to be."""
    if judge:
        return "Test pairs: the language model grades pairs of held-out sentences, each pair twice."
    if documents:
        return (
            "Test pairs: neighbouring sentences of held-out documents (score 1), and sentences of two "
            "documents (score 0). Grades by people are more reliable: `contrapose annotate` writes a sheet."
        )
    return (
        f"Test pairs: there are none yet. A third of the sentences, at most {MOST_HELD_OUT:,}, is held out "
        "for them. Instead of grading by hand, you can create another project with --judge or --documents."
    )
