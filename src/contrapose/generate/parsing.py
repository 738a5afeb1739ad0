"""From the text of an answer to five paraphrases, or to a reason why not.

When in doubt an answer is refused: another try costs a fraction of a cent, a wrong pair poisons training.
Lines are judged by position and marker; words decide only whether an item is a paraphrase at all.
"""

import json
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from contrapose.generate.wording import ROLE_TURN, TALK, is_labelled, is_meta, talks_back

ITEMS = 5  # paraphrases per sentence.  Thesis, section 3.2
LEAD_LINES = 3  # a greeting and a sentence that names the task; more is another text
TRAIL_LINES = 2  # a closing remark


class Refusal(StrEnum):
    """Why an answer is not accepted: the codes that the reports count."""

    EMPTY = "empty"  # no text
    CUT = "cut"  # finish_reason length: the end is missing even if five items are visible
    FILTERED = "filtered"  # finish_reason content_filter
    UNFINISHED = "unfinished"  # a tool call or an aborted answer
    GARBLED = "garbled"  # control or replacement characters
    THINKING = "thinking"  # a <think> block that never ends
    TURNS = "turns"  # the model plays on: `User:`, `</s>` and more text
    JSON = "json"  # looks like JSON and is not a list of five texts
    FEWER = "fewer"  # fewer than five items
    MORE = "more"  # more than five; which five are meant is open
    NUMBERING = "numbering"  # not 1, 2, 3, 4, 5 in order
    MIXED = "mixed_markers"  # two styles of markers
    LISTS = "lists"  # two lists, or a text around the list
    BROKEN = "broken"  # an item goes on in another line, or the last one is cut
    PROSE = "prose"  # no list that splits without doubt
    LABELS = "labels"  # an item begins or ends with a label of its own
    QUOTES = "quotes"  # quotation marks around items that cannot be told from the items' own
    MARKUP = "markup"  # Markdown or HTML inside an item
    PLACEHOLDER = "placeholder"  # a blank to fill in
    BLANK = "blank_item"  # an item without a letter or digit
    TALKING = "talking"  # an item answers, asks back or refuses
    COPY = "copy"  # an item is the source
    DUPLICATE = "duplicate"  # two items are the same


FINISHED_BADLY = {
    "length": Refusal.CUT,
    "max_tokens": Refusal.CUT,
    "content_filter": Refusal.FILTERED,
    "tool_calls": Refusal.UNFINISHED,
    "function_call": Refusal.UNFINISHED,
    "abort": Refusal.UNFINISHED,  # vLLM, when a request is dropped
    "error": Refusal.UNFINISHED,
}

QUOTES = tuple(
    (pair[0], pair[1]) for pair in ('""', "“”", "''", "‘’", "«»", "„“", "„”", "「」", "『』", "``")
)
OPENING = frozenset(opening for opening, _ in QUOTES)
END_MARK = re.compile(r"[.!?…。！？][\"'”’»」』)\]*_]*$")
THOUGHT = re.compile(r"<(think|thinking|thought|reasoning)>.*?</\1>", re.S | re.I)
THOUGHT_TAG = re.compile(r"</?(?:think|thinking|thought|reasoning)>", re.I)
END_TOKEN = re.compile(r"(?:</s>|<\|(?:im_end|endoftext|eot_id|end)\|>)")
START_TOKEN = re.compile(r"^\s*(?:<s>|<\|(?:im_start|assistant)\|>)")
FENCE = re.compile(r"^\s*```[\w-]*\s*$", re.M)
GARBLED = re.compile("[\x00-\x08\x0e-\x1f\x7f\ufffd\ue000-\uf8ff]")
INVISIBLE = str.maketrans("", "", "\u200b\u200c\u200d\u2060\ufeff\u00ad\ufe0f")
STRAIGHT = str.maketrans("“”„«»‘’‚`´", "\"\"\"\"\"'''''")
NOT_WORD_AT_ENDS = re.compile(r"^[\W_]+|[\W_]+$")
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
BULLET = re.compile(r"(?P<style>[-*•–—·●▪◦‣∙○+])\s+")
LETTERED = re.compile(r"\W*\w{1,4}[.):]\s")


@dataclass(frozen=True)
class Line:
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
    if finish_reason in FINISHED_BADLY:
        return FINISHED_BADLY[finish_reason]
    if not answer or not answer.strip():
        return Refusal.EMPTY
    if GARBLED.search(answer) and not GARBLED.search(source):
        return Refusal.GARBLED
    text = _without_thoughts(answer)
    text = text if isinstance(text, Refusal) else _without_tokens(text)
    if isinstance(text, Refusal):
        return text
    items = _listed(text, source)
    items = items if isinstance(items, Refusal) else _unwrapped(items, source)
    return items if isinstance(items, Refusal) else (_objection(items, source) or items)


def compared(text: str) -> str:
    """Return `text` as it is compared: NFKC, casefold, one kind of quotes, no outer punctuation."""
    folded = unicodedata.normalize("NFKC", text).translate(STRAIGHT).translate(INVISIBLE).casefold()
    folded = unicodedata.normalize("NFKC", folded)
    return " ".join(NOT_WORD_AT_ENDS.sub("", folded).split())


def _without_thoughts(text: str) -> str | Refusal:
    text = THOUGHT.sub("\n", text)
    tags = list(THOUGHT_TAG.finditer(text))
    if not tags:
        return text
    # Some chat templates open the block in the prompt, so that the answer holds the closing tag alone.
    return text[tags[0].end() :] if len(tags) == 1 and "/" in tags[0][0] else Refusal.THINKING


def _without_tokens(text: str) -> str | Refusal:
    text = START_TOKEN.sub("", text)
    first, *rest = END_TOKEN.split(text)
    if any(part.strip() for part in rest) or ROLE_TURN.search(first):
        return Refusal.TURNS
    return first if first.strip() else Refusal.EMPTY


def _listed(text: str, source: str) -> list[str] | Refusal:
    """Find the five items, by JSON, number, bullet or line."""
    fences = list(FENCE.finditer(text))
    inside = text[fences[0].end() : fences[1].start()] if len(fences) == 2 else ""
    for candidate in (inside.strip(), text.strip()):
        if re.match(r"\[\s*[\"'{]|\{", candidate):
            return _from_json(candidate)
    if fences and len(fences) != 2:
        return Refusal.LISTS
    lines = _lines(FENCE.sub("", text))
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
    for raw in re.split(r"\r\n|[\n\r\u2028\u2029\x0b\x0c\x85]", text):
        line = raw.translate(INVISIBLE).strip()
        bold = BOLD_LINE.match(line)
        line = bold["inner"].strip() if bold else line
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
    number = marker["number"]
    value = int(number) if number.isdecimal() else int(unicodedata.numeric(number, -1))
    label = " ".join((marker["label"] or "").lower().split())
    tight = "" if marker["gap"] or marker.end() == len(line) else "tight"
    style = f"{marker['open']}{label}#{marker['close'].strip()}{tight}"
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
    if len(before) > LEAD_LINES:
        return Refusal.LISTS
    if all(not lines[place].text for place in at):  # "Paraphrase 1:" and the text in the next line
        inside = lines[at[0] : at[-1] + 2]
        behind = lines[at[-1] + 2 :]
        if [bool(line.style) for line in inside] != [True, False] * ITEMS:
            return Refusal.BROKEN
        inside = inside[1::2]
    if len(inside) != ITEMS:
        return Refusal.BROKEN
    items = [line.text for line in inside]
    ended = [bool(END_MARK.search(item)) for item in items]
    if ended == [True] * (ITEMS - 1) + [False]:
        return Refusal.BROKEN  # the last item alone has no end
    if behind and (not behind[0].apart or (behind[0].text[0].islower() and not ended[-1])):
        return Refusal.BROKEN
    return Refusal.LISTS if len(behind) > TRAIL_LINES else items


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
    unfinished = any(not END_MARK.search(item) for item in items)
    lettered = sum(bool(LETTERED.match(item)) for item in items) > ITEMS - 2
    starts_low = any(item[0].islower() for item in items) and not source[:1].islower()
    chatter = TALK.search(items[0]) or TALK.search(items[-1])
    return Refusal.PROSE if uneven or unfinished or lettered or starts_low or chatter else items


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
    return item.strip() if isinstance(item, str) and "\n" not in item.strip() else ""


def _unwrapped(items: list[str], source: str) -> list[str] | Refusal:
    """Remove emphasis and quotation marks that all five items have around them."""
    for mark in ("**", "__", "*", "_") if items[0][:1] in ("*", "_") else ():
        width = len(mark)
        if all(_wrapped(item, mark, mark) for item in items):
            items = [item[width:-width].strip() for item in items]
    items = [" ".join(item.translate(INVISIBLE).split()) for item in items]
    if not any(item[:1] in OPENING for item in items):
        return items
    for opening, closing in QUOTES:
        whole = [_wrapped(item, opening, closing) for item in items]
        ends = [len(item) > 1 and item[0] == opening and item.rstrip(".,;")[-1:] == closing for item in items]
        if _wrapped(source.strip(), opening, closing) or sum(ends) < 2:
            continue
        if not all(whole):
            return Refusal.QUOTES
        items = [item[1:-1].strip() for item in items]
    return items


def _wrapped(item: str, opening: str, closing: str) -> bool:
    inner = item[len(opening) : -len(closing)]
    if not (item.startswith(opening) and item.endswith(closing) and inner.strip()):
        return False
    if opening == "'" or closing == "’":
        inner = re.sub(r"(?<=\w)['’](?=\w)", "", inner)  # an apostrophe inside a word ends no quotation
    return opening not in inner and closing not in inner


def _objection(items: Sequence[str], source: str) -> Refusal | None:
    """Return what is wrong with five found items, if anything."""
    folded = [compared(item) for item in items]
    doubled = [_line(item, False).number for item in items if item] == [1, 2, 3, 4, 5]
    checks = (
        (Refusal.BLANK, not all(folded)),
        (Refusal.NUMBERING, doubled),
        (Refusal.MARKUP, is_meta(items, source, "markup")),
        (Refusal.PLACEHOLDER, is_meta(items, source, "placeholder")),
        (Refusal.LABELS, is_labelled(items, source)),
        (Refusal.TALKING, talks_back(items, source)),
        (Refusal.COPY, compared(source) in folded),
        (Refusal.DUPLICATE, len(set(folded)) < ITEMS),
    )
    return next((reason for reason, holds in checks if holds), None)
