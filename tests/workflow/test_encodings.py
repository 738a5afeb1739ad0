"""Files of settings in encodings and with repeats that a text editor lets happen."""

from pathlib import Path

import pytest
import yaml

from contrapose.base.errors import ConfigError
from contrapose.project import Project
from contrapose.project.cli_config import given_config
from contrapose.retrieve.articles import HubTable
from contrapose.settings.catalogs import EncoderHub, LanguageModelHub
from contrapose.settings.main import Config
from contrapose.settings.spec import validated
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
    assert project.files.prompt("1").texts == ["Say it anew: {sentence}"]
    file.write_bytes("Sag es schöner: {sentence}".encode("latin-1"))
    with pytest.raises(ConfigError, match=r"1\.txt: not UTF-8"):
        project.files.prompt("1")


def test_a_shard_that_there_is_not_is_refused(tmp_path: Path):
    asked = "results/generate/wiki/chatgpt-prompt1/{}/paraphrases.parquet"
    project = checkout(tmp_path)
    assert project.plan(asked.format("2-of-3"))["generate_paraphrase"] == 1
    output = project.forked("--dry-run", asked.format("7-of-3"), check=False).stdout
    assert "'7-of-3' is not a shard: shards count from 0 to 2" in output


def test_null_on_the_command_line_is_no_endpoint_and_no_study_or_row_is_there_twice(tmp_path: Path):
    assert Config(endpoint="null", data="null", encoder="null", container="null") == Config()
    with pytest.raises(ConfigError, match="occurs twice"):
        validated(Config, {"studies": ["thesis", "thesis"]}, "config.yaml")
    project = checkout(tmp_path)
    study = tmp_path / "config/studies/smoke/study.yaml"
    content = yaml.safe_load(study.read_text())
    content["tables"]["table1"]["rows"] *= 2
    study.write_text(yaml.safe_dump(content, sort_keys=False))
    assert "occurs twice. Keep one of them" in project.forked("--dry-run", check=False).stdout


@pytest.mark.parametrize("revision", ["main", "v1.0", "refs/pr/3"])
def test_only_a_commit_pins_what_is_fetched(revision):
    for source, kind in (
        (EncoderHub, {"model": "a/b"}),
        (LanguageModelHub, {"model": "a/b"}),
        (HubTable, {"dataset": "a/b"}),
    ):
        assert source(**kind, revision="c0ffee").revision == "c0ffee"
        with pytest.raises(ConfigError, match="give the commit"):
            validated(source, {**kind, "revision": revision}, "catalog.yaml")


@pytest.mark.parametrize("folder", ["", " ", "/"])
def test_what_is_made_never_goes_to_the_root(folder):
    with pytest.raises(ConfigError, match="results is empty"):
        validated(Config, {"pathvars": {"results": folder}}, "config.yaml")
