"""Repositories of a hub on this machine, which speaks what is asked of it."""

import os
from http import HTTPStatus
from pathlib import Path

import pytest
from huggingface_hub import constants
from starlette.responses import Response

from contrapose.project import Project
from contrapose.settings.catalogs import EncoderHub
from contrapose.settings.hub import HubFile
from contrapose.tools.check_services import check_hub, on_hub
from contrapose.tools.finding import report
from contrapose.tools.needs import Need
from tests.checkout import HOME
from tests.hub.server import Hub

COMMIT = "0123456789" * 4
FILES = ("config.json", "model.safetensors", "vocab.txt")
BERT = EncoderHub(model="owner/bert", revision=COMMIT)
PAIRS = HubFile(dataset="owner/pairs", revision=COMMIT, file="test.txt")


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """A hub with a model and a data set, and an empty cache."""
    for name in [name for name in os.environ if name.lower().endswith("_proxy")]:
        monkeypatch.delenv(name)
    write(tmp_path / "hub/models/owner/bert" / COMMIT, *FILES)
    write(tmp_path / "hub/datasets/owner/pairs" / COMMIT, "test.txt")
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    with Hub(tmp_path / "hub") as hub:
        monkeypatch.setattr(constants, "ENDPOINT", hub.url)
        yield hub


def write(folder: Path, *files: str) -> None:
    folder.mkdir(parents=True)
    for file in files:
        (folder / file).write_text("{}")


def found(source: EncoderHub | HubFile) -> str:
    (finding,) = check_hub({"key": source.hub_repository})
    return f"{finding.level}: {finding.text}"


def test_what_is_there_is_fine_and_nothing_is_fetched(hub):
    assert found(BERT) == "fine: owner/bert, revision 0123456, is on the hub"
    assert found(PAIRS).startswith("fine: owner/pairs")
    assert all(request.path.startswith("/api/") for request in hub.requests)


@pytest.mark.parametrize(
    ("source", "says"),
    [
        (
            EncoderHub(model="owner/x", revision=COMMIT),
            "missing: owner/x does not exist on the hub, or is private.",
        ),
        (
            EncoderHub(model="a/b/c", revision=COMMIT),
            "missing: a/b/c does not exist on the hub, or is private",
        ),
        (EncoderHub(model="owner/bert", revision="f" * 40), f"owner/bert has no revision {'f' * 40}."),
        (PAIRS.model_copy(update={"file": "test.csv"}), "no entry 'test.csv'. Did you mean 'test.txt'?"),
    ],
)
def test_what_the_hub_does_not_know_is_missing(hub, source, says):
    assert says in found(source)


def test_a_gated_model_is_missing_without_access_and_fine_with_it(hub, monkeypatch):
    hub.gated.add("owner/bert")
    assert "owner/bert is gated. Request access on " in found(BERT)
    monkeypatch.setenv("HF_TOKEN", "hf_of_who_has_access")
    assert found(BERT).startswith("fine: ")


def test_where_the_hub_cannot_be_asked_the_cache_is_looked_at(hub, monkeypatch, tmp_path):
    for status in (HTTPStatus.SERVICE_UNAVAILABLE, HTTPStatus.OK):  # of a proxy that wants a login
        hub.instead = Response(b"<html>", status)
        assert "does not answer" in found(BERT)
    monkeypatch.setattr(constants, "ENDPOINT", "http://127.0.0.1:9")  # nobody listens on the discard port
    assert "the cache. Set HF_HOME to another cache" in found(BERT)
    lines = report(check_hub({"one": BERT.hub_repository, "other": BERT.hub_repository})).splitlines()
    assert [line.split(": ")[0] for line in lines] == [
        "Errors (1)",
        "  one, other",
        "",
        "1 error, so a run would fail.",
    ]
    write(tmp_path / "models--owner--bert/snapshots" / COMMIT, *FILES)
    write(tmp_path / "datasets--owner--pairs/snapshots" / COMMIT, "test.txt")
    why = "http://127.0.0.1:9 does not answer"
    assert found(BERT).startswith(f"fine: owner/bert, revision 0123456, is in the cache; {why}")
    assert found(PAIRS).startswith("fine: ")


def test_every_entry_of_the_hub_catalog_that_jobs_need_is_asked_about(monkeypatch):
    monkeypatch.chdir(HOME)
    project = Project({"catalog": "hub", "studies": ["thesis"]}, HOME)
    needs = [
        *(Need("articles"), Need("archive"), Need("transfer"), Need("llms", "chatgpt")),
        *(Need("encoders", "bert-base"), Need("encoders", "chinese-roberta-wwm-ext")),
        *(Need("sentence_files", "simcse"), Need("language_models", "gpt2"), Need("suites", "chinese")),
    ]
    assert set(on_hub(project, needs)) == {
        *("articles", "archive", "encoders.bert-base", "sentence_files.simcse", "language_models.gpt2"),
        *(f"benchmarks.{task}" for task in ("atec", "bq", "lcqmc", "pawsx_zh", "stsb_zh")),
    }
