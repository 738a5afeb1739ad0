"""The pace of all jobs that share one limit: requests and tokens per minute, pauses, one probe in an outage.

Sends are spaced evenly (GCRA, the "virtual scheduling" of ITU-T I.371): each takes its slot from a small file
under a lock and moves the next one on by what it uses.  Services count in slices of 1-10 s (Azure), so a
burst would be refused even if the whole minute stays below the limit.
"""

import asyncio
import fcntl
import math
import os
import random
import re
import struct
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from contrapose.settings.catalogs import Connection

SHARE = 0.985  # of a limit is used: the rest absorbs uneven travel times of requests
LATE_SECONDS = 1 - SHARE  # a send this late does not move the next slot: no slice of 1 s gets too many
MINUTE = 60.0
PROBE_SECONDS = 1.0  # between two probes of an endpoint that is down
JITTER = 0.25  # share of a wait that is added at random, so that senders do not wake together
RAMP_SECONDS = 5.0  # after a pause, if no limit is known: from ten sends a second, doubled each second
RAMP_FIRST = 0.1  # seconds between its first two sends
CLOCK_SECONDS = 2.0  # a file dated this far in the future: the clock was set back, which NTP does by less
FORGET_SECONDS = 3600.0  # what a file said this long ago about a server holds no more
HEADERS = "x-ratelimit-{}-{}"  # OpenAI's, of requests and of tokens
PARTS = ("limit", "remaining", "reset")
DURATION = re.compile(r"([\d.]+)(ms|s|m|h|d|)")  # `6m0s`, `12ms`, `1.5`
UNITS = {"ms": 1e-3, "s": 1.0, "": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


@dataclass
class _Shared:
    """Content of the file.  Times are seconds since the epoch, for all machines that see it."""

    requests_at: float = 0.0  # when the request limit allows the next request
    tokens_at: float = 0.0  # when the token limit does
    resume_at: float = 0.0  # end of the last pause
    probe_at: float = 0.0  # while the endpoint is down: the next probe; else 0
    server_requests: float = 0.0  # per minute, by the server's headers; 0: not given
    server_tokens: float = 0.0
    written: float = 0.0


FORMAT = struct.Struct("<7d")  # of _Shared


class Pace:
    """Decides when a request may be sent.  One per process; all with the same file share the limits.

    The file outlives the jobs: the next ones continue from it.  Without `requests_per_minute` or
    `tokens_per_minute` the server's limit counts, if any.
    """

    def __init__(self, file: str | Path, connection: Connection):
        self._file = os.open(file, os.O_RDWR | os.O_CREAT, 0o666)
        self._requests, self._tokens = connection.requests_per_minute, connection.tokens_per_minute
        self._patience = connection.no_response_timeout
        self._most_tokens = 0  # of one request
        self._order = asyncio.Lock()

    def close(self) -> None:
        os.close(self._file)

    async def turn(self, tokens: int) -> None:
        """Wait until one request may be sent.  `tokens`: what the limit will count for it."""
        self._most_tokens = max(self._most_tokens, tokens)
        shared = self._read()
        unlimited = self._limits(shared) == (math.inf, math.inf)
        if unlimited and not shared.probe_at and time.time() > shared.resume_at + RAMP_SECONDS:
            return
        async with self._order:  # first come, first served; and no process holds more than one slot ahead
            while True:
                at, probe_at = self._slot(tokens)
                wait = at - time.time()
                if wait > 0:
                    await asyncio.sleep(wait)
                if self._is_in_time(at, probe_at, tokens):
                    return

    def pause(self, seconds: float) -> None:
        """Make all senders of all jobs wait; slots already given within the pause are lost."""
        with self._locked() as shared:
            end = time.time() + min(seconds, FORGET_SECONDS) * (1 + random.uniform(0, JITTER))
            shared.resume_at = max(shared.resume_at, end)

    def adopt(self, headers: Mapping[str, str]) -> tuple[float, str]:
        """Adopt the limits in an answer's headers, or their absence; wait if they are used up.

        Returns the seconds that the next request has to wait for them, and the headers that say so.  Nothing
        is adopted if that is longer than `patience`: the caller stops.
        """
        requests = _bucket(headers, "requests", 1)
        tokens = _bucket(headers, "tokens", self._most_tokens)
        longest = max(requests, tokens, key=lambda bucket: max(bucket.wait, bucket.spacing))
        seconds = max(longest.wait, longest.spacing)
        shared = self._read()
        known = requests.limit == shared.server_requests and tokens.limit == shared.server_tokens
        if seconds > self._patience or (known and not requests.wait and not tokens.wait):
            return seconds, longest.said
        with self._locked() as shared:
            now = time.time()
            shared.server_requests, shared.server_tokens = requests.limit, tokens.limit
            shared.requests_at = max(shared.requests_at, now + min(requests.wait, FORGET_SECONDS))
            shared.tokens_at = max(shared.tokens_at, now + min(tokens.wait, FORGET_SECONDS))
        return seconds, longest.said

    def give_back(self, tokens: int) -> None:
        """Give back the tokens that a request did not use, if the limit counts used tokens."""
        with self._locked() as shared:
            _, limit = self._limits(shared)
            shared.tokens_at -= tokens * MINUTE / limit

    def down(self) -> None:
        """Send no more than one request a second, from all jobs, until one is answered."""
        with self._locked() as shared:
            shared.probe_at = shared.probe_at or time.time() + PROBE_SECONDS

    def up(self) -> bool:
        """Send as fast as the limits allow again; return whether the endpoint was down."""
        if not self._read().probe_at:
            return False
        with self._locked() as shared:
            shared.probe_at = 0.0
        return True

    def _slot(self, tokens: int) -> tuple[float, float | None]:
        """Return when to send and the next probe after it; or, while another probes, when to try again."""
        with self._locked() as shared:
            now = time.time()
            if shared.probe_at:
                if now < shared.probe_at:
                    return shared.probe_at + random.uniform(0, JITTER * PROBE_SECONDS), None
                shared.probe_at = now + PROBE_SECONDS
            at = max(now, shared.resume_at, shared.requests_at, shared.tokens_at)
            request, token = self._spacing(shared, at)
            # From the slot if it was just missed, else from now: unused capacity is not made up for.
            shared.requests_at = _later(shared.requests_at, at) + request
            shared.tokens_at = _later(shared.tokens_at, at) + tokens * token
            return at, shared.probe_at

    def _is_in_time(self, at: float, probe_at: float | None, tokens: int) -> bool:
        """Return whether a slot is still valid when its sender has woken up."""
        shared, now = self._read(), time.time()
        if probe_at is None or now < shared.resume_at or shared.probe_at not in (0.0, probe_at):
            return False  # a pause began meanwhile, or an outage
        request, token = self._spacing(shared, now)
        spacing = max(request, tokens * token)
        if now - at <= LATE_SECONDS:
            return True
        if now - at > spacing:
            return False  # other slots are due by now; sending with them would be a burst
        with self._locked() as shared:
            shared.requests_at = max(shared.requests_at, now - LATE_SECONDS + spacing)
        return True

    def _spacing(self, shared: _Shared, at: float) -> tuple[float, float]:
        """Return the seconds by which a request at `at`, and each of its tokens, delays the next slot."""
        requests, tokens = self._limits(shared)
        ramp = at - shared.resume_at
        if requests == tokens == math.inf and 0 <= ramp < RAMP_SECONDS:
            return RAMP_FIRST * 2**-ramp, 0.0
        return MINUTE / requests, MINUTE / tokens

    def _limits(self, shared: _Shared) -> tuple[float, float]:
        """Return requests and tokens per minute: the smaller of the configured and the server's limit."""
        requests = min(self._requests or math.inf, shared.server_requests or math.inf)
        tokens = min(self._tokens or math.inf, shared.server_tokens or math.inf)
        return SHARE * requests, SHARE * tokens

    def _read(self) -> _Shared:
        data = os.pread(self._file, FORMAT.size, 0)
        shared = _Shared(*FORMAT.unpack(data)) if len(data) == FORMAT.size else _Shared()
        return shared if time.time() < shared.written + FORGET_SECONDS else _Shared()

    @contextmanager
    def _locked(self) -> Iterator[_Shared]:
        """Yield the content of the file under an exclusive lock, and write it back."""
        fcntl.flock(self._file, fcntl.LOCK_EX)
        try:
            shared, now = self._read(), time.time()
            if shared.written > now + CLOCK_SECONDS:
                for name in ("requests_at", "tokens_at", "resume_at", "probe_at"):
                    setattr(shared, name, max(0.0, getattr(shared, name) - (shared.written - now)))
            yield shared
            shared.written = now
            os.pwrite(self._file, FORMAT.pack(*vars(shared).values()), 0)
        finally:
            fcntl.flock(self._file, fcntl.LOCK_UN)


def _later(due: float, at: float) -> float:
    """Return the time that the next slot counts from: `due`, or `at` if that is much later."""
    return due if at - due <= LATE_SECONDS else at


class _Bucket(NamedTuple):
    """What headers say of one limit; nothing by default."""

    limit: float = 0.0  # per minute; 0: none
    wait: float = 0.0  # seconds until one request fits
    spacing: float = 0.0  # seconds between two requests
    said: str = ""


def _bucket(headers: Mapping[str, str], kind: str, needed: int) -> _Bucket:
    """Return what the headers say of a limit of which a request takes `needed`.

    `reset` is the time until the bucket is full; the wait is until it holds enough for one request.
    """
    limit_name, remaining_name, reset_name = (HEADERS.format(part, kind) for part in PARTS)
    stated = headers.get(limit_name)
    if stated is None:
        return _Bucket()
    reset = seconds_of(headers.get(reset_name, "")) or 0.0
    try:
        limit, remaining = float(stated), float(headers.get(remaining_name, stated))
    except ValueError:
        return _Bucket()
    if not 0 < limit < math.inf:
        return _Bucket()
    lacking = min(needed, limit) - remaining
    wait = reset * lacking / (limit - remaining) if lacking > 0 else 0.0
    said = f"{limit_name}: {limit:g}, {remaining_name}: {remaining:g}, {reset_name}: {reset:.9g} s"
    return _Bucket(limit, max(0.0, wait), needed * MINUTE / limit, said)


def seconds_of(duration: str) -> float | None:
    """Return the seconds of a duration such as `6m0s`, `12ms` or `1.5`; None if it is not one."""
    parts = DURATION.findall(duration)
    if not parts or "".join(number + unit for number, unit in parts) != duration.strip():
        return None
    try:
        return sum(float(number) * UNITS[unit] for number, unit in parts)
    except ValueError:
        return None
