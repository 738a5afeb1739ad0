import subprocess
import sys
from pathlib import Path

import pytest

from contrapose.base.errors import ConfigError, ContraposeError
from contrapose.project import Project
from contrapose.project.reports import no_files
from snakemake_logger_plugin_contrapose.plain_errors import OWN, error_in_log, locked, plain_error
from tests.checkout import HOME

AT = 'file "a.smk", line 8'
FAILED = 'Error:\n  ConfigError: No key.\nWildcards:\n  a=b\nTraceback:\n  File "a"'
HINT = " `contrapose list` shows all studies, tables and figures."


def test_every_error_of_ours_is_known():
    assert {f"{name}Error" for name in OWN} == {each.__name__ for each in ContraposeError.__subclasses__()}


@pytest.mark.parametrize(
    ("exception", "text", "said"),
    [
        ("WorkflowError", f'WorkflowError in {AT}:\nNo\nkey.\n  File "a.smk", line 8, in f', "No\nkey."),
        ("InputFunctionException", f"InputFunctionException in rule x in {AT}:\n{FAILED}", "No key."),
        ("KeyError", "Traceback (most recent call last):\n  File x\nKeyError: 'a'", ...),
        (
            "PermissionError",
            "Traceback (most recent call last):\n  File x\nPermissionError: [Errno 13] No access: '/a'\n",
            "/a: this file or folder cannot be used (No access). Change its permissions. The folders of "
            "caches can be elsewhere: set XDG_CACHE_HOME, and HF_HOME for models of the hub.",
        ),
        ("WorkflowError", "WorkflowError:\nAt least one job did not complete successfully.", ""),
    ],
)
def test_only_the_message_of_an_error_is_left(exception, text, said):
    assert plain_error(text, exception) == (text if said is ... else said)


@pytest.mark.parametrize(
    ("target", "near"),
    [
        ("thessis", "thesis"),
        ("table4_2", "results/tables/table4_2.csv"),
        ("results/table/tabel4_2.csv", "results/tables/table4_2.csv"),
    ],
)
def test_a_target_that_is_none_has_its_nearest_one_named(target, near):
    text = f"MissingRuleException:\nNo rule to produce {target} (if you use input functions make sure ...)."
    said = plain_error(text, "MissingRuleException")
    assert said == f"There is no study, table or file '{target}'. Did you mean '{near}'?{HINT}"


def test_a_list_of_targets_is_that_of_the_project_of_the_call(monkeypatch):
    monkeypatch.setenv("CONTRAPOSE_DIRECTORY", "mine")
    text = "MissingRuleException:\nNo rule to produce thessis (if you use input functions make sure ...)."
    said = plain_error(text, "MissingRuleException")
    assert said.endswith("`contrapose list --directory mine` shows all studies, tables and figures.")
    wildcards = plain_error("Target rules may not contain wildcards.", "WorkflowError")
    assert "Name a target of `contrapose list --directory mine`, or add --until RULE" in wildcards


def test_a_table_that_is_none_is_named_with_the_nearest_one():
    with pytest.raises(
        ConfigError, match=r"^There is no table 'table4_22'\. Did you mean 'table4_2'\? Known"
    ):
        no_files(Project({}, HOME), "tables", "table4_22")


def test_an_error_in_a_log_is_the_last_one_and_no_traceback(tmp_path):
    log = tmp_path / "x.log"
    log.write_text("ConfigError: one.\nBackendError: two.\ntrain:  45%|# | 27/60 [00:33<01:14,  2.25s/step]")
    assert error_in_log([log]) == "two."
    log.write_text(
        "\rtrain:  0%| | 6/9 [00:00<?, ?step/s]StoppedError: SIGINT: stopped.\n"
    )  # no line of its own
    assert error_in_log([log]) == "SIGINT: stopped."
    log.write_text("OSError: No space left on device. What was made before is kept. Make room.\n")
    assert error_in_log([log]) == log.read_text().strip()
    log.write_text("ConfigError: one.\nTraceback (most recent call last):\nKeyError: 'a'\n")
    assert error_in_log([log]) == ""
    assert error_in_log([tmp_path / "none.log"]) == ""
    log.write_text("2026-11-28 12:00:00,000 step 7 of 100\n")
    assert error_in_log([log]).startswith(
        "The job was probably killed, because its log ends without an error."
    )


def test_a_locked_folder_names_who_is_at_work_or_how_to_unlock_it(tmp_path, monkeypatch):
    folder = tmp_path / "my own"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "argv", ["snakemake", "--config", "data=/my data", "seeds=1", "--", "all"])
    assert "contrapose run --unlock --directory 'my own' --config 'data=/my data' seeds=1\n" in locked(
        tmp_path
    )
    monkeypatch.setattr(sys, "argv", ["snakemake", "--cores", "2", "--", "all"])
    assert "    contrapose run --unlock --directory 'my own'\n" in locked(tmp_path)
    assert "    contrapose run --unlock\n" in locked(folder)
    if not Path("/proc").is_dir():
        return
    run = (
        "Another run uses the same files in {0} (process {1}). Wait until it ends, or stop it with Ctrl-C in "
        "its terminal."
    )
    job = (
        "The run in {0} was killed, but jobs of it still work there (process {1}). They keep what they make, "
        "such as answers of a language model. Wait until they end, or stop them with the command: kill {1}"
    )
    for name, said in (("snakemake", run), (f"{folder}/.snakemake/scripts/tmp1.run.py", job)):
        sleeps = [sys.executable, "-c", f"print(flush=True); input()  # {name}"]
        with subprocess.Popen(sleeps, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
            other.stdout.readline()
            assert locked(tmp_path) == said.format(folder, other.pid)
            other.communicate(b"\n")


def test_a_target_in_a_folder_that_is_no_project_says_so(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = "MissingRuleException:\nNo rule to produce compare (if you use input functions make sure ...)."
    assert plain_error(text, "MissingRuleException") == (
        f"{tmp_path} is not a project, because it has no config/config.yaml. Name the folder of a project "
        "with `contrapose run --directory FOLDER`, or create one with `contrapose init FOLDER`."
    )


@pytest.mark.parametrize("option", ["-U", "--until", "-R", "--forcerun"])
@pytest.mark.parametrize("words", ["{} train trainn", "{}=trainn"])
def test_a_rule_that_is_none_says_what_lists_the_rules(words, option, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["snakemake", *words.format(option).split(), "--", "compare"])
    monkeypatch.setenv("CONTRAPOSE_DIRECTORY", "mine")
    text = "MissingRuleException:\nNo rule to produce trainn (if you use input functions make sure ...)."
    assert plain_error(text, "MissingRuleException") == (
        f"{option} trainn: there is no rule, study or file of this name. "
        "`contrapose run --directory mine --list-rules` shows all rules, and "
        "`contrapose list --directory mine` shows all studies, tables and figures."
    )
