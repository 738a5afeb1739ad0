"""Whatever endpoints answer and whenever jobs end: each answer is paid once, and the books are the bill."""

import shutil
import tempfile
import time
from collections import Counter
from pathlib import Path

import httpx2
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from contrapose.generate.client import GREETING
from contrapose.generate.journal import Journal, lines
from contrapose.generate.journal.tools import compact
from contrapose.generate.ledger import Ledger
from contrapose.generate.outcomes import OUTCOMES, Action, Paid
from tests.unit.generate.asking import costs
from tests.unit.generate.scripted_endpoint import Endpoint, Say, body
from tests.unit.generate.test_client import SAID, SENT, about, asked, connection, names
from tests.unit.generate.virtual_time import VirtualTime
from tests.unit.generate.virtual_time import answer as respond

SENTENCES = about(names(6))
ENDS = (Action.ACCEPT, Action.TRY, Action.GIVE_UP)
WITHOUT_USAGE = "answer without usage"
KILLED = "killed"
FAULTS = [*sorted(SENT - {"answer"}), "answer", WITHOUT_USAGE, KILLED]


class Killed(BaseException):
    """Ends a job while a request is under way."""


class Sessions(RuleBasedStateMachine):
    """Jobs on one journal folder, one after the other, beside what the provider would bill."""

    def __init__(self):
        super().__init__()
        self.patch, self.clock = pytest.MonkeyPatch(), VirtualTime(1.8e9)
        self.folder = Path(tempfile.mkdtemp())
        self.server = Endpoint("http://127.0.0.1:1/v1", self.script)
        self.patch.setattr(time, "time", self.clock.time)
        self.patch.setattr(time, "monotonic", self.clock.time)
        self.patch.setattr(
            httpx2.AsyncHTTPTransport, "handle_async_request", lambda _, request: self.receive(request)
        )
        self.faults, self.outcomes, self.bill, self.unknown = [], Counter(), Counter(), 0
        self.known = {}  # replies that a journal must hold

    def teardown(self):
        self.patch.undo()
        shutil.rmtree(self.folder)

    async def receive(self, request):
        response = await respond(self.server, request)
        if response.headers.get("x-killed"):
            raise Killed
        return response

    def script(self, request, count):
        """Respond with the next fault, and note what the provider knows of it."""
        name = self.faults.pop(0) if self.faults else "answer"
        usage = {"prompt_tokens": 7 + len(self.server.requests), "completion_tokens": 11}
        outcome = OUTCOMES["answer" if name in (WITHOUT_USAGE, KILLED) else name]
        self.outcomes[outcome.name if name != KILLED else "in flight"] += 1
        if name == "answer":
            self.bill += Counter(usage)
            return Say(content=body(f"Answer {len(self.server.requests)}") | {"usage": usage})
        self.unknown += name == KILLED or outcome.paid is not Paid.NO
        if name == WITHOUT_USAGE:
            return Say(content=body("No usage") | {"usage": None})
        return Say(headers={"x-killed": "1"}) if name == KILLED else SAID[name]

    @rule(
        sentences=st.lists(st.sampled_from(range(6)), min_size=1, max_size=4),
        faults=st.lists(st.sampled_from(FAULTS), max_size=4),
        workers=st.integers(1, 3),
        writer=st.sampled_from(["w", "v"]),
    )
    def ask(self, sentences, faults, workers, writer):
        """Let a job ask about some sentences, perhaps the same twice."""
        self.faults = list(faults)
        before, known = len(self.server.requests), dict(self.known)
        reached = connection(self.server, prompt_price=2.0, completion_price=4.0, timeout=5)
        requests = [SENTENCES[number] for number in sentences]
        replies = asked(self.clock.run, reached, self.folder, requests, workers, writer=writer)
        asked_again = self.server.requests[before:]
        for request, reply in zip(requests, replies, strict=True):
            if isinstance(reply, BaseException):
                assert request.key not in known
                continue
            assert reply.outcome.action in ENDS
            if request.key in known:
                assert reply == known[request.key]
                assert request.body not in asked_again
            elif reply.outcome.name != "unserved":
                self.known[request.key] = reply
        if not faults:
            assert not [reply for reply in replies if isinstance(reply, BaseException)]

    @rule()
    def compacted(self):
        if list(self.folder.glob("*.jsonl")):
            compact(self.folder)

    @rule()
    def without_ledger(self):
        """Let the next job add up the journals again."""
        (self.folder / "ledger").unlink(missing_ok=True)

    @invariant()
    def the_books_are_the_bill(self):
        table = costs(self.folder)
        found = table.groupby("outcome").requests.sum().rename({"unused": "answer"})
        assert found.groupby(level=0).sum().to_dict() == self.outcomes
        assert table[["prompt_tokens", "completion_tokens"]].sum().to_dict() == {
            name: self.bill[name] for name in ("prompt_tokens", "completion_tokens")
        }
        assert table.unknown.sum() == self.unknown
        usd = (2 * self.bill["prompt_tokens"] + 4 * self.bill["completion_tokens"]) / 1e6
        assert table.usd.sum() == pytest.approx(usd)
        reached = connection(self.server, prompt_price=2.0, completion_price=4.0)
        with Journal(self.folder, "look"), Ledger(self.folder, "look", reached) as ledger:
            assert ledger.spent == pytest.approx(usd)
            assert ledger.at_most == pytest.approx(table.usd_at_most.sum())

    @invariant()
    def every_line_is_that_of_a_request(self):
        for file in self.folder.glob("*.jsonl"):
            for line in lines(file):
                if "key" in line and line["prompt"] != GREETING:
                    assert OUTCOMES[line["outcome"]].action in ENDS


TestSessions = Sessions.TestCase
TestSessions.settings = settings(max_examples=40, stateful_step_count=6, deadline=None)
