"""Parse an answer into one hard negative, or a reason for refusing it.

A hard negative is on the topic of its sentence but means something else.  The latter is only the model's
claim; what can be checked in the text is checked as for a paraphrase.
"""

import re

from contrapose.generate.parsing import Refusal, compared, objection, said, unwrapped
from contrapose.generate.parsing.text import long_words
from contrapose.generate.wording import TALK

# "Contradiction:", "Hard negative: ", "1. "; nothing that a sentence is likely to begin with.
LABEL = re.compile(
    r"(?:[*_]*(?:(?:the |a )?(?:hard |contradict\w+ |new )?(?:negative|contradiction|sentence))[*_]*\s*:[*_]*"
    r"|1[.)]|[-*\u2022])\s+",
    re.I,
)


def one_negative(answer: str | None, finish_reason: str | None, source: str) -> list[str] | Refusal:
    """Return the one sentence of an answer, or the reason for refusing it.

    It is on one line, after at most one line that ends in a colon; a label before it and quotation marks that
    the source lacks are removed.  It differs from the source, and shares a word with a source that has two
    words of four letters or more.  Arguments as for `contrapose.generate.parsing.five_paraphrases`.
    """
    text = said(answer, finish_reason, source)
    if isinstance(text, Refusal):
        return text
    lines = [line for line in map(str.strip, text.splitlines()) if line]
    if len(lines) == 2 and lines[0].endswith(":"):
        lines = lines[1:]
    if len(lines) != 1:
        return Refusal.PROSE
    label = None if LABEL.match(source) else LABEL.match(lines[0])
    items = unwrapped([lines[0][label.end() :] if label else lines[0]], source)
    if isinstance(items, Refusal):
        return items
    chats = TALK.search(items[0]) and not TALK.search(source)
    words = long_words(compared(source))
    foreign = len(words) > 1 and words.isdisjoint(long_words(compared(items[0])))
    return objection(items, source) or (Refusal.TALKING if chats or foreign else items)
