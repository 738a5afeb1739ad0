"""Parse an answer into one translation, or a reason for refusing it; and back-translation.

As with paraphrases, an answer is refused when in doubt; the sentence is then asked about again.
"""

import logging
import re
from collections.abc import Callable, Mapping, Sequence
from typing import get_args

import pandas as pd

from contrapose.generate.parsing import OPENING, Refusal, added, compared, said, unwrapped
from contrapose.generate.wording import WORD
from contrapose.settings.spec import Language
from contrapose.tables import TRANSLATIONS

logger = logging.getLogger(__name__)

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
# Not `I'm sorry` alone, which people say, too.
REFUSING = re.compile(
    r"\bas an? (?:ai|(?:large )?language)\b|\b(?:ai|language) model\b|"
    r"\bi(?:'m| am) sorry, (?:but )?(?:i|as|the|this|it)\b|"
    r"\bi (?:cannot|can't|can not|am unable to|am not able to) (?:help|assist|provide|answer|fulfil|comply)|"
    r"\b(?:please|(?:could|can) you) provide (?:me with )?(?:the|more|some|a)\b.*"
    r"\b(?:text|sentence|context)\b",
    re.I,
)


# For any language, with German words beside the English ones, since our prompts are for German.
NAMES = "|".join([*get_args(Language), "chinese", "deutsche?", "englische?", "français", "español"])
ABOUT = r"translat|\bübersetz|\btradu[cçitz]|\bvertal"
HERE = r"\bhere(?:['’]s| is| it is| you go)\b|\bhier ist\b"
# "**German:**", "Deutsche Übersetzung:", "Translation into German:"
ANY_LABEL = re.compile(
    rf"[*_]*(?:(?:in )?(?:{NAMES})(?: sentence| version)?|"
    rf"(?:the )?(?:(?:{NAMES}) )?(?:translation|übersetzung)(?: (?:in|into|to|ins) (?:{NAMES}))?)"
    r"[*_]*\s*:[*_]*",
    re.I,
)
# "Sure! Here it is in German:"
ANY_LEAD = re.compile(rf"[^:\n]{{0,80}}(?:{ABOUT}|{HERE})[^:\n]{{0,60}}:[*_]*", re.I)
LIKE_LEAD = re.compile(f"{ABOUT}|{HERE}", re.I)  # in a source, whose translation may have it, too
ANY_TALK = re.compile(
    rf"{ABOUT}|{REFUSING.pattern}|\btut mir leid, (?:aber )?(?:ich|das|dies\w*|als)\b|"
    r"\bals (?:ki|sprachmodell)\b|\bich kann (?:dir|ihnen|dabei)\b.*\bnicht\b.*\bhelfen\b",
    re.I,
)
LIKE_TALK = re.compile(rf"{ANY_TALK.pattern}|\bsorry\b|\bleid\b|\bentschuldig", re.I)


def one_translation(answer: str | None, finish_reason: str | None, source: str) -> list[str] | Refusal:
    """Return the one English line of an answer, or the reason for refusing it.

    A label before it and quotation marks that the Chinese source does not have are removed.
    Arguments as for `contrapose.generate.parsing.five_paraphrases`.
    """
    leads = [LABEL] if ABOUT_TRANSLATION in source else [LABEL, LEAD]
    return _one_line(answer, finish_reason, source, leads, objection)


def any_translation(answer: str | None, finish_reason: str | None, source: str) -> list[str] | Refusal:
    """Return the one line of an answer, as `one_translation`, between any languages, which is not checked."""
    labels = [] if ANY_LABEL.match(source) else [ANY_LABEL]
    leads = [] if LIKE_LEAD.search(source) else [ANY_LEAD]
    return _one_line(answer, finish_reason, source, labels + leads, any_objection)


def _one_line(
    answer: str | None,
    finish_reason: str | None,
    source: str,
    leads: Sequence[re.Pattern[str]],
    objection: Callable[[str, str], Refusal | None],
) -> list[str] | Refusal:
    """Return the one line of an answer without what surrounds it."""
    text = said(answer, finish_reason, source)
    if isinstance(text, Refusal):
        return text
    for lead in leads:
        text = text.strip()
        text = text[found.end() :] if (found := lead.match(text)) else text
    lines = [line for line in map(str.strip, text.splitlines()) if line]
    if len(lines) != 1:
        return Refusal.PROSE if lines else Refusal.BLANK
    quoted = source.strip()[:1] in OPENING  # the marks are the sentence's own
    items = lines if quoted else unwrapped(lines, source)
    return items if isinstance(items, Refusal) else (objection(items[0], source) or items)


def objection(translation: str, source: str) -> Refusal | None:
    """Return why a text is not a translation, or None."""
    if CHINESE.search(translation):
        return Refusal.UNTRANSLATED
    if not compared(translation):
        return Refusal.BLANK
    talks = ABOUT_TRANSLATION not in source and TRANSLATING.search(translation)
    if talks or REFUSING.search(translation.replace("’", "'")):
        return Refusal.TALKING
    return added(translation, source)


def any_objection(translation: str, source: str) -> Refusal | None:
    """Return why a text is not a translation of a text in another language, or None."""
    words, own = (" ".join(WORD.findall(compared(text))) for text in (translation, source))
    if not words:
        return Refusal.BLANK
    if own and f" {own} " in f" {words} ":
        return Refusal.UNTRANSLATED
    translation, source = (text.replace("’", "'") for text in (translation, source))
    leads = ANY_LEAD.match(translation) and not ANY_LEAD.match(source)
    if leads or (ANY_TALK.search(translation) and not LIKE_TALK.search(source)):
        return Refusal.TALKING
    return added(translation, source)


def there_and_back(
    sentences: pd.DataFrame, there: Mapping[str, str], back: Mapping[str, str]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Combine translations into another language with their back-translations.

    TRANSLATIONS are in the order of `there`; PARAPHRASES, with one slot, in the order of the sentences,
    without those that lack a translation either way.
    """
    texts = sentences.text.map(there).map(back).fillna("").astype("str")
    found = pd.DataFrame({"sentence_id": sentences.id, "slot": 0, "text": texts}).astype({"slot": "int16"})
    found = found[found.text != ""].reset_index(drop=True)
    logger.info("%d of %d sentences are translated there and back", len(found), len(sentences))
    return pd.DataFrame(there.items(), columns=TRANSLATIONS.columns, dtype="str"), found
