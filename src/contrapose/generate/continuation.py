"""Parse an answer into the one text that a DINO instruction asks for, or a reason for refusing it."""

import re

from contrapose.generate.parsing import STRAIGHT, Refusal, added, compared, said
from contrapose.generate.wording import talks_back

LABEL = re.compile(r"\s*(?:\*\*)?(?:sentence|question) (?:2|two)(?:\*\*)?\s*:(?:\*\*)?\s*", re.I)


def one_continuation(answer: str | None, finish_reason: str | None, source: str) -> list[str] | Refusal:
    """Return what an answer says up to the first quotation mark, or the reason for refusing it.

    The instruction ends with an opening mark.  A model that continues closes it, or just stops; one that
    starts over repeats the mark, perhaps after `Sentence 2:`, and both are removed.  The text is on one line,
    without blanks around it, and differs from the source.  Arguments as for `five_paraphrases`.
    """
    text = said(answer, finish_reason, source)
    if isinstance(text, Refusal):
        return text
    text = LABEL.sub("", text, count=1) if LABEL.match(text) else text
    opened = text.lstrip()
    at = 1 if opened.translate(STRAIGHT).startswith('"') else 0
    end = opened.translate(STRAIGHT).find('"', at)
    item = (opened[at:end] if end >= 0 else opened[at:]).strip()
    return objection(item, source) or [item]


def objection(text: str, source: str) -> Refusal | None:
    """Return why a text cannot be paired with the source, or None."""
    folded = compared(text)
    if not folded:
        return Refusal.BLANK
    if "\n" in text:
        return Refusal.PROSE
    # Without a source: a text on another topic may well address a reader.
    if talks_back([text], "") and not talks_back([source], ""):
        return Refusal.TALKING
    return added(text, source) or (Refusal.COPY if folded == compared(source) else None)
