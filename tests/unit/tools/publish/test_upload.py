from pathlib import Path
from unittest.mock import Mock, call

import httpx
import pytest

from contrapose.base.errors import BackendError, ConfigError
from contrapose.tools.publish import upload as module


@pytest.fixture
def hub(monkeypatch) -> Mock:
    """In the place of the hub's client: keeps what it is asked."""
    made = Mock()
    monkeypatch.setattr(module, "HfApi", lambda: made)
    return made


def test_a_package_is_a_data_set_and_its_encoders_are_models_all_private(hub, tmp_path: Path):
    module.upload(tmp_path, "o/n", ["paraphrase+llm=vicuna/simcse/seed42"])
    names = ["o/n", "o/n-paraphrase-llm-vicuna-simcse-seed42"]
    parts = [tmp_path, tmp_path / "encoders/paraphrase+llm=vicuna/simcse/seed42"]
    expected = []
    for kind, name, part in zip(("dataset", "model"), names, parts, strict=True):
        expected.append(call.create_repo(name, repo_type=kind, private=True, exist_ok=True))
        expected.append(call.upload_folder(repo_id=name, folder_path=part, repo_type=kind))
    assert hub.method_calls == expected


def test_nothing_is_sent_where_nothing_is_built(hub, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigError, match="contains no table, figure or claims of thesis"):
        module.main(["--upload", "o/n"])
    assert hub.method_calls == []


@pytest.mark.parametrize("error", [httpx.ConnectError("refused"), OSError("refused")])
def test_what_the_hub_refuses_is_said_with_the_command_that_sends_it_later(error, hub, tmp_path):
    hub.upload_folder.side_effect = error
    with pytest.raises(BackendError, match=r"dataset o/n: refused.*hf upload o/n .* --repo-type dataset"):
        module.upload(tmp_path, "o/n", [])
