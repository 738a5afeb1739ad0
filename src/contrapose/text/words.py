"""Words as NLTK counts them, without its downloads."""

import re
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nltk.tokenize import NLTKWordTokenizer

# For plain text, Latin-1 and dashes without apostrophes or quotes other than `"`, it suffices to separate the
# same marks as NLTK's rules.  The last part is the final full stop with any closing marks; a quotation mark
# after a space is an opening one.
_PLAIN = re.compile(r"[ -&(-_a-\xaa\xac-\xba\xbc-\xff\u2010-\u2015]*")
_APART = re.compile(
    r"[][(){}<>;@#$%&?!*\"\u2012-\u2015]|[:,](?!\d)|--|\.{2,}|\.(?=(?:[])}> ]|(?<! )\")*\s*$)"
)
# NLTK's contractions without an apostrophe, and the marks that its rules match in pairs.
_NOT_PLAIN = ("cannot", "gimme", "gonna", "gotta", "lemme", "wanna", ",,", ",:", ":,", "::")


def words(text: str) -> list[str]:
    """Return the word tokens of one sentence; punctuation marks are tokens.

    The same as `nltk.word_tokenize(text, preserve_line=True)`.  The thesis calls it without
    `preserve_line`, which first splits the text into sentences and needs a downloaded NLTK model.
    Here the text is already a sentence: on the sets of the thesis's Table 4.6 the mean number of words
    differs by at most 0.1, except for the one set whose lines hold several sentences.
    """
    plain = _plain_words(text)
    # NLTK writes quotation marks as `` and ''.
    return _tokenizer().tokenize(text) if plain is None or '"' in text else plain


def word_count(text: str) -> int:
    """Return the number of word tokens of one sentence. Thesis, sections 3.1 and 4.3."""
    plain = _plain_words(text)
    return len(_tokenizer().tokenize(text) if plain is None else plain)


@cache
def _tokenizer() -> "NLTKWordTokenizer":
    from nltk.tokenize import NLTKWordTokenizer  # too slow to import while planning

    return NLTKWordTokenizer()


def _plain_words(text: str) -> list[str] | None:
    """Return the words of plain text as written; None for other text.  Takes a tenth of NLTK's time."""
    if not _PLAIN.fullmatch(text):
        return None
    lower = text.lower()
    if any(part in lower for part in _NOT_PLAIN):
        return None
    return _APART.sub(r" \g<0> ", text).split()


def words_of(text: str, split: Callable[[str], list[str]]) -> int:
    """Return the number of word tokens of a text that may hold several sentences, split first.

    The same count as `nltk.word_tokenize` with NLTK's own splitter.  `word_count` of the whole text would
    leave full stops within it attached to their words.
    """
    return sum(map(word_count, split(text)))
