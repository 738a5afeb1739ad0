"""From a request to a reply: the journal first, then the endpoint, with patience and without paying twice."""

import asyncio
import logging
import os
import random
import signal
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self
from urllib.parse import urlsplit

from contrapose.config import Connection
from contrapose.errors import BackendError, ConfigError, ContraposeError
from contrapose.generate.journal import Journal
from contrapose.generate.outcomes import (
    DEADLINE,
    LOST,
    UNREACHED,
    UNSERVED,
    Action,
    Outcome,
    Paid,
    Reply,
    judged,
    retry_after,
)
from contrapose.generate.prompts import Request

if TYPE_CHECKING:
    from openai import AsyncOpenAI

NO_KEY = "EMPTY"  # local servers take any key, the client wants one
CONNECT_SECONDS = 10.0  # for a connection; twice the SDK's, for busy servers
FIRST_BACKOFF, LONGEST_BACKOFF = 0.5, 4.0  # seconds; short, since the breaker spares the server
BREAKER = 10  # failures in a row after which one probe a second is sent
PROBE_SECONDS = 1.0
RESENDS = 6  # failures of one request while others succeed: SPEC 1.4's tries for API errors
LONELY = 2  # failures while nothing else was answered; then a greeting tells whether the server works
KEPT = "What was answered is kept."
JITTER = 0.25  # share of a pause that is added at random, so that senders do not wake together

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class _Seen:
    """What one send brought."""

    reply: Reply
    status: int = 0
    headers: Mapping[str, str] = field(default_factory=dict)
    body: str = ""


class Client:
    """Ask one endpoint, with a journal.  Use as an async context manager, once per process.

    A request that the journal knows is not sent.  SIGTERM and SIGINT end the sending; what is in flight
    is still waited for and kept.
    """

    def __init__(self, connection: Connection, journal: Journal):
        self._connection, self._journal = connection, journal
        self._openai: AsyncOpenAI | None = None
        self._secret = ""
        self._stopped: ContraposeError | None = None
        self._stop = asyncio.Event()
        self._resume_at = self._probe_at = 0.0
        self._failures = 0  # in a row, of all requests
        self._successes = 0
        self._failing_since: float | None = None  # the first failure after the last success
        self.counts: Counter[str] = Counter()  # outcomes of what was sent

    async def __aenter__(self) -> Self:
        for number in (signal.SIGTERM, signal.SIGINT):
            try:
                asyncio.get_running_loop().add_signal_handler(number, self._interrupted, number)
            except (RuntimeError, ValueError):  # not the main thread: signals are somebody else's
                break
        return self

    async def __aexit__(self, *error: object) -> None:
        if self._openai is not None:
            await self._openai.close()
        if self.counts:
            logger.info("sent: %s", ", ".join(f"{count} {name}" for name, count in self.counts.most_common()))

    async def ask(self, request: Request) -> Reply:
        """Return the reply to a request, from the journal or from the endpoint.

        The reply's action is ACCEPT, TRY or GIVE_UP; everything else is dealt with here.

        Raises
        ------
        ConfigError, BackendError
            The endpoint refuses all requests, stays away for too long, or the job was told to stop.
        OSError
            The journal cannot be written.
        """
        record = self._journal.get(request.key)
        known = recorded(record) if record else None
        return known or await self._answered(request)

    async def _answered(self, request: Request) -> Reply:
        failures = alone = 0  # while others were answered, and while nobody was
        known = self._successes
        while True:
            await self._clearance()
            started = time.monotonic()
            seen = await self._sent(request.body)
            outcome = seen.reply.outcome
            self.counts[outcome.name] += 1
            if outcome.action in (Action.ACCEPT, Action.TRY, Action.GIVE_UP):
                self._succeeded()
                return self._kept(request, seen, time.monotonic() - started)
            if outcome.action is Action.STOP or (outcome.action is Action.READY and self._successes):
                raise self._stop_with(self._error(seen.reply))
            if outcome.paid is Paid.UNKNOWN:
                self._journal.note({"lost": request.key, **_about(request), "outcome": outcome.name})
            if outcome.action is Action.WAIT:
                self._pause(seen)
                continue
            self._failures += 1
            # A failure counts against the sentence only if something else was answered since its last one.
            if self._successes > known:
                failures, known = failures + 1, self._successes
            else:
                alone += 1
            if failures >= RESENDS:
                self._failures = 0
                lost = _Seen(Reply(UNSERVED, message=seen.reply.message), seen.status, body=seen.body)
                return self._kept(request, lost, time.monotonic() - started)
            self._impatient(seen.reply, request)
            await self._sleep(_backoff(failures + alone))
            if alone >= LONELY and self._successes == known:
                await self._greet(request)

    async def _greet(self, request: Request) -> None:
        """Ask something trivial, when nothing else is under way that shows whether the endpoint works."""
        await self._clearance()
        hello = {"messages": [{"role": "user", "content": "Hello"}], "max_tokens": 1}
        seen = await self._sent({"model": request.body["model"], **hello})
        self.counts["greeting"] += 1
        if seen.reply.outcome.paid is Paid.YES:
            self._journal.note({"greeting": request.body["model"], "status": seen.status, "body": seen.body})
            self._succeeded()
        else:
            self._failures += 1

    def _succeeded(self) -> None:
        self._failures, self._failing_since = 0, None
        self._successes += 1

    async def _sent(self, body: Mapping[str, object]) -> _Seen:
        """Send once, under one deadline for everything from the connection to the last byte."""
        client = self._opened()
        import httpx2
        import openai

        try:
            async with asyncio.timeout(self._connection.timeout):
                response = await client.chat.completions.with_raw_response.create(**body)  # type: ignore[call-overload]
            return self._read(response.status_code, response.headers, response.content)
        except openai.APIStatusError as error:
            return self._read(error.status_code, error.response.headers, error.response.content)
        except TimeoutError:
            return _Seen(Reply(DEADLINE, message=f"no answer in {self._connection.timeout:g} s"))
        except (openai.APIConnectionError, httpx2.HTTPError) as error:
            return _Seen(_disconnected(error))

    def _read(self, status: int, headers: Mapping[str, str], content: bytes) -> _Seen:
        body = content.decode("utf-8", "replace")
        if self._secret != NO_KEY:
            body = body.replace(self._secret, "[key]")  # some gateways repeat it
        return _Seen(judged(status, body), status, headers, body)

    def _opened(self) -> "AsyncOpenAI":
        """Open the client at the first request: a finished shard needs neither key nor endpoint."""
        if self._openai is None:
            import httpx2
            import openai

            for name in ("httpx2", "httpx", "openai"):  # they log every request
                logging.getLogger(name).setLevel(logging.WARNING)
            connection = self._connection
            self._secret = secret(connection)
            local = urlsplit(base_url(connection)).hostname in ("127.0.0.1", "localhost", "::1")
            self._openai = openai.AsyncOpenAI(
                base_url=connection.endpoint,
                api_key=self._secret,
                max_retries=0,
                timeout=httpx2.Timeout(connection.timeout, connect=min(CONNECT_SECONDS, connection.timeout)),
                http_client=openai.DefaultAsyncHttpxClient(
                    # More connections than requests in flight: waiting for one would count as a failure.
                    limits=httpx2.Limits(
                        max_connections=connection.concurrency + 8,
                        max_keepalive_connections=connection.concurrency,
                    ),
                    trust_env=not local,  # no proxy between us and our own machine
                ),
            )
            logger.info("asking %s, %d requests in flight", connection.endpoint, connection.concurrency)
        return self._openai

    def _kept(self, request: Request, seen: _Seen, seconds: float) -> Reply:
        """Put what was paid into the journal, raw, before anybody reads it."""
        about = {**_about(request), "outcome": seen.reply.outcome.name, "status": seen.status}
        times = {"seconds": round(seconds, 3), "time": round(time.time(), 3)}
        try:
            self._journal.append(request.key, {**about, **times, "body": seen.body})
        except OSError:
            self._stop_with(BackendError("the journal cannot be written"))
            raise
        return seen.reply

    async def _clearance(self) -> None:
        """Wait until a request may be sent."""
        while True:
            if self._stopped:
                raise self._stopped
            now = time.monotonic()
            if now < self._resume_at:
                await self._sleep((self._resume_at - now) * (1 + random.uniform(0, JITTER)))
            elif self._failures < BREAKER:
                return
            elif now >= self._probe_at:
                self._probe_at = now + PROBE_SECONDS
                return
            else:
                await self._sleep(self._probe_at - now + random.uniform(0, JITTER))

    async def _sleep(self, seconds: float) -> None:
        """Sleep, but not beyond the end of the sending."""
        try:
            async with asyncio.timeout(seconds):
                await self._stop.wait()
        except TimeoutError:
            return

    def _pause(self, seen: _Seen) -> None:
        """Let all senders wait as long as the server says, or a growing time."""
        self._failures = min(self._failures + 1, BREAKER - 1)  # the server is alive: no breaker
        told = retry_after(seen.headers)
        seconds = _backoff(self._failures) if told is None else told
        self._impatient(seen.reply, None, seconds)
        self._resume_at = max(self._resume_at, time.monotonic() + seconds)

    def _impatient(self, reply: Reply, request: Request | None, seconds: float = 0.0) -> None:
        now = time.monotonic()
        self._failing_since = now if self._failing_since is None else self._failing_since
        silent = now - self._failing_since
        if self._failures == 1 and not self._successes:
            logger.warning(
                "%s: %s (%s); trying for up to %.0f s", self._connection.endpoint, reply.outcome.says,
                reply.message, self._connection.patience,
            )  # fmt: skip
        if silent + seconds > self._connection.patience:
            about = f" to sentence {request.sentence_id}" if request else ""
            asks = f" and asks to wait {seconds:.0f} s" if seconds else ""
            role, url, patience = self._connection.role, self._connection.endpoint, self._connection.patience
            raise self._stop_with(
                BackendError(
                    f"llms.{role}.endpoint: {url} gave no answer{about} for {silent:.0f} s{asks}: "
                    f"{reply.outcome.says} ({reply.message}). {KEPT} Start again when the endpoint works, or "
                    f"raise llms.{role}.patience (now {patience:g} s)."
                )
            )

    def _error(self, reply: Reply) -> ContraposeError:
        """Return what a person reads when the endpoint refuses for good; nothing that was said of the key."""
        role, url, outcome = self._connection.role, self._connection.endpoint, reply.outcome
        if outcome.name == "key":
            key = f"the key from {self._connection.key}" if self._connection.key else "a request without key"
            return ConfigError(
                f"llms.{role}.key: {url} refuses {key}. Check that the variable it names holds a valid key, "
                f"and that it may use this model. {KEPT}"
            )
        message = f"llms.{role}.{outcome.setting}: {url}: {outcome.says}. It said: {reply.message}. {KEPT}"
        return BackendError(message) if outcome.name == "no_money" else ConfigError(message)

    def _stop_with(self, error: ContraposeError) -> ContraposeError:
        """End the sending; requests in flight still come to their end.  The first error counts."""
        if self._stopped is None:
            self._stopped = error
            self._stop.set()
        return self._stopped

    def _interrupted(self, number: int) -> None:
        name = signal.Signals(number).name
        logger.warning("%s: sending no more, waiting for what is in flight", name)
        self._stop_with(BackendError(f"stopped by {name}. {KEPT} Start again to go on from there."))
        asyncio.get_running_loop().remove_signal_handler(number)  # a second one ends us at once


def recorded(record: dict) -> Reply | None:
    """Return the reply that a journal's record holds; None if today it would be sent again.

    The body is judged anew: a better reading of answers needs no new request.
    """
    if record.get("outcome") == UNSERVED.name:
        return Reply(UNSERVED)
    reply = judged(record["status"], record["body"])
    return reply if reply.outcome.action in (Action.ACCEPT, Action.TRY, Action.GIVE_UP) else None


def _disconnected(error: Exception) -> Reply:
    """Tell a connection that never was from one that broke, after which the request may have been billed."""
    import httpx2

    causes = [error]
    while causes[-1].__cause__ is not None and isinstance(causes[-1].__cause__, Exception):
        causes.append(causes[-1].__cause__)
    unreached = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout, httpx2.ProxyError)
    idle = any("without sending a response" in str(cause) for cause in causes)
    outcome: Outcome = UNREACHED if idle or any(isinstance(cause, unreached) for cause in causes) else LOST
    return Reply(outcome, message=f"{type(causes[-1]).__name__}: {causes[-1]}")


def secret(connection: Connection) -> str:
    """Return the API key.

    Raises
    ------
    ConfigError
        The environment variable is not set.
    """
    if not connection.key:
        return NO_KEY
    value = os.environ.get(connection.key, "").strip()
    if not value:
        raise ConfigError(
            f"llms.{connection.role}.key: the environment variable {connection.key} is not set. Set it to "
            f"the API key (export {connection.key}=...), or set key: null for a server without keys."
        )
    return value


def base_url(connection: Connection) -> str:
    """Return the base URL, or raise ConfigError if it is none."""
    parts = urlsplit(connection.endpoint)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ConfigError(
            f"llms.{connection.role}.endpoint: '{connection.endpoint}' is no base URL. "
            f"Expected http://HOST:PORT/v1, https://HOST/v1, or loopback."
        )
    return connection.endpoint


def _backoff(failures: int) -> float:
    """Return seconds to wait: full jitter below a limit that doubles with every failure."""
    return random.uniform(0, min(LONGEST_BACKOFF, FIRST_BACKOFF * 2 ** min(failures, 10)))


def _about(request: Request) -> dict[str, object]:
    """Return what of a request the journal shows to people; the key stands for the rest."""
    return {
        "sentence_id": request.sentence_id,
        "prompt": request.prompt,
        "attempt": request.attempt,
        "model": request.body["model"],
    }
