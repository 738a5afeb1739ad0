from collections.abc import Iterator
from pathlib import Path

import pytest

from contrapose.base.errors import ConfigError
from contrapose.project import Project
from contrapose.settings.catalogs import LLM, EmbeddingEndpoint
from contrapose.tools.check_services import SENTENCE, check_embedder, check_llm, check_not_shared
from contrapose.tools.finding import Finding
from tests.checkout import HOME
from tests.unit.generate.refusing import openai
from tests.unit.generate.scripted_endpoint import Endpoint, Handler, Say, body, scripted_endpoint

NOBODY = "http://127.0.0.1:9/v1"  # the discard port
ENDPOINT, KEY = "llms.vicuna.endpoint", "llms.vicuna.key"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    """Answers requests, and names one model to who has the key."""

    def do_GET(self: Handler) -> None:
        self.server.state.requests.append(self.path)
        known = self.headers["authorization"] == "Bearer sk-good"
        models = Say(content={"data": [{"id": "vicuna-13b"}]}) if known else Say(401)
        self.answer(models if self.path == "/v1/models" else Say(404, "no models here"))

    monkeypatch.setattr(Handler, "do_GET", do_GET, raising=False)
    with scripted_endpoint() as state:
        state.script = openai
        yield state


@pytest.fixture
def vicuna(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: Endpoint) -> Project:
    """A project whose language model `vicuna` is on that server and wants its key, which is set."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("VICUNA_KEY", "sk-good")
    return changed(Project({"catalog": "hub", "studies": ["thesis"]}, HOME), endpoint=server.url)


def changed(project: Project, **llm: object) -> Project:
    update = {
        "model": "vicuna-13b",
        "key": "VICUNA_KEY",
        "budget": 1.0,
        "prompt_price": 0.0,
        "completion_price": 0.0,
    }
    project.catalog.llms["vicuna"] = project.catalog.llms["vicuna"].model_copy(update=update | llm)
    project.found.clear()  # entries that were looked up before the change
    return project


def checked(project: Project, live: bool = False) -> dict[str, Finding]:
    found = {one.what: one for one in check_llm(project, "vicuna", live)}
    assert not any("sk-" in one.text for one in found.values())
    return found


def test_an_endpoint_that_names_the_model_is_fine(vicuna: Project, server):
    assert {what: one.level for what, one in checked(vicuna).items()} == {KEY: "fine", ENDPOINT: "fine"}
    assert server.requests == ["/v1/models"]


def test_a_paid_model_without_prices_is_a_warning(vicuna: Project, server):
    form = {"temperature", "top_p", "max_tokens_name", "extra_body"}
    llm = vicuna.catalog.llms["chatgpt"].model_dump(include=form)
    llm |= {"model": "vicuna-13b", "key": "VICUNA_KEY", "endpoint": server.url}
    vicuna.catalog.llms["vicuna"] = LLM.model_validate(llm)
    found = checked(vicuna, live=True)
    assert found["llms.vicuna.prompt_price"] == Finding(
        "warning",
        "llms.vicuna.prompt_price",
        "and completion_price are not both set, so costs are unknown and a budget has no effect. Enter "
        "the prices of the provider in USD per million tokens, or 0 if answers are free.",
    )
    assert "tokens, price unknown." in found[ENDPOINT].text


def test_a_budget_without_prices_is_refused(vicuna: Project, server):
    llm = {"model": "vicuna-13b", "key": "VICUNA_KEY", "budget": 1.0, "endpoint": server.url}
    vicuna.catalog.llms["vicuna"] = LLM.model_validate(llm)
    with pytest.raises(ConfigError, match=r"llms\.vicuna\.budget is 1 USD, but .* could spend any amount"):
        vicuna.llm("vicuna")
    vicuna.catalog.llms["vicuna"] = LLM.model_validate(llm | {"prompt_price": 0, "completion_price": 0.5})
    assert vicuna.llm("vicuna").budget == 1.0


def test_another_model_a_refused_key_and_no_answer_are_missing(vicuna: Project, server, monkeypatch):
    found = [checked(changed(vicuna, model="vicuna-7b"))[ENDPOINT]]
    monkeypatch.setenv("VICUNA_KEY", "sk-bad")
    found += [checked(vicuna)[ENDPOINT], checked(changed(vicuna, endpoint=NOBODY))[ENDPOINT]]
    assert {each.level for each in found} == {"missing"}
    other, refused, nobody = (each.text for each in found)
    assert "no entry 'vicuna-7b'. Did you mean 'vicuna-13b'?" in other
    assert refused == (
        f"{server.url}/models refuses the key in VICUNA_KEY (401). Set it again. If it is right, call this "
        "command with --live."
    )
    assert nobody.startswith("http://127.0.0.1:9/v1/models does not answer (ConnectError")
    assert nobody.endswith(
        "Start the server, or correct its address, the key `endpoint` of this entry in the catalog. A "
        "comparison also runs without this model, with methods that do not need it: --methods."
    )


def test_of_a_server_elsewhere_that_does_not_answer_the_proxy_is_named_and_none_is_started(
    vicuna: Project, monkeypatch
):
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    # No network is asked: of a reserved name, and of a port where nobody is.
    elsewhere = changed(vicuna, endpoint="http://host.invalid/v1")
    said = checked(elsewhere)[ENDPOINT].text
    assert " Check the network and the address, the key `endpoint` of this entry in the catalog. " in said
    monkeypatch.setenv("HTTP_PROXY", "http://me:secret@127.0.0.1:9")
    said = checked(elsewhere)[ENDPOINT].text
    assert "through the proxy http://127.0.0.1:9, which the environment variable HTTP_PROXY names." in said
    assert "Start" not in said
    assert "secret" not in said


def test_an_endpoint_without_a_list_of_models_may_be_fine(vicuna: Project, server):
    found = checked(changed(vicuna, endpoint=server.url.replace("v1", "other")))[ENDPOINT]
    assert found.level == "fine"
    assert "answers with status 404, but names no models." in found.text


@pytest.fixture
def answers(vicuna: Project) -> None:
    """Give the language model `vicuna` the form of the hub catalog's paid model."""
    form = {"temperature", "top_p", "max_tokens_name", "extra_body"}
    paid = vicuna.catalog.llms["chatgpt"].model_dump(include=form)
    changed(vicuna, prompt_price=1.0, completion_price=2.0, **paid)


def test_with_ask_one_real_request_is_answered_at_its_cost(vicuna: Project, answers, server):
    found = checked(vicuna, live=True)
    assert found[ENDPOINT].level == "fine"
    taken = "They saw that The old mill by the river burned down in the w..."
    said = (
        "answered prompt 1 as 'tiny-2025': 130 tokens, $0.0002. "
        f'The answer has 5 texts. The first is "{taken}"'
    )
    assert found[ENDPOINT].text.endswith(said)
    [one] = server.requests
    text = (HOME / "config/prompts/1.txt").read_text().strip()
    assert one["messages"][0]["content"] == text.replace("{sentence}", SENTENCE)
    assert one.keys() == {"model", "messages", "max_completion_tokens", "reasoning_effort"}
    assert not Path("state").exists()


def test_with_ask_refused_answers_are_missing_with_their_codes(vicuna: Project, server):
    server.script = lambda request, count: Say(content=body(f"I'm sorry, I cannot help. {count}"))
    found = checked(changed(vicuna, prompt_price=1000.0), live=True)[ENDPOINT]
    said = '3 of 3 answers are refused: talking 3, such as "I\'m sorry, I cannot help. 0".'
    assert found.level == "missing"
    assert found.text.endswith(
        f"as 'tiny-2025', but {said} See docs/reference/outcomes.md for these codes. (54 tokens, $0.0210)"
    )


def test_with_ask_a_form_that_is_refused_is_missing(vicuna: Project, answers):
    refused = checked(changed(vicuna, top_p=1.0), live=True)[ENDPOINT]
    assert "Unsupported parameter: 'top_p' is not supported" in refused.text
    found = checked(changed(vicuna, top_p=None, extra_body={}), live=True)[ENDPOINT]
    assert (found.level, "Raise max_tokens, or reduce the reasoning" in found.text) == ("missing", True)


def test_a_missing_key_is_told_beside_what_the_endpoint_says(vicuna: Project, monkeypatch):
    monkeypatch.delenv("VICUNA_KEY")
    found = checked(vicuna)
    assert "the environment variable VICUNA_KEY is not set" in found[KEY].text
    assert found[ENDPOINT].text.endswith("/v1/models answers, and needs a key")
    journal = Path("state/generate", vicuna.llm_requests.journal("vicuna"))
    journal.mkdir(parents=True)
    (journal / "wiki.jsonl").write_text("{}\n")  # answers, of which a job may lack one
    assert checked(vicuna)[KEY].level == "missing"


@pytest.mark.parametrize("ask", [False, True])
def test_certificates_that_are_not_there_are_missing(vicuna: Project, monkeypatch, ask):
    monkeypatch.setenv("SSL_CERT_FILE", "/none/cacert.pem")
    found = checked(changed(vicuna, endpoint="https://a.org/v1"), ask)[ENDPOINT]
    assert (found.level, "SSL_CERT_FILE names '/none/cacert.pem'" in found.text) == ("missing", True)


SAID = {
    '{"choices": null, "base_resp": {"status_msg": "rate limit"}}': "too many requests (200: rate limit)",
    '{"detail": "Not authenticated"}': "the endpoint does not accept the key (200: Not authenticated)",
    "Service unavailable": "the response is not complete JSON (Service unavailable)",
    "": "the response is not complete JSON (the response is empty)",
    '{"candidates": [1]}': "Give the base URL of an OpenAI-compatible server",
    'data: {"choices": [{"delta": {"content": "a"}}]}': "before the answer was complete (200: the stream",
}


@pytest.mark.parametrize("answer", SAID)
def test_with_ask_what_is_no_answer_is_told_as_the_server_says(vicuna: Project, server, answer):
    server.script = lambda request, count: Say(content=answer)
    found = checked(vicuna, live=True)[ENDPOINT]
    assert (found.level, SAID[answer] in found.text) == ("missing", True)


def test_a_paid_model_without_a_budget_is_a_warning(vicuna: Project):
    assert checked(changed(vicuna, budget=None))["llms.vicuna.budget"].level == "warning"


def test_an_encoder_behind_an_endpoint_gives_a_vector(server, monkeypatch):
    def found(**settings: object) -> dict[str, Finding]:
        given = {"endpoint": server.url, "model": "vicuna-13b", "key": "VICUNA_KEY", **settings}
        source = EmbeddingEndpoint(kind="endpoint", **given)
        return {one.what: one for ask in (False, True) for one in check_embedder(source, "theirs", ask)}

    named = {"model": "vicuna-13b", "data": [{"index": 0, "embedding": [1.0, 2.0, 3.0]}]}
    server.script = lambda request, count: Say(content=named)
    monkeypatch.setenv("VICUNA_KEY", "sk-good")
    key, asked = found(dimensions=3).values()
    assert (key.what, key.level, asked.level) == ("encoders.theirs.key", "fine", "fine")
    assert asked.text == f"{server.url} answers as 'vicuna-13b' with 3 numbers"
    assert server.requests[-1] == {"model": "vicuna-13b", "input": [SENTENCE], "dimensions": 3}
    server.script = lambda request, count: Say(404, "no embeddings here")
    assert "does not know the model" in found()["encoders.theirs.endpoint"].text
    monkeypatch.delenv("VICUNA_KEY")
    assert found()["encoders.theirs.key"].level == "missing"
    served = "python:contrapose_mini.loopback"
    assert found(endpoint=served)["encoders.theirs.endpoint"].level == "fine"


def test_a_module_that_serves_the_endpoint_has_to_be_there(vicuna: Project):
    served, wrong = (f"python:contrapose_mini.{name}" for name in ("loopback", "lopback"))
    assert checked(changed(vicuna, endpoint=served))[ENDPOINT].level == "fine"
    assert (
        "cannot be started (No module named 'contrapose_mini.lopback')"
        in checked(changed(vicuna, endpoint=wrong))[ENDPOINT].text
    )


def test_one_server_does_not_play_two_roles(vicuna: Project, server, monkeypatch):
    def served(*models: str) -> None:
        def do_GET(self: Handler) -> None:
            self.answer(Say(content={"data": [{"id": model} for model in models]}))

        monkeypatch.setattr(Handler, "do_GET", do_GET)

    project = Project({"catalog": "hub", "studies": ["thesis"], "endpoint": server.url}, HOME)
    both, names = ("chatgpt", "vicuna"), [project.llm(role).model for role in ("chatgpt", "vicuna")]
    served("qwen")
    with pytest.raises(
        ConfigError, match=r"not gpt-6-luna \(chatgpt\), vic.*\(vicuna\).*llms.chatgpt.*=qwen"
    ):
        check_not_shared(project, both)
    check_not_shared(project, ["vicuna"])
    served(names[1])
    with pytest.raises(ConfigError, match=r"but not gpt-6-luna \(chatgpt\)\. 2"):
        check_not_shared(project, both)
    served(*names)
    check_not_shared(project, both)
