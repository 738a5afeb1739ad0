"""What is looked at when work begins: folders that can be written, keys that are set."""

import errno
import json
import re
import sys
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import MagicMock

import pytest

from contrapose.base.errors import BackendError, ConfigError
from contrapose.project import Project, steps
from contrapose.settings.catalogs import Connection
from contrapose.settings.cli_config import given_config
from contrapose.tables import COMPLETIONS, empty, write_table
from contrapose.tools import start
from contrapose.tools.start import (
    asked_llms,
    check_container,
    check_cores,
    check_key,
    check_not_asked_again,
    check_rules,
    check_version,
    check_writable,
)
from tests.checkout import HOME

RULES = ["train_encoder", "train_encoders", "evaluate_suite"]
PAID = Connection(role="chatgpt", endpoint="https://api.example.org/v1", key="CONTRAPOSE_TEST_KEY")


def test_a_folder_that_can_be_written_is_made_and_stays_empty(tmp_path: Path):
    check_writable(tmp_path / "results/mini", "results")
    assert list((tmp_path / "results/mini").iterdir()) == []


def test_a_folder_that_cannot_be_written_says_why_and_how_to_choose_another(tmp_path, monkeypatch):
    disk = MagicMock()
    disk().__enter__().write.side_effect = OSError(errno.ENOSPC, "no more of this")
    monkeypatch.setattr(start.tempfile, "TemporaryFile", disk)
    message = rf"'{tmp_path}' cannot be written \(no more of this\)\..*pathvars='{{results: "
    with pytest.raises(BackendError, match=f"results: the folder {message}"):
        check_writable(tmp_path, "results")


def test_a_working_directory_that_cannot_be_written_is_refused(monkeypatch, tmp_path: Path):
    monkeypatch.chdir(tmp_path)
    start.check_working_directory()
    monkeypatch.setattr(start.os, "access", lambda path, mode: str(path) != ".")
    with pytest.raises(BackendError, match=f"The folder '{tmp_path}' cannot be written"):
        start.check_working_directory()
    (tmp_path / ".snakemake").mkdir()  # records on another disk
    start.check_working_directory()


def test_a_folder_for_temporary_files_that_cannot_be_written_is_named(tmp_path: Path, monkeypatch):
    start.check_temporary_folder()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "gone"))
    with pytest.raises(BackendError, match=r"temporary files, '.*gone', cannot be written \(No such file"):
        start.check_temporary_folder()


def test_no_cores_are_refused_as_no_job_would_start():
    check_cores(None)
    with pytest.raises(ConfigError, match="--cores is 0, so no job would ever start"):
        check_cores(0)


def test_rules_of_another_version_than_the_installed_package_are_refused(tmp_path: Path):
    check_version(HOME / "pyproject.toml")
    (tmp_path / "pyproject.toml").write_text('[project]\nversion = "0.0.1"')
    with pytest.raises(
        ConfigError,
        match=(
            r"The workflow has version 0\.0\.1 of contrapose, "
            rf"but the installed package has version {re.escape(version('contrapose'))}"
        ),
    ):
        check_version(tmp_path / "pyproject.toml")


def test_a_key_is_asked_for_only_while_nothing_is_answered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("CONTRAPOSE_TEST_KEY", raising=False)
    (tmp_path / "wiki-0-of-2.jsonl").touch()  # of a job that could not ask
    with pytest.raises(ConfigError, match="the environment variable CONTRAPOSE_TEST_KEY is not set"):
        check_key(PAID, tmp_path)
    (tmp_path / "wiki-0-of-2.jsonl").write_text("{}\n")  # a rebuild from old answers needs no key
    check_key(PAID, tmp_path)
    check_key(PAID.model_copy(update={"key": None}), tmp_path / "none")
    monkeypatch.setenv("CONTRAPOSE_TEST_KEY", "sk-1")
    check_key(PAID, tmp_path / "none")


def test_a_container_that_nobody_named_or_that_is_not_there_is_an_error_before_the_first_job(tmp_path):
    for image, says in (
        (None, "with --sdm apptainer, jobs need a container image"),
        ("x", "'x' does not exist"),
    ):
        with pytest.raises(ConfigError, match=f"container: {says}"):
            check_container(image)
    check_container("docker://example.org/contrapose:1")
    check_container(str(tmp_path))  # apptainer takes a folder, too


def test_only_jobs_that_ask_need_their_language_model():
    project = Project({}, HOME)
    asking = {"llm": "vicuna", "corpus": "wiki", "prompt": "1"}
    rules = {"generate_paraphrase": asking, "generate_merge": {**asking, "llm": "chatgpt"}, "all": {}}
    jobs = [SimpleNamespace(rule=SimpleNamespace(name=rule), wildcards=each) for rule, each in rules.items()]
    assert asked_llms(project, jobs) == {"vicuna"}


def test_answers_that_are_there_are_not_asked_for_again_without_a_word(tmp_path: Path, monkeypatch):
    project = Project({"endpoint": "http://localhost:1/v1"}, HOME)
    wildcards = {"llm": "chatgpt", "corpus": "wiki", "prompt": "1", "shard": "0", "shards": "1"}
    answers, rule = tmp_path / "0-of-1.parquet", "generate_paraphrase"
    job = SimpleNamespace(rule=SimpleNamespace(name=rule), wildcards=wildcards, output=[answers])
    made = {
        "rule": rule,
        "wildcards": wildcards,
        "settings": json.loads(steps.settings(project, rule, wildcards)),
        "code": steps.code(project, rule, wildcards),
    }

    def check(project: Project = project, forced: bool = False) -> None:
        check_not_asked_again(project, [job], lambda job: forced, lambda role: str(tmp_path / role))

    check()  # the first time
    write_table(empty(COMPLETIONS), answers, COMPLETIONS, {**made, "code": "of another version"})
    check()  # other questions, perhaps
    write_table(empty(COMPLETIONS), answers, COMPLETIONS, made)
    says = rf"existing answers .* again, .* twice:\n  {answers} \(0 answers\)\n.*--forcerun {answers}"
    with pytest.raises(ConfigError, match=says):
        check()
    monkeypatch.setattr(sys, "argv", ["snakemake", "--config", "seeds=2"])
    with pytest.raises(ConfigError, match="contrapose run --config seeds=2 --forcerun"):
        check()
    check(forced=True)
    check(Project({}, HOME))  # no server: code of the mini world
    (tmp_path / "chatgpt").mkdir()
    (tmp_path / "chatgpt/0-of-1.jsonl").write_text("{}\n")
    check()  # only what the journal lacks is asked for


def test_answers_of_a_recording_are_read_again_without_a_word(tmp_path: Path, monkeypatch):
    monkeypatch.chdir(HOME / "examples/wiki")
    project, rule, answers = (
        Project(given_config([]), HOME),
        "generate_paraphrase",
        tmp_path / "0-of-1.parquet",
    )
    wildcards = {"llm": "writer", "corpus": "sentences", "prompt": "2", "shard": "0", "shards": "1"}
    job = SimpleNamespace(rule=SimpleNamespace(name=rule), wildcards=wildcards, output=[answers])
    settings, code = (getattr(steps, name)(project, rule, wildcards) for name in ("settings", "code"))
    made = {"rule": rule, "wildcards": wildcards, "settings": json.loads(settings), "code": code}
    write_table(empty(COMPLETIONS), answers, COMPLETIONS, made)
    check_not_asked_again(project, [job], lambda job: False, lambda role: str(tmp_path / role))


@pytest.mark.parametrize(
    "words", ["-O train_encoderr", "-O evaluate_suite train_encoderr -n", "--omit-from=train_encoderr"]
)
def test_a_rule_to_omit_that_is_none_is_told_with_the_nearest(words, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["snakemake", *words.split(), "--", "compare"])
    monkeypatch.setenv("CONTRAPOSE_DIRECTORY", "mine")
    with pytest.raises(ConfigError) as raised:
        check_rules(RULES)
    assert str(raised.value) == (
        f"{re.split('[ =]', words)[0]} train_encoderr: there is no rule of this name. Did you mean "
        "'train_encoder' or 'train_encoders'? `contrapose run --directory mine --list-rules` shows all rules."
    )


@pytest.mark.parametrize("words", ["-R training -n", "--forcerun=training", "-U training"])
def test_a_rule_to_run_that_is_none_is_told_with_the_one_that_a_dry_run_calls_so(words, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["snakemake", *words.split(), "--", "compare"])
    monkeypatch.delenv("CONTRAPOSE_DIRECTORY", raising=False)
    option = re.split("[ =]", words)[0]
    with pytest.raises(ConfigError) as raised:
        check_rules(RULES)
    assert str(raised.value) == (
        f"{option} training: there is no rule of this name. Did you mean 'train_encoder'? "
        "`contrapose run --list-rules` shows all rules."
    )


def test_the_beginning_of_rules_is_answered_with_rules_that_begin_so(monkeypatch):
    monkeypatch.setattr(sys, "argv", ["snakemake", "-R", "train", "--", "compare"])
    rules = [
        "rain",
        "trainer",
        *(f"train_{each}" for each in ("glove", "flow", "encoder", "averaged", "tension")),
    ]
    with pytest.raises(ConfigError) as raised:
        check_rules([*rules, "strain"])
    named = re.findall("'(.*?)'", str(raised.value))
    assert str(raised.value).startswith("-R train: there is no rule of this name. Did you mean 'trainer' or ")
    assert "train_encoder" in named
    assert len(named) == 5


@pytest.mark.parametrize(
    "words", ["-R own.csv -n", "--omit-from train_encoder", "-O results/pairs/dropout.parquet", "-n"]
)
def test_rules_and_files_can_be_omitted(words, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["snakemake", *words.split(), "--", "compare"])
    check_rules(RULES)
