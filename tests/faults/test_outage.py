"""An endpoint that goes away for a while: nobody hammers it, nothing is given up, full speed comes back."""

import asyncio
import time

from contrapose.generate.client import Client
from contrapose.generate.journal import Journal
from contrapose.generate.ledger import Ledger
from contrapose.generate.prompts import request
from contrapose.generate.workers import worked_off
from contrapose.settings.worlds import LLM, Asked
from tests.unit.generate.scripted_endpoint import Say, body, scripted_endpoint

ASKED = Asked(model="tiny")
JOB = {"llm": "chatgpt", "corpus": "c", "prompt": "1", "shard": "0-of-1"}
SENDERS, ANSWER_SECONDS = 16, 0.1
DOWN, UP, END = 1.0, 4.5, 10.6  # seconds after the start


def test_an_outage_is_probed_once_a_second_and_full_speed_is_back_within_five(tmp_path):
    started = time.monotonic()

    def script(asked, count):
        if DOWN < time.monotonic() - started < UP:
            return Say(503, "<html>down</html>")
        return Say(content=body("x"), seconds=ANSWER_SECONDS)

    async def work(client):
        replies = []

        async def until_the_end(sender):
            for number in range(10_000):
                if time.monotonic() > started + END:
                    return
                text = f"Sentence {number} of sender {sender}."
                replies.append(await client.ask(request("a", text, "1", "Say: {sentence}", ASKED, 0, 600)))

        await worked_off(until_the_end, range(SENDERS), SENDERS)
        return replies

    async def run(connection, journal, ledger):
        async with Client(connection, journal, ledger, JOB) as client:
            return await work(client)

    with scripted_endpoint() as endpoint:
        endpoint.script = script
        connection = LLM(model="tiny", endpoint=endpoint.url, timeout=5).connection("chatgpt")
        with Journal(tmp_path, "w") as journal, Ledger(tmp_path, "w", connection) as ledger:
            replies = asyncio.run(run(connection, journal, ledger))
        times = [at - started for at in endpoint.times]

    assert {reply.outcome.name for reply in replies} == {"answer"}
    probes = [at for at in times if DOWN + 1 < at < UP]
    assert 2 <= len(probes) <= 3  # in 2.5 s; each comes a second after the one before
    before = sum(at < DOWN for at in times)  # in one second
    after = sum(UP + 5 < at < UP + 6 for at in times)
    assert after > 0.8 * before
