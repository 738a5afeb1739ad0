"""What the skipped methods of a table lack: one line for each missing input, in words."""

import pytest

from contrapose.report.skipped import MissingInput, missing_inputs

CATALOG = "config/catalogs/own.yaml"
MODELS = "docs/reference/models-and-data.md"


def test_methods_that_lack_the_same_stand_in_one_line_and_the_longest_line_comes_first():
    skipped = {
        "Synonym": "./nltk_data/taggers/a/a.json is missing",
        "LLM paraphrases": "answers.jsonl is missing",
        "LLM negatives": "answers.jsonl is missing",
    }
    assert missing_inputs(skipped, "own") == [
        MissingInput(
            "A language model, or its recorded answers",
            "answers.jsonl is missing",
            ["LLM paraphrases", "LLM negatives"],
            "docs/how-to/connect-a-model.md says how to connect a language model.",
        ),
        MissingInput(
            "NLTK's tagger and WordNet",
            "./nltk_data/taggers/a/a.json is missing",
            ["Synonym"],
            "In the project: python -m nltk.downloader -d nltk_data averaged_perceptron_tagger_eng wordnet, "
            "then unzip nltk_data/corpora/wordnet.zip -d nltk_data/corpora",
        ),
    ]
    assert missing_inputs({}, "own") == []


@pytest.mark.parametrize(
    ("why", "what", "how"),
    [
        (
            "this catalog has no encoder 'teacher'",
            "An encoder for the role teacher",
            f"Name its folder at encoders.teacher of {CATALOG}. {MODELS} lists encoders.",
        ),
        (
            "this catalog has no model at language_models.nli",
            "A language model in a folder, for the role nli",
            f"Name its folder at language_models.nli of {CATALOG}. {MODELS} lists such models.",
        ),
        (
            "this catalog has no dictionary 'phrases'",
            "A dictionary of paraphrases",
            f"Name its files at dictionaries.phrases of {CATALOG}. {MODELS} says where to find some.",
        ),
        (
            "this catalog has no back-translator 'both'",
            "Two translation models",
            f"Name their folders at back_translators.both of {CATALOG}. {MODELS} says how to save them.",
        ),
        (
            "phrases.csv is missing (dictionaries.phrases)",
            "A dictionary of paraphrases",
            "Save a dictionary there, in the data folder that `data` of config/config.yaml names. "
            f"{MODELS} says where to find some.",
        ),
        (
            "translators/there is missing (back_translators.both)",
            "Two translation models",
            f"Save two translation models in the folders at back_translators.both of {CATALOG}. "
            f"{MODELS} says how.",
        ),
        (
            "the file of sentence_files.own does not declare where documents end (key `documents`)",
            "Sentences in the order of their documents",
            f"Mark where documents end, and set the key documents at sentence_files.own of {CATALOG}.",
        ),
        (
            "the entry 'writer' under `llms` has no recorded answers to prompt 'styles'",
            "Answers of a language model to the prompt styles",
            f"Put a language model in place of this entry of {CATALOG}. "
            "docs/how-to/connect-a-model.md says how.",
        ),
        (
            "pairs.csv is missing",
            "A file",
            "Put it into the data folder, which `data` of config/config.yaml names.",
        ),
        ("./own/pairs.csv is missing", "A file", "Put it into the folder of the project."),
        ("its notes say why", "", ""),
    ],
)
def test_a_missing_input_has_a_name_in_words_and_a_way_to_add_it(why: str, what: str, how: str):
    assert missing_inputs({"a": why}, "own") == [MissingInput(what, why, ["a"], how)]
