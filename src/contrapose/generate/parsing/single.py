"""Parse an answer into one text: a paraphrase, a hard negative, a DINO instruction's text, or a score."""

import re

from contrapose.generate.parsing.items import check_additions, check_paraphrases, set_apart, unwrapped
from contrapose.generate.parsing.lists import one_text
from contrapose.generate.parsing.refusals import Refusal, Refused, refuse_if
from contrapose.generate.parsing.text import STRAIGHT, compared, long_words, parser, text_lines
from contrapose.generate.parsing.wording import TALK, talks_back

# "Contradiction:", "Hard negative: ", "1. "; nothing that a sentence is likely to begin with.
NEGATIVE_LABEL, PARAPHRASE_LABEL = (
    re.compile(
        rf"(?:[*_]*(?:(?:the |a )?(?:{qualities})?(?:{names}))[*_]*\s*:[*_]*|1[.)]|[-*\u2022])\s+", re.I
    )
    for qualities, names in (
        (r"hard |contradict\w+ |new ", "negative|contradiction|sentence"),
        ("new |entailed |rewritten ", "paraphrase|entailment|rewrite|version|sentence"),
    )
)
HIGHEST = 5.0  # of the scores of similarity.  MultiCSR, prompt in flan_filter.py; as in STS
# "4", "4.5", "Score: 4.5 / 5", "4.5 out of 5."
SCORE = re.compile(r"(?:[^\d\n:]{1,40}:)?\s*(\d(?:\.\d+)?)(?:\s*(?:/|out of)\s*5(?:\.0+)?)?\.?", re.I)
SOURCE_LABEL, TEXT_LABEL = (
    re.compile(rf"^[^\S\n]*(?:\*\*)?(?:sentence|question) (?:{number})(?:\*\*)?\s*:(?:\*\*)?\s*", re.I | re.M)
    for number in ("1|one", "2|two")
)


@parser
def one_paraphrase(text: str, source: str) -> list[str]:
    """Return the one sentence of an answer, checked as one of five paraphrases would be.

    As for a hard negative, it is on one line, without label and quotation marks; it may share no word with a
    short source.
    """
    return [_sentence(text, source, PARAPHRASE_LABEL)]


@parser
def one_negative(text: str, source: str) -> list[str]:
    """Return the one sentence of an answer, a hard negative: on the topic of its source, of another meaning.

    The latter is only the model's claim; what can be checked in the text is checked as for a paraphrase.  It
    is on one line, after at most one line that ends in a colon; a label before it and quotation marks that
    the source lacks are removed.  It differs from the source, and shares a word with a source that has two
    words of four letters or more.
    """
    item, words = _sentence(text, source, NEGATIVE_LABEL), long_words(compared(source))
    refuse_if(len(words) > 1 and words.isdisjoint(long_words(compared(item))), Refusal.TALKING)
    return [item]


def _sentence(text: str, source: str, labels: re.Pattern[str]) -> str:
    lines = text_lines(one_text(text))
    if len(lines) == 2 and lines[0].endswith(":"):
        lines = lines[1:]
    refuse_if(len(lines) != 1, Refusal.PROSE)
    label = None if labels.match(source) else labels.match(lines[0])
    line = lines[0][label.end() :] if label else set_apart(lines[0], source)
    items = unwrapped([line], source)
    check_paraphrases(items, source)
    refuse_if(TALK.search(items[0]) and not TALK.search(source), Refusal.TALKING)
    return items[0]


@parser
def one_continuation(text: str, source: str) -> list[str]:
    """Return what an answer says up to the first quotation mark.

    The instruction ends with an opening mark.  A model that continues closes it, or just stops; one that
    starts over repeats the mark, perhaps after `Sentence 2:`, and both are removed.  A chat model may begin
    with `Sentence 1:` and the source.  The text is on one line, without blanks around it, and differs from
    the source.
    """
    text = text.lstrip()
    first = SOURCE_LABEL.search(text)
    label = TEXT_LABEL.search(text, first.end()) if first else TEXT_LABEL.match(text)
    refuse_if(first and first.start() == 0 and not label, Refusal.LABELS)  # the source, or the text?
    text = text[label.end() :] if label else text
    opened = text.lstrip()
    at = 1 if opened.translate(STRAIGHT).startswith('"') else 0
    end = opened.translate(STRAIGHT).find('"', at)
    item = (opened[at:end] if end >= 0 else opened[at:]).strip()
    folded = compared(item)
    refuse_if(not folded, Refusal.BLANK)
    refuse_if("\n" in item, Refusal.PROSE)
    # Without a source: a text on another topic may well address a reader.
    refuse_if(talks_back([item], "") and not talks_back([source], ""), Refusal.TALKING)
    check_additions(item, source)
    refuse_if(folded == compared(source), Refusal.COPY)
    return [item]


@parser
def one_score(text: str, source: str) -> list[str]:
    """Return the number from 0 to 5 that is all that an answer says, but for a label or `/5` around it."""
    match = SCORE.fullmatch(one_text(text, numbers=True).replace("*", "").strip())
    if match is None or float(match[1]) > HIGHEST:
        raise Refused(Refusal.SCORE)
    return [match[1]]
