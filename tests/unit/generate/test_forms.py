"""One line of config is enough for each form of request, of docs/how-to/connect-a-model.md and the hub."""

import asyncio
import logging
from pathlib import Path

import pytest
import yaml

from contrapose.base.errors import ConfigError
from contrapose.generate.outcomes import Reply
from contrapose.generate.requests import request
from contrapose.settings.catalogs import LLM
from tests.unit.generate.opened import requests_to
from tests.unit.generate.refusing import MODES
from tests.unit.generate.scripted_endpoint import Endpoint
from tests.unit.generate.test_client import asked as ask_about
from tests.unit.generate.test_client import records
from tests.unit.generate.test_llm_docs import EXAMPLES, HOME

HUB = yaml.safe_load((HOME / "config/catalogs/hub.yaml").read_text(encoding="utf-8"))["llms"]
SERVERS = ("gpt", "claude", "vllm", "ollama")  # in the order of the page
FORMS = {name: yaml.safe_load(text)["llms"]["writer"] for name, text in zip(SERVERS, EXAMPLES, strict=False)}
OLD = {"model": "qwen3:8b"}  # the form of 2023: temperature, top_p and max_tokens


@pytest.fixture
def replied(endpoint: Endpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Give a function that asks an endpoint of some mode with some settings, as a job does."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-1")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-2")

    def run(mode, settings: dict) -> Reply | Exception:
        endpoint.script = mode
        llm = LLM.model_validate({**settings, "endpoint": endpoint.url})
        one = request("a:0", "A mill burned.", requests_to(llm))
        return ask_about(asyncio.run, llm.connection("chatgpt"), tmp_path, [one])[0]

    return run


def test_the_modes_are_those_that_the_docs_have_a_line_for():
    assert FORMS.keys() == MODES.keys()


@pytest.mark.parametrize(("mode", "form"), [*FORMS.items(), ("gpt", HUB["chatgpt"])])
def test_the_line_of_the_docs_or_the_hub_is_answered_by_its_endpoint(replied, mode, form):
    reply = replied(MODES[mode], form)
    assert (reply.outcome.name, reply.answer.completion_tokens) == ("answer", 100)


@pytest.mark.parametrize(("mode", "field"), [("gpt", "max_tokens"), ("claude", "temperature")])
def test_the_form_of_2023_is_refused_and_a_person_reads_which_field_and_what_to_do(replied, mode, field):
    error = replied(MODES[mode], OLD)
    assert isinstance(error, ConfigError)
    assert f"{field}" in str(error).split("The server said: 400: ")[1]
    assert "Set the field that it names to null" in str(error)


@pytest.mark.parametrize("mode", MODES)
def test_with_reasoning_the_limit_is_used_up_and_a_warning_says_so(replied, mode, caplog, tmp_path):
    reply = replied(MODES[mode], {**FORMS[mode], "extra_body": {}})
    assert (reply.outcome.name, reply.answer.text) == ("unsaid", "")
    assert (reply.answer.completion_tokens, reply.answer.reasoning_tokens) == (600, 580)
    assert records(tmp_path)[0]["outcome"] == "unsaid"
    [warning] = [one.getMessage() for one in caplog.records if one.levelno == logging.WARNING]
    words = "llms.chatgpt.max_tokens: max_tokens was used up by reasoning, before any text"
    assert warning.startswith(words)
    assert "(600 tokens, 580 of them reasoning)" in warning
    more = {**FORMS[mode], "extra_body": {}, "max_tokens": 1200}
    assert replied(MODES[mode], more).outcome.name == "answer"
