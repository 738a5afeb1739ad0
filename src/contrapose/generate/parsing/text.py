"""The text of an answer: cleaned of what servers and chat templates put around it, and normalised."""

import re
import unicodedata
from collections.abc import Callable
from functools import wraps

from contrapose.generate.parsing.reasoning import without_reasoning, without_tokens
from contrapose.generate.parsing.refusals import Refusal, Refused, finished_badly, refuse_if
from contrapose.generate.parsing.wording import ROLE_TURN, WORD
from contrapose.text.equal_text import INVISIBLE, equal_text

# Control and private characters, lone surrogates, and what changes the direction of a text or hides text.
GARBLED = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ufffd\ue000-\uf8ff\ud800-\udfff"
    "\u202a-\u202e\u2066-\u2069\U000e0000-\U0010ffff]"
)

# What a model that cannot stop repeats, and how often it does at least.  Ours
LONGEST_LOOP, MOST_REPEATED = 6, 10  # words
DRAWN_OUT = re.compile(r"(\w)\1{19}")  # letters

STRAIGHT = str.maketrans("“”„«»‘’‚`", '"""""\'\'\'\'')
WITHIN = re.compile(r"[^\W_](?:.*[^\W_])?", re.S)  # from the first letter or digit to the last


Parser = Callable[[str | None, str | None, str], list[str] | Refusal]


def parser(parse: Callable[[str, str], list[str]]) -> Parser:
    """Make a function of an answer, its finish reason and its source from one of the cleaned text and source.

    It returns the texts of the answer, or why it is refused.  `finish_reason` is as the server gave it;
    one of an answer that is not whole is never accepted.
    """

    @wraps(parse)
    def parsed(answer: str | None, finish_reason: str | None, source: str) -> list[str] | Refusal:
        try:
            return parse(_said(answer, finish_reason, source), source)
        except Refused as refused:
            return refused.refusal

    return parsed


def _said(answer: str | None, finish_reason: str | None, source: str) -> str:
    """Return the text of a finished answer, without its reasoning and the tokens around a turn."""
    if refusal := finished_badly(finish_reason):
        raise Refused(refusal)
    if not answer or not answer.strip():
        raise Refused(Refusal.EMPTY)
    refuse_if(GARBLED.search(answer) and not GARBLED.search(source), Refusal.GARBLED)
    refuse_if(_loops(answer) and not _loops(source), Refusal.GARBLED)
    text = answer if answer.isascii() else answer.translate(INVISIBLE)
    text = without_tokens(without_reasoning(text, source), source)
    refuse_if(":" in text and ROLE_TURN.search(text), Refusal.TURNS)
    refuse_if(not text.strip(), Refusal.EMPTY)
    return text


def _loops(text: str) -> bool:
    """Return whether some words, or a letter, are repeated over and over."""
    words = text.split()
    for period in range(1, LONGEST_LOOP + 1):
        run = 0
        for word, before in zip(words[period:], words, strict=False):
            run = run + 1 if word == before else 0
            if run == period * (MOST_REPEATED - 1):
                return True
    return bool(DRAWN_OUT.search(text))


def text_lines(text: str) -> list[str]:
    """Return the lines of a text that are not blank, without blanks around them."""
    return [line for line in map(str.strip, text.splitlines()) if line]


def compared(text: str) -> str:
    """Return `equal_text` without case, with one kind of quotes, and without outer punctuation."""
    text = equal_text(text)
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text.translate(STRAIGHT).casefold())
    within = WITHIN.search(text.replace("`", "'").casefold())
    return " ".join(within[0].split()) if within else ""


def long_words(text: str) -> set[str]:
    """Return the words of four letters or more, cut to five letters to ignore their endings."""
    return {word[:5] for word in WORD.findall(text) if len(word) > 3}
