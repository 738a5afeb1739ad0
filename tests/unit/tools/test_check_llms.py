"""Keys and endpoints of language models."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from contrapose.project import Project
from contrapose.tools.check.findings import Finding
from contrapose.tools.check.llms import SENTENCE, check_llm
from tests.unit.generate.refusing import openai
from tests.unit.generate.scripted_endpoint import Endpoint, scripted_endpoint
from tests.unit.tools.conftest import Answer

HOME = Path(__file__).parents[3]
NOBODY = "http://127.0.0.1:9/v1"  # the discard port
ENDPOINT, KEY = "llms.vicuna.endpoint", "llms.vicuna.key"


@pytest.fixture
def asked() -> list[str]:
    """The paths that were asked for."""
    return []


@pytest.fixture
def server(serve: Callable[[Answer], str], asked: list[str]) -> str:
    """Names one model to who has the key."""

    def answer(path: str, headers: Mapping[str, str]) -> tuple[int, object, dict[str, str]]:
        asked.append(path)
        if path != "/v1/models":
            return 404, "no models here", {}
        known = headers["authorization"] == "Bearer sk-good"
        return (200, {"data": [{"id": "vicuna-13b"}]}, {}) if known else (401, {}, {})

    return serve(answer)


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    """A server that answers requests."""
    with scripted_endpoint() as state:
        yield state


@pytest.fixture
def vicuna(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: str) -> Project:
    """A project whose language model `vicuna` is on that server and wants its key, which is set."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("VICUNA_KEY", "sk-good")
    return changed(Project({"world": "hub", "studies": ["thesis"]}, HOME), endpoint=f"{server}/v1")


def changed(project: Project, **llm: object) -> Project:
    update = {"model": "vicuna-13b", "key": "VICUNA_KEY", "budget": 1.0, **llm}
    project.world.llms["vicuna"] = project.world.llms["vicuna"].model_copy(update=update)
    return project


def checked(project: Project, ask: bool = False) -> dict[str, Finding]:
    found = {one.what: one for one in check_llm(project, "vicuna", ask)}
    assert not any("sk-" in one.found for one in found.values())
    return found


def test_an_endpoint_that_names_the_model_is_fine_and_nothing_else_is_asked(vicuna: Project, asked):
    assert {what: one.level for what, one in checked(vicuna).items()} == {KEY: "fine", ENDPOINT: "fine"}
    assert asked == ["/v1/models"]


def test_another_model_a_refused_key_and_no_answer_are_missing(vicuna: Project, server, monkeypatch):
    other = checked(changed(vicuna, endpoint=f"{server}/v1", model="vicuna-7b"))[ENDPOINT]
    assert other.level == "missing"
    assert "no entry 'vicuna-7b'. Did you mean 'vicuna-13b'?" in other.found
    nobody = checked(changed(vicuna, endpoint=NOBODY))[ENDPOINT]
    assert nobody.level == "missing"
    assert nobody.found.startswith("http://127.0.0.1:9/v1/models does not answer (ConnectError")
    monkeypatch.setenv("VICUNA_KEY", "sk-bad")
    refused = checked(changed(vicuna, endpoint=f"{server}/v1"))[ENDPOINT]
    assert refused == (
        "missing",
        ENDPOINT,
        f"{server}/v1/models refuses the key (401). Check it; if it is right, try --ask.",
    )


def test_an_endpoint_without_a_list_of_models_may_be_fine(vicuna: Project, server: str):
    found = checked(changed(vicuna, endpoint=f"{server}/other"))[ENDPOINT]
    assert found.level == "fine"
    assert "answers 404 and names no models" in found.found


@pytest.fixture
def answers(endpoint: Endpoint, vicuna: Project) -> Endpoint:
    """The language model `vicuna` on a server that answers, of the form of the hub world's paid model."""
    paid = vicuna.world.llms["chatgpt"].model_dump(
        include={"temperature", "top_p", "max_tokens_name", "extra"}
    )
    changed(vicuna, endpoint=endpoint.url, prompt_price=1.0, completion_price=2.0, **paid)
    endpoint.script = openai
    return endpoint


def test_with_ask_one_request_of_the_real_form_is_answered_and_its_cost_is_told(vicuna: Project, answers):
    found = checked(vicuna, ask=True)
    assert found[ENDPOINT].level == "fine"
    assert found[ENDPOINT].found.endswith("answered prompt 1 as 'tiny-2025': 130 tokens, $0.0002")
    [one] = answers.requests
    text = (HOME / "config/prompts/1.txt").read_text().strip()
    assert one["messages"][0]["content"] == text.replace("{sentence}", SENTENCE)
    assert one.keys() == {"model", "messages", "max_completion_tokens", "reasoning_effort"}
    assert not Path("state").exists()


def test_with_ask_a_form_that_is_refused_or_used_up_by_reasoning_is_missing(vicuna: Project, answers):
    changed(vicuna, **{**vicuna.llm("vicuna").model_dump(), "top_p": 1.0})
    assert "Unsupported parameter: 'top_p' is not supported" in checked(vicuna, ask=True)[ENDPOINT].found
    changed(vicuna, **{**vicuna.llm("vicuna").model_dump(), "top_p": None, "extra": {}})
    found = checked(vicuna, ask=True)[ENDPOINT]
    assert (found.level, "raise it, or turn reasoning down" in found.found) == ("missing", True)


def test_a_missing_key_is_told_beside_what_the_endpoint_says_without_it(vicuna: Project, monkeypatch):
    monkeypatch.delenv("VICUNA_KEY")
    found = checked(vicuna)
    assert "the environment variable VICUNA_KEY is not set" in found[KEY].found
    assert found[ENDPOINT].found.endswith("/v1/models answers, and asks for a key")
    journal = Path("state/generate", vicuna.asking.journal("vicuna"))
    journal.mkdir(parents=True)
    (journal / "wiki.jsonl").write_text("{}\n")  # it may be that nothing is asked any more
    assert checked(vicuna)[KEY].level == "fine"


def test_a_paid_model_without_a_budget_is_a_warning(vicuna: Project, server: str):
    found = checked(changed(vicuna, endpoint=f"{server}/v1", budget=None))
    assert found["llms.vicuna.budget"].level == "warning"


def test_a_module_that_serves_the_endpoint_has_to_be_there(vicuna: Project):
    module = {"key": None, "endpoint": "python:contrapose_mini.loopback"}
    assert checked(changed(vicuna, **module))[ENDPOINT].level == "fine"
    module["endpoint"] = "python:contrapose_mini.lopback"
    assert "cannot be served" in checked(changed(vicuna, **module))[ENDPOINT].found
