"""Files of settings in encodings and with repeats that a text editor lets happen."""

from pathlib import Path

import pytest

from contrapose.errors import ConfigError
from contrapose.project import Project
from contrapose.project.given import given_config
from tests.checkout import HOME, checkout


def test_a_configuration_that_is_not_utf_8_or_says_a_key_twice_is_refused_by_name(tmp_path: Path):
    project, file = checkout(tmp_path), tmp_path / "config/config.yaml"
    text = file.read_text()
    for content, message in (
        (text.encode("utf-16"), "not UTF-8"),
        (f"{text}\nfolds: 9\nfolds: 3\n".encode(), "twice"),
    ):
        file.write_bytes(content)
        output = project.forked("--dry-run", check=False).stdout
        assert f"{message}" in output
        assert "config/config.yaml" in output
        assert "Traceback" not in output


def test_a_prompt_in_another_encoding_is_refused_and_a_mark_in_front_is_not_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    checkout(tmp_path)
    monkeypatch.chdir(tmp_path)
    project, file = Project(given_config([]), HOME), tmp_path / "config/prompts/1.txt"
    file.write_bytes(b"\xef\xbb\xbfSay it anew: {sentence}")
    assert project.files.prompt("1") == "Say it anew: {sentence}"
    file.write_bytes("Sag es schöner: {sentence}".encode("latin-1"))
    with pytest.raises(ConfigError, match=r"1\.txt: not UTF-8"):
        project.files.prompt("1")
