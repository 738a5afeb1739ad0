"""Words as NLTK counts them, without its downloads."""

import re
from collections.abc import Callable

from nltk.tokenize import NLTKWordTokenizer

# It holds compiled patterns only, so all callers share it.
_TOKENIZER = NLTKWordTokenizer()

# In plain text, Latin-1 and dashes without apostrophes or other quotes than `"`, it is enough to set apart
# what NLTK's rules do.  The last part is the full stop at the end, with what may close after it; a quotation
# mark behind a space opens.
_PLAIN = re.compile(r"[ -&(-_a-\xaa\xac-\xba\xbc-\xff\u2010-\u2015]*")
_APART = re.compile(
    r"[][(){}<>;@#$%&?!*\"\u2012-\u2015]|[:,](?!\d)|--|\.{2,}|\.(?=(?:[])}> ]|(?<! )\")*\s*$)"
)
# Of NLTK's contractions those without an apostrophe, and the marks that its rules take in pairs.
_NOT_PLAIN = ("cannot", "gimme", "gonna", "gotta", "lemme", "wanna", ",,", ",:", ":,", "::")


def words(text: str) -> list[str]:
    """Return the word tokens of one sentence; punctuation marks are tokens.

    The same as `nltk.word_tokenize(text, preserve_line=True)`.  The thesis calls it without
    `preserve_line`, which first splits the text into sentences, for which NLTK wants a model downloaded.
    Here the text is a sentence already: on the sets of its Table 4.6 the mean number of words differs by at
    most 0.1, but for the one whose lines hold several sentences.
    """
    plain = _plain_words(text)
    # NLTK writes quotation marks as `` and ''.
    return _TOKENIZER.tokenize(text) if plain is None or '"' in text else plain


def word_count(text: str) -> int:
    """Return the number of word tokens of one sentence. Thesis, sections 3.1 and 4.3."""
    plain = _plain_words(text)
    return len(_TOKENIZER.tokenize(text) if plain is None else plain)


def _plain_words(text: str) -> list[str] | None:
    """Return the words of plain text as they are written, None of other text.  A tenth of NLTK's time."""
    if not _PLAIN.fullmatch(text):
        return None
    lower = text.lower()
    if any(part in lower for part in _NOT_PLAIN):
        return None
    return _APART.sub(r" \g<0> ", text).split()


def words_of(text: str, split: Callable[[str], list[str]]) -> int:
    """Return the number of word tokens of a text that may hold several sentences, split first.

    What `nltk.word_tokenize` counts with NLTK's own splitter.  `word_count` of the whole text would keep a
    full stop within it at its word.
    """
    return sum(map(word_count, split(text)))
