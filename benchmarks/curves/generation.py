"""Requests to a language model, against how many requests are in flight."""

import tempfile
from contextlib import ExitStack
from pathlib import Path

from benchmarks.chat_server import chat_server
from benchmarks.curves.laws import INVERSE
from benchmarks.curves.measure import Curve, Work
from benchmarks.generate import ANSWER_SECONDS, ours

SERVERS = ExitStack()  # is never closed: they end with the process that started them
EACH = 6  # sentences for each request in flight


def server(seconds: float) -> str:
    """Start a server that answers after some time, and return its URL."""
    return SERVERS.enter_context(chat_server(seconds))


def asking(x: int, folder: Path) -> Work:
    """Return the asking about `EACH` x sentences of a server in a process of its own, x at a time."""
    url, journal = server(ANSWER_SECONDS), Path(tempfile.mkdtemp(dir=folder))
    return lambda: ours(url, journal, _sentences(x), in_flight=x)


def _sentences(x: int) -> int:
    return EACH * x


CURVES = {
    "ask_by_concurrency": Curve(
        work=f"a sentence's five paraphrases, {EACH} x sentences in all, from a server that answers after "
        f"{ANSWER_SECONDS:g} s",
        x="requests in flight",
        steps=(1, 2, 4, 8, 16, 32, 64, 128, 256),
        prepare=asking,
        laws={"wall": INVERSE, "cpu": INVERSE},
        per=_sentences,
    )
}
