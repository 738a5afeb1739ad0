"""One request to an endpoint and its result: address, key, connections, one deadline.

This uses httpx instead of the OpenAI SDK: the SDK takes three times the CPU per request, and what it adds
(retries, models of answers) is done here by other rules or not needed.  Each request in flight has its own
HTTP client with one connection: a pool of many checks all of them for each request.
"""

import asyncio
import hashlib
import importlib
import json
import logging
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from contrapose.base.errors import ConfigError, one_line
from contrapose.generate.client_options import NO_KEY, client_options, is_address, secret
from contrapose.generate.masking import masked
from contrapose.generate.outcomes import BROKEN_BODY, DEADLINE, LOST, UNREACHED, UNSENT, Reply, judged
from contrapose.generate.requests import wire_body
from contrapose.jobs.step import FromJob
from contrapose.settings.catalogs import Connection, serving_module
from contrapose.settings.spec import HOLDS_SECRET, holds_secret

if TYPE_CHECKING:
    import httpx

FILE = "file:"  # before the path of a file that holds the base URL
IDLE_SECONDS = 1.0  # in which a request meets a connection that its server had closed.  Ours
CONNECT_SECONDS = 10.0  # for a connection; twice the SDK's, for busy servers
UNTRUSTED = "CERTIFICATE_VERIFY_FAILED"  # OpenSSL's name for a server whose certificate is not trusted
# An answer is read up to the larger of a least limit and what its tokens, or the vectors of its texts, take:
LEAST_LIMIT = 4 * 10**6  # bytes
TOKEN_BYTES = 1 << 12  # with the 20 alternatives that `top_logprobs` gives at most, of 100-200 bytes each
VECTOR_BYTES = 1 << 18  # 8192 numbers of 32 characters
KEPT_BYTES = 1 << 16  # of an answer beyond the limit
# How answers may be packed, and the size of the window that zlib is given for it, with its kind of header.
PACKED = {"gzip": zlib.MAX_WBITS | 16, "deflate": zlib.MAX_WBITS}
# What an answer takes in the journal, unless it has more than its text: a token (4 characters of English, or
# 14 that stand for one of Chinese), a vector (4096 numbers of 16 characters), and the rest.
TOKEN_ROOM, VECTOR_ROOM, LEAST_ROOM = 64, 1 << 16, 1 << 13  # bytes

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Response:
    """The result of one send."""

    reply: Reply
    status: int = 0
    headers: Mapping[str, str] = field(default_factory=dict)
    body: str = ""


class Endpoint:
    """Where requests go.  Nothing is opened before the first one: a finished shard needs no key or server."""

    def __init__(self, connection: Connection):
        self._connection = connection
        self._idle: list[httpx.AsyncClient] = []
        self._base = self._secret = ""
        self._options: Mapping[str, Any]  # of clients; known when it is located

    def locate(self) -> str:
        """Find the base URL, and return why there is none yet; empty if there is one.

        The file of `file:PATH` is read every time: a restarted serving job has a new address.
        Raises ConfigError if it holds no base URL, or the environment has no key, certificates or proxy that
        can be used.
        """
        if not self._secret:
            self._secret = secret(self._connection)
        address = self._connection.endpoint
        if address.startswith(FILE):
            try:
                address = Path(address.removeprefix(FILE)).read_text(encoding="utf-8").strip()
            except FileNotFoundError:
                address = ""
            except (OSError, ValueError) as error:  # ValueError: not UTF-8, or a NUL in the path
                raise ConfigError(
                    f"{self._connection.entry}.endpoint: '{address}' cannot be read as text "
                    f"({error}). Name a file that contains a base URL."
                ) from error
            if not address:
                return "the file does not contain a base URL yet"
        url = base_url(self._connection.model_copy(update={"endpoint": address}))
        if url != self._base:
            import httpx  # takes 0.2 s, as do the certificates: before a send's turn, not after

            self._options = client_options(httpx.URL(url), self._connection.entry)
            self._base = url
            logger.info("sending requests to %s, %d at a time", url, self._connection.concurrency)
        return ""

    async def send(self, body: Mapping[str, object]) -> Response:
        """Send once, under one deadline for everything from the connection to the last byte."""
        import httpx

        seconds = self._connection.timeout
        page = "embeddings" if "input" in body else "chat/completions"
        wire = wire_body(body, self._connection.max_tokens_name)
        content = json.dumps(wire, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
        http, started = self._idle.pop() if self._idle else self._opened(), time.monotonic()
        try:
            async with (
                asyncio.timeout(seconds),
                http.stream("POST", f"{self._base.rstrip('/')}/{page}", content=content) as response,
            ):
                raw = await self._read(response, limit(body))
        except TimeoutError:
            return Response(Reply(DEADLINE, message=f"no answer within {seconds:g} s"))
        except (httpx.HTTPError, httpx.InvalidURL, UnicodeError) as error:
            return Response(self._shown(_disconnected(error, time.monotonic() - started)))
        finally:
            self._idle.append(http)
        text = _decoded(raw, response.charset_encoding)
        if self._secret != NO_KEY:
            text = masked(text, self._secret)
        reply = judged(response.status_code, text)
        if response.has_redirect_location:
            reply = replace(reply, message=f"{response.status_code}: {response.headers['location']}")
        reply = self._shown(reply)
        return Response(reply, response.status_code, response.headers, text)

    def _shown(self, reply: Reply) -> Reply:
        """Return a reply whose words can be printed."""
        said = masked(reply.message, self._secret) if self._secret != NO_KEY else reply.message
        return replace(reply, message=one_line(said))

    async def _read(self, response: "httpx.Response", most: int) -> bytes:
        """Return a body, inflated piece by piece; of one that is longer than `most` bytes its beginning.

        httpx would inflate all that has come at once, to a thousand times its size.
        """
        raw, inflated = bytearray(), _inflater(response.headers.get("content-encoding", ""))
        async for packed in response.aiter_raw():
            for piece in inflated(packed):
                raw += piece
                if len(raw) > most:
                    logger.warning(
                        "%s: an answer was longer than %d bytes, so its end was cut", self._base, most
                    )
                    return bytes(raw[:KEPT_BYTES])
        return bytes(raw)

    async def close(self) -> None:
        for http in self._idle:
            await http.aclose()

    def _opened(self) -> "httpx.AsyncClient":
        import httpx

        logging.getLogger("httpx").setLevel(logging.WARNING)  # logs every request
        return httpx.AsyncClient(
            headers={
                "authorization": f"Bearer {self._secret}",
                "content-type": "application/json",
                "accept-encoding": ", ".join(PACKED),
            },
            timeout=httpx.Timeout(None, connect=CONNECT_SECONDS),  # the deadline covers the rest
            **self._options,
        )


def _inflater(encoding: str) -> Callable[[bytes], Iterator[bytes]]:
    """Return what inflates bytes to pieces of `KEPT_BYTES` at most; a DecodingError if they cannot be."""
    import httpx

    name = encoding.strip().lower()
    if name in ("", "identity"):
        return lambda packed: iter((packed,))
    if name not in PACKED:
        raise httpx.DecodingError(f"{name} was not asked for")
    state = zlib.decompressobj(PACKED[name])

    def inflated(packed: bytes) -> Iterator[bytes]:
        try:
            while piece := state.decompress(packed, KEPT_BYTES):
                packed = state.unconsumed_tail
                yield piece
        except zlib.error as error:
            raise httpx.DecodingError(str(error)) from error

    return inflated


def _decoded(raw: bytes, charset: str | None) -> str:
    """Return the text of a body: UTF-8, or else what its header says."""
    try:
        return raw.decode()
    except UnicodeDecodeError:
        try:
            return raw.decode(charset or "utf-8", "replace")
        except LookupError:  # of no such character set
            return raw.decode("utf-8", "replace")


def _disconnected(error: Exception, seconds: float) -> Reply:
    """Return whether nothing was sent, no connection came about, or one broke, so that it may be billed.

    A server closes a connection that was idle at once; after `IDLE_SECONDS` it may have asked the model.
    """
    import httpx

    causes = [error]
    while causes[-1].__cause__ is not None and isinstance(causes[-1].__cause__, Exception):
        causes.append(causes[-1].__cause__)
    unsent = (httpx.LocalProtocolError, httpx.UnsupportedProtocol, httpx.InvalidURL, UnicodeError)
    unreached = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.ProxyError)
    closed = any("without sending a response" in str(cause) for cause in causes)
    idle = closed and seconds < IDLE_SECONDS
    outcome = UNREACHED if idle or any(isinstance(cause, unreached) for cause in causes) else LOST
    if isinstance(error, unsent) or UNTRUSTED in str(error):
        outcome = UNSENT
    if isinstance(error, httpx.DecodingError):
        return Reply(BROKEN_BODY, message=f"the content is not compressed as its header declares: {error}")
    return Reply(outcome, message=": ".join(filter(None, [type(causes[-1]).__name__, str(causes[-1])])))


def limit(body: Mapping[str, Any]) -> int:
    """Return the most bytes that the answer to a request may have."""
    return max(LEAST_LIMIT, _size(body, TOKEN_BYTES, VECTOR_BYTES))


def room(body: Mapping[str, Any]) -> int:
    """Return the bytes that the answer to a request takes in the journal."""
    return LEAST_ROOM + _size(body, TOKEN_ROOM, VECTOR_ROOM)


def _size(body: Mapping[str, Any], token: int, vector: int) -> int:
    return body.get("max_tokens", 0) * token + len(body.get("input", ())) * vector


def base_url(connection: Connection) -> str:
    """Return the base URL, or `file:PATH` unresolved; raise ConfigError for neither, or a possible secret."""
    if holds_secret(connection.endpoint):
        raise ConfigError(f"{connection.entry}.endpoint: {HOLDS_SECRET}.")
    if connection.endpoint.startswith(FILE) and connection.endpoint != FILE:
        return connection.endpoint
    whole = is_address(connection.endpoint, ("http", "https"))
    if not whole or not connection.endpoint.isprintable() or " " in connection.endpoint:
        raise ConfigError(
            f"{connection.entry}.endpoint: '{connection.endpoint}' is not a base URL. Expected "
            "http://HOST:PORT/v1 or https://HOST/v1, file:PATH of a file that contains such an "
            "address, or python:MODULE of a module that starts a server."
        )
    return connection.endpoint


def server(connection: Connection) -> Callable[..., AbstractContextManager[str]]:
    """Import the module of an endpoint `python:MODULE` and return its `endpoint`.

    Calling it gives a context that serves while open and yields the base URL.  Raises ConfigError if
    there is no such module, or it has no `endpoint`.
    """
    try:
        return importlib.import_module(serving_module(connection.endpoint)).endpoint
    except (ImportError, AttributeError) as error:
        raise ConfigError(
            f"{connection.entry}.endpoint: the server of '{connection.endpoint}' cannot be started "
            f"({error}). Name an installed module with a function endpoint(), such as "
            "python:contrapose_mini.loopback."
        ) from error


def journals_of(connection: Connection, journal: str | Path, code: str) -> Path:
    """Return the folder that keeps the answers; `journal` is that of the LLM role and model, `code` a digest.

    The answers of a `python:MODULE` depend on its code: each version has its own folder.
    """
    if not serving_module(connection.endpoint):
        return Path(journal)
    return Path(journal) / f"loopback-{hashlib.sha256(code.encode()).hexdigest()[:16]}"


# Folder of the journals of each language model, and how it is reached.
JournalFolders = Annotated[dict[str, str], FromJob(lambda spec, job: json.loads(job.resources.journals))]
Connections = Annotated[
    dict[str, Connection],
    FromJob(
        lambda spec, job: {
            llm: Connection(**each) for llm, each in json.loads(job.resources.connections).items()
        }
    ),
]
