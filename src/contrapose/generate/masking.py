"""What a server said, without the API key."""

import base64
import html
import json
import re
import sys
import unicodedata
from functools import cache
from urllib.parse import quote, unquote

MASK = "[key]"
SHORTEST = 8  # letters and digits that count as those of a key: fewer are in other texts, too
LAYERS = 3  # of escapes, one in the other
# As JSON, Python and URLs write a character.  In JSON in which JSON is quoted there are several backslashes.
ESCAPED = re.compile(
    r"\\+(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|U([0-9a-fA-F]{8})|u\{([0-9a-fA-F]{1,6})\}|([0-3][0-7]{2})"
    r"|([\"/\\])|[nrtbf])"
)
# What is neither letter nor digit: of ASCII and Latin 1, and invisible characters and spaces of Unicode.
OTHERS = dict.fromkeys(
    each for each in (*range(0x100), *range(0x2000, 0x2070), 0xFEFF) if not chr(each).isalnum()
)


def masked(text: str, key: str) -> str:
    """Return a server's text without the key, which some gateways repeat.

    It is cut out as it is, as JSON, URLs and HTML write it, and in base64 and hexadecimal digits.  Nothing of
    the text is left where the key is found otherwise: within up to three layers of escapes and, if it has a
    digit, in other case, or with line breaks, blanks or other marks between its letters and digits.
    """
    for form in _written(key):
        text = text.replace(form, MASK)
    return json.dumps({"error": f"withheld: it repeats {MASK}"}) if _holds(text, key) else text


def _holds(text: str, key: str) -> bool:
    for _ in range(LAYERS + 1):
        # Full-width and mathematical letters become plain ones.
        plain = (text if text.isascii() else unicodedata.normalize("NFKC", text)).translate(OTHERS).lower()
        if key in text or any(form in plain for form in _letters_and_digits(key)):
            return True
        inner = ESCAPED.sub(_meant, text) if "\\" in text else text
        inner = unquote(inner) if "%" in inner else inner
        inner = html.unescape(inner) if "&" in inner else inner
        if inner == text:
            return False
        text = inner
    return False


def _meant(match: re.Match[str]) -> str:
    if digits := match[1] or match[2] or match[3] or match[4]:
        number = int(digits, 16)
        return chr(number) if number <= sys.maxunicode else ""
    return chr(int(match[5], 8)) if match[5] else match[6] or " "


@cache
def _letters_and_digits(key: str) -> frozenset[str]:
    """Return a key and its encoded forms without marks, in small letters; none for one that may be a word."""
    if not any(map(str.isdigit, key)):
        return frozenset()
    forms = {form.translate(OTHERS).lower() for form in _written(key)}
    return frozenset(form for form in forms if len(form) >= SHORTEST)


@cache
def _written(key: str) -> list[str]:
    """Return a key as it is, as JSON, URLs and HTML write it, and in base64 wherever in a text it stands."""
    quoted = json.dumps(key)[1:-1]
    slashed = [each.replace("/", r"\/") for each in (key, quoted)]  # as PHP writes them
    forms = [key, quoted, *slashed, quote(key, safe=""), html.escape(key)]
    encoded = [key.encode().hex(), key.encode().hex().upper()]
    for before in range(3):  # bytes before the key in its first group of three
        digits = base64.b64encode(b"\0" * before + key.encode()).decode().rstrip("=")
        # Without the digits that depend on the bytes before and after it.
        end = (before + len(key.encode())) * 8 // 6
        whole = digits[-(-before * 8 // 6) : end]
        encoded += [whole, whole.translate(str.maketrans("+/", "-_"))]
    return [*dict.fromkeys([*forms, *(each for each in encoded if len(each) >= SHORTEST)])]
