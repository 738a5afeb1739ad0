from random import Random

import nltk
import pytest

from contrapose.text.words import word_count, words, words_of

PIECES = [
    *map(chr, [*range(32, 256), *range(0x2010, 0x2018), 0x1F, 0x130, 0x131, 0x201C, 0x3000]),
    *[*' .,:"', "--", "..", '."', ' "', "word", "Word", "1,000", "3.5"] * 15,
    *("cannot", "Gimme", "gonna", "gotta", "lemme", "wanna ", "n't ", "'s ", "\n", "more'n", " 'tis"),
]


@pytest.mark.parametrize("seed", range(3))
def test_any_text_has_the_words_of_nltk(seed):
    random = Random(seed)
    for _ in range(1000):
        text = "".join(random.choices(PIECES, k=random.randrange(9)))
        expected = nltk.word_tokenize(text, preserve_line=True)
        assert words(text) == expected, text
        assert word_count(text) == len(expected), text


def test_a_text_of_several_sentences_is_counted_sentence_by_sentence():
    # Only at the end of a text is a full stop a token of its own.
    assert words_of("One. | Two.", lambda text: text.split(" | ")) == 4
    assert words_of("One. Two.", lambda text: [text]) == word_count("One. Two.") == 3
