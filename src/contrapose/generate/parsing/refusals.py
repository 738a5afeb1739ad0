"""Why an answer is not accepted."""

import re
from enum import StrEnum


class Refusal(StrEnum):
    """Why an answer is not accepted: the codes that the reports count."""

    EMPTY = "empty"  # no text
    CUT = "cut"  # finish_reason length: the end is missing even if five items are visible
    FILTERED = "filtered"  # finish_reason content_filter
    UNFINISHED = "unfinished"  # a tool call or an aborted answer
    GARBLED = "garbled"  # control, replacement or private characters, changed direction, or words without end
    THINKING = "thinking"  # reasoning that never ends: a `<think>` block, an `analysis` channel
    TURNS = "turns"  # the model continues the dialogue: `User:`, `</s>` and more text
    JSON = "json"  # not the JSON that was requested, or JSON that is not a list of five texts
    FEWER = "fewer"  # fewer than five items
    MORE = "more"  # more than five, of which it is unclear which are meant, or thousands of lines
    NUMBERING = "numbering"  # not 1, 2, 3, 4, 5 in order, or items that keep a second marker
    MIXED = "mixed_markers"  # two styles of markers
    LISTS = "lists"  # two lists, or a text around the list
    BROKEN = "broken"  # an item continues on another line or is cut, or one is a heading
    PROSE = "prose"  # no list that can be split with certainty
    LABELS = "labels"  # an item begins or ends with a label, a remark or another item
    QUOTES = "quotes"  # quotation marks around items that look like the items' own
    MARKUP = "markup"  # Markdown, HTML, an arrow or alternatives inside an item
    PLACEHOLDER = "placeholder"  # a blank to fill in
    BLANK = "blank_item"  # an item without a letter or digit
    TALKING = "talking"  # an item answers, asks back or refuses, or all are about something else
    COPY = "copy"  # an item is the source
    DUPLICATE = "duplicate"  # two items are the same
    UNTRANSLATED = "untranslated"  # Chinese, or the whole source, is left in a translation
    SCORE = "score"  # not a number from 0 to 5


# Finish reasons of an answer that is not whole, in the words of OpenAI, vLLM, Anthropic, Gemini, DeepSeek,
# Mistral, Zhipu and gateways.  `abort`: vLLM drops the request.
FINISHED_BADLY = {
    Refusal.CUT: re.compile(r"length|max_?(?:output_)?tokens|context_window|truncat", re.I),
    Refusal.FILTERED: re.compile(
        r"filter|safety|recitation|blocklist|prohibited|spii|sensitive|guardrail", re.I
    ),
    Refusal.UNFINISHED: re.compile(
        r"tool|function|abort|cancel|error|fail|incomplete|interrupt|timeout|insufficient|other|malformed",
        re.I,
    ),
}


def finished_badly(reason: str | None) -> Refusal | None:
    """Return why the answer with a finish reason is not whole; None for one that stopped by itself."""
    return next((each for each, words in FINISHED_BADLY.items() if words.search(reason or "")), None)


class Refused(Exception):
    """Ends the parsing of an answer."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal)
        self.refusal = refusal


def refuse_if(unusable: object, refusal: Refusal) -> None:
    """Raise Refused if a condition holds."""
    if unusable:
        raise Refused(refusal)
