"""The client against llama.cpp's server and a chat model: what it answers, and how it says no.

Neither is ours or small, so these tests need both by their paths:

    CONTRAPOSE_LLAMA_SERVER=FOLDER/llama-server CONTRAPOSE_LLAMA_MODEL=FILE.gguf pytest tests/reference/test_llama_server.py
"""  # noqa: E501

import asyncio
import os
import socket
import subprocess

import httpx
import pytest

from contrapose.base.errors import ConfigError
from contrapose.generate.endpoint import Endpoint
from contrapose.generate.llm_requests import LLMRequests
from contrapose.generate.outcomes import judged
from contrapose.generate.session import session
from contrapose.settings.catalogs import LLM
from tests.checkout import HOME

SERVER, MODEL = (os.environ.get(f"CONTRAPOSE_LLAMA_{name}", "") for name in ("SERVER", "MODEL"))
pytestmark = pytest.mark.skipif(
    not (SERVER and MODEL),
    reason="CONTRAPOSE_LLAMA_SERVER=FOLDER/llama-server CONTRAPOSE_LLAMA_MODEL=FILE.gguf pytest "
    "tests/reference/test_llama_server.py, with llama.cpp's server and a chat model, runs it",
)
NAME, KEY, VARIABLE = "chat", "sk-local-Zx9Lm4Qw7", "LLAMA_KEY"
CONTEXT, AT_ONCE = 2048, 2  # tokens of a request, and requests
SENTENCES = ["The old mill by the river burned down in 1921.", "A storm came up at night.", "Nobody saw it."]
JOB = {"llm": "writer", "corpus": "c", "prompt": "1", "shard": "0-of-1"}
HELLO = {"messages": [{"role": "user", "content": "Say hello."}], "max_tokens": 12, "temperature": 0.0}


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    """Start the server and give its address at once: it loads the model while it is asked."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = f"--host 127.0.0.1 --port {port} -c {CONTEXT * AT_ONCE} -np {AT_ONCE} -t 1 -tb 1".split()
    log = tmp_path_factory.mktemp("llama") / "log"
    command = [SERVER, "-m", MODEL, "--alias", NAME, "--api-key", KEY, *options]
    with log.open("w") as output, subprocess.Popen(command, stdout=output, stderr=output) as process:
        try:
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            process.terminate()


@pytest.fixture
def reach(url, monkeypatch):
    """Give a function that returns the connection of a role, with some other settings."""
    monkeypatch.setenv(VARIABLE, KEY)

    def connection(**settings):
        given = {
            "endpoint": url,
            "key": VARIABLE,
            "no_response_timeout": 120.0,
            "timeout": 300.0,
            "concurrency": 2,
        }
        return LLM(model=NAME, **{**given, **settings}).connection("writer")

    return connection


def asked(connection, folder, sentences=SENTENCES, **sampling):
    """Ask about sentences as a job does; return the attempts at each."""
    llm = LLM(endpoint="http://x/v1", model=NAME, **{"max_tokens": 120, "max_attempts": 1, **sampling})
    template = (HOME / "config/prompts/1.txt").read_text(encoding="utf-8")
    requests = LLMRequests(llm="writer", sampling=llm.sampling(), prompt="1", template=template)
    texts = [(f"a:{number}", text) for number, text in enumerate(sentences)]
    with session(connection.model_copy(update={"max_invalid_ratio": 1.0}), folder, JOB) as ask:
        return ask(requests, texts)


def sent(connection, body):
    """Send one request once; return the response."""

    async def send():
        endpoint = Endpoint(connection)
        assert endpoint.locate() == ""
        try:
            return await endpoint.send({"model": NAME, **HELLO, **body})
        finally:
            await endpoint.close()

    return asyncio.run(send())


def test_it_is_waited_for_while_it_loads_and_its_answers_are_kept_with_their_tokens(reach, tmp_path):
    attempts = asked(reach(), tmp_path)
    assert len(attempts) == len(SENTENCES)
    rows = [row for each in attempts for row in each.completions]
    assert all(row["answer"] and row["finish_reason"] in ("stop", "length") for row in rows)
    assert {row["model"] for row in rows} == {NAME}
    assert all(0 < row["completion_tokens"] <= 120 and row["prompt_tokens"] > 20 for row in rows)
    assert asked(reach(endpoint="http://127.0.0.1:9/v1"), tmp_path) == attempts


def test_a_stream_that_nobody_wanted_is_the_same_answer(reach):
    whole = sent(reach(), {})
    streamed = sent(reach(), {"stream": True, "stream_options": {"include_usage": True}})
    assert streamed.body.startswith("data: ")
    assert streamed.reply == whole.reply
    assert whole.reply.outcome.name in ("answer", "cut")
    assert whole.reply.answer.text


def test_it_answers_under_its_own_name_whatever_model_is_asked(reach):
    reply = sent(reach(), {"model": "nobody"}).reply
    assert (bool(reply.answer.text), reply.answer.model) == (True, NAME)


@pytest.mark.parametrize(
    ("settings", "body", "outcome", "says"),
    [
        ({"endpoint": "URL/nothing"}, {}, "model", "404: File Not Found"),
        ({"key": "WRONG_KEY"}, {}, "key", "401: Invalid API Key"),
        ({"key": None}, {}, "key", "401: Invalid API Key"),
        ({}, {"messages": [{"role": "user", "content": "word " * CONTEXT}]}, "too_long", "context size"),
        ({}, {"temperature": "hot"}, "rejected", "'temperature'"),
        ({}, {"input": ["Hello"]}, "rejected", "501: This server does not support embeddings"),
    ],
)
def test_what_it_refuses_is_told_in_its_words(reach, url, monkeypatch, settings, body, outcome, says):
    monkeypatch.setenv("WRONG_KEY", "sk-wrong")
    settings = {name: value.replace("URL", url) if value else value for name, value in settings.items()}
    reply = sent(reach(**settings), body).reply
    assert (reply.outcome.name, says in reply.message) == (outcome, True)


def test_a_wrong_key_stops_and_a_sentence_that_is_too_long_is_given_up(reach, tmp_path, monkeypatch):
    monkeypatch.setenv("WRONG_KEY", "sk-wrong")
    with pytest.raises(
        ConfigError, match=r"llms\.writer\.key: .* refuses the key .* It said: 401: Invalid API Key"
    ):
        asked(reach(key="WRONG_KEY"), tmp_path / "wrong")
    long = asked(reach(), tmp_path / "long", ["word " * CONTEXT, SENTENCES[1]], max_tokens=30)
    assert [each.completions[-1]["refused"] == "too_long" for each in long] == [True, False]


@pytest.mark.parametrize(
    ("page", "outcome"),
    [("/completion", "other_api"), ("/v1/messages", "other_api"), ("/v1/completions", "answer")],
)
def test_its_other_apis_are_told_from_chat_completions(reach, url, page, outcome):
    sent(reach(), {})  # it is up
    body = {"prompt": "Hello", "n_predict": 3, "messages": HELLO["messages"], "max_tokens": 3, "model": NAME}
    headers = {"authorization": f"Bearer {KEY}"}
    answer = httpx.post(url.removesuffix("/v1") + page, json=body, headers=headers, timeout=300)
    reply = judged(answer.status_code, answer.text)
    assert reply.outcome.name in (outcome, {"answer": "cut"}.get(outcome))
