"""An endpoint on this machine: the OpenAI protocol for chats and embeddings, and models by rule behind it."""

import contextlib
import hashlib
import json
import re
import threading
from collections.abc import Container, Iterator
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from contrapose_mini.loopback.embedding import DIMENSIONS, MODEL, embedded
from contrapose_mini.loopback.instructed import (
    INSTRUCTION,
    ONE,
    SEVERAL,
    TRIPLET,
    continuation,
    one_sentence,
    several_sentences,
    triplet,
)
from contrapose_mini.loopback.judging import TWO_TEXTS, judged
from contrapose_mini.loopback.personas import PERSONAS, ChatAnswer, answer

MODELS = (*PERSONAS, MODEL)
CREATED = 1_700_000_000  # the same in every answer: a whole answer is a function of its request
SPLITTER = re.compile(r"\w{1,6}|[^\w\s]")  # about as many pieces as a subword tokenizer makes


class RequestError(Exception):
    """A request that is answered with an error body."""

    def __init__(self, status: HTTPStatus, message: str, code: str, param: str | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.body = {
            "error": {"message": message, "type": "invalid_request_error", "param": param, "code": code}
        }


class LoopbackServer(ThreadingHTTPServer):
    """The server; listens on 127.0.0.1 alone, one thread per connection."""

    daemon_threads = True
    request_queue_size = 256

    def __init__(self, port: int) -> None:
        super().__init__(("127.0.0.1", port), Handler)

    @property
    def base_url(self) -> str:
        """Where clients find it; ends in `/v1`."""
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


class Handler(BaseHTTPRequestHandler):
    """Speaks `GET /v1/models`, `POST /v1/chat/completions` and `POST /v1/embeddings`."""

    protocol_version = "HTTP/1.1"  # keeps connections alive
    disable_nagle_algorithm = True
    wbufsize = -1  # buffered: head and body leave in one piece
    server: LoopbackServer

    def do_GET(self) -> None:
        """List the models."""
        if self.path != "/v1/models":
            return self._send(*_not_found(self.path))
        models = [
            {"id": name, "object": "model", "created": CREATED, "owned_by": "loopback"} for name in MODELS
        ]
        return self._send(HTTPStatus.OK, {"object": "list", "data": models})

    def do_POST(self) -> None:
        """Answer a request for a chat completion or for embeddings."""
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        pages = {"/v1/chat/completions": completion, "/v1/embeddings": embeddings}
        if self.path not in pages:
            return self._send(*_not_found(self.path))
        try:
            return self._send(HTTPStatus.OK, pages[self.path](body))
        except RequestError as error:
            return self._send(error.status, error.body)

    def _send(self, status: HTTPStatus, content: dict[str, Any]) -> None:
        data = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:
        """Write nothing: a million requests would make a million lines."""


def _not_found(path: str) -> tuple[HTTPStatus, dict[str, Any]]:
    error = RequestError(HTTPStatus.NOT_FOUND, f"Invalid URL ({path})", "unknown_url")
    return error.status, error.body


def completion(body: bytes) -> dict[str, Any]:
    """Return the answer to the JSON of a chat completion request.

    It is a function of model, messages, and `seed`; at temperature 0 of model and messages alone.

    Raises
    ------
    RequestError
        With the status and the error body to send.
    """
    request = _with_messages(_checked(body))
    model = _known(request["model"], PERSONAS)
    greedy = request.get("temperature") == 0
    seed = "greedy" if greedy else str(request.get("seed"))
    canonical = json.dumps(request["messages"], sort_keys=True, ensure_ascii=False)
    prompt = _prompt(request["messages"])
    limit = request.get("max_completion_tokens") or request.get("max_tokens")
    answers = [_answer(model, prompt, canonical, seed, i) for i in range(request.get("n") or 1)]
    choices = [_choice(i, *_limited(text, limit)) for i, text in enumerate(answers)]
    prompt_tokens = sum(
        tokens(_content(message)) + 4 for message in request["messages"]
    )  # 4 for role and marks
    completion_tokens = sum(tokens(each["message"]["content"]) for each in choices)
    digest = hashlib.sha256(f"{model} {canonical} {seed}".encode()).hexdigest()
    return {
        "id": f"chatcmpl-{digest[:29]}",
        "object": "chat.completion",
        "created": CREATED,
        "model": model,
        "choices": choices,
        "usage": {
            "prompt_tokens": prompt_tokens,
            "completion_tokens": completion_tokens,
            "total_tokens": prompt_tokens + completion_tokens,
        },
        "system_fingerprint": "fp_loopback",
    }


def embeddings(body: bytes) -> dict[str, Any]:
    """Return the answer to the JSON of a request for the vectors of one text or several; as `completion`."""
    request = _checked(body)
    model, texts = _known(request["model"], (MODEL,)), request.get("input")
    texts = [texts] if isinstance(texts, str) else texts
    if not isinstance(texts, list) or not texts or not all(isinstance(text, str) for text in texts):
        raise RequestError(HTTPStatus.BAD_REQUEST, "'input' must be a text or several", "invalid", "input")
    size = request.get("dimensions") or DIMENSIONS
    data = [
        {"object": "embedding", "index": number, "embedding": embedded(text, size)}
        for number, text in enumerate(texts)
    ]
    count = sum(map(tokens, texts))
    usage = {"prompt_tokens": count, "total_tokens": count}
    return {"object": "list", "data": data, "model": model, "usage": usage}


def _checked(body: bytes) -> dict[str, Any]:
    try:
        request = json.loads(body)
    except ValueError:
        raise RequestError(HTTPStatus.BAD_REQUEST, "The body is not valid JSON.", "invalid_json") from None
    if not isinstance(request, dict) or not isinstance(request.get("model"), str):
        raise RequestError(HTTPStatus.BAD_REQUEST, "you must provide a model parameter", "missing", "model")
    return request


def _with_messages(request: dict[str, Any]) -> dict[str, Any]:
    messages = request.get("messages")
    if (
        not isinstance(messages, list)
        or not messages
        or not all(isinstance(message, dict) for message in messages)
    ):
        raise RequestError(
            HTTPStatus.BAD_REQUEST, "'messages' must be a list of messages", "invalid", "messages"
        )
    if request.get("stream"):
        raise RequestError(
            HTTPStatus.BAD_REQUEST, "This endpoint does not stream.", "unsupported_value", "stream"
        )
    return request


def _known(name: str, models: Container[str]) -> str:
    if name not in models:
        message = f"The model `{name}` does not exist for this; the endpoint has {', '.join(MODELS)}."
        raise RequestError(HTTPStatus.NOT_FOUND, message, "model_not_found", "model")
    return name


def _answer(model: str, prompt: str, *request: str | int) -> ChatAnswer:
    if asked := INSTRUCTION.search(prompt):
        return continuation(PERSONAS[model], asked, *request)
    if asked := TWO_TEXTS.search(prompt):
        return judged(PERSONAS[model], asked, *request)
    if asked := SEVERAL.match(prompt):
        return several_sentences(PERSONAS[model], asked, *request)
    if asked := TRIPLET.search(prompt):
        return triplet(PERSONAS[model], asked, *request)
    if asked := ONE.match(prompt):
        return one_sentence(PERSONAS[model], asked, *request)
    return answer(PERSONAS[model], prompt, *request)


def _content(message: dict[str, Any]) -> str:
    content = message.get("content") or ""
    return content if isinstance(content, str) else " ".join(part.get("text", "") for part in content)


def _prompt(messages: list[dict[str, Any]]) -> str:
    asked = [_content(message) for message in messages if message.get("role") == "user"]
    return asked[-1] if asked else ""


def tokens(text: str) -> int:
    """Return how many tokens a text is charged for."""
    return len(SPLITTER.findall(text))


def _limited(found: ChatAnswer, limit: int | None) -> tuple[str, str]:
    """Return text and finish reason after at most `limit` tokens."""
    pieces = list(SPLITTER.finditer(found.text))
    if limit is not None and len(pieces) > limit:
        return found.text[: pieces[limit].start()].rstrip(), "length"
    return found.text, "length" if found.cut else "stop"


def _choice(index: int, text: str, reason: str) -> dict[str, Any]:
    message = {"role": "assistant", "content": text, "refusal": None}
    return {"index": index, "message": message, "logprobs": None, "finish_reason": reason}


@contextlib.contextmanager
def endpoint(port: int = 0) -> Iterator[str]:
    """Run the endpoint for the life of the context and yield its base URL, which ends in `/v1`.

    Parameters
    ----------
    port : int
        0 takes a free one.

    Raises
    ------
    OSError
        Where the port is taken.
    """
    server = LoopbackServer(port)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield server.base_url
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
