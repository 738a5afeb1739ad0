from pathlib import Path

import httpx2
import pytest

from contrapose.errors import BackendError, ConfigError
from contrapose.tools.publish import command as module


class Recorder:
    """In the place of the hub's client: keeps what it was asked."""

    calls: list

    def create_repo(self, name, **options):
        self.calls.append(("create", name, options))

    def upload_folder(self, **options):
        self.calls.append(("upload", options))


@pytest.fixture
def hub(monkeypatch):
    Recorder.calls = []
    monkeypatch.setattr(module, "HfApi", Recorder)
    return Recorder


def test_a_package_is_a_data_set_and_its_encoders_are_models_all_private(hub, tmp_path: Path):
    module.upload(tmp_path, "o/n", ["paraphrase+llm=vicuna/simcse/seed42"])
    names = ["o/n", "o/n-paraphrase-llm-vicuna-simcse-seed42"]
    parts = [tmp_path, tmp_path / "encoders/paraphrase+llm=vicuna/simcse/seed42"]
    for at, (kind, name, part) in enumerate(zip(("dataset", "model"), names, parts, strict=True)):
        create, upload = hub.calls[2 * at : 2 * at + 2]
        assert create == ("create", name, {"repo_type": kind, "private": True, "exist_ok": True})
        assert upload == ("upload", {"repo_id": name, "folder_path": part, "repo_type": kind})


def test_nothing_is_sent_where_nothing_is_built(hub, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigError, match="contains no table, figure or claims of thesis"):
        module.main(["--upload", "o/n"])
    assert hub.calls == []


@pytest.mark.parametrize("error", [httpx2.ConnectError("refused"), OSError("refused")])
def test_what_the_hub_refuses_is_said_with_the_command_that_sends_it_later(error, hub, tmp_path, monkeypatch):
    def refuse(*_, **__):
        raise error

    monkeypatch.setattr(Recorder, "upload_folder", refuse)
    with pytest.raises(BackendError, match=r"dataset o/n: refused.*hf upload o/n .* --repo-type dataset"):
        module.upload(tmp_path, "o/n", [])
