import json
import random
import re
import shutil
from collections import Counter
from email.parser import BytesParser

import httpx2  # what the OpenAI SDK sends with
import openai
import pandas as pd
import pytest

from contrapose.base.errors import BackendError, BudgetError, ConfigError
from contrapose.generate import batch_files
from contrapose.generate.batch_files import fetch, on_disk, read, submit, write
from contrapose.generate.journal import Journal, journal_file
from contrapose.generate.ledger import sends
from contrapose.generate.llm_requests import CorpusRequests
from contrapose.generate.paraphrase import build
from contrapose.tables import SENTENCES, write_table
from contrapose.tools.batch import main
from tests.checkout import HOME
from tests.unit.generate.opened import costs, model, opened, requests_to
from tests.unit.generate.scripted_endpoint import body, corpus, five

TABLE = corpus(range(20))
ROWS = list(zip(TABLE.id, TABLE.text, strict=True))
SPEC = requests_to(model())
REQUESTS = [(CorpusRequests(corpus="wiki", requests=SPEC), ROWS)]


def number_in(prompt):
    return int(re.search(r"Sentence (\d+)", prompt)[1])


class Provider:
    """/v1/files and /v1/batches as OpenAI's client uses them: what is held, and what is billed."""

    url = "http://127.0.0.1:1/v1"

    def __init__(self):
        self.files, self.batches, self.billed = {}, [], Counter()

    def __call__(self, request):
        content, (kind, *rest) = request.read(), request.url.path.split("/")[2:]
        if request.method == "GET" and kind == "files":
            return httpx2.Response(200, content=self.files[rest[0]])
        if request.method == "GET":
            listed = {"object": "list", "data": self.batches[::-1], "has_more": False}
            one = next((one for one in self.batches if [one["id"]] == rest), listed)
            return httpx2.Response(200, json=one)
        if kind == "files":
            head = f"Content-Type: {request.headers['Content-Type']}\r\n\r\n".encode()
            parts = BytesParser().parsebytes(head + content).get_payload()
            (file,) = (part.get_payload(decode=True) for part in parts if part.get_filename())
            return httpx2.Response(200, json={"id": self.keep(file), "object": "file"})
        state = {"id": f"batch_{len(self.batches)}", "status": "in_progress"}
        self.batches.append({**state, **json.loads(content)})
        return httpx2.Response(200, json=self.batches[-1])

    def keep(self, content):
        self.files[f"file-{len(self.files)}"] = content
        return f"file-{len(self.files) - 1}"

    def end(self, number=0, status="completed", bad=()):
        """Answer a batch: in any order, sentences in `bad` by an error."""
        one = self.batches[number]
        answers, errors = [], []
        for line in map(json.loads, self.files[one["input_file_id"]].splitlines()):
            prompt = line["body"]["messages"][0]["content"]
            place = number_in(prompt)
            if place in bad:
                came, error = None, {"code": "batch_expired"}
            else:
                content, error = body("1. too few" if place == 3 else five(prompt)), None
                came = {"status_code": 200, "body": content}
                self.billed += Counter(content["usage"])
            end = {"custom_id": line["custom_id"], "response": came, "error": error}
            (answers if came else errors).append(end)
        random.Random(1).shuffle(answers)
        texts = ["".join(json.dumps(each) + "\n" for each in lines).encode() for lines in (answers, errors)]
        one |= {"status": status, "output_file_id": self.keep(texts[0]), "error_file_id": self.keep(texts[1])}
        return texts


@pytest.fixture
def provider(monkeypatch):
    made = Provider()
    monkeypatch.setattr(httpx2.HTTPTransport, "handle_request", lambda _, request: made(request))
    with openai.OpenAI(base_url=made.url, api_key="EMPTY", max_retries=0) as made.client:
        yield made


def connection(**settings):
    return model(prices_as_of="2026-11-01", **settings).connection("chatgpt")


def written(folder, requests=REQUESTS, **settings):
    return write(requests, connection(**settings), folder)


def sent(provider, folder, **settings):
    return submit(connection(**settings), folder, provider.client)


def submitted(provider, folder):
    written(folder)
    return sent(provider, folder)


def fetched(provider, folder):
    return fetch(connection(), folder, provider.client)


def live(folder, endpoint):
    return build(SPEC, TABLE, opened(model(endpoint.url), folder))


def lines(path):
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def test_an_input_file_holds_what_the_journal_lacks_in_the_wire_format(tmp_path):
    (files,) = written(tmp_path, REQUESTS * 2, max_tokens_name="max_completion_tokens")  # each once
    first = lines(files.input)[0]
    assert len(lines(files.input)) == len(ROWS)
    assert (first["method"], first["url"], len(first["custom_id"])) == ("POST", "/v1/chat/completions", 64)
    assert first["body"]["max_completion_tokens"] == 600
    assert "max_tokens" not in first["body"]


def test_input_files_are_no_larger_than_the_endpoint_takes(tmp_path, monkeypatch):
    monkeypatch.setattr(batch_files, "MOST_REQUESTS", 8)
    assert [len(lines(files.input)) for files in written(tmp_path)] == [8, 8, 4]
    monkeypatch.setattr(batch_files, "MOST_BYTES", 700)
    pieces = written(tmp_path)
    assert sum(len(lines(files.input)) for files in pieces) == len(ROWS)
    assert all(files.input.stat().st_size <= 700 for files in pieces)
    assert len(pieces) > 3


def test_answers_reach_the_journal_so_that_the_live_job_asks_only_what_is_left(provider, endpoint, tmp_path):
    assert submitted(provider, tmp_path) == ["batch_0"]
    assert fetched(provider, tmp_path) == [
        "batch_0: the batch is in_progress, so its answers are not available yet"
    ]
    provider.end(status="expired", bad={4, 5})
    assert fetched(provider, tmp_path) == ["batch_0: expired, 18 answered, 2 not answered"]
    paraphrases, _ = live(tmp_path, endpoint)
    # One got too few items, two had no answer.
    assert sorted(map(number_in, endpoint.prompts())) == [3, 4, 5]
    assert len(paraphrases) == 5 * len(ROWS)


def test_the_cost_is_the_providers_bill_and_the_next_batch_holds_the_next_tries(provider, tmp_path):
    submitted(provider, tmp_path)
    provider.end(bad={4})
    fetched(provider, tmp_path)
    table, billed = costs(tmp_path), provider.billed
    assert table[list(billed)].sum().to_dict() == billed
    price = (2 * billed["prompt_tokens"] + 4 * billed["completion_tokens"]) / 2 / 1e6
    assert table.usd.sum() == table.usd_at_most.sum() == pytest.approx(price)
    assert set(table.shard) == {"batch"}
    assert dict(zip(table.outcome, table.requests, strict=True)) == {"batch_expired": 1, "unused": 19}
    (files,) = written(tmp_path)
    tries = [(one["sentence_id"], one["attempt"]) for one in lines(files.requests)]
    assert sorted(tries) == [("a3:0", 1), ("a4:0", 0)]


def test_while_a_batch_is_out_nothing_is_asked_live_and_its_worst_case_counts(provider, endpoint, tmp_path):
    submitted(provider, tmp_path)
    with pytest.raises(BackendError, match="is done: contrapose batch read chatgpt"):
        live(tmp_path, endpoint)
    assert not endpoint.requests
    with pytest.raises(BackendError, match="this batch is submitted and not read yet"):
        written(tmp_path)
    found = list(sends(journal_file(tmp_path, "batch")))
    assert [send.outcome for send in found] == ["in flight"] * len(ROWS)
    at_most, prompt = sum(send.cost[1] for send in found) / 1e12, found[0].worst_case.prompt
    assert at_most == pytest.approx(len(ROWS) * (600 * 4 + prompt * 2) / 2 / 1e6, rel=0.01)


def test_a_batch_that_may_pass_the_budget_is_neither_written_nor_sent(provider, endpoint, tmp_path):
    with pytest.raises(BudgetError, match=r"llms\.chatgpt\.budget"):
        written(tmp_path, budget=0.01)
    assert not on_disk(tmp_path)
    written(tmp_path)
    with pytest.raises(BudgetError):
        sent(provider, tmp_path, budget=0.01)
    assert not provider.batches
    live(tmp_path, endpoint)


def test_a_submission_that_was_killed_is_taken_up_and_not_paid_twice(provider, tmp_path, monkeypatch):
    written(tmp_path)
    with monkeypatch.context() as killed:
        killed.setattr(batch_files, "_note_sent", lambda *given: pytest.exit("killed"))
        with pytest.raises(pytest.exit.Exception):
            sent(provider, tmp_path)
    assert sent(provider, tmp_path) == sent(provider, tmp_path) == ["batch_0"]
    assert len(provider.batches) == 1
    assert len(list(sends(journal_file(tmp_path, "batch")))) == len(ROWS)


def test_files_that_a_person_uploaded_and_fetched_count_the_same(provider, tmp_path):
    submitted(provider, tmp_path / "api")
    answers, errors = provider.end(bad={4})
    fetched(provider, tmp_path / "api")
    written(tmp_path / "hand")
    (tmp_path / "out.jsonl").write_bytes(answers)
    (tmp_path / "errors.jsonl").write_bytes(errors)
    read([tmp_path / "errors.jsonl", tmp_path / "out.jsonl"], connection(), tmp_path / "hand")
    pd.testing.assert_frame_equal(costs(tmp_path / "api"), costs(tmp_path / "hand"))
    with pytest.raises(BackendError, match=r"out\.jsonl: the file contains no answer"):
        read([tmp_path / "out.jsonl"], connection(), tmp_path / "hand")


def test_a_batch_is_not_submitted_beside_a_live_job_or_after_one(provider, endpoint, tmp_path):
    written(tmp_path)
    with Journal(tmp_path, "live"), pytest.raises(BackendError, match="is sending live requests"):
        sent(provider, tmp_path)
    live(tmp_path, endpoint)
    with pytest.raises(BackendError, match="have been answered in the meantime"):
        sent(provider, tmp_path)
    assert not provider.batches


def test_reading_again_after_a_kill_changes_nothing(provider, tmp_path, monkeypatch):
    submitted(provider, tmp_path)
    provider.end()
    with monkeypatch.context() as killed:
        killed.setattr(batch_files.BatchFiles, "remove", lambda files: pytest.exit("killed"))
        with pytest.raises(pytest.exit.Exception):
            fetched(provider, tmp_path)
    before = costs(tmp_path)
    fetched(provider, tmp_path)
    pd.testing.assert_frame_equal(before, costs(tmp_path))
    assert not on_disk(tmp_path)


def test_the_command_line_knows_the_projects_questions(provider, tmp_path, monkeypatch, capsys):
    shutil.copytree(HOME / "tests/workflow/project/config", tmp_path / "config")
    monkeypatch.chdir(tmp_path)
    write_table(TABLE, "results/corpus/wiki.parquet", SENTENCES)
    write_table(TABLE[:2], "results/corpus/dev-sources.parquet", SENTENCES)  # synthetic texts of three labels
    config = ["--config", f"endpoint={provider.url}"]
    for step in ("submit", "read"):
        with pytest.raises(ConfigError, match=r"has no input file of .*: contrapose batch write chatgpt"):
            main([step, "chatgpt", *config])
    for command in (["write"], ["submit"], ["read"]):
        main([*command, "chatgpt", *config])
    provider.end()
    main(["read", "chatgpt", *config])
    assert capsys.readouterr().out.splitlines() == [
        "Wrote state/generate/chatgpt-divergent/batches/0001.input.jsonl with 26 requests.",
        f"Next: contrapose batch submit chatgpt --config endpoint={provider.url}",
        "batch_0",
        "batch_0: the batch is in_progress, so its answers are not available yet",
        "batch_0: completed, 26 answered, 0 not answered",
    ]
    with pytest.raises(ConfigError, match=r"'python:contrapose_mini\.loopback' has no batch API"):
        main(["write", "chatgpt"])
    monkeypatch.setenv("ALL_PROXY", "ftp://127.0.0.1:9")
    with pytest.raises(ConfigError, match="the environment variable ALL_PROXY does not hold the address"):
        main(["read", "chatgpt", "--config", "endpoint=http://a.org/v1"])
