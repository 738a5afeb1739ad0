"""NLTK's Punkt for millions of articles: the same sentences in less time.

NLTK makes token objects of the words around every candidate for a sentence end.  Usually the word before it
suffices: if it is no abbreviation, initial, number or ellipsis, it ends its sentence whatever follows.
The result for each word is cached, and the word after it is examined only in doubt.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from nltk.tokenize.punkt import PunktLanguageVars, PunktParameters, PunktSentenceTokenizer, PunktToken

KEPT = 2**16  # cached words, for those before and for those after a candidate: about 20 MB at most

# NLTK's own patterns, in Python's engine: a third of the time.  The engine that NLTK uses since 3.10 does not
# treat the four separators as white space.
_LANGUAGE = PunktLanguageVars()
_CANDIDATE = re.compile(_LANGUAGE.period_context_re().pattern, re.VERBOSE)
_TOKEN = re.compile(_LANGUAGE._word_tokenizer_re().pattern, re.VERBOSE)
_CLOSING = re.compile(_LANGUAGE.re_boundary_realignment.pattern, re.MULTILINE)
_SEPARATORS = "\x1c\x1d\x1e\x1f"
# Up to the last character in `string.whitespace`.  NLTK ignores one in the first place.
_UP_TO_WORD = re.compile(r"(?s:.+)[ \t\n\r\v\f]")

# NLTK's flags for a type seen in lower case: at the start of a sentence, within one, or position unknown.
_LOWER = 1 << 4 | 1 << 5 | 1 << 6


class _Before(NamedTuple):
    """Properties of the word before a candidate, by its last token."""

    type: str  # without the full stop
    ends: bool  # it ends a sentence according to the first pass
    cut: bool  # abbreviation or ellipsis
    initial: bool
    number: bool


_SURE = _Before("", ends=True, cut=False, initial=False, number=False)


class _After(NamedTuple):
    """Properties of the word after a candidate."""

    type: str
    begins: bool | str  # whether it starts a sentence, by its case alone; or "unknown"
    starter: bool  # it is one of the words that often start a sentence, and has a capital
    name: bool  # it is capitalised and was never seen in lower case
    breaks: bool  # a sentence ends within the word


class FastPunkt(PunktSentenceTokenizer):
    """NLTK's sentence splitter, with the same spans and therefore the same results.

    The context that NLTK judges is the word before a candidate and the one after it, or the mark that
    follows.  Each can be tokenised by itself, so the result for each can be cached.  The exceptions are left
    to NLTK: words that contain white space, such as a no-break space, and texts with separators.
    """

    def __init__(self, parameters: PunktParameters) -> None:
        super().__init__(parameters)
        # Words that may not end a sentence though they have a full stop.
        self._doubtful = parameters.abbrev_types | {first for first, _ in parameters.collocations}
        self._kept_before = lru_cache(KEPT)(self._before)
        self._kept_after = lru_cache(KEPT)(self._after)

    def span_tokenize(self, text: str, realign_boundaries: bool = True) -> Iterator[tuple[int, int]]:
        if not realign_boundaries or any(mark in text for mark in _SEPARATORS):
            yield from super().span_tokenize(text, realign_boundaries)
            return
        spans = self._spans(text)
        start, end = next(spans)
        for next_start, next_end in spans:
            # Quotes and brackets after the mark belong to the sentence before.
            closing = _CLOSING.match(text, next_start, next_end)
            if closing:
                yield start, next_start + len(closing[0].rstrip())
                start, end = closing.end(), next_end
            else:
                yield start, end
                start, end = next_start, next_end
        if start < end:
            yield start, end

    def _spans(self, text: str) -> Iterator[tuple[int, int]]:
        start = 0
        for word, candidate in _candidates(text):
            if self._ends_sentence(text[word : candidate.end()], candidate):
                yield start, candidate.end()
                start = candidate.start("next_tok") if candidate["next_tok"] else candidate.end()
        yield start, len(text.rstrip())

    def _ends_sentence(self, word: str, candidate: re.Match[str]) -> bool:
        """Return the result of `text_contains_sentbreak` for word, mark and what follows."""
        before = self._kept_before(word)
        if before is _SURE:
            return True
        if before is None:
            return self.text_contains_sentbreak(word + candidate["after_tok"])
        after = self._kept_after(candidate["next_tok"] or candidate["after_tok"])
        return after.breaks or self._second_pass(before, after)

    def _before(self, word: str) -> _Before | None:
        """Return the properties of a word with its mark; `_SURE` if it ends a sentence whatever follows.

        None if not only its last token matters: NLTK must then see the whole context.
        """
        if word[-1] != "." or self._is_plain(word):
            return _SURE
        if len(word.split()) > 1:
            return None
        *earlier, last = _TOKEN.findall(word)
        if self._is_plain(last) or self._breaks_within(word, earlier):
            return _SURE
        token = self._annotated(last)
        word_type = token.type_no_period
        before = _Before(
            word_type,
            bool(token.sentbreak),
            bool(token.abbr or token.ellipsis),
            bool(token.is_initial),
            word_type == "##number##",
        )
        doubtful = before.initial or before.number or word_type in self._doubtful
        return before if doubtful or not before.ends else _SURE

    def _after(self, word: str) -> _After:
        tokens = _TOKEN.findall(word)
        first = self._annotated(tokens[0])
        word_type = first.type_no_sentperiod
        return _After(
            word_type,
            self._ortho_heuristic(first),
            first.first_upper and word_type in self._params.sent_starters,
            first.first_upper and not self._params.ortho_context[word_type] & _LOWER,
            self._breaks_within(word, tokens[:-1]),
        )

    def _second_pass(self, before: _Before, after: _After) -> bool:
        """Return whether a sentence ends between two tokens.  Kiss and Strunk 2006, section 4."""
        if (before.type, after.type) in self._params.collocations:
            return False
        if before.cut and not before.initial and (after.begins is True or after.starter):
            return True
        if before.initial and (after.begins is False or after.name):
            return False
        if before.number and after.begins is False:
            return False
        return before.ends

    def _is_plain(self, token: str) -> bool:
        """Return whether a token is letters and a full stop, or a full stop, and surely ends a sentence."""
        if token == ".":
            return "." not in self._doubtful
        stem = token[:-1]
        return len(stem) > 1 and stem.isalpha() and stem.lower() not in self._doubtful

    def _annotated(self, text: str) -> PunktToken:
        token = self._Token(text)
        if text.endswith(self._lang_vars.sent_end_chars):
            self._first_pass_annotation(token)
        return token

    def _breaks_within(self, word: str, tokens: list[str]) -> bool:
        """Return whether a sentence ends at one of the tokens of a word other than its last."""
        marks = self._lang_vars.sent_end_chars
        return any(token.endswith(marks) for token in tokens) and self.text_contains_sentbreak(word)


def _candidates(text: str) -> Iterator[tuple[int, re.Match[str]]]:
    """Yield the start of each word with a candidate for a sentence end, and the last candidate in it."""
    start = end = 0
    previous = None
    for candidate in _CANDIDATE.finditer(text):
        blank = _UP_TO_WORD.match(text, end, candidate.start())
        word = blank.end() if blank else start
        if previous and end <= word:
            yield start, previous
        start, end, previous = word, candidate.start(), candidate
    if previous:
        yield start, previous
