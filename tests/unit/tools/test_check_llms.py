"""Keys, endpoints and prices of language models."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from contrapose.plan import Plan

from contrapose.preflight.llms import ask_models, check_llms, check_prices
from contrapose.preflight.needs import Needs
from contrapose.settings.worlds import LLM

HOME = Path(__file__).parents[3]
NOBODY = "http://127.0.0.1:9/v1"  # the discard port


class Models(BaseHTTPRequestHandler):
    """Names one model to who has the key."""

    asked: list[str] = []  # noqa: RUF012

    def do_GET(self) -> None:
        self.asked.append(self.path)
        known = self.headers["authorization"] == "Bearer sk-good"
        body = b"no models here"
        if self.path == "/v1/models":
            body = json.dumps({"data": [{"id": "vicuna-13b"}] if known else []}).encode()
        self.send_response(404 if self.path != "/v1/models" else 200 if known else 401)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    serving = ThreadingHTTPServer(("127.0.0.1", 0), Models)
    threading.Thread(target=serving.serve_forever, args=(0.02,), daemon=True).start()
    yield f"http://127.0.0.1:{serving.server_address[1]}"
    serving.shutdown()
    serving.server_close()


def asked(url: str, model: str = "vicuna-13b", key: str = "sk-good") -> str:
    found = ask_models("llms.vicuna.endpoint", url, model, key)
    assert "sk-" not in found.found
    return f"{found.level}: {found.found}"


def test_an_endpoint_that_names_the_model_is_fine_and_nothing_else_is_asked(server: str):
    Models.asked.clear()
    assert asked(f"{server}/v1").startswith("fine: ")
    assert Models.asked == ["/v1/models"]


def test_another_model_a_refused_key_and_no_answer_are_missing(server: str):
    assert "has no model 'vicuna-7b', but: vicuna-13b." in asked(f"{server}/v1", "vicuna-7b")
    assert asked(f"{server}/v1", key="sk-bad").startswith(
        f"missing: {server}/v1/models refuses the key (401)"
    )
    assert asked(NOBODY).startswith("missing: http://127.0.0.1:9/v1/models does not answer (ConnectError")


def test_an_endpoint_without_a_list_of_models_is_left_open(server: str):
    assert asked(f"{server}/other").startswith(f"unchecked: {server}/other/models answers 404")


def test_whose_key_is_missing_is_not_told_that_it_is_wrong(server: str):
    assert asked(f"{server}/v1", key="").startswith("fine: ")


@pytest.fixture(scope="module")
def hub_world() -> Plan:
    return Plan({"world": str(HOME / "config/worlds/hub.yaml"), "studies": ["thesis"]}, HOME)


def checked(plan: Plan, role: str, state: Path, **llm: object) -> dict[str, str]:
    """Check one role of a world whose LLM is changed; key in the configuration: level."""
    plan.world.llms[role] = plan.world.llms[role].model_copy(update=llm)
    found = check_llms(plan, Needs(llms=[role]), [], state)
    return {one.what: one.level for one in found}


def test_a_missing_key_and_a_missing_endpoint_are_told_at_once(hub_world, tmp_path, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    found = checked(hub_world, "chatgpt", tmp_path, endpoint=NOBODY)
    assert found == {
        "llms.chatgpt.key": "missing", "llms.chatgpt.endpoint": "missing", "llms.chatgpt.budget": "warning",
    }  # fmt: skip
    monkeypatch.setenv("OPENAI_API_KEY", "sk-1")
    assert checked(hub_world, "chatgpt", tmp_path)["llms.chatgpt.key"] == "fine"


def test_with_answers_in_the_journal_nothing_is_missing_for_certain(hub_world, tmp_path, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    journal = tmp_path / "generate" / hub_world.journal_of("chatgpt")
    journal.mkdir(parents=True)
    (journal / "wiki.jsonl").write_text("{}\n")
    found = checked(hub_world, "chatgpt", tmp_path, endpoint=NOBODY)
    assert set(found.values()) == {"warning"}


def test_an_address_in_a_file_is_read_and_missing_while_the_server_is_still_to_come(
    hub_world, tmp_path, server, monkeypatch
):
    url = tmp_path / "vicuna.url"
    update = {"endpoint": f"file:{url}", "model": "vicuna-13b", "key": "VICUNA_KEY"}
    monkeypatch.setenv("VICUNA_KEY", "sk-good")
    assert checked(hub_world, "vicuna", tmp_path, **update)["llms.vicuna.endpoint"] == "missing"
    url.write_text(f"{server}/v1\n")
    assert checked(hub_world, "vicuna", tmp_path, **update)["llms.vicuna.endpoint"] == "fine"
    url.write_text("no address")
    assert checked(hub_world, "vicuna", tmp_path, **update)["llms.vicuna.endpoint"] == "missing"


def test_a_module_that_serves_the_endpoint_has_to_be_there(tmp_path):
    mini, module = Plan({}, HOME), {"endpoint": "python:contrapose_mini.lopback"}
    assert checked(mini, "chatgpt", tmp_path) == {"llms.chatgpt.endpoint": "fine"}
    assert checked(mini, "chatgpt", tmp_path, **module) == {"llms.chatgpt.endpoint": "missing"}


def test_what_is_paid_wants_prices_and_a_budget():
    free = LLM(model="m", endpoint=NOBODY)
    paid = free.model_copy(update={"key": "KEY"})
    priced = paid.model_copy(update={"prompt_price": 2.0})
    assert check_prices(free, "m", []) == []
    assert "has a key and no prices" in check_prices(paid, "m", [])[0].found
    assert check_prices(priced, "m", [])[0].what == "llms.m.budget"
    assert check_prices(priced.model_copy(update={"budget": 5.0}), "m", [])[0].level == "fine"
