"""The tables of the generate stage are the same bytes for any concurrency, number of shards and faults."""

import hashlib

import pandas as pd
import pytest

from contrapose.corpus.draw import SampledCorpus
from contrapose.generate import merge, paraphrase
from contrapose.generate.session import session
from contrapose.generate.shard_rows import shard_rows
from contrapose.tables import COMPLETIONS, PARAPHRASES, SENTENCES, TABLES, read_table, write_table
from tests.faults.generation_jobs import REQUESTS, llm, write_corpus
from tests.unit.generate.scripted_endpoint import Say, body, five, scripted_endpoint

ROWS = 45
MERGE = merge.ReplacementRequests(**REQUESTS.model_dump(), corpus=SampledCorpus(method=1))
FAULTS = (
    Say(429, {"error": {"code": "rate_limit_exceeded"}}, {"retry-after": "5"}),
    Say(500, "<html>oops</html>"),
    Say(reset="early"),
    Say(content="x" * 100, reset="middle"),
)
DRIP = Say(content="x" * 100, drip=10)  # goes on beyond the deadline


def hashed(request):
    return int(hashlib.sha256(str(request["messages"]).encode()).hexdigest(), 16)


def greedy(request, count):
    """Answer by the request alone; one in nine sentences is never paraphrased, and one is cut at first."""
    number = hashed(request)
    if number % 9 == 0:
        return Say(content=body("I would rather not."), seconds=0.002)
    cut = number % 9 == 1 and request["max_tokens"] <= 600
    text = five(request["messages"][0]["content"])
    return Say(content=body(text, "length" if cut else "stop"), seconds=number % 5 / 1000)


def faulty(request, count):
    """Fail up to twice before the good answer."""
    number = hashed(request)
    if count >= number % 3:
        return greedy(request, count)
    return (*FAULTS * 4, DRIP)[(number + count) % 17]  # few, since each takes the whole deadline


def made(folder, server, concurrency, shards):
    """Return the bytes of all tables: those of the shards together, and those that the merge makes."""
    write_corpus(folder / "c.parquet", range(ROWS))
    sentences = read_table(folder / "c.parquet", SENTENCES)
    connection = llm(server, concurrency=concurrency).connection("chatgpt")

    def opened(shard):
        job = {"llm": "chatgpt", "corpus": "c", "prompt": "1", "shard": shard}
        return session(connection, folder / "state", job)

    parts = []
    for number in range(shards):
        rows = sentences[shard_rows(len(sentences), number, shards)]
        parts.append(paraphrase.build(REQUESTS, rows, opened(f"{number}-of-{shards}")))
    paraphrases, completions = (pd.concat(tables, ignore_index=True) for tables in zip(*parts, strict=True))
    write_table(paraphrases, folder / "shards.parquet", PARAPHRASES)
    write_table(completions, folder / "shards-completions.parquet", COMPLETIONS)

    def replaced(id, number):
        text = f"{id} gets another one, {number}"
        return {"id": f"{id}+{number}", "text": text, "article_id": id, "position": 0, "words": 5}

    merged = merge.build(MERGE, sentences, paraphrases, completions, replaced, opened("merge"))
    for name, table in zip(("sentences", "paraphrases", "completions", "replacements"), merged, strict=True):
        write_table(table, folder / f"{name}.parquet", TABLES[name])
    return {path.name: path.read_bytes() for path in sorted(folder.glob("*.parquet"))}


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    with scripted_endpoint() as server:
        server.script = greedy
        tables = made(tmp_path_factory.mktemp("undisturbed"), server, concurrency=8, shards=1)
    return tables


@pytest.mark.parametrize("faults", [False, True])
@pytest.mark.parametrize(("concurrency", "shards"), [(1, 16), (8, 4), (64, 1)])
def test_concurrency_shards_and_faults_change_no_byte(
    undisturbed, tmp_path, monkeypatch, concurrency, shards, faults, clock, virtual
):
    monkeypatch.setattr("contrapose.generate.session.Runner", clock.runner)
    virtual.script = faulty if faults else greedy
    assert made(tmp_path, virtual, concurrency, shards) == undisturbed
    repeated = len(virtual.prompts()) - len({str(request) for request in virtual.requests})
    assert (repeated > 10) if faults else (repeated == 0)
