"""Split the text of an answer into its items: by JSON, number, bullet or line."""

import json
import re
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

from contrapose.generate.parsing.refusals import Refusal, Refused, refuse_if
from contrapose.generate.parsing.text import GARBLED, compared, long_words
from contrapose.generate.parsing.wording import TALK, talks_back
from contrapose.settings.prompt_files import VERSIONS
from contrapose.text.equal_text import INVISIBLE

LEAD_LINES = 3  # a greeting and a sentence that names the task; more is another text
TRAIL_LINES = 2  # a closing remark
END_MARKS = tuple(".!?…。！？")
MOST_LINES = 10_000  # of an answer: a model that repeats itself gives more.  Ours
DEPTH = 3  # of one value in another, such as {"result": {"paraphrase": "..."}}
CLOSING = " \"'”’»」』)]*_"  # may follow an end mark, with a space, too
JSON_LIST = re.compile(r"\s*(?:\[\s*[\"'{]|\{)")
FENCE = re.compile(r"^[^\S\n]*```[\w-]*[^\S\n]*$", re.M)
FENCED_LINE = re.compile(r"```(?!(?:json|markdown|md|plaintext|text|txt)\b)([^`\n]+)```")
BOLD_LINE = re.compile(r"^(\*\*|__)(?P<inner>(?:(?!\1).)+)\1$")
MARKER = re.compile(
    r"""
    (?:\#{1,6}\s+)?(?P<open>[*_]{0,3}[(\[（]?)                          # heading, emphasis, bracket
    (?P<label>(?:(?:paraphrased?|sentence|version|variation|option|alternative|rephras(?:e|ed|ing)|rewrite
        |scale|level)\s+){1,2})?\#?                                     # Paraphrase 1
    (?P<number>\d{1,4}|[①-⓿❶-➓])\u20e3?(?:\s+\([^()]{1,60}\))?       # 1 (closest)
    (?P<close>[*_]{0,3}(?:[.)\]:．）：、]{1,2}|\s+[-–—](?=\s)|(?<=[①-⓿❶-➓\u20e3])|(?=\s*$))[*_]{0,3}:?)
    (?P<gap>\s+|$|(?=[^\s\d]))
    """,
    re.X | re.I,
)

BULLET = re.compile(r"(?P<style>[-*•–—·●▪◦‣∙○+])\s+")

# An abbreviation or an ordinal number: perhaps not the end of a sentence.
MAY_GO_ON = re.compile(r"\b(?:\w|\d\d|[A-Z]\w|Mrs|Rev|Gen|Col|Prof|etc|vs)\.$")
LETTERED = re.compile(r"\W*\w{1,4}[.):]\s")


class ListLine(NamedTuple):
    """A line of an answer that is not blank."""

    text: str  # without its marker
    style: str  # the marker with `#` for its number; empty without marker
    number: int  # -1 for a bullet or no marker
    apart: bool  # a blank line stands before it


def listed(text: str, source: str) -> list[str]:
    """Find the five items, by JSON, number, bullet or line."""
    parts = FENCE.split(text) if "```" in text else [text]
    refuse_if(len(parts) not in (1, 3), Refusal.LISTS)
    before, body, after = parts if len(parts) == 3 else ("", text, "")
    if JSON_LIST.match(body):
        _check_remarks(_lines(before), _lines(after))
        return _from_json(body.strip())
    lines = _lines("".join(parts))
    numbers = [line.number for line in lines if line.number >= 0]
    styles = [line.style for line in lines if line.style]
    if not styles:
        return _from_plain_lines(lines, source)
    refuse_if(len(set(styles)) > 1, Refusal.MIXED)
    # A small model may begin with the number of items that it was asked for: 5, 6, 7, 8, 9 (seen).
    first = numbers[0] if len(numbers) == VERSIONS and lines[0].number == numbers[0] else 1
    if numbers and numbers != list(range(first, first + len(numbers))):
        raise Refused(Refusal.LISTS if numbers.count(1) > 1 else Refusal.NUMBERING)
    _check_count(styles)
    return _from_marked_lines(lines)


def one_text(text: str, numbers: bool = False) -> str:
    """Return the one text in a code fence or in JSON, with a remark around the fence; else the whole answer.

    JSON is an object or a list of one text, one within the other too, or an object with one text beside other
    values.  `numbers`: a number counts as a text.
    """
    parts = FENCE.split(text) if "```" in text else [text]
    if len(parts) == 3:
        _check_remarks(_lines(parts[0]), _lines(parts[2]))
        text = parts[1]
    text = text.strip()
    if on_one_line := FENCED_LINE.fullmatch(text):
        text = on_one_line[1].strip()
    if not text.startswith(("{", "[", '"')) or (text.startswith('"') and "\\" not in text):
        return text
    try:
        value = json.loads(text, object_pairs_hook=_unique)
    except (ValueError, RecursionError):
        return text
    for _ in range(DEPTH):
        if isinstance(value, dict | list) and len(value) == 1:
            value = value[0] if isinstance(value, list) else next(iter(value.values()))
    is_number = numbers and isinstance(value, int | float) and not isinstance(value, bool)
    item = f"{value}" if is_number else _only_text(value)
    refuse_if(not item, Refusal.JSON)
    return item


def of_any_length(text: str) -> list[str]:
    """Find the items of a list with markers, or of whole sentences on lines of their own, however many."""
    parts = FENCE.split(text) if "```" in text else [text]
    refuse_if(len(parts) not in (1, 3), Refusal.LISTS)
    lines = _lines(parts[len(parts) // 2])
    at = [place for place, line in enumerate(lines) if line.style]
    if not at:
        refuse_if(not lines or not all(_has_end(line.text) for line in lines), Refusal.PROSE)
        return [line.text for line in lines]
    inside = lines[at[0] : at[-1] + 1]
    _check_remarks(lines[: at[0]], lines[at[-1] + 1 :])
    refuse_if(len(inside) > len(at), Refusal.BROKEN)
    refuse_if(len({line.style for line in inside}) > 1, Refusal.MIXED)
    numbers = [line.number for line in inside]
    refuse_if(max(numbers) >= 0 and numbers != [*range(1, len(at) + 1)], Refusal.NUMBERING)
    return [line.text for line in inside]


def _lines(text: str) -> list[ListLine]:
    lines, apart, every = [], False, text.splitlines()
    refuse_if(len(every) > MOST_LINES, Refusal.MORE)
    for raw in every:
        line = raw.strip()
        if line.startswith(("**", "__")) and (bold := BOLD_LINE.match(line)):
            line = bold["inner"].strip()
        if line:
            lines.append(_line(line, apart))
        apart = not line
    return lines


def _line(line: str, apart: bool) -> ListLine:
    bullet = BULLET.match(line)
    if bullet:
        return ListLine(line[bullet.end() :].strip(), bullet["style"], -1, apart)
    marker = MARKER.match(line)
    if not marker:
        return ListLine(line, "", -1, apart)
    opening, label, number, close, gap = marker.groups("")
    value = int(number) if number.isdecimal() else int(unicodedata.numeric(number, -1))
    tight = "" if gap or marker.end() == len(line) else "tight"
    style = f"{opening}{' '.join(label.lower().split())}#{close.strip()}{tight}"
    return ListLine(line[marker.end() :].strip(), style, value, apart)


def _check_count(items: Sequence[object]) -> None:
    refuse_if(len(items) < VERSIONS, Refusal.FEWER)
    refuse_if(len(items) > VERSIONS, Refusal.MORE)


def _from_marked_lines(lines: list[ListLine]) -> list[str]:
    """Take five marked lines; text may come before and after the list, never inside it."""
    at = [place for place, line in enumerate(lines) if line.style]
    before, inside, after = lines[: at[0]], lines[at[0] : at[-1] + 1], lines[at[-1] + 1 :]
    if all(not lines[place].text for place in at):  # "Paraphrase 1:" and the text in the next line
        inside, after = lines[at[0] : at[-1] + 2], after[1:]
        refuse_if([bool(line.style) for line in inside] != [True, False] * VERSIONS, Refusal.BROKEN)
        inside = inside[1::2]
    refuse_if(len(inside) != VERSIONS, Refusal.BROKEN)
    items = [line.text for line in inside]
    ended = [_has_end(item) for item in items]
    # The last one is cut, or one is a heading.
    unfinished = not ended[-1] and (sum(ended) > VERSIONS // 2 or after)
    refuse_if(sum(ended) == VERSIONS - 1 or unfinished, Refusal.BROKEN)
    if after:
        goes_on = not after[0].apart or not after[0].text[0].isupper() or MAY_GO_ON.search(items[-1])
        refuse_if(goes_on, Refusal.BROKEN)
    _check_remarks(before, after)
    return items


def _check_remarks(before: list[ListLine], after: list[ListLine]) -> None:
    """Refuse if more than a remark surrounds a list."""
    marked = any(line.style for line in before + after)
    refuse_if(marked or len(before) > LEAD_LINES or len(after) > TRAIL_LINES, Refusal.LISTS)


def _from_plain_lines(lines: list[ListLine], source: str) -> list[str]:
    """Take five whole sentences on lines of their own, with at most one line before that ends in a colon."""
    if len(lines) == VERSIONS + 1 and lines[0].text.endswith(":"):
        lines = lines[1:]
    items = [line.text for line in lines]
    refuse_if(talks_back(items, source), Refusal.TALKING)
    refuse_if(len(items) == 1, Refusal.PROSE)
    _check_count(items)
    uneven = len({line.apart for line in lines[1:]}) > 1
    unfinished = not all(_has_end(item) for item in items)
    lettered = sum(bool(LETTERED.match(item)) for item in items) > VERSIONS - 2
    starts_low = any(item[0].islower() for item in items) and not source[:1].islower()
    chatter = TALK.search(items[0]) or TALK.search(items[-1])
    # A lead or a remark could be one of the five lines, so each must share a word with the source.
    words = long_words(compared(source))
    foreign = any(words.isdisjoint(long_words(compared(item))) for item in items)
    refuse_if(uneven or unfinished or lettered or starts_low or chatter or foreign, Refusal.PROSE)
    return items


def _has_end(item: str) -> bool:
    return item.rstrip(CLOSING).endswith(END_MARKS)


def _from_json(text: str) -> list[str]:
    """Take five texts from a JSON list, from an object's values, or from the one list in an object."""
    try:
        value = json.loads(text, object_pairs_hook=_unique)
    except (ValueError, RecursionError):
        raise Refused(Refusal.JSON) from None
    if isinstance(value, dict) and len(value) == 1:
        value = next(iter(value.values()))
    if isinstance(value, dict):
        numbers = [int(digits[0]) if (digits := re.search(r"\d{1,4}", key)) else 0 for key in value]
        refuse_if(numbers != list(range(1, len(value) + 1)), Refusal.JSON)
        value = list(value.values())
    items = [_only_text(item) for item in value] if isinstance(value, list) else [""]
    refuse_if(not all(items), Refusal.JSON)
    _check_count(items)
    lines = [_line(item.strip(), False) for item in items]
    numbered = [line.number for line in lines] == [1, 2, 3, 4, 5] and len({line.style for line in lines}) == 1
    return [line.text for line in lines] if numbered else items


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    if len(dict(pairs)) != len(pairs):
        raise ValueError("a key occurs twice")
    return dict(pairs)


def _only_text(item: object) -> str:
    """Return a text, or the one text in an object such as {"id": 1, "paraphrase": "..."}; else ""."""
    if isinstance(item, dict):
        texts = [value for value in item.values() if isinstance(value, str)]
        item = texts[0] if len(texts) == 1 else None
    text = item.translate(INVISIBLE).strip() if isinstance(item, str) else ""
    return "" if "\n" in text or GARBLED.search(text) else text
