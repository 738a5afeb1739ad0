"""Paces of several jobs on one file, in virtual time, against servers that enforce a limit."""

import asyncio
import os
import random
from collections import deque
from itertools import pairwise

import pytest

from contrapose.generate import pace as module
from contrapose.generate.pace import Pace
from contrapose.settings.catalogs import Connection
from tests.unit.generate.virtual_time import START

MINUTE = 60.0


def paces(folder, jobs=1, **settings):
    connection = Connection(role="chatgpt", endpoint="http://127.0.0.1:9/v1", **settings)
    return [Pace(folder / "pace", connection) for _ in range(jobs)]


class Bucket:
    """Holds a few requests and refills all the time."""

    def __init__(self, per_minute, capacity):
        self.rate, self.capacity, self.level, self.at = per_minute / MINUTE, capacity, capacity, START

    def accepts(self, now, amount=1):
        self.level = min(self.capacity, self.level + (now - self.at) * self.rate)
        self.at = now
        if self.level < amount:
            return False
        self.level -= amount
        return True


class Window:
    """Counts the requests of the last seconds."""

    def __init__(self, per_minute, seconds):
        self.most, self.seconds, self.times = per_minute / MINUTE * seconds, seconds, deque()

    def accepts(self, now, amount=1):
        while self.times and self.times[0] <= now - self.seconds:
            self.times.popleft()
        if len(self.times) + amount > self.most:
            return False
        self.times.append(now)
        return True


def sent(clock, paces, server, seconds, senders=16, tokens=1, late=lambda: 0.0, answered=None, then=None):
    """Send as fast as the paces allow; return when the server accepted a request, and when it refused one.

    `server` may be None: it accepts all.  `then` is a call with the seconds after which it comes.
    """
    accepted, refused = [], []

    async def sender(pace):
        while clock.now < seconds:
            await pace.turn(tokens)
            await asyncio.sleep(late())  # on its way, or in the queue of a busy machine
            is_accepted = server is None or server.accepts(clock.time(), tokens)
            (accepted if is_accepted else refused).append(clock.now)
            await asyncio.sleep(0.2)
            if answered:
                answered(pace)

    async def all_senders():
        if then:
            asyncio.get_running_loop().call_later(*then)
        await asyncio.gather(*(sender(pace) for pace in paces for _ in range(senders)))

    clock.run(all_senders())
    return accepted, refused


def seconds_after(clock, paces, tokens=1):
    """Take turns one after the other; return when the last one came."""

    async def turns():
        for pace in paces:
            await pace.turn(tokens)

    clock.run(turns())
    return clock.now


@pytest.mark.parametrize("jobs", [1, 8])
@pytest.mark.parametrize(
    ("server", "size"), [(Bucket, 2), (Window, 1), (Window, 60)], ids=["bucket", "1 s", "60 s"]
)
def test_a_limit_of_requests_is_used_and_never_passed(clock, tmp_path, jobs, server, size):
    draw = random.Random(3)
    made, late = paces(tmp_path, jobs, requests_per_minute=1200), lambda: draw.uniform(0, 0.01)
    accepted, refused = sent(clock, made, server(1200, size), 120, late=late)
    assert refused == []
    assert len(accepted) >= 0.97 * 1200 * 2


@pytest.mark.parametrize("jobs", [1, 8])
def test_a_limit_of_tokens_is_used_and_never_passed(clock, tmp_path, jobs):
    made = paces(tmp_path, jobs, requests_per_minute=100_000, tokens_per_minute=90_000)
    accepted, refused = sent(clock, made, Bucket(90_000, 700), 300, tokens=300)
    assert refused == []
    assert len(accepted) * 300 >= 0.97 * 90_000 * 5


@pytest.mark.parametrize("limit", [600, None], ids=["known limit", "no limit known"])
def test_a_pause_holds_all_senders_of_all_jobs_and_no_burst_follows(clock, tmp_path, limit):
    made = paces(tmp_path, 4, requests_per_minute=limit)
    times, _ = sent(clock, made, None, 20, then=(5, made[2].pause, 6))
    assert not [at for at in times if 5.0 < at < 11]
    after = [at for at in times if at > 11]
    assert min(after) < 11 + 6 * module.JITTER + 0.2
    first = [at for at in after if at < min(after) + 1]
    assert len(first) <= (11 if limit else 20)


def limits(limit, remaining, reset, kind="requests"):
    names = (f"x-ratelimit-{name}-{kind}" for name in ("limit", "remaining", "reset"))
    return dict(zip(names, (limit, remaining, reset), strict=True))


TOLD = limits("600", "599", "100ms")
NO_NUMBERS = [limits(limit, "0", "1s") for limit in ("", "many", "-1", "0", "nan", "inf")]


@pytest.mark.parametrize(
    ("settings", "told", "turns", "tokens", "seconds"),
    [
        # The server's limit counts where none or a larger one is configured.
        ({}, [TOLD], 11, 1, 1.0),
        ({"requests_per_minute": 6000}, [TOLD], 11, 1, 1.0),
        ({"requests_per_minute": 60}, [TOLD], 10, 1, 10.0),
        # A limit that is no number, or no longer told, is none.
        *(({}, [limits("60", "59", "1s"), bad], 10, 1, 0) for bad in [{}, *NO_NUMBERS]),
        # One that is used up is waited for until a request fits, and not until it is full.
        ({}, [limits("600", "0", "1m0s")], 1, 300, 0.1),  # full in a minute; one of 600 after a 600th of it
        ({"no_response_timeout": 500}, [limits("200", "0", "24h0m0s")], 1, 300, 432.0),  # a limit per day
        # A wait longer than `patience` is for the client to refuse, and what was told is forgotten in time.
        *(({"no_response_timeout": 300}, [each], 2, 300, 0) for each in (
            limits("200", "0", "24h0m0s"), limits("0.001", "0.001", ""), limits("100", "0", "30d"),
            limits("1000", "-99999999", "1000d", "tokens"), limits("50", "50", "1s", "tokens"),
        )),
        ({"no_response_timeout": 30 * 86400}, [limits("100", "0", "99d")], 1, 300, 3600),
        ({}, [limits("90000", "0", "1m0s", "tokens")], 1, 300, 0.2),  # a request takes 300
        ({}, [limits("90000", "200", "59.87s", "tokens")], 1, 300, 0.0667),
    ],
)  # fmt: skip
def test_the_limits_that_a_server_tells_are_kept(clock, tmp_path, settings, told, turns, tokens, seconds):
    one, other = paces(tmp_path, 2, **settings)
    seconds_after(clock, [one], tokens)
    for headers in told:
        one.adopt(headers)
    assert seconds_after(clock, [other] * turns, tokens) == pytest.approx(seconds, rel=0.03)


def test_while_the_endpoint_is_down_all_jobs_together_send_one_probe_a_second(clock, tmp_path):
    made = paces(tmp_path, 4)
    made[0].down()
    times, _ = sent(clock, made, None, 40, answered=lambda pace: clock.now > 30.2 and pace.up())
    probes = [at for at in times if at < 30]
    assert 22 <= len(probes) <= 30
    assert min(after - before for before, after in pairwise(probes)) >= 1
    assert len([at for at in times if 33 < at < 34]) == 4 * 16 * 5  # all of them, five times a second


@pytest.mark.parametrize("seconds", [40, 86_400])
def test_a_clock_that_was_set_back_holds_up_nobody(clock, tmp_path, seconds):
    (pace,) = paces(tmp_path, requests_per_minute=60)
    seconds_after(clock, [pace])
    clock._start -= seconds
    assert 1 < seconds_after(clock, [pace]) < 2


def test_what_a_server_told_is_forgotten_after_an_hour(clock, tmp_path):
    told, later = paces(tmp_path, 2)
    told.adopt(limits("1", "1", "1s"))
    clock.now += 3601
    assert seconds_after(clock, [later] * 5) == 3601


def test_a_slot_of_a_killed_job_holds_up_the_others_for_one_slot(clock, tmp_path):
    killed, other = paces(tmp_path, 2, requests_per_minute=60)

    async def run():
        await other.turn(1)
        waiting = asyncio.create_task(killed.turn(1))
        await asyncio.sleep(0.1)
        waiting.cancel()
        killed.close()
        await other.turn(1)
        return clock.now

    assert clock.run(run()) == pytest.approx(2 / module.SHARE, rel=0.01)
    assert os.listdir(tmp_path) == ["pace"]
