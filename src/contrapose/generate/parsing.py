"""From the text of an answer to five paraphrases, or to a reason why not.

When in doubt an answer is refused: another try costs a fraction of a cent, a wrong pair poisons training.
Lines are judged by position and marker; words decide only whether an item is a paraphrase at all.
"""

import json
import re
import unicodedata
from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

from contrapose.generate.wording import (
    MARKS,
    MARKUP,
    PLACEHOLDER,
    ROLE_TURN,
    TALK,
    TRAILING,
    WORD,
    adds,
    is_labelled,
    talks_back,
)

ITEMS = 5  # paraphrases per sentence.  Thesis, section 3.2
LEAD_LINES = 3  # a greeting and a sentence that names the task; more is another text
TRAIL_LINES = 2  # a closing remark
MANY_WORDS = 8  # of four letters and more: five paraphrases of such a source share one of them with it


class Refusal(StrEnum):
    """Why an answer is not accepted: the codes that the reports count."""

    EMPTY = "empty"  # no text
    CUT = "cut"  # finish_reason length: the end is missing even if five items are visible
    FILTERED = "filtered"  # finish_reason content_filter
    UNFINISHED = "unfinished"  # a tool call or an aborted answer
    GARBLED = "garbled"  # control, replacement or private characters, or turned direction
    THINKING = "thinking"  # a `<think>` block that never ends
    TURNS = "turns"  # the model plays on: `User:`, `</s>` and more text
    JSON = "json"  # looks like JSON and is not a list of five texts
    FEWER = "fewer"  # fewer than five items
    MORE = "more"  # more than five; which five are meant is open
    NUMBERING = "numbering"  # not 1, 2, 3, 4, 5 in order, or items that keep a second marker
    MIXED = "mixed_markers"  # two styles of markers
    LISTS = "lists"  # two lists, or a text around the list
    BROKEN = "broken"  # an item goes on in another line or is cut, or one is a heading
    PROSE = "prose"  # no list that splits without doubt
    LABELS = "labels"  # an item begins or ends with a label, a remark or another item
    QUOTES = "quotes"  # quotation marks around items that cannot be told from the items' own
    MARKUP = "markup"  # Markdown, HTML, an arrow or alternatives inside an item
    PLACEHOLDER = "placeholder"  # a blank to fill in
    BLANK = "blank_item"  # an item without a letter or digit
    TALKING = "talking"  # an item answers, asks back or refuses, or all tell of something else
    COPY = "copy"  # an item is the source
    DUPLICATE = "duplicate"  # two items are the same
    UNTRANSLATED = "untranslated"  # Chinese is left in a translation


FINISHED_BADLY = {
    "length": Refusal.CUT,
    "max_tokens": Refusal.CUT,
    "content_filter": Refusal.FILTERED,
    "tool_calls": Refusal.UNFINISHED,
    "function_call": Refusal.UNFINISHED,
    "abort": Refusal.UNFINISHED,  # vLLM, when a request is dropped
    "error": Refusal.UNFINISHED,
}

# Opening mark, and the marks that close it.
QUOTES = (
    ('"', '"'),
    ("“", "”“"),
    ("„", "“”"),
    ("'", "'"),
    ("‘", "’‘"),
    ("`", "`"),
    ("«", "»"),
    ("「", "」"),
    ("『", "』"),
)
OPENING = frozenset(opening for opening, _ in QUOTES)
END_MARKS = tuple(".!?…。！？")
CLOSING = "\"'”’»」』)]*_"  # may stand behind an end mark
# Also Mistral's [THINK] and Kimi's ◁think▷.
THOUGHT = re.compile(r"[<[◁](think|thinking|thought|reasoning)[>\]▷].*?[<[◁]/\1[>\]▷]", re.S | re.I)
THOUGHT_TAG = re.compile(r"[<[◁]/?(?:think|thinking|thought|reasoning)[>\]▷]", re.I)
END_TOKEN = re.compile(r"(?:</s>|<\|(?:im_end|endoftext|eot_id|end)\|>)")
START_TOKEN = re.compile(r"^\s*(?:<s>|<\|(?:im_start|assistant)\|>)")
JSON_LIST = re.compile(r"\s*(?:\[\s*[\"'{]|\{)")
FENCE = re.compile(r"^\s*```[\w-]*\s*$", re.M)
# Control and private characters, halves of a pair, and what turns the direction of a text or hides text.
GARBLED = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ufffd\ue000-\uf8ff\ud800-\udfff"
    "\u202a-\u202e\u2066-\u2069\U000e0000-\U0010ffff]"
)
INVISIBLE = str.maketrans(
    "",
    "",
    "\u00ad\u034f\u061c\u180e\u200b\u200c\u200d\u200e\u200f\u2060\u2061\u2062\u2063\u2064\ufe0e\ufe0f\ufeff",
)
STRAIGHT = str.maketrans("“”„«»‘’‚`", '"""""\'\'\'\'')
WITHIN = re.compile(r"[^\W_](?:.*[^\W_])?", re.S)  # from the first letter or digit to the last
BOLD_LINE = re.compile(r"^(\*\*|__)(?P<inner>(?:(?!\1).)+)\1$")
MARKER = re.compile(
    r"""
    (?:\#{1,6}\s+)?(?P<open>[*_]{0,3}[(\[（]?)                          # heading, emphasis, bracket
    (?P<label>(?:(?:paraphrased?|sentence|version|variation|option|alternative|rephras(?:e|ed|ing)|rewrite
        |scale|level)\s+){1,2})?\#?                                     # Paraphrase 1
    (?P<number>\d{1,4}|[①-⓿❶-➓])\u20e3?
    (?P<close>[*_]{0,3}(?:[.)\]:．）：、]{1,2}|\s+[-–—](?=\s)|(?<=[①-⓿❶-➓\u20e3])|(?=\s*$))[*_]{0,3}:?)
    (?P<gap>\s+|$|(?=[^\s\d]))
    """,
    re.X | re.I,
)
APOSTROPHE = re.compile(r"(?<=\w)['’](?=\w)")
BULLET = re.compile(r"(?P<style>[-*•–—·●▪◦‣∙○+])\s+")
# How the five items begin, in lower case, if they still have their numbers, letters or words in order.
COUNTED = tuple(
    re.compile(
        rf"(?:(?:[a-z]|\d\.)?{number}(?:st|nd|rd|th)?|{letter}|{roman}|{word}|{ordinal})(?:ly)?(?![^\W_])"
    )
    for number, letter, roman, word, ordinal in zip(
        "12345",
        "abcde",
        ("i", "ii", "iii", "iv", "v"),
        ("one", "two", "three", "four", "five"),
        ("first", "second", "third", "fourth", "fifth"),
        strict=True,
    )
)
DASHES = (" - ", " – ", " — ")
SYMBOLS = ("So", "Sm", "Pd", "Po")  # categories of Unicode
# An abbreviation or an ordinal number: perhaps not the end of a sentence.
MAY_GO_ON = re.compile(r"\b(?:\w|\d\d|[A-Z]\w|Mrs|Rev|Gen|Col|Prof|etc|vs)\.$")
LETTERED = re.compile(r"\W*\w{1,4}[.):]\s")


class Line(NamedTuple):
    """A line of an answer that is not blank."""

    text: str  # without its marker
    style: str  # the marker with `#` for its number; empty without marker
    number: int  # -1 for a bullet or no marker
    apart: bool  # a blank line stands before it


def five_paraphrases(answer: str | None, finish_reason: str | None, source: str) -> list[str] | Refusal:
    """Return the five paraphrases of an answer, in its order, or the reason for refusing it.

    Parameters
    ----------
    answer : str or None
        Text of the answer as it came.
    finish_reason : str or None
        As the server gave it; `length` is never accepted.
    source : str
        The sentence that was to be paraphrased.

    Returns
    -------
    list of 5 str, or Refusal
        The items are on one line each, without marker and outer quotes, pairwise different and different
        from the source after NFKC, casefold and removal of outer punctuation.  SPEC 1.4.
    """
    text = said(answer, finish_reason, source)
    if isinstance(text, Refusal):
        return text
    items = _listed(text, source)
    items = items if isinstance(items, Refusal) else unwrapped(items, source)
    return items if isinstance(items, Refusal) else (_objection(items, source) or items)


def said(answer: str | None, finish_reason: str | None, source: str) -> str | Refusal:
    """Return the text of an answer that came to its end, without thoughts and tokens around a turn."""
    if finish_reason in FINISHED_BADLY:
        return FINISHED_BADLY[finish_reason]
    if not answer or not answer.strip():
        return Refusal.EMPTY
    if GARBLED.search(answer) and not GARBLED.search(source):
        return Refusal.GARBLED
    return _framed(answer if answer.isascii() else answer.translate(INVISIBLE))


def compared(text: str) -> str:
    """Return `text` as it is compared: NFKC, casefold, one kind of quotes, no outer punctuation."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text).translate(STRAIGHT).translate(INVISIBLE)
        text = unicodedata.normalize("NFKC", text.casefold())
    within = WITHIN.search(text.replace("`", "'").casefold())
    return " ".join(within[0].split()) if within else ""


def _framed(text: str) -> str | Refusal:
    """Return what the model said, without its thoughts and the tokens around a turn."""
    if THOUGHT_TAG.search(text):
        text = THOUGHT.sub("\n", text)
        tags = list(THOUGHT_TAG.finditer(text))
        if len(tags) > 1 or (tags and "/" not in tags[0][0]):
            return Refusal.THINKING
        # Some chat templates open the block in the prompt, so that the answer holds the closing tag alone.
        text = text[tags[0].end() :] if tags else text
    if "<" in text:
        text = START_TOKEN.sub("", text)
        text, *rest = END_TOKEN.split(text)
        if any(part.strip() for part in rest):
            return Refusal.TURNS
    if ":" in text and ROLE_TURN.search(text):
        return Refusal.TURNS
    return text if text.strip() else Refusal.EMPTY


def _listed(text: str, source: str) -> list[str] | Refusal:
    """Find the five items, by JSON, number, bullet or line."""
    parts = FENCE.split(text) if "```" in text else [text]
    if len(parts) not in (1, 3):
        return Refusal.LISTS
    before, body, behind = parts if len(parts) == 3 else ("", text, "")
    if JSON_LIST.match(body):
        return _crowded(_lines(before), _lines(behind)) or _from_json(body.strip())
    lines = _lines("".join(parts))
    numbered = [line for line in lines if line.number >= 0]
    bullets = [line for line in lines if line.style and line.number < 0]
    if not numbered and not bullets:
        return _from_plain_lines(lines, source)
    if len({line.style for line in numbered + bullets}) > 1:
        return Refusal.MIXED
    wrong = _miscounted([line.number for line in numbered]) if numbered else _miscounted_bullets(len(bullets))
    return wrong or _from_marked_lines(lines)


def _lines(text: str) -> list[Line]:
    lines, apart = [], False
    for raw in text.splitlines():
        line = raw.strip()
        if line.startswith(("**", "__")) and (bold := BOLD_LINE.match(line)):
            line = bold["inner"].strip()
        if line:
            lines.append(_line(line, apart))
        apart = not line
    return lines


def _line(line: str, apart: bool) -> Line:
    bullet = BULLET.match(line)
    if bullet:
        return Line(line[bullet.end() :].strip(), bullet["style"], -1, apart)
    marker = MARKER.match(line)
    if not marker:
        return Line(line, "", -1, apart)
    opening, label, number, close, gap = marker.groups("")
    value = int(number) if number.isdecimal() else int(unicodedata.numeric(number, -1))
    tight = "" if gap or marker.end() == len(line) else "tight"
    style = f"{opening}{' '.join(label.lower().split())}#{close.strip()}{tight}"
    return Line(line[marker.end() :].strip(), style, value, apart)


def _miscounted(numbers: list[int]) -> Refusal | None:
    wanted = list(range(1, ITEMS + 1))
    if numbers == wanted:
        return None
    if numbers == list(range(1, len(numbers) + 1)):
        return _miscounted_bullets(len(numbers))
    return Refusal.LISTS if numbers.count(1) > 1 else Refusal.NUMBERING


def _miscounted_bullets(count: int) -> Refusal | None:
    if count == ITEMS:
        return None
    return Refusal.FEWER if count < ITEMS else Refusal.MORE


def _from_marked_lines(lines: list[Line]) -> list[str] | Refusal:
    """Take five marked lines; text may stand before and behind the list, never inside it."""
    at = [place for place, line in enumerate(lines) if line.style]
    before, inside, behind = lines[: at[0]], lines[at[0] : at[-1] + 1], lines[at[-1] + 1 :]
    if all(not lines[place].text for place in at):  # "Paraphrase 1:" and the text in the next line
        inside = lines[at[0] : at[-1] + 2]
        behind = lines[at[-1] + 2 :]
        if [bool(line.style) for line in inside] != [True, False] * ITEMS:
            return Refusal.BROKEN
        inside = inside[1::2]
    if len(inside) != ITEMS:
        return Refusal.BROKEN
    items = [line.text for line in inside]
    ended = [_has_end(item) for item in items]
    if sum(ended) == ITEMS - 1 or (not ended[-1] and (sum(ended) > ITEMS // 2 or behind)):
        return Refusal.BROKEN  # the last one is cut, or one is a heading
    if behind and (not behind[0].apart or not behind[0].text[0].isupper() or MAY_GO_ON.search(items[-1])):
        return Refusal.BROKEN
    return _crowded(before, behind) or items


def _crowded(before: list[Line], behind: list[Line]) -> Refusal | None:
    """Return a refusal if more than a remark stands around a list."""
    marked = any(line.style for line in before + behind)
    return Refusal.LISTS if marked or len(before) > LEAD_LINES or len(behind) > TRAIL_LINES else None


def _from_plain_lines(lines: list[Line], source: str) -> list[str] | Refusal:
    """Take five whole sentences on lines of their own, with at most one line before that ends in a colon."""
    if len(lines) == ITEMS + 1 and lines[0].text.endswith(":"):
        lines = lines[1:]
    if talks_back([line.text for line in lines], source):
        return Refusal.TALKING
    if len(lines) == 1:
        return Refusal.PROSE
    wrong = _miscounted_bullets(len(lines))
    if wrong:
        return wrong
    items = [line.text for line in lines]
    uneven = len({line.apart for line in lines[1:]}) > 1
    unfinished = not all(_has_end(item) for item in items)
    lettered = sum(bool(LETTERED.match(item)) for item in items) > ITEMS - 2
    starts_low = any(item[0].islower() for item in items) and not source[:1].islower()
    chatter = TALK.search(items[0]) or TALK.search(items[-1])
    # A lead or a remark counts as one of five lines, so each must tell of what the source tells of.
    words = _long_words(compared(source))
    foreign = any(words.isdisjoint(_long_words(compared(item))) for item in items)
    return Refusal.PROSE if uneven or unfinished or lettered or starts_low or chatter or foreign else items


def _long_words(text: str) -> set[str]:
    """Return the beginnings of the words of four letters and more, without regard to their endings."""
    return {word[:5] for word in WORD.findall(text) if len(word) > 3}


def _has_end(item: str) -> bool:
    return item.rstrip(CLOSING).endswith(END_MARKS)


def _from_json(text: str) -> list[str] | Refusal:
    """Take five texts from a JSON list, from an object's values, or from the one list in an object."""
    try:
        value = json.loads(text, object_pairs_hook=_unique)
    except (ValueError, RecursionError):
        return Refusal.JSON
    if isinstance(value, dict) and len(value) == 1:
        value = next(iter(value.values()))
    if isinstance(value, dict):
        numbers = [int(digits[0]) if (digits := re.search(r"\d{1,4}", key)) else 0 for key in value]
        if numbers != list(range(1, len(value) + 1)):
            return Refusal.JSON
        value = list(value.values())
    if not isinstance(value, list):
        return Refusal.JSON
    items = [_only_text(item) for item in value]
    if not all(items):
        return Refusal.JSON
    if len(items) != ITEMS:
        return Refusal.FEWER if len(items) < ITEMS else Refusal.MORE
    lines = [_line(item.strip(), False) for item in items]
    own = [line.number for line in lines] == [1, 2, 3, 4, 5] and len({line.style for line in lines}) == 1
    return [line.text for line in lines] if own else items


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    if len(dict(pairs)) != len(pairs):
        raise ValueError("a key occurs twice")
    return dict(pairs)


def _only_text(item: object) -> str:
    """Return a text, or the one text in an object such as {"id": 1, "paraphrase": "..."}; else nothing."""
    if isinstance(item, dict):
        texts = [value for value in item.values() if isinstance(value, str)]
        item = texts[0] if len(texts) == 1 else None
    text = item.translate(INVISIBLE).strip() if isinstance(item, str) else ""
    return "" if "\n" in text or GARBLED.search(text) else text


def unwrapped(items: list[str], source: str) -> list[str] | Refusal:
    """Remove emphasis and quotation marks that all items have around them."""
    for mark in ("**", "__", "*", "_") if items[0][:1] in ("*", "_") else ():
        width = len(mark)
        if all(_wrapped(item, mark, mark) for item in items):
            items = [item[width:-width].strip() for item in items]
    items = [" ".join(item.split()) for item in items]
    if not all(items):
        return Refusal.BLANK
    if not any(item[0] in OPENING for item in items):
        return items
    for opening, closings in QUOTES:
        starting = sum(item[0] == opening for item in items)
        if not starting or any(_wrapped(source.strip(), opening, closing) for closing in closings):
            continue
        whole = [any(_wrapped(item, opening, closing) for closing in closings) for item in items]
        if all(whole):
            items = [item[1:-1].strip() for item in items]
        elif any(whole) or (starting > 1 and source.lstrip()[:1] != opening):
            return Refusal.QUOTES
    return items


def _wrapped(item: str, opening: str, closing: str) -> bool:
    inner = item[len(opening) : -len(closing)]
    if not (item.startswith(opening) and item.endswith(closing) and inner.strip()):
        return False
    if opening == "'" or closing == "’":
        inner = APOSTROPHE.sub("", inner)  # an apostrophe inside a word ends no quotation
    return opening not in inner and closing not in inner


def _objection(items: Sequence[str], source: str) -> Refusal | None:
    """Return what is wrong with five found items, if anything."""
    folded = [compared(item) for item in items]
    if not all(folded):
        return Refusal.BLANK
    if _marked_within(items, folded, source):
        return Refusal.NUMBERING
    if adds(TRAILING, items, source):
        return Refusal.LABELS
    text = "\n".join(items)
    if MARKS.search(text) or any(dash in text for dash in DASHES):
        if adds(MARKUP, items, source):
            return Refusal.MARKUP
        if adds(PLACEHOLDER, items, source):
            return Refusal.PLACEHOLDER
        if is_labelled(items, source):
            return Refusal.LABELS
    own = compared(source)
    if talks_back(items, source) or _are_foreign(folded, own):
        return Refusal.TALKING
    if own in folded:
        return Refusal.COPY
    return Refusal.DUPLICATE if len(set(folded)) < ITEMS else None


def _are_foreign(folded: Sequence[str], source: str) -> bool:
    """Return whether five items share no word with a source that has many: "1. Read the text. 2. Find .."."""
    words, text = _long_words(source), "\n".join(folded)
    return len(words) >= MANY_WORDS and not any(word in text for word in words)


def _marked_within(items: Sequence[str], folded: Sequence[str], source: str) -> bool:
    """Return whether items keep markers: numbers or letters in order, or the same kind of bullet."""
    if all(count.match(item) for count, item in zip(COUNTED, folded, strict=True)):
        return True
    starts = "".join([item[0] for item in items])
    if starts.isalnum():
        return False
    return sum(map(_is_symbol, starts)) > 1 and not _is_symbol(source.lstrip()[:1] or "a")


def _is_symbol(character: str) -> bool:
    return not character.isalnum() and character not in OPENING and unicodedata.category(character) in SYMBOLS
