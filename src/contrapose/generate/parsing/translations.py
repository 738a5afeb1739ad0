"""Parse an answer into one translation."""

import re
from collections.abc import Sequence
from typing import get_args

from contrapose.generate.parsing.items import OPENING, check_additions, set_apart, unwrapped
from contrapose.generate.parsing.lists import one_text
from contrapose.generate.parsing.refusals import Refusal, refuse_if
from contrapose.generate.parsing.text import compared, parser, text_lines
from contrapose.generate.parsing.wording import WORD
from contrapose.settings.spec import Language

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
# Not `I'm sorry` alone, which people say, too.  `(?>...)`: see `wording`.
REFUSING = re.compile(
    r"\bas an? (?:ai|(?:large )?language)\b|\b(?:ai|language) model\b|"
    r"\bi(?:'m| am) sorry, (?:but )?(?:i|as|the|this|it)\b|"
    r"\bi (?:cannot|can't|can not|am unable to|am not able to) (?:help|assist|provide|answer|fulfil|comply)|"
    r"^(?>.*?\b(?:please|(?:could|can) you) provide (?:me with )?(?:the|more|some|a)\b).*"
    r"\b(?:text|sentence|context)\b",
    re.I | re.M,
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
    r"\bals (?:ki|sprachmodell)\b|^(?>.*?\bich kann (?:dir|ihnen|dabei)\b)(?>.*?\bnicht\b).*\bhelfen\b",
    re.I | re.M,
)
LIKE_TALK = re.compile(rf"{ANY_TALK.pattern}|\bsorry\b|\bleid\b|\bentschuldig", re.I | re.M)


@parser
def one_translation(text: str, source: str) -> list[str]:
    """Return the one English line of an answer.

    A label before it and quotation marks that the Chinese source does not have are removed.
    """
    about = ABOUT_TRANSLATION in source
    translation = _one_line(text, source, [LABEL] if about else [LABEL, LEAD])
    refuse_if(CHINESE.search(translation), Refusal.UNTRANSLATED)
    refuse_if(not compared(translation), Refusal.BLANK)
    talks = not about and TRANSLATING.search(translation)
    refuse_if(talks or REFUSING.search(translation.replace("’", "'")), Refusal.TALKING)
    check_additions(translation, source)
    return [translation]


@parser
def any_translation(text: str, source: str) -> list[str]:
    """Return the one line of an answer, as `one_translation`, between any languages, which is not checked."""
    labels = [] if ANY_LABEL.match(source) else [ANY_LABEL]
    leads = [] if LIKE_LEAD.search(source) else [ANY_LEAD]
    item = _one_line(text, source, labels + leads)
    words, source_words = (" ".join(WORD.findall(compared(each))) for each in (item, source))
    refuse_if(not words, Refusal.BLANK)
    refuse_if(source_words and f" {source_words} " in f" {words} ", Refusal.UNTRANSLATED)
    translation, source = (each.replace("’", "'") for each in (item, source))
    leads_in = ANY_LEAD.match(translation) and not ANY_LEAD.match(source)
    refuse_if(leads_in or (ANY_TALK.search(translation) and not LIKE_TALK.search(source)), Refusal.TALKING)
    check_additions(translation, source)
    return [item]


def _one_line(text: str, source: str, leads: Sequence[re.Pattern[str]]) -> str:
    """Return the one line of an answer without what surrounds it."""
    text = one_text(text)
    for lead in leads:
        text = text.strip()
        text = text[match.end() :] if (match := lead.match(text)) else text
    lines = text_lines(text)
    refuse_if(not lines, Refusal.BLANK)
    refuse_if(len(lines) > 1, Refusal.PROSE)
    quoted = source.strip()[:1] in OPENING  # the marks are the sentence's own
    return lines[0] if quoted else unwrapped([set_apart(lines[0], source)], source)[0]
