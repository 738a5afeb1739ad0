"""Estimates of requests, tokens and cost, before anything is asked."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from contrapose.generate.client import BYTES_PER_TOKEN, ENDS
from contrapose.generate.jobs import AskingJob, EstimateJob
from contrapose.generate.ledger import PICO, Prices, sends
from contrapose.generate.outcomes import OUTCOMES, Answer, Reply
from contrapose.generate.progress import clock, usd
from contrapose.generate.prompts import FRAME_TOKENS, TokenSum, request
from contrapose.settings.worlds import Connection

# Five versions of a sentence, each with its marker.  With the prompt, that is the thesis's 300 tokens per
# request for a sentence of 25 words.
VERSIONS, MARKER_TOKENS = 5, 4
CHINESE_BYTES_PER_TOKEN = 3  # our choice: a token per character, in its translation too


class TokenUsage(NamedTuple):
    """What the sentences answered so far took."""

    sentences: int = 0
    tries: int = 0
    tokens: TokenSum = TokenSum(0, 0)  # of all tries


@dataclass(frozen=True)
class Estimate:
    """Sentences, and what those without an answer will take."""

    sentences: int
    known: int  # answered in the journal
    requests: float  # expected, with the tries after refused answers
    tokens: float  # expected, prompt and completion
    dollars: float  # expected
    at_most: float  # USD, if every sentence takes all its tries and every answer is cut
    minutes: float  # at the rate limits; 0 without any

    def __add__(self, other: "Estimate") -> "Estimate":
        return Estimate(*(getattr(self, one.name) + getattr(other, one.name) for one in fields(Estimate)))

    def __str__(self) -> str:
        text = f"{self.sentences} sentences, {self.known} known, {self.sentences - self.known} to ask"
        if self.known == self.sentences:
            return text
        limits = f", {clock(60 * self.minutes)} at the rate limits" if self.minutes else ""
        money = f"{usd(self.dollars)} (at most {usd(self.at_most)})" if self.at_most else "free"
        return f"{text}: about {self.requests:.0f} requests, {self.tokens:.0f} tokens, {money}{limits}"


def estimated(
    known: int, texts: Sequence[str], seen: TokenUsage, job: AskingJob, connection: Connection
) -> Estimate:
    """Estimate what the sentences without an answer will take.

    In addition to these `texts`, `known` sentences are answered in the journal.  If what those took (`seen`)
    has no tokens, the length of the texts is used.
    """
    count, length = len(texts), sum(len(text.encode()) for text in texts)
    letters = length + count * _around(job)
    tries, expected = 1.0, expected_tokens(count, length, job)
    if sum(seen.tokens):
        tries = seen.tries / seen.sentences
        expected = TokenSum(*(round(tokens * count / seen.sentences) for tokens in seen.tokens))
    every = job.asked.tries
    most = TokenSum(
        every * (letters + count * FRAME_TOKENS * (2 if job.asked.system else 1)),
        count * job.asked.max_tokens * (2**every - 1),  # a cut answer's next try gets twice as many
    )
    prices = Prices.per_million(connection.prompt_price, connection.completion_price)
    used = connection.tokens_counted == "used"
    limited = sum(expected) if used else expected.prompt + tries * count * job.asked.max_tokens
    minutes = max(
        tries * count / connection.requests_per_minute if connection.requests_per_minute else 0.0,
        limited / connection.tokens_per_minute if connection.tokens_per_minute else 0.0,
    )
    costs = (prices.cost(expected) / PICO, prices.cost(most) / PICO)
    return Estimate(known + count, known, tries * count, sum(expected), *costs, minutes)


def expected_tokens(count: int, length: int, job: AskingJob) -> TokenSum:
    """Return the tokens of `count` first tries, from the UTF-8 bytes of all sentences together.

    To these comes the text of the job around each sentence.  Sentences of `translation` are Chinese; a
    continuation, a negative or any other translation counts as long as its sentence.
    """
    around = count * _around(job)
    if job.wanted == "translation":
        each = length // CHINESE_BYTES_PER_TOKEN
        return TokenSum(around // BYTES_PER_TOKEN + each, each)
    if job.wanted in ("any_translation", "continuation", "negative"):
        return TokenSum((length + around) // BYTES_PER_TOKEN, length // BYTES_PER_TOKEN)
    return TokenSum(
        (length + around) // BYTES_PER_TOKEN, VERSIONS * (length // BYTES_PER_TOKEN + count * MARKER_TOKENS)
    )


def _around(job: AskingJob) -> int:
    return len((job.text + (job.asked.system or "")).encode())


def estimate_table(
    job: EstimateJob,
    corpora: Mapping[str, Sequence[tuple[str, str]]],
    folders: Mapping[str, Collection[Path]],
    connections: Mapping[str, Connection],
) -> pd.DataFrame:
    """Estimate everything that the studies ask, without sending anything; the last row has the sums.

    The texts of a back-translation are known only where the journals have the forward translation; elsewhere
    the sentence itself is used, which is about as long.  `corpora` has (id, text) of the sentences;
    `folders`, those of the journals, and `connections` are by llm.
    """
    behind = {question.behind.prompt for question in job.questions if question.behind}
    journals = {llm: _answered(places, behind) for llm, places in folders.items()}
    rows, total = [], Estimate(0, 0, 0, 0, 0, 0, 0)
    for question in job.questions:
        corpus, asked = question.corpus, question.job
        known, seen, replies = journals[asked.llm]
        texts = corpora[corpus]
        if question.behind:
            texts = _answers(texts, question.behind, replies)
        one = _first_tries(texts, known, seen[asked.prompt], asked, connections[asked.llm])
        rows.append((corpus, asked.llm, asked.prompt, *_cells(one)))
        total += one
    names = ["sentences", "known", "requests", "tokens", "cost", "at most", "at the rate limits"]
    return pd.DataFrame([*rows, ("all", "", "", *_cells(total))], columns=["corpus", "llm", "prompt", *names])


def _answered(
    folders: Iterable[Path], whole: Collection[str]
) -> tuple[set[bytes], Mapping[str, TokenUsage], Mapping[str, Reply]]:
    """Return the answered keys, what sentences took by prompt, and the replies to the prompts `whole`."""
    keys: set[bytes] = set()
    replies: dict[str, Reply] = {}
    seen: dict[str, TokenUsage] = defaultdict(TokenUsage)
    journals = (journal for folder in folders for journal in folder.glob("*.jsonl"))
    for send in (send for journal in journals for send in sends(journal)):
        if send.outcome in OUTCOMES and OUTCOMES[send.outcome].action in ENDS:
            keys.add(bytes.fromhex(send.key))
            if send.prompt in whole:
                replies[send.key] = Reply(OUTCOMES[send.outcome], Answer(send.answer, "stop"))
            before, used = seen[send.prompt], send.used or TokenSum(0, 0)
            tokens = TokenSum(before.tokens.prompt + used.prompt, before.tokens.completion + used.completion)
            seen[send.prompt] = TokenUsage(before.sentences + (send.attempt == 0), before.tries + 1, tokens)
    return keys, seen, replies


def _answers(
    rows: Sequence[tuple[str, str]], job: AskingJob, replies: Mapping[str, Reply]
) -> list[tuple[str, str]]:
    """Replace the sentences by their answers; a sentence that failed has none."""
    from contrapose.generate.tries import Tried, replayed  # not at the top: it imports this module

    found = []
    for id, text in rows:
        one = replayed(id, text, job, lambda request: replies.get(request.key))
        found += [(id, item) for item in (one.items if isinstance(one, Tried) else (text,))]
    return found


def _first_tries(
    rows: Sequence[tuple[str, str]],
    known: set[bytes],
    seen: TokenUsage,
    job: AskingJob,
    connection: Connection,
) -> Estimate:
    """Estimate one corpus; a sentence is known if its first try is answered."""

    def is_new(id: str, text: str) -> bool:
        first = request(id, text, job.prompt, job.text, job.asked, 0, job.asked.max_tokens, job.entry)
        return bytes.fromhex(first.key) not in known

    new = [text for id, text in rows if is_new(id, text)]
    return estimated(len(rows) - len(new), new, seen, job, connection)


def _cells(one: Estimate) -> tuple[str, ...]:
    counts = (f"{count:,.0f}" for count in (one.sentences, one.known, one.requests, one.tokens))
    return (*counts, usd(one.dollars), usd(one.at_most), clock(60 * one.minutes) if one.minutes else "-")
