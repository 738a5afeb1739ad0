"""What a server said, fit to be shown and kept: without the API key, and on a terminal only text."""

import base64
import html
import json
import re
from functools import cache
from urllib.parse import unquote

MASK = "[key]"
SHORTEST = 8  # characters of base64 that count as those of a key: fewer are in other texts, too
LAYERS = 3  # of escapes, one in the other
ESCAPED = re.compile(r"\\+(?:u([0-9a-fA-F]{4})|([\"/\\]))")  # in JSON, in which JSON may be quoted


def masked(text: str, key: str) -> str:
    """Return a server's text without the key, which some gateways repeat: raw, escaped, in a URL or base64.

    Where a key is inside several layers of escapes, nothing of the text is left.
    """
    text = text.replace(key, MASK)
    for part in _encoded(key):
        text = text.replace(part, MASK)
    if _holds(text, key):
        text = _escaped(key).sub(MASK, text)
    return json.dumps({"error": f"withheld: it repeats {MASK}"}) if _holds(text, key) else text


def _holds(text: str, key: str) -> bool:
    for _ in range(LAYERS):
        inner = ESCAPED.sub(_meant, text) if "\\" in text else text
        inner = unquote(inner) if "%" in inner else inner
        inner = html.unescape(inner) if "&" in inner else inner
        if key in inner:
            return True
        if inner == text:
            return False
        text = inner
    return False


def _meant(match: re.Match[str]) -> str:
    return chr(int(match[1], 16)) if match[1] else match[2]


@cache
def _escaped(key: str) -> re.Pattern[str]:
    """Match a key with any of its characters written as JSON, URLs or HTML can write it."""
    forms = (
        rf"(?:\\*{re.escape(each)}|\\+u(?i:{ord(each):04x})|%(?i:{ord(each):02x})"
        rf"|&#0*{ord(each)};|&#[xX]0*(?i:{ord(each):x});|{re.escape(html.escape(each))})"
        for each in key
    )
    return re.compile("".join(forms))


@cache
def _encoded(key: str) -> list[str]:
    """Return how base64 and hexadecimal digits write a key, wherever in a text it stands."""
    forms = [key.encode().hex(), key.encode().hex().upper()]
    for before in range(3):  # bytes before the key in its first group of three
        digits = base64.b64encode(b"\0" * before + key.encode()).decode().rstrip("=")
        # Without the digits that depend on the bytes before and after it.
        end = (before + len(key.encode())) * 8 // 6
        whole = digits[-(-before * 8 // 6) : end]
        forms += [whole, whole.translate(str.maketrans("+/", "-_"))]
    return [each for each in dict.fromkeys(forms) if len(each) >= SHORTEST]


def one_line(text: str) -> str:
    """Return a text as one line, with control characters, such as escapes of a terminal, written out."""
    words = " ".join(text.split())
    if words.isprintable():
        return words
    return "".join(each if each.isprintable() else ascii(each)[1:-1] for each in words)
