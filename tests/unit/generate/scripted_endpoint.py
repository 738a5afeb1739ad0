"""A counting endpoint whose answers a test writes itself."""

import contextlib
import http.client
import json
import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pandas as pd

from contrapose.tables import SENTENCES

VERBS = ("saw", "met", "found", "left", "heard")


def five(prompt: str) -> str:
    """Return a clean list for the sentence behind the prompt's last colon; the same every time."""
    sentence = prompt.rsplit(": ", 1)[-1].rstrip(".")
    return "\n".join(f"{n}. They {verb} that {sentence}." for n, verb in enumerate(VERBS, 1))


def corpus(numbers: Iterable[int]) -> pd.DataFrame:
    """Return SENTENCES of made-up sentences."""
    rows = [(f"a{n}:0", f"Sentence {n} of the corpus stands here", f"a{n}", 0, 7) for n in numbers]
    return pd.DataFrame(rows, columns=SENTENCES.columns)


def body(text: str | None, finish: str = "stop") -> dict:
    """Return the JSON of an answer."""
    return {
        "model": "tiny-2025",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": finish}],
        "usage": {"prompt_tokens": 7, "completion_tokens": 11},
    }


@dataclass(frozen=True)
class Say:
    """One scripted response."""

    status: int = 200
    content: object = None  # dict as JSON, str or bytes as they are
    headers: dict = field(default_factory=dict)
    seconds: float = 0.0  # before the head
    drip: float = 0.0  # between single bytes of the body
    reset: str = (
        ""  # "early": close without a byte; "middle": after half of the body; "unsent", in virtual time
    )

    @property
    def data(self) -> bytes:
        content = json.dumps(self.content) if isinstance(self.content, (dict, list)) else self.content or b""
        return content.encode() if isinstance(content, str) else content

    @property
    def head(self) -> dict:
        return {"Content-Type": "application/json", **self.headers, "Content-Length": str(len(self.data))}


@dataclass
class Endpoint:
    """What a test sees of the server."""

    url: str
    script: Callable[[dict, int], Say | None]  # request body, how often it came -> response, None for five
    requests: list[dict] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    served: list[dict] = field(default_factory=list)  # requests whose answer left whole
    lock: threading.Lock = field(default_factory=threading.Lock)
    connections: int = 0

    def prompts(self) -> list[str]:
        """What was asked, without the greetings that look whether the server works."""
        asked = [request["messages"][0]["content"] for request in self.requests]
        return [prompt for prompt in asked if prompt != "Hello"]

    def settle(self) -> None:
        """Wait until everything that clients which are gone have sent has come to its end."""
        last = http.client.HTTPConnection(self.url.split("/")[2])
        last.request("GET", "/")  # accepted after all that waited before; refused
        last.getresponse().read()
        last.close()
        while self.connections:
            time.sleep(0.002)

    def said(self, request: dict) -> Say:
        """Count a request and return the response to it."""
        with self.lock:
            count = self.requests.count(request)
            self.requests.append(request)
            self.times.append(time.monotonic())
        return self.script(request, count) or Say(content=body(five(request["messages"][0]["content"])))


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1

    def do_POST(self) -> None:
        state: Endpoint = self.server.state
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with contextlib.suppress(OSError):
            self.answer(state.said(request))
            self.wfile.flush()
            with state.lock:
                state.served.append(request)

    def answer(self, say: Say) -> None:
        time.sleep(say.seconds)
        if say.reset != "early":
            self.send_response(say.status)
            for name, value in say.head.items():
                self.send_header(name, value)
            self.end_headers()
            self.write(say.data[: len(say.data) // 2] if say.reset else say.data, say.drip)
        if say.reset:
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)

    def write(self, data: bytes, drip: float) -> None:
        for piece in [data] if not drip else [bytes([byte]) for byte in data]:
            self.wfile.write(piece)
            self.wfile.flush()
            time.sleep(drip)

    def log_message(self, *args: object) -> None: ...


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, *args: object) -> None: ...

    def process_request(self, *args: object) -> None:
        with self.state.lock:
            self.state.connections += 1
        super().process_request(*args)

    def shutdown_request(self, *args: object) -> None:
        super().shutdown_request(*args)
        with self.state.lock:
            self.state.connections -= 1


@contextlib.contextmanager
def scripted_endpoint() -> Iterator[Endpoint]:
    """Run a server that answers with five clean paraphrases until a test sets another `script`."""
    server = Server(("127.0.0.1", 0), Handler)
    server.state = Endpoint(f"http://127.0.0.1:{server.server_address[1]}/v1", lambda request, count: None)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield server.state
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
