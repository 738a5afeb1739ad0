"""The body of a response: its JSON in whatever form a server wraps it, and what an error in it says."""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

LAYERS = 3  # of JSON in a string of JSON, or in a list: gateways have been seen with one
# The fields of server-sent events; `data:` alone carries something.  WHATWG HTML, 9.2.6
EVENT_FIELD = re.compile(r"^(?:data: ?|(?::|event:|id:|retry:).*)", re.M)
TEXT_TYPES = ("text", "output_text")  # of a part that is no reasoning: chat completions, Responses
DONE = "[DONE]"  # the last event of OpenAI's streams
DECODER, BLANKS = json.JSONDecoder(), re.compile(r"\s*")
# Where an error says what it is, and in which words.  `loc` is FastAPI's name of the field that is wrong.
CODE_NAME = re.compile(r"\w*(?:code|type|status|errno)", re.I)
WORDS_NAME = re.compile(
    r"(?:error|err|status|fault)?_?(?:messages?|msg|details?|descriptions?|reasons?|string)"
    r"|errors?|title|exception|loc",
    re.I,
)
MOST_WORDS = 10  # texts of one error that are shown
# Where other APIs have the answer: Anthropic, llama.cpp, Gemini, Ollama, TGI, Cloudflare, OpenAI's Responses.
ANSWER_NAMES = (
    "content", "candidates", "done", "generated_text", "response", "output", "output_text", "completion",
    "delta",
)  # fmt: skip


class Body(NamedTuple):
    """What a body holds."""

    value: Any  # of its JSON, a stream joined to one answer; None without JSON
    is_stream: bool
    is_whole: bool  # False for a stream or a JSON text that broke off


def read_body(text: str) -> Body:
    """Return the JSON of a body: one value, values in a row, server-sent events, or a list or string of JSON.

    A byte order mark, blank lines and comments before it are skipped.  Chunks of a stream are joined to the
    answer that they are parts of; a stream is whole with a finish reason or `[DONE]`.
    """
    text = text.lstrip("\ufeff \t\r\n")
    try:
        value = json.loads(text)
        if isinstance(value, dict) and isinstance(choice_of(value).get("message"), dict):
            return Body(value, False, True)
        values, is_stream, is_whole = [value], False, True
    except (ValueError, RecursionError):
        values, is_stream, is_whole = _in_a_row(text)
    value, is_finished = _joined([inner for each in values for inner in _unwrapped(each, LAYERS)])
    return Body(value, is_stream, is_finished or is_whole)


def choice_of(value: dict) -> dict:
    """Return the first choice of an answer or of a chunk; empty if there is none."""
    choices = value.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    return choice if isinstance(choice, dict) else {}


def text_of(content: object) -> str:
    """Return the content of a message as one text: it may come in parts, some of which are reasoning."""
    if isinstance(content, list):
        return "".join(map(text_of, content))
    if isinstance(content, dict) and content.get("type", "text") in TEXT_TYPES:
        content = content.get("text")
    return content if isinstance(content, str) else ""


def is_error(value: dict) -> bool:
    """Return whether a body says of itself, or of its answer, that it is an error."""
    choice = choice_of(value)
    said = value.get("error") or value.get("object") == "error" or choice.get("error")
    return bool(said) or choice.get("finish_reason") == "error"


def error_in(value: object) -> tuple[list[str], str]:
    """Return the codes, types and statuses of an error, at any depth, and its words, joined by `; `."""
    codes, words = [], []
    for name, leaf in _leaves(value):
        if CODE_NAME.fullmatch(name):
            codes.append(str(leaf))
        if WORDS_NAME.fullmatch(name) and isinstance(leaf, str) and leaf.strip():
            words.append(leaf)
    return codes, "; ".join(dict.fromkeys(words[:MOST_WORDS]))


def answer_of_another_api(value: dict) -> str:
    """Return under which name a body has an answer that is not one of chat completions; "" if it has none."""
    within = {f"{name}.": each for name, each in value.items() if isinstance(each, dict)}
    for path, fields in ({"": {**value, "choices": None}} | within).items():
        for name in (*ANSWER_NAMES, "choices"):
            if fields.get(name) not in (None, "", [], {}):
                return path + name
    return ""


def _in_a_row(text: str) -> tuple[list[Any], bool, bool]:
    """Return the values of a text that is no single one, whether it is a stream, and whether it is whole."""
    plain, fields = EVENT_FIELD.subn("", text.replace("\r", "\n"))
    values, at, is_done = list[Any](), 0, False
    while (at := BLANKS.match(plain, at).end()) < len(plain):  # type: ignore[union-attr]
        if plain.startswith(DONE, at):
            at, is_done = at + len(DONE), True
            continue
        try:
            value, at = DECODER.raw_decode(plain, at)
        except (ValueError, RecursionError):
            break
        values.append(value)
    is_stream = bool(fields) or len(values) > 1
    return values, is_stream, is_done or (not is_stream and at == len(plain) and bool(values))


def _unwrapped(value: object, layers: int) -> Iterator[object]:
    """Yield what stands in lists and in strings of JSON."""
    if isinstance(value, str) and layers:
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            layers = 0  # a text
    if isinstance(value, list | str) and layers:
        for each in value if isinstance(value, list) else [value]:
            yield from _unwrapped(each, layers - 1)
    else:
        yield value


def _joined(values: Sequence[object]) -> tuple[object, bool]:
    """Return one value for all, and whether it is an answer that has come to its end.

    An error among them comes first, then the last whole answer: some servers repeat what they have so far.
    """
    found = [each for each in values if isinstance(each, dict)]
    if not found:
        return next(iter(values), None), False
    for each in found:
        if is_error(each):
            return each, True
    answers = [each for each in found if isinstance(choice_of(each).get("message"), dict)]
    if answers:
        return answers[-1], True
    if not any(choice_of(each).keys() & {"delta", "text"} for each in found):
        return next(filter(answer_of_another_api, found), found[0]), False
    pieces, finish, usage = [], None, None
    for each in found:
        choice = choice_of(each)
        delta = choice.get("delta")
        pieces.append(text_of(delta.get("content") if isinstance(delta, dict) else choice.get("text")))
        finish, usage = choice.get("finish_reason") or finish, each.get("usage") or usage
    whole = {"message": {"role": "assistant", "content": "".join(pieces)}, "finish_reason": finish}
    return {**found[0], "choices": [whole], "usage": usage}, bool(finish)


def _leaves(value: object) -> Iterator[tuple[str, object]]:
    """Yield the texts and numbers of a JSON value in order, each with the name that it stands under."""
    left: list[tuple[str, object]] = [("", value)]
    while left:
        name, each = left.pop()
        if isinstance(each, dict):
            left += reversed(each.items())
        elif isinstance(each, list):
            left += [(name, one) for one in reversed(each)]
        elif isinstance(each, str | int):
            yield name, each
