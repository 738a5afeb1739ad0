import nltk
import pytest
from nltk.corpus.reader.wordnet import WordNetCorpusReader
from nltk.tag import PerceptronTagger

from contrapose.base.errors import TableError
from contrapose.retrieve.grammar_files import TAGGER, WORDNET, perceptron_tagger, verb_bases, wordnet_synonyms
from tests.nltk_files import nltk_files


@pytest.fixture
def data(tmp_path):
    return nltk_files(tmp_path / "nltk_data")


@pytest.fixture
def wordnet(data, monkeypatch) -> WordNetCorpusReader:
    """NLTK's own reader."""
    monkeypatch.setattr(nltk.data, "path", [str(data)])
    with pytest.warns(UserWarning, match="multilingual"):
        return WordNetCorpusReader(nltk.data.find(WORDNET), None)


def test_the_tagger_is_the_one_that_nltk_reads(data, monkeypatch):
    monkeypatch.setattr(nltk.data, "path", [str(data)])
    words = ["The", "cats", "can", "run", ",", "is", "n't", "he", "quickly", "Anna", "1997"]
    assert perceptron_tagger(data).tag(words) == PerceptronTagger().tag(words)
    assert perceptron_tagger(data).tag(["The", "cats"]) == [("The", "DT"), ("cats", "NNS")]


def test_synonyms_are_the_other_words_of_the_synsets(data, wordnet):
    found = wordnet_synonyms(data)
    assert found["dog", "n"] == ["Canis familiaris", "domestic dog"]
    assert found["cat", "n"] == ["bozo", "guy", "true cat"]
    assert found["big", "a"] == ["bigger", "large"]
    assert found["quick", "a"] == ["fast"]  # of a satellite
    assert ("day", "n") not in found
    for (word, word_class), others in found.items():
        synsets = wordnet.synsets(word.replace(" ", "_"), word_class)
        own = [each for each in synsets if word.replace(" ", "_") in each.lemma_names()]
        names = {name.replace("_", " ") for each in own for name in each.lemma_names()}
        assert names - {word} == {*others}


def test_a_verb_has_the_base_form_that_wordnet_finds(data, wordnet):
    expected = {
        **{"lost": "lose", "has": "have", "hopped": "hop"},
        **{"hoped": "hope", "tries": "try", "tried": "tried", "watches": "watch", "goes": "go"},
        **{"sleeps": "sleep", "watched": "watch", "googled": "googled"},
    }
    base = verb_bases(data)
    assert {form: base(form) for form in expected} == expected
    assert {form: wordnet.morphy(form, "v") or form for form in expected} == expected


def test_broken_files_are_named(data):
    (data / TAGGER.format("tagdict")).write_text("{")
    with pytest.raises(TableError, match=r"is not JSON \(Expecting property name enclosed in double quotes"):
        perceptron_tagger(data)
    (data / WORDNET / "verb.exc").write_text("went\n")
    with pytest.raises(TableError, match="1: the line does not have the format of WordNet"):
        verb_bases(data)
