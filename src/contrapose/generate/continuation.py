"""From the text of an answer to the one text that an instruction of DINO asks for, or to a reason why not."""

import re

from contrapose.generate.parsing import STRAIGHT, Refusal, added, compared, said
from contrapose.generate.wording import talks_back

LABEL = re.compile(r"\s*(?:\*\*)?(?:sentence|question) (?:2|two)(?:\*\*)?\s*:(?:\*\*)?\s*", re.I)


def one_continuation(answer: str | None, finish_reason: str | None, source: str) -> list[str] | Refusal:
    """Return what an answer says up to the first quotation mark, or the reason for refusing it.

    The instruction ends with an opening mark.  A model that goes on closes it, or says no
    more; one that begins anew repeats the mark, and perhaps `Sentence 2:` in front of it: both are taken
    off.  The one text is on one line, without blanks around it, and not the source.  Arguments as of
    `five_paraphrases`.
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
    """Return why a text cannot stand beside the source, if for any reason."""
    folded = compared(text)
    if not folded:
        return Refusal.BLANK
    if "\n" in text:
        return Refusal.PROSE
    # Without a source: a text on another topic may well speak to somebody.
    if talks_back([text], "") and not talks_back([source], ""):
        return Refusal.TALKING
    return added(text, source) or (Refusal.COPY if folded == compared(source) else None)
