"""A chat endpoint in a process of its own that answers after a fixed time and costs next to nothing.

The servers of the tests have a thread per connection, which would use up the machine that is measured.
"""

import asyncio
import contextlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator

VERBS = ("saw", "met", "found", "left", "heard")
LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.I)
PROMPT_TOKENS, COMPLETION_TOKENS = 60, 240  # together what the thesis reckons with: 300


class Chat(asyncio.Protocol):
    """One connection, kept alive; one request at a time, as HTTP/1.1 clients do."""

    def __init__(self, seconds: float):
        self._seconds = seconds
        self._data = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Remember where to answer."""
        self._transport: asyncio.Transport = transport  # type: ignore[assignment]

    def data_received(self, data: bytes) -> None:
        """Answer a request that is whole, after the server's time."""
        self._data += data
        head, end, body = self._data.partition(b"\r\n\r\n")
        if end and len(body) >= int(LENGTH.search(head)[1]):  # type: ignore[index]
            self._data = b""
            asyncio.get_running_loop().call_later(self._seconds, self._answer, body)

    def _answer(self, body: bytes) -> None:
        if not self._transport.is_closing():
            self._transport.write(answer(json.loads(body)["messages"][0]["content"]))


def answer(prompt: str) -> bytes:
    """Return the whole response: five paraphrases of what stands behind the prompt's last colon."""
    sentence = prompt.rsplit(": ", 1)[-1].rstrip(".")
    text = "\n".join(f"{n}. They {verb} that {sentence}." for n, verb in enumerate(VERBS, 1))
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    usage = {
        "prompt_tokens": PROMPT_TOKENS,
        "completion_tokens": COMPLETION_TOKENS,
        "total_tokens": PROMPT_TOKENS + COMPLETION_TOKENS,
    }
    about = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "tiny"}
    body = json.dumps({**about, "choices": [choice], "usage": usage}).encode()
    head = f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
    return head.encode() + body


@contextlib.contextmanager
def chat_server(seconds: float) -> Iterator[str]:
    """Run the server for the life of the context and yield its base URL."""
    command = [sys.executable, "-m", "benchmarks.chat_server", str(seconds)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env=os.environ) as process:
        try:
            yield process.stdout.readline().strip()  # type: ignore[union-attr]
        finally:
            process.terminate()


async def _serve(seconds: float) -> None:
    loop = asyncio.get_running_loop()
    loop.add_reader(sys.stdin, sys.exit)  # who started it has ended
    server = await loop.create_server(lambda: Chat(seconds), "127.0.0.1", 0, backlog=512)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1", flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(_serve(float(sys.argv[1])))
