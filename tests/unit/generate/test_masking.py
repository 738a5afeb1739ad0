import base64
import json
import re
from urllib.parse import quote

import pytest

from contrapose.base.errors import one_line
from contrapose.generate.masking import masked
from contrapose.generate.outcomes import judged

KEY = 'sk-se/c+r"77-ABCdef_012'
ESCAPED = "".join(f"\\u{ord(each):04X}" for each in KEY)
FORMS = {
    "raw": KEY,
    "escaped": ESCAPED,
    "half escaped": ESCAPED[:18] + KEY[3:],
    "in JSON": json.dumps(KEY)[1:-1],
    "in quoted JSON": json.dumps(json.dumps(KEY))[1:-1],
    "slashes": KEY.replace("/", r"\/"),
    "URL": quote(KEY, safe=""),
    "HTML": "".join(f"&#{ord(each)};" for each in KEY),
    "hexadecimal": KEY.encode().hex(),
    **{f"base64 {n}": base64.b64encode(b"x" * n + KEY.encode()).decode() for n in range(3)},
    "base64 in URLs": base64.urlsafe_b64encode(b"Bearer " + KEY.encode()).decode(),
    "escaped URL": json.dumps({"m": "".join(f"\\u{ord(each):04x}" for each in quote(KEY, safe=""))}),
    "capitals": KEY.upper(),
    "small letters": KEY.lower(),
    "a line break inside": f"{KEY[:9]}\n{KEY[9:]}",
    "an escaped line break inside": json.dumps(f"{KEY[:9]}\r\n{KEY[9:]}"),
    "a soft hyphen inside": f"{KEY[:9]}\u00ad{KEY[9:]}",
    "blanks between": " ".join(KEY),
    "a list of characters": json.dumps(list(KEY)),
    "Python's escapes": "".join(f"\\x{ord(each):02x}" for each in KEY),
    "long escapes": "".join(f"\\U{ord(each):08x}" for each in KEY),
    "JavaScript's escapes": "".join(f"\\u{{{ord(each):x}}}" for each in KEY),
    "octal escapes": "".join(f"\\{ord(each):03o}" for each in KEY),
    "full width": "".join(chr(ord(each) + 0xFEE0) for each in KEY),
    "base64 in lines": "\n".join(re.findall(".{1,9}", base64.b64encode(KEY.encode()).decode())),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_key_is_masked_in_every_form(form):
    text = masked(f"You sent {FORMS[form]} to us", KEY)
    assert "[key]" in text
    assert not any(part in text for part in (KEY[6:14], FORMS[form][6:14]))


@pytest.mark.parametrize("form", ["raw", "in JSON", "slashes", "URL", "hexadecimal", "base64 1"])
def test_the_words_around_a_key_in_a_common_form_stay(form):
    assert masked(f"Wrong key {FORMS[form]}, ask again", KEY).startswith("Wrong key ")


def test_a_key_that_is_a_word_is_masked_as_it_is_alone():
    assert (
        masked("LM-Studio of lm studio knows no lm-studio", "lm-studio")
        == "LM-Studio of lm studio knows no [key]"
    )


def test_answers_without_the_key_stay_as_they_are():
    text = json.dumps({"content": 'Say "sk-se" \\ 100% & <b> \u9b5a\n'})
    assert masked(text, KEY) == text


def test_escapes_of_a_terminal_are_shown_as_text():
    assert one_line("a\x1b]0;x\x07\n b\u202ec \u9b5a") == r"a\x1b]0;x\x07 b\u202ec \u9b5a".replace(
        r"\u9b5a", "\u9b5a"
    )
    answer = {"model": "m\x1b[2J", "choices": [{"message": {"content": "a"}, "finish_reason": "stop"}]}
    assert judged(200, json.dumps(answer)).answer.model == r"m\x1b[2J"
