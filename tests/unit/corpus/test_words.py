import nltk
import pytest

from contrapose.corpus.words import word_count, words, words_of

SENTENCES = [
    "",
    'He said: "Don\'t!"',
    "The U.S. isn't (quite) 3,000.5 km wide; it's more...",
    "“Curly” ‘quotes’ – and a dash -- or two.",
    "He left. She stayed.",
    "Ein Satz\nmit Umbruch.",
]


def test_words_and_punctuation_marks_are_tokens():
    assert words("She didn't go, I think.") == ["She", "did", "n't", "go", ",", "I", "think", "."]
    assert word_count("She didn't go, I think.") == 8


@pytest.mark.parametrize("text", SENTENCES)
def test_words_are_those_of_nltk_without_sentence_splitting(text):
    assert words(text) == nltk.word_tokenize(text, preserve_line=True)


def test_a_text_of_several_sentences_is_counted_sentence_by_sentence():
    # Only at the end of a text is a full stop a token of its own.
    assert words_of("One. | Two.", lambda text: text.split(" | ")) == 4
    assert words_of("One. Two.", lambda text: [text]) == word_count("One. Two.") == 3
