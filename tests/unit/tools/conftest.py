"""A server on this machine, for what is asked of endpoints and of the hub."""

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

# (path, headers of the request) -> status, JSON or text of the body, headers
Answer = Callable[[str, Mapping[str, str]], tuple[int, object, dict[str, str]]]


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Answer], str]]:
    """Give a function that serves answers to GET and HEAD, and returns the address."""
    for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)

    def start(answer: Answer) -> str:
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                status, content, headers = answer(self.path.split("?")[0], self.headers)  # type: ignore[arg-type]
                body = (content if isinstance(content, str) else json.dumps(content)).encode()
                self.send_response(status)
                for name, value in {"Content-Length": str(len(body)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None:
                """Say nothing."""

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        servers.callback(server.server_close)
        servers.callback(server.shutdown)
        return f"http://127.0.0.1:{server.server_address[1]}"

    with ExitStack() as servers:
        yield start
