"""From the text of an answer to one translation, or to a reason why not.

As with paraphrases, an answer is refused when in doubt: then the sentence is asked about again.
"""

import re

from contrapose.generate.parsing import OPENING, Refusal, added, compared, said, unwrapped

CHINESE = re.compile("[\u3400-\u9fff\uf900-\ufaff\U00020000-\U000323af]")  # ideographs
ABOUT_TRANSLATION = "译"  # a sentence with this character may be about translating
LABEL = re.compile(
    r"\s*[*_]*(?:the )?(?:english(?: translation| version)?|translation(?: in(?:to)? english)?)[*_]*"
    r"\s*[:：][*_]*",
    re.I,
)
# "Sure! Here is the translation:"
LEAD = re.compile(r"[^:：\n]{0,80}\btranslat\w+\b[^:：\n]{0,60}[:：]", re.I)
TRANSLATING = re.compile(r"\btranslat", re.I)
# Not the mere `I'm sorry`, which people say, too.
REFUSING = re.compile(
    r"\bas an? (?:ai|(?:large )?language)\b|\b(?:ai|language) model\b|"
    r"\bi(?:'m| am) sorry, (?:but )?(?:i|as|the|this|it)\b|"
    r"\bi (?:cannot|can't|can not|am unable to|am not able to) (?:help|assist|provide|answer|fulfil|comply)|"
    r"\b(?:please|(?:could|can) you) provide (?:me with )?(?:the|more|some|a)\b.*"
    r"\b(?:text|sentence|context)\b",
    re.I,
)


def one_translation(answer: str | None, finish_reason: str | None, source: str) -> list[str] | Refusal:
    """Return the one English line of an answer, or the reason for refusing it.

    Without a label in front of it and without quotation marks that the Chinese source does not have.
    Arguments as of `contrapose.generate.parsing.five_paraphrases`.
    """
    text = said(answer, finish_reason, source)
    if isinstance(text, Refusal):
        return text
    text = LABEL.sub("", text, count=1) if LABEL.match(text) else text
    if ABOUT_TRANSLATION not in source and (lead := LEAD.match(text.strip())):
        text = text.strip()[lead.end() :]
    lines = [line for line in map(str.strip, text.splitlines()) if line]
    if len(lines) != 1:
        return Refusal.PROSE if lines else Refusal.BLANK
    quoted = source.strip()[:1] in OPENING  # the marks are the sentence's own
    items = lines if quoted else unwrapped(lines, source)
    return items if isinstance(items, Refusal) else (objection(items[0], source) or items)


def objection(translation: str, source: str) -> Refusal | None:
    """Return why a text is no translation, if for any reason."""
    if CHINESE.search(translation):
        return Refusal.UNTRANSLATED
    if not compared(translation):
        return Refusal.BLANK
    talks = ABOUT_TRANSLATION not in source and TRANSLATING.search(translation)
    if talks or REFUSING.search(translation.replace("’", "'")):
        return Refusal.TALKING
    return added(translation, source)
