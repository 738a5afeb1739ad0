from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from contrapose.retrieve.grammar_files import GrammarFiles
from contrapose.score import grammar
from contrapose.score.grammar import tagged_words
from contrapose.tables import SYNONYMS, TAGS, checked_arrays
from tests.nltk_files import nltk_files
from tests.tables import sentences

TEXTS = (
    "The dogs sleep; Dog!",
    'They said "we can\'t run".',
    "",
    " He  lost\u00a0his big cats, isn\u2019t he? ",
    "Fast cat",
)


@pytest.fixture(scope="module")
def data(tmp_path_factory) -> Path:
    return nltk_files(tmp_path_factory.mktemp("data") / "own").parent


def made(data: Path, *texts: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the tables of the step, checked."""
    tags, synonyms = grammar.build(GrammarFiles(path="own"), sentences(*texts), data)
    tables = pd.concat(tags, ignore_index=True), pd.concat(synonyms)
    for table, schema in zip(tables, (TAGS, SYNONYMS), strict=True):
        checked_arrays(table, "made", schema)
    return tables


def test_each_word_has_a_tag_and_a_base_form(data):
    tags, _ = made(data, *TEXTS)
    assert tags.id.tolist() == [f"f:{number}" for number in range(len(TEXTS))]
    assert tags.words.tolist() == [
        "The dogs sleep ; Dog !",
        'They said " we ca n\'t run " .',
        "",
        "He lost his big cats , is n\u2019t he ?",
        "Fast cat",
    ]
    assert tags.tags[3] == "PRP VBD PRP$ JJ NNS , VBZ RB PRP ."
    assert tags.tags[1].split()[2] == "``"
    assert tags.bases[3] == "he lose his big cats , is n\u2019t he ?"
    assert tags.bases[0] == "the dogs sleep ; dog !"


def test_synonyms_are_those_of_words_as_they_are_with_their_part_of_speech(data):
    tags, synonyms = made(data, *TEXTS)
    found = {(row.word, row.tag): row.synonyms for row in synonyms.itertuples()}
    assert found["big", "JJ"] == ["bigger", "large"]
    assert found["sleep", "VBP"] == ["kip", "slumber"]
    assert not {"dogs", "cats", "lost", "he", "run", "."} & {word for word, _ in found}
    seen = {
        each for row in tags.itertuples() for each in zip(row.words.split(), row.tags.split(), strict=True)
    }
    assert found.keys() <= seen
    capital = dict(grammar_rows(data, {("Dog", "NN"), ("Dog", "NNP"), ("DOG", "NN"), ("Fast", "JJ")}))
    assert capital == {
        ("Dog", "NN"): ["Canis familiaris", "Domestic dog"],
        ("DOG", "NN"): ["Canis familiaris", "Domestic dog"],
        ("Fast", "JJ"): ["Quick"],
    }


def grammar_rows(data: Path, seen: set[tuple[str, str]]):
    (table,) = grammar.synonyms_of(seen, data / "own")
    return (((row.word, row.tag), row.synonyms) for row in table.itertuples())


class Unknowing:
    """A tagger for which every word is a noun."""

    def tag(self, tokens):
        return [(token, "NN") for token in tokens]


@given(st.text(st.sampled_from("ab'\"\u2019`.,-()?n t\t\u00a0\u2014"), max_size=30))
def test_any_text_is_split_into_parts_of_itself(text):
    words, tags = tagged_words(Unknowing(), text)
    assert len(words) == len(tags)
    assert "".join(words) == "".join(text.split())
    assert not any(set(word) & set(" \t\u00a0") for word in words)
