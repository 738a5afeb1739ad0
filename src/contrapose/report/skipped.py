"""What the skipped methods of a table lack: one line for each missing input."""

import re
from collections.abc import Mapping
from typing import NamedTuple

MODELS = "docs/reference/models-and-data.md"
# What a reason for skipping a method asks for, by its pattern: the input, and how to add it.
INPUTS = {
    r"(?:.*/)?answers[^/]*\.jsonl is missing": (
        "A language model, or its recorded answers",
        "docs/how-to/connect-a-model.md says how to connect a language model.",
    ),
    r"(?:.*/)?nltk_data/.* is missing": (
        "NLTK's tagger and WordNet",
        "In the project: python -m nltk.downloader -d nltk_data averaged_perceptron_tagger_eng wordnet, then "
        "unzip nltk_data/corpora/wordnet.zip -d nltk_data/corpora",
    ),
    r"this catalog has no encoder '(.*)'": (
        "An encoder for the role {0}",
        f"Name its folder at encoders.{{0}} of {{catalog}}. {MODELS} lists encoders.",
    ),
    r"this catalog has no model at language_models\.(.*)": (
        "A language model in a folder, for the role {0}",
        f"Name its folder at language_models.{{0}} of {{catalog}}. {MODELS} lists such models.",
    ),
    r"this catalog has no dictionary '(.*)'": (
        "A dictionary of paraphrases",
        f"Name its files at dictionaries.{{0}} of {{catalog}}. {MODELS} says where to find some.",
    ),
    r"this catalog has no back-translator '(.*)'": (
        "Two translation models",
        f"Name their folders at back_translators.{{0}} of {{catalog}}. {MODELS} says how to save them.",
    ),
    r".* is missing \(dictionaries\.(.*)\)": (
        "A dictionary of paraphrases",
        "Save a dictionary there, in the data folder that `data` of config/config.yaml names. "
        f"{MODELS} says where to find some.",
    ),
    r".* is missing \(back_translators\.(.*)\)": (
        "Two translation models",
        "Save two translation models in the folders at back_translators.{0} of {catalog}. "
        f"{MODELS} says how.",
    ),
    r"the file of (sentence_files\..*) does not declare where documents end \(key `documents`\)": (
        "Sentences in the order of their documents",
        "Mark where documents end, and set the key documents at {0} of {catalog}.",
    ),
    r"the entry '.*' under `llms` has no recorded answers to prompt '(.*)'": (
        "Answers of a language model to the prompt {0}",
        "Put a language model in place of this entry of {catalog}. docs/how-to/connect-a-model.md says how.",
    ),
    r"(\./.*) is missing": ("A file", "Put it into the folder of the project."),
    r"(.*) is missing": ("A file", "Put it into the data folder, which `data` of config/config.yaml names."),
}


class MissingInput(NamedTuple):
    """An input that the project lacks, and the methods that are skipped for it."""

    what: str  # empty if the reason says it all
    why: str
    methods: list[str]
    how: str  # to add it; empty if that is not known


def missing_inputs(skipped: Mapping[str, str], catalog: str) -> list[MissingInput]:
    """Return the inputs that skipped methods lack in a catalog, those of most methods first.

    `skipped` has the reasons by method.
    """
    of_reason: dict[str, list[str]] = {}
    for label, why in skipped.items():
        of_reason.setdefault(why, []).append(label)
    inputs = [missing_input(why, methods, catalog) for why, methods in of_reason.items()]
    return sorted(inputs, key=lambda each: -len(each.methods))


def missing_input(why: str, methods: list[str], catalog: str) -> MissingInput:
    """Return the input that some methods lack in a catalog, by the reason for skipping them."""
    file = f"config/catalogs/{catalog}.yaml"
    for pattern, texts in INPUTS.items():
        if found := re.fullmatch(pattern, why):
            what, how = (text.format(*found.groups(), catalog=file) for text in texts)
            return MissingInput(what, why, methods, how)
    return MissingInput("", why, methods, "")
