"""Estimates of requests, tokens and cost, before anything is asked."""

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import reduce
from pathlib import Path
from typing import Annotated, NamedTuple

import pandas as pd
from pydantic import Field

from contrapose.generate.attempts import Attempts, replayed
from contrapose.generate.client import BYTES_PER_TOKEN, ENDS
from contrapose.generate.endpoint import Connections, JournalFolders, journals_of
from contrapose.generate.ledger import PICO, Prices, sends
from contrapose.generate.llm_requests import PAIR_TEXTS, CorpusRequests, LLMRequests, numbered
from contrapose.generate.outcomes import OUTCOMES, Answer, Reply
from contrapose.generate.progress import clock, usd
from contrapose.generate.requests import FRAME_TOKENS, Usage, question, request
from contrapose.jobs.inputs import pairs_of_texts
from contrapose.jobs.step import FromJob
from contrapose.settings.catalogs import Connection
from contrapose.settings.plan import Plan
from contrapose.settings.prompt_files import VERSIONS
from contrapose.settings.spec import Spec
from contrapose.tables import PAIRS, SENTENCES, read_table

# Of each version of a sentence.  With the prompt, that is the thesis's 300 tokens per request for a sentence
# of 25 words.
MARKER_TOKENS = 4
SCORE_TOKENS = 4  # `4.5` and the end of an answer
SENTENCE_BYTES = 140  # of the sentences that method 1 draws from Wikipedia (tools/workload.py)
CHINESE_BYTES_PER_TOKEN = 3  # our choice: a token per character, in its translation too


class UsageStats(NamedTuple):
    """What the sentences answered so far took."""

    sentences: int = 0
    attempts: int = 0
    tokens: Usage = Usage(0, 0)  # of all attempts

    @classmethod
    def of(cls, answered: Collection[Attempts]) -> "UsageStats":
        tokens = reduce(Usage.plus, (one.tokens for one in answered), Usage(0, 0))
        return cls(len(answered), sum(len(one.completions) for one in answered), tokens)


@dataclass(frozen=True)
class Estimate:
    """Sentences, and what those without an answer will take."""

    sentences: int
    known: int  # answered in the journal
    requests: float  # expected, with the attempts after refused answers
    tokens: float  # expected, prompt and completion
    dollars: float  # expected
    at_most: float  # USD, if every sentence takes all its attempts and every answer is cut
    minutes: float  # at the rate limits; 0 without any

    def __add__(self, other: "Estimate") -> "Estimate":
        return Estimate(*(getattr(self, one.name) + getattr(other, one.name) for one in fields(Estimate)))

    def __str__(self) -> str:
        text = (
            f"{self.sentences} sentences, {self.known} with a stored answer, "
            f"{self.sentences - self.known} to send"
        )
        if self.known == self.sentences:
            return text
        limits = f", {clock(60 * self.minutes)} at the rate limits" if self.minutes else ""
        money = f"{usd(self.dollars)} (at most {usd(self.at_most)})" if self.at_most else "free"
        return f"{text}: about {self.requests:.0f} requests, {self.tokens:.0f} tokens, {money}{limits}"


def estimated(
    known: int, texts: Sequence[str], past: UsageStats, requests: LLMRequests, connection: Connection
) -> Estimate:
    """Estimate what the sentences without an answer will take.

    In addition to these `texts`, `known` sentences are answered in the journal.  If what those took (`past`)
    has no tokens, the length of the texts is used.
    """
    sampling = requests.sampling
    count, length = len(texts), sum(len(text.encode()) for text in texts)
    letters = length + count * _around(requests)
    attempts, expected = 1.0, expected_tokens(count, length, requests)
    if sum(past.tokens):
        attempts = past.attempts / past.sentences
        expected = Usage(*(round(tokens * count / past.sentences) for tokens in past.tokens))
    every = sampling.max_attempts
    worst_case = Usage(
        every * (letters + count * FRAME_TOKENS * (1 + bool(sampling.system) + 2 * len(requests.examples))),
        count * sampling.max_tokens * (2**every - 1),  # a cut answer's next attempt gets twice as many
    )
    prices = Prices.per_million(connection.prompt_price, connection.completion_price)
    used = connection.tokens_counted == "used"
    limited = sum(expected) if used else expected.prompt + attempts * count * sampling.max_tokens
    minutes = max(
        attempts * count / connection.requests_per_minute if connection.requests_per_minute else 0.0,
        limited / connection.tokens_per_minute if connection.tokens_per_minute else 0.0,
    )
    costs = (prices.cost(expected) / PICO, prices.cost(worst_case) / PICO)
    return Estimate(known + count, known, attempts * count, sum(expected), *costs, minutes)


def expected_tokens(count: int, length: int, requests: LLMRequests) -> Usage:
    """Return the tokens of `count` first attempts, from the UTF-8 bytes of all sentences together.

    To these comes the text of the prompt around each sentence.  Sentences of `translation` are Chinese; one
    paraphrase, a negative, a continuation or any other translation counts as long as its sentence.
    """
    around = count * _around(requests)
    if requests.answer_tokens:
        return Usage((length + around) // BYTES_PER_TOKEN, count * requests.answer_tokens)
    if requests.parsed_as == "translation":
        each = length // CHINESE_BYTES_PER_TOKEN
        return Usage(around // BYTES_PER_TOKEN + each, each)
    if requests.parsed_as in ("any_translation", "continuation", "negative", "paraphrase"):
        return Usage((length + around) // BYTES_PER_TOKEN, length // BYTES_PER_TOKEN)
    if requests.parsed_as == "score":
        return Usage((length + around) // BYTES_PER_TOKEN, count * SCORE_TOKENS)
    return Usage(
        (length + around) // BYTES_PER_TOKEN, VERSIONS * (length // BYTES_PER_TOKEN + count * MARKER_TOKENS)
    )


def _around(requests: LLMRequests) -> int:
    """Return the bytes of a request without the sentence, with the longest of what is drawn."""
    pool, turns = requests.template, [each.sentence + each.answer for each in requests.examples]
    texts = [pool] if isinstance(pool, str) else pool
    for name, words in requests.choices.items():
        texts = [text.replace(f"{{{name}}}", max(words, key=_bytes)) for text in texts]
    others = sum(map(_bytes, (*turns, requests.sampling.system or "")))
    return _bytes(max(texts, key=_bytes)) * (1 + len(turns)) + others


def _bytes(text: str) -> int:
    return len(text.encode())


class EstimateSettings(Spec):
    """Estimate what asking will take."""

    requests: list[CorpusRequests]
    codes: list[str] = Field(description="Of the jobs that ask; journals of python: endpoints belong to one")


def plan(project: Plan) -> EstimateSettings:
    """Return everything that the studies ask."""
    asked = project.llm_requests
    return EstimateSettings(requests=[*asked.all(), *asked.scores()], codes=asked.codes)


# Pair sets whose texts are scored, and their files, which need not be there.
PairFiles = Annotated[dict[str, str], FromJob(lambda spec, job: json.loads(job.resources.pairs))]


def build(
    spec: EstimateSettings,
    sentences: list[str],
    folders: JournalFolders,
    connections: Connections,
    pairs: PairFiles,
) -> pd.DataFrame:
    """Estimate everything that the studies ask, without sending anything; the last row has the sums.

    Of a corpus that a language model writes, the sentences are not asked for here: nothing about them counts
    as answered.

    The texts of a back-translation are known only where the journals have the forward translation; elsewhere
    the sentence itself is used, which is about as long.  Scores of pairs that are not made have `?`, and are
    in no sum.
    """
    sources = {each.source.prompt for each in spec.requests if each.source}
    answered = {
        llm: _answered({journals_of(connections[llm], folder, code) for code in spec.codes}, sources)
        for llm, folder in folders.items()
    }
    tables = {Path(path).stem: read_table(path, SENTENCES) for path in sentences}
    tables |= {
        f"{PAIR_TEXTS}{name}": scored_texts(path) for name, path in pairs.items() if Path(path).is_file()
    }
    names = ["sentences", "known", "requests", "tokens", "cost", "at most", "at the rate limits"]
    rows, total = [], Estimate(0, 0, 0, 0, 0, 0, 0)
    for each in spec.requests:
        corpus, requests, source = each.corpus, each.requests, each.source
        if each.count is None and corpus not in tables:
            rows.append((corpus, requests.llm, requests.prompt, *["?"] * len(names)))
            continue
        known, past, replies = answered[requests.llm]
        texts = _texts(each, tables)
        if source:
            texts = _answers(texts, source, replies)
        new = [text for id, text in texts if bytes.fromhex(request(id, text, requests).key) not in known]
        stats, connection = past[requests.prompt], connections[requests.llm]
        one = estimated(len(texts) - len(new), new, stats, requests, connection)
        rows.append((corpus, requests.llm, requests.prompt, *_cells(one)))
        total += one
    return pd.DataFrame([*rows, ("all", "", "", *_cells(total))], columns=["corpus", "llm", "prompt", *names])


def scored_texts(path: str | Path) -> pd.DataFrame:
    """Return what is asked about the texts of a pair set, as if they were sentences."""
    texts = pairs_of_texts(read_table(path, PAIRS, ["anchor", "positive", "negatives"]))
    return pd.DataFrame(map(question, texts.anchor, texts.text), columns=["id", "text"])


def _texts(corpus_requests: CorpusRequests, tables: Mapping[str, pd.DataFrame]) -> list[tuple[str, str]]:
    """Return what is asked about; sentences that have yet to be written are as long as others on average."""
    if corpus_requests.count is None:
        table = tables[corpus_requests.corpus]
        return list(zip(table.id, table.text, strict=True))
    if corpus_requests.requests.parsed_as == "sentences":
        return numbered(corpus_requests.count)
    return [(id, "x" * SENTENCE_BYTES) for id, _ in numbered(corpus_requests.count)]


def _answered(
    folders: Iterable[Path], sources: Collection[str]
) -> tuple[set[bytes], Mapping[str, UsageStats], Mapping[str, Reply]]:
    """Return the answered keys, what sentences took by prompt, and the replies to the prompts `sources`."""
    keys: set[bytes] = set()
    replies: dict[str, Reply] = {}
    past: dict[str, UsageStats] = defaultdict(UsageStats)
    journals = (journal for folder in folders for journal in folder.glob("*.jsonl"))
    for send in (send for journal in journals for send in sends(journal)):
        if send.outcome in OUTCOMES and OUTCOMES[send.outcome].action in ENDS:
            keys.add(bytes.fromhex(send.key))
            if send.prompt in sources:
                replies[send.key] = Reply(OUTCOMES[send.outcome], Answer(send.answer, "stop"))
            sentences, attempts, tokens = past[send.prompt]
            first = send.attempt == 0
            past[send.prompt] = UsageStats(sentences + first, attempts + 1, tokens.plus(send.used))
    return keys, past, replies


def _answers(
    texts: Iterable[tuple[str, str]], source: LLMRequests, replies: Mapping[str, Reply]
) -> list[tuple[str, str]]:
    """Replace the sentences by their answers; a sentence that failed has none."""
    answers = []
    for id, text in texts:
        one = replayed(id, text, source, lambda asked: replies.get(asked.key))
        answers += [(id, item) for item in (one.items if isinstance(one, Attempts) else (text,))]
    return answers


def _cells(one: Estimate) -> tuple[str, ...]:
    counts = (f"{count:,.0f}" for count in (one.sentences, one.known, one.requests, one.tokens))
    return (*counts, usd(one.dollars), usd(one.at_most), clock(60 * one.minutes) if one.minutes else "-")
