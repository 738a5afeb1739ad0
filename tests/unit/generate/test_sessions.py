"""Whatever an endpoint answers and whenever jobs end: no answer is paid twice, and the books are the bill."""

import asyncio
import tempfile
from collections import Counter
from contextlib import ExitStack
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from contrapose.generate.client import ENDS
from contrapose.generate.journal import Journal
from contrapose.generate.ledger import IN_FLIGHT, Ledger
from contrapose.generate.outcomes import OUTCOMES, Paid
from contrapose.generate.session import worked_off
from tests.unit.generate.opened import costs
from tests.unit.generate.scripted_endpoint import Say, body
from tests.unit.generate.test_client import RESENT, SAID, SENT, about, asked, connection, names
from tests.unit.generate.virtual_time import virtual_clock, virtual_endpoint

REQUESTS = about(names(6))
COUNTS = ("prompt_tokens", "completion_tokens")
UNCOUNTED, KILLED = "an answer without usage", "the job is killed"
FAULTS = [*sorted(SENT), UNCOUNTED, KILLED, *RESENT]  # to fail again and again


class Killed(BaseException):
    """Ends a job while a request is under way."""


class Sessions(RuleBasedStateMachine):
    """Jobs on one journal folder, one after the other, beside what the provider would bill."""

    def __init__(self):
        super().__init__()
        self.stack = ExitStack()
        self.folder = Path(self.stack.enter_context(tempfile.TemporaryDirectory()))
        self.clock = self.stack.enter_context(virtual_clock())
        self.server = self.stack.enter_context(virtual_endpoint())
        self.server.script = self.script
        self.faults, self.outcomes, self.bill, self.unknown = [], Counter(), Counter(), 0
        self.known = {}  # replies that the journals hold

    def teardown(self):
        self.stack.close()

    def script(self, request, count):
        """Respond with the next fault, and note what the provider knows of it."""
        name = self.faults.pop(0) if self.faults else "answer"
        if name == KILLED:
            self.outcomes[IN_FLIGHT] += 1
            self.unknown += 1
            raise Killed
        usage = dict(zip(COUNTS, (len(self.server.requests), 11), strict=True)) if name == "answer" else None
        self.bill += Counter(usage)
        outcome = OUTCOMES.get(name, OUTCOMES["answer"])
        self.outcomes[outcome.name] += 1
        self.unknown += usage is None and outcome.paid is not Paid.NO
        if outcome.name != "answer":
            return SAID[name]
        return Say(content=body(f"Answer {len(self.server.requests)}") | {"usage": usage})

    @rule(
        numbers=st.lists(st.integers(0, 5), min_size=1, max_size=4),
        faults=st.just([]) | st.lists(st.sampled_from(FAULTS), min_size=2, max_size=5),
        workers=st.integers(1, 3),
        writer=st.sampled_from(["w", "v"]),
    )
    def ask(self, numbers, faults, workers, writer):
        """Let a job ask about some sentences, perhaps the same twice."""
        self.faults, known, before = list(faults), dict(self.known), len(self.server.requests)
        reached = connection(self.server, prompt_price=2.0, completion_price=4.0, timeout=5)
        requests = [REQUESTS[number] for number in numbers]
        replies = asked(self.clock.run, reached, self.folder, requests, workers, writer=writer)
        assert faults or not [reply for reply in replies if isinstance(reply, BaseException)]
        for request, reply in zip(requests, replies, strict=True):
            if request.key in known:
                assert reply == known[request.key]
                assert request.body not in self.server.requests[before:]
            elif not isinstance(reply, BaseException):
                assert reply.outcome.action in ENDS
                self.known[request.key] = reply

    @rule()
    def forget_the_ledger(self):
        (self.folder / "ledger").unlink(missing_ok=True)

    @invariant()
    def the_books_are_the_bill(self):
        table = costs(self.folder)
        outcomes = table.outcome.replace("unused", "answer")
        assert table.groupby(outcomes).requests.sum().to_dict() == self.outcomes
        assert table[[*COUNTS]].sum().to_dict() == {name: self.bill[name] for name in COUNTS}
        assert table.unknown.sum() == self.unknown
        usd = (2 * self.bill["prompt_tokens"] + 4 * self.bill["completion_tokens"]) / 1e6
        assert table.usd.sum() == pytest.approx(usd)
        assert (table.usd_at_most.sum() > usd + 1e-9) == (self.unknown > 0)
        with Journal(self.folder, "look"), Ledger(self.folder, "look", connection(self.server)) as ledger:
            assert ledger.spent == pytest.approx(usd)
            assert ledger.at_most == pytest.approx(table.usd_at_most.sum())


TestSessions = Sessions.TestCase
TestSessions.settings = settings(max_examples=30, stateful_step_count=6)


def test_no_task_waits_for_a_place_that_nobody_needs():
    tasks = []

    async def work(place):
        tasks.append(len(asyncio.all_tasks()))

    asyncio.run(worked_off(work, range(3), workers=3_000_000))
    assert tasks[0] == 3 + 1
