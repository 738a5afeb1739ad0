import json
from pathlib import Path

import pytest

from contrapose.errors import BackendError, ConfigError, TableError
from contrapose.publish import push as module
from contrapose.publish.__main__ import main
from contrapose.publish.descriptor import write_sums

TOKEN = "hf_not_to_be_seen"


class Recorder:
    """In the place of the hub's client: keeps what it was asked."""

    endpoint = "https://hub.example"
    calls: list
    fails = False

    def __init__(self, token=None):
        self.token = token

    def create_repo(self, repo, **options):
        self.calls.append(("create", repo, self.token, options))

    def upload_folder(self, **options):
        if self.fails:
            raise OSError(f"refused the token {TOKEN}")
        self.calls.append(("upload", options))
        return f"https://hub.example/commit?by={TOKEN}"


@pytest.fixture
def hub(monkeypatch):
    Recorder.calls, Recorder.fails = [], False
    monkeypatch.setattr(module, "HfApi", Recorder)
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    return Recorder


@pytest.fixture
def package(tmp_path: Path) -> Path:
    folder = tmp_path / "package"
    folder.mkdir()
    (folder / "datapackage.json").write_text(json.dumps({"name": "x"}))
    write_sums(folder)
    return folder


def test_nothing_is_sent_without_a_yes(hub, package, capsys):
    assert main(["push", str(package), "--repo", "o/n"]) == 1
    said = capsys.readouterr().out
    assert hub.calls == []
    assert "dataset o/n at https://hub.example, for everybody to see" in said
    assert "datapackage.json" in said
    assert "Nothing was sent" in said


def test_a_yes_makes_the_repository_and_uploads_the_folder(hub, package, capsys):
    assert main(["push", str(package), "--repo", "o/n", "--private", "--yes"]) == 0
    create, upload = hub.calls
    assert create == ("create", "o/n", TOKEN, {"repo_type": "dataset", "private": True, "exist_ok": True})
    assert (upload[1]["repo_id"], upload[1]["folder_path"]) == ("o/n", package)
    assert TOKEN not in capsys.readouterr().out


def test_an_encoder_with_a_card_is_a_model(hub, tmp_path):
    for name in ("modules.json", "README.md"):
        (tmp_path / name).write_text("[]")
    assert module.push(tmp_path, "o/n", False, True)
    assert hub.calls[0][3]["repo_type"] == "model"


def test_no_token_no_request(hub, package, monkeypatch):
    monkeypatch.delenv("HF_TOKEN")
    with pytest.raises(ConfigError, match="HF_TOKEN is not set"):
        module.push(package, "o/n", False, True)
    assert hub.calls == []


def test_an_error_of_the_hub_does_not_show_the_token(hub, package):
    hub.fails = True
    with pytest.raises(BackendError, match="refused the token \\(the value of HF_TOKEN\\)") as error:
        module.push(package, "o/n", False, True)
    assert TOKEN not in str(error.value)


def test_a_package_that_was_changed_or_holds_a_secret_is_refused(hub, package):
    (package / "new.csv").write_text("a\n")
    with pytest.raises(TableError, match=r"new\.csv differ from SHA256SUMS"):
        module.push(package, "o/n", False, True)
    (package / "new.csv").write_text(TOKEN)
    write_sums(package)
    with pytest.raises(ConfigError, match=r"new\.csv: the value of HF_TOKEN"):
        module.push(package, "o/n", False, True)
    assert hub.calls == []


def test_any_other_folder_is_refused(hub, tmp_path):
    with pytest.raises(ConfigError, match="neither a package"):
        module.push(tmp_path, "o/n", False, True)
