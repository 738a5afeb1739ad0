"""Replies to requests: from the journal, else from the endpoint, with retries and without paying twice."""

import asyncio
import logging
import random
import signal
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from functools import partial
from http import HTTPStatus
from typing import Self

import pandas as pd

from contrapose.base.errors import BackendError, BudgetError, ConfigError, ContraposeError
from contrapose.generate.endpoint import Endpoint, Response, room
from contrapose.generate.journal import Journal
from contrapose.generate.ledger import Ledger, billed
from contrapose.generate.outcomes import (
    ANSWER,
    UNREACHED,
    UNRECORDED,
    UNSAID,
    UNSENT,
    UNSERVED,
    Action,
    Answer,
    Outcome,
    Paid,
    Reply,
    judged,
    retry_after,
)
from contrapose.generate.pace import Pace
from contrapose.generate.requests import Request
from contrapose.settings.catalogs import Connection

FIRST_BACKOFF, LONGEST_BACKOFF = 0.5, 4.0  # seconds; short, since the breaker spares the server
BREAKER = 10  # failures in a row after which one probe a second is sent
LOCATE_SECONDS = 1.0  # between two checks for the file that holds the base URL
SAID_SECONDS = 60.0  # between two words on a server that does not answer
SILENT_SECONDS = 10.0  # without an answer, after which there is a first word on a server that has worked
RESENDS = 6  # failures of one request while others succeed (our choice)
LONELY = 2  # failures while nothing else was answered; then a greeting tests whether the server works
GREETING = "greeting"  # instead of a prompt's name
BYTES_PER_TOKEN = 4  # of English text, by OpenAI's rule of thumb
ENDS = (Action.ACCEPT, Action.TRY, Action.GIVE_UP)  # final for a request; other actions are handled here
KEPT = "Answers received so far are kept."

logger = logging.getLogger(__name__)


class Client:
    """Ask one endpoint, with a journal.  Use as an async context manager, once per process.

    A request that the journal knows is not sent.  SIGTERM, SIGINT and a used-up budget stop the sending;
    requests in flight are still awaited and their answers kept.

    Journal and ledger are entered before; the journal's folder holds the pace that all its jobs share.  `job`
    names llm, corpus, prompt and shard, for the cost table.
    """

    def __init__(self, connection: Connection, journal: Journal, ledger: Ledger, job: Mapping[str, str]):
        self.connection, self._journal, self.ledger, self._job = connection, journal, ledger, job
        self._endpoint = Endpoint(connection)
        self._pace = Pace(journal.folder / "pace", connection)
        self._located = self._noted = self._unsaid = False
        self._stopped: ContraposeError | None = None
        self._waits: set[asyncio.Timeout] = set()
        self._failures = 0  # in a row, of all requests
        self._limited = 0  # 429 answers in a row; a wave counts as one
        self._limited_at = 0.0
        self._successes = self._greetings = 0
        self._failing_since: float | None = None  # the first failure after the last success
        self._said: float | None = None  # when the log said last that there is no answer, since then
        self._waits_said = -SAID_SECONDS
        self.counts: Counter[str] = Counter()  # outcomes of what was sent
        self.sent = self.retries = 0  # for the progress line

    async def __aenter__(self) -> Self:
        for number in (signal.SIGTERM, signal.SIGINT):
            try:
                asyncio.get_running_loop().add_signal_handler(number, self._interrupted, number)
            except (RuntimeError, ValueError):  # not the main thread: it cannot handle signals
                break
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._endpoint.close()
        self._pace.close()
        if self.counts:
            logger.info("sent: %s", ", ".join(f"{count} {name}" for name, count in self.counts.most_common()))

    async def ask(self, request: Request) -> Reply:
        """Return the reply to a request, from the journal or from the endpoint.

        The reply's action is ACCEPT, TRY or GIVE_UP; everything else is handled here.  Raises ConfigError,
        BackendError or BudgetError if the endpoint refuses all requests or is silent for too long, the next
        request could exceed the budget, or the job was asked to stop, and OSError if the journal cannot be
        written.
        """
        known = self.known(request)
        if known:
            return known
        async with AsyncExitStack() as claim:
            async with self._until_stopped():
                await claim.enter_async_context(self._journal.claimed(request.key))
            return self.known(request) or await self._answered(request)

    def known(self, request: Request) -> Reply | None:
        return known_reply(self._journal, request.key)

    async def _answered(self, request: Request) -> Reply:
        failures = alone = 0  # while others were answered, and while none was
        known = self._successes
        while True:
            response = await self._sent(request)
            reply, action = response.reply, response.reply.outcome.action
            if action in ENDS:
                return reply
            self.retries += 1
            if action is Action.WAIT:
                continue
            # A failure counts against the sentence only if something else was answered since its last one.
            if self._successes > known:
                failures, known = failures + 1, self._successes
            else:
                alone += 1
            if failures >= RESENDS:  # on this sentence, while others are served
                self._failures = 0
                self._record_answer(request, response, UNSERVED, time=round(time.time(), 3))
                return Reply(UNSERVED, message=reply.message)
            self._check_patience(reply, request)
            if self._failures < BREAKER:
                async with self._until_stopped():
                    await asyncio.sleep(_backoff(failures + alone))
            if alone >= LONELY and self._successes == known:
                await self._greet(request)

    async def _greet(self, request: Request) -> None:
        """Send a trivial request, when no other shows whether the endpoint works."""
        self._greetings += 1
        body = {"model": request.body["model"], **request.greeting}
        await self._sent(
            replace(request, sentence_id="", prompt=GREETING, attempt=self._greetings, body=body)
        )

    async def _sent(self, request: Request) -> Response:
        """Send once, when limits and budget allow it, and record the answer before it is parsed."""
        expected = request.worst_case.prompt // BYTES_PER_TOKEN + request.worst_case.completion
        async with self._until_stopped():
            await self._locate()
            await self._pace.turn(expected)
            try:
                await self.ledger.reserve(request.worst_case)
            except BudgetError as error:
                raise self.stop(error) from None
        sent = partial(self._journal.sent, room=room(request.body))
        self._record(request, sent, most=request.worst_case, **request.about)
        self.sent += 1
        started = time.monotonic()
        response = await self._endpoint.send(request.body)
        # Answers of proxies say nothing about limits.
        if response.status in (HTTPStatus.OK, HTTPStatus.TOO_MANY_REQUESTS):
            self._check_wait(*self._pace.adopt(response.headers))
        self.counts[response.reply.outcome.name] += 1
        if response.reply.outcome.action in ENDS:
            self._keep(request, response, time.monotonic() - started, expected)
        else:
            self._lose(request, response, started)
        return response

    def _keep(self, request: Request, response: Response, seconds: float, expected: int) -> None:
        reply = response.reply
        times = {"seconds": round(seconds, 3), "time": round(time.time(), 3)}
        self._record_answer(request, response, reply.outcome, **times)
        if reply.outcome is UNSAID and request.prompt != GREETING and not self._unsaid:
            self._unsaid = True  # warn only once
            reasoning = reply.answer.reasoning_tokens
            of_them = "" if reasoning is None else f", {reasoning} of them reasoning"
            tokens_said = f"{reply.answer.completion_tokens or 0} tokens{of_them}"
            logger.warning("%s.max_tokens: %s (%s)", self.connection.entry, UNSAID.says, tokens_said)
        if reply.outcome.paid is not Paid.NO:
            tokens = billed(reply)
            self.ledger.settle(request.worst_case, tokens)
            if tokens and self.connection.tokens_counted == "used":
                self._pace.give_back(expected - sum(tokens))
        else:
            self.ledger.release(request.worst_case)
        self._succeeded()

    def _lose(self, request: Request, response: Response, started: float) -> None:
        """Record that a request got no answer, and make all jobs react to it."""
        reply, outcome = response.reply, response.reply.outcome
        self._record(request, self._journal.unanswered, outcome=outcome.name, paid=outcome.paid)
        (self.ledger.unknown if outcome.paid is Paid.UNKNOWN else self.ledger.release)(request.worst_case)
        if outcome is UNREACHED:
            self._located = False
        ready = not self._successes or self._failures  # later, a missing model is an error
        if outcome.action is Action.STOP or (outcome.action is Action.READY and not ready):
            raise self.stop(self._error(reply))
        if outcome.action is Action.WAIT:
            self._pause(response, started)
            return
        self._failures += 1
        if self._failures >= BREAKER:
            self._pace.down()
        if self._failures == BREAKER:
            logger.warning(
                "%d requests in a row failed (%s), so only one request per second is sent",
                BREAKER,
                reply.message,
            )

    def _succeeded(self) -> None:
        said, self._failures, self._limited = self._said, 0, 0
        self._failing_since = self._said = None
        self._successes += 1
        if self._pace.up() or said is not None:
            logger.info("%s answers again", self.connection.endpoint)

    def _record_answer(self, request: Request, response: Response, outcome: Outcome, **times: float) -> None:
        about = {**request.about, "outcome": outcome.name, "status": response.status}
        self._record(request, self._journal.append, **about, **times, body=response.body)

    def _record(self, request: Request, write: Callable[..., None], **record: object) -> None:
        try:
            if not self._noted:
                self._journal.note({"job": dict(self._job), "prices": prices_of_the_day(self.connection)})
                self._noted = True
            write(request.key, record)
        except OSError:
            self.stop(BackendError("the stored answers cannot be written"))
            raise

    async def _locate(self) -> None:
        """Wait until the base URL is known: a serving job may not have written it yet."""
        while not self._located:
            try:
                lacking = self._endpoint.locate()
            except ConfigError as error:
                raise self.stop(error) from None
            self._located = not lacking
            if lacking:
                self._check_patience(Reply(UNREACHED, message=lacking))
                await asyncio.sleep(LOCATE_SECONDS)

    @asynccontextmanager
    async def _until_stopped(self) -> AsyncIterator[None]:
        """Cancel what is awaited inside when the sending stops."""
        if self._stopped:
            raise self._stopped
        try:
            async with asyncio.timeout(None) as wait:
                self._waits.add(wait)
                try:
                    yield
                finally:
                    self._waits.discard(wait)
        except TimeoutError:
            if self._stopped is None:
                raise
            raise self._stopped from None

    def _pause(self, response: Response, started: float) -> None:
        """Make all senders of all jobs wait as long as the server says, or with a growing backoff."""
        if started >= self._limited_at:  # sent after the last pause: a wave of 429s counts once
            self._limited += 1
            self._limited_at = time.monotonic()
        wait = retry_after(response.headers)
        seconds = _backoff(self._limited) if wait is None else wait
        self._check_patience(response.reply, seconds=seconds)
        self._pace.pause(seconds)

    def _check_wait(self, seconds: float, said: str) -> None:
        """Send no more if the server's limits ask to wait for longer than `patience`; log long waits."""
        now, url, at = time.monotonic(), self.connection.endpoint, self.connection.entry
        if seconds > self.connection.no_response_timeout:
            self.stop(
                BackendError(
                    f"{at}.endpoint: {url} allows the next request only in {round(seconds, 1):.9g} s "
                    f"({said}). That is longer than {at}.no_response_timeout "
                    f"({self.connection.no_response_timeout:g} s). {KEPT} Run the same command again "
                    "after that time, or raise no_response_timeout."
                )
            )
        elif seconds > SILENT_SECONDS and now > self._waits_said + SAID_SECONDS:
            self._waits_said = now
            logger.warning("%s allows the next request in %.0f s (%s)", url, seconds, said)

    def _check_patience(self, reply: Reply, request: Request | None = None, seconds: float = 0.0) -> None:
        """Stop if there was, or will be, no answer for longer than `patience`."""
        now = time.monotonic()
        url, patience = self.connection.endpoint, self.connection.no_response_timeout
        self._failing_since = now if self._failing_since is None else self._failing_since
        silent = now - self._failing_since
        if silent + seconds <= patience:
            due = silent >= SILENT_SECONDS * bool(self._successes)
            if due and (self._said is None or now - self._said >= SAID_SECONDS):
                self._said = now
                fails = " does not answer" if reply.outcome is UNREACHED else f": {reply.outcome.says}"
                words = (url, fails, reply.message, in_words(patience - silent))
                logger.warning("%s%s (%s); trying for %s", *words)
            return
        about = f" to sentence {request.sentence_id}" if request else ""
        asks = f" and requests a pause of {round(seconds, 1):.9g} s" if seconds else ""
        at = self.connection.entry
        raise self.stop(
            BackendError(
                f"{at}.endpoint: {url} gave no answer{about} for {silent:.0f} s{asks}: "
                f"{reply.outcome.says} ({reply.message}). {KEPT} Run the same command again when the "
                f"endpoint works, or raise {at}.no_response_timeout (now {patience:g} s)."
            )
        )

    def _error(self, reply: Reply) -> ContraposeError:
        """Return the error for an endpoint that refuses for good, in its own words without the key."""
        at, url, outcome = self.connection.entry, self.connection.endpoint, reply.outcome
        variable = self.connection.key
        said = reply.message.rstrip(". ")
        says = f": {outcome.says}. The server said: {said}."
        if outcome.name == "key" and variable:
            says = (
                f" refuses the key from {variable}. The server said: {said}. Check that the variable holds "
            )
            says += "a valid key, and that it may use this model."
        elif outcome.name == "key":
            says = (
                f" refuses a request without a key. The server said: {said}. Name the environment "
                "variable of "
            )
            says += f"a key in {at}.key."
        elif outcome is UNSENT:
            says = f": {outcome.says} ({said})."
        message = f"{at}.{outcome.setting}: {url}{says} {KEPT}"
        return BackendError(message) if outcome.name == "no_money" else ConfigError(message)

    def stop(self, error: ContraposeError) -> ContraposeError:
        if self._stopped is None:
            self._stopped = error
            for wait in self._waits:
                wait.reschedule(0)  # long past on the loop's clock: now
        return self._stopped

    def _interrupted(self, number: int) -> None:
        name = signal.Signals(number).name
        logger.warning("%s: no more requests are sent; waiting for the answers to those already sent", name)
        self.stop(
            BackendError(f"The job was stopped by {name}. {KEPT} Run the same command again to continue.")
        )
        asyncio.get_running_loop().remove_signal_handler(number)  # a second one ends the process at once


class RecordedAnswers(Client):
    """A client that knows the reply to every request, so that it needs no journal, ledger or endpoint.

    A request is answered by its prompt and its sentence; differences in white space are ignored.
    """

    def __init__(self, connection: Connection, answers: pd.DataFrame):
        self.connection = connection
        keys = zip(answers.prompt, answers.sentence, strict=True)
        self._answers = dict(zip(keys, answers.answer, strict=True))

    def known(self, request: Request) -> Reply:
        text = self._answers.get((request.prompt, " ".join(request.sentence.split())))
        if text is None:
            return Reply(UNRECORDED)
        return Reply(ANSWER, Answer(text, "stop", model=self.connection.role))


def known_reply(journal: Journal, key: str) -> Reply | None:
    """Return the reply that a journal holds to a request; None if the request would now be sent.

    Each body is judged again: better parsing of answers needs no new request, and what is no answer by
    today's rules, though an earlier version kept it, is asked for again.
    """
    for record in journal.records(key):
        if record.get("outcome") == UNSERVED.name:
            return Reply(UNSERVED)
        reply = judged(record["status"], record["body"])
        if reply.outcome.action in ENDS:
            return reply
    return None


def in_words(seconds: float) -> str:
    """Return how much longer something goes on: `4 more minutes`, `30 more seconds`."""
    count, unit = (round(seconds / 60), "minute") if seconds >= 90 else (round(seconds), "second")
    return f"{count} more {unit if count == 1 else unit + 's'}"


def _backoff(failures: int) -> float:
    """Return seconds to wait: full jitter below a limit that doubles with every failure."""
    return random.uniform(0, min(LONGEST_BACKOFF, FIRST_BACKOFF * 2 ** min(failures, 10)))


def prices_of_the_day(connection: Connection) -> dict[str, object]:
    """Return the current prices, for the journal."""
    as_of = connection.prices_as_of and connection.prices_as_of.isoformat()
    return {"prompt": connection.prompt_price, "completion": connection.completion_price, "as_of": as_of}
