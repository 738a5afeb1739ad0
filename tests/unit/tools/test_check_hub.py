"""Repositories of a hub on this machine, which speaks what is asked of it."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from huggingface_hub import constants

from contrapose.project import Project
from contrapose.settings.worlds import EncoderHub, HubFile
from contrapose.tools.check.hub import check_hub, on_hub
from contrapose.tools.needs import Need

HOME = Path(__file__).parents[3]
COMMIT = "0123456789" * 4
FILES = ("config.json", "model.safetensors", "vocab.txt")
BERT = EncoderHub(model="owner/bert", revision=COMMIT)
PAIRS = HubFile(dataset="owner/pairs", revision=COMMIT, file="test.txt")


class Hub:
    """Answers from `repositories`, {path of the API: answer, a status, or text of another page}."""

    def __init__(self) -> None:
        self.repositories: dict[str, object] = {}
        self.requests: list[str] = []
        self.closed: set[str] = set()  # repositories whose files nobody may have

    def __call__(self, path: str, headers: Mapping[str, str]) -> tuple[int, object, dict[str, str]]:
        self.requests.append(path)
        if path.endswith("/auth-check"):
            closed = any(name in path for name in self.closed)
            return (403, {}, {"X-Error-Code": "GatedRepo"}) if closed else (200, {}, {})
        name, _, revision = path.removeprefix("/api/").partition("/revision/")
        found = self.repositories.get(name, 404)
        if isinstance(found, int):
            return found, {}, {"X-Error-Code": "RepoNotFound"} if found == 404 else {}
        return (200, found, {}) if revision == COMMIT else (404, {}, {"X-Error-Code": "RevisionNotFound"})


@pytest.fixture
def hub(serve: Callable[[Hub], str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Hub:
    made = Hub()
    monkeypatch.setattr(constants, "ENDPOINT", serve(made))
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    return made


def repository(*files: str, gated: str | bool = False) -> dict:
    siblings = [{"rfilename": name} for name in files]
    return {"id": "owner/name", "sha": COMMIT, "siblings": siblings, "gated": gated, "tags": []}


def found(source: EncoderHub | HubFile) -> str:
    (finding,) = check_hub({"key": source})
    return f"{finding.level}: {finding.found}"


def cache(tmp_path: Path, repository: str, *files: str) -> None:
    for file in files:
        path = tmp_path / repository / "snapshots" / COMMIT / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{}")


def test_what_is_there_is_fine_and_nothing_is_fetched(hub):
    hub.repositories["models/owner/bert"] = repository(*FILES)
    hub.repositories["datasets/owner/pairs"] = repository("test.txt")
    assert found(BERT) == "fine: owner/bert, 0123456, is on the hub"
    assert found(PAIRS).startswith("fine: owner/pairs")
    assert all(path.startswith("/api/") for path in hub.requests)


@pytest.mark.parametrize("files", [FILES[1:], ("config.json", "vocab.txt", "pytorch_model.bin")])
def test_a_model_without_a_configuration_or_only_as_a_pickle_is_missing(hub, files):
    hub.repositories["models/owner/bert"] = repository(*files)
    assert found(BERT).startswith("missing: owner/bert has no config.json or no *.safetensors.")


def test_names_revisions_and_files_that_the_hub_does_not_know_are_missing(hub):
    hub.repositories["models/owner/bert"] = repository(*FILES)
    hub.repositories["datasets/owner/pairs"] = repository("test.csv")
    other = EncoderHub(model="owner/x", revision=COMMIT)
    assert found(other).startswith("missing: owner/x is not on the hub, or is private.")
    assert found(EncoderHub(model="a/b/c", revision=COMMIT)).startswith("missing: a/b/c is not on the hub")
    old = EncoderHub(model="owner/bert", revision="f" * 40)
    assert found(old).startswith(f"missing: owner/bert has no revision {'f' * 40}.")
    assert "has no entry 'test.txt'. Did you mean 'test.csv'?" in found(PAIRS)


def test_a_gated_model_is_missing_without_access_and_fine_with_it(hub):
    hub.repositories["models/owner/bert"] = repository(*FILES, gated="manual")
    assert found(BERT).startswith("fine: ")
    hub.closed.add("owner/bert")
    assert "owner/bert is gated. Ask for access on " in found(BERT)


def test_where_the_hub_cannot_be_asked_the_cache_is_looked_at(hub, monkeypatch, tmp_path):
    for other in (503, "<html>"):  # a proxy that wants a login answers with its own page
        hub.repositories["models/owner/bert"] = other
        assert "does not answer" in found(BERT)
    monkeypatch.setattr(constants, "ENDPOINT", "http://127.0.0.1:9")  # nobody listens on the discard port
    assert "and owner/bert is not in the cache. Check the network" in found(BERT)
    cache(tmp_path, "models--owner--bert", "config.json", "model.safetensors")
    cache(tmp_path, "datasets--owner--pairs", "test.txt")
    assert found(BERT).startswith(
        "fine: owner/bert, 0123456, is in the cache; http://127.0.0.1:9 does not answer"
    )
    assert found(PAIRS).startswith("fine: ")


def test_every_entry_of_the_hub_world_that_jobs_need_is_asked_about(monkeypatch):
    monkeypatch.chdir(HOME)
    project = Project({"world": "hub", "studies": ["thesis"]}, HOME)
    needs = [
        *(Need("articles"), Need("archive"), Need("transfer"), Need("llms", "chatgpt")),
        *(Need("encoders", "bert-base"), Need("encoders", "unsup-simcse-bert-base")),
        *(Need("sentence_files", "simcse"), Need("language_models", "gpt2"), Need("suites", "chinese")),
    ]
    assert set(on_hub(project, needs)) == {
        *("articles", "archive", "encoders.bert-base", "sentence_files.simcse", "language_models.gpt2"),
        *(f"benchmarks.{task}" for task in ("atec", "bq", "lcqmc", "pawsx_zh", "stsb_zh")),
    }
