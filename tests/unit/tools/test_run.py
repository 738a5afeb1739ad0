import logging
import os

import pandas as pd
import pytest
from snakemake.settings.types import OutputSettings
from snakemake_interface_logger_plugins.common import LogEvent

from contrapose.errors import ConfigError
from contrapose.home import HOME
from contrapose.tools import run
from snakemake_logger_plugin_contrapose import LogHandler


@pytest.fixture
def called(monkeypatch, tmp_path):
    """Return what Snakemake is called with."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(os, "execv", lambda _, command: calls.append(command[3:]))
    monkeypatch.setenv("PATH", os.environ["PATH"])
    calls: list[list[str]] = []

    def call(*arguments: str) -> list[str]:
        run.main(list(arguments))
        return calls.pop()

    return call


def test_by_default_all_cores_the_workflow_and_the_settings_of_the_package(called):
    places = ["--snakefile", f"{HOME}/Snakefile", "--configfile", f"{HOME}/config/config.yaml"]
    assert called("--", "all") == [*places, *["--cores", "all", "--logger", "contrapose", "--", "all"]]


def test_a_folder_with_settings_or_a_workflow_of_its_own_keeps_them(called, tmp_path):
    own = tmp_path / "own"
    (own / "config").mkdir(parents=True)
    (own / "config/config.yaml").write_text("")
    for option in (["--directory", str(own)], [f"--directory={own}"], ["-d", str(own)]):
        assert "--configfile" not in called(*option)
        assert called(*option)[:2] == ["--snakefile", f"{HOME}/Snakefile"]
    (own / "Snakefile").write_text("")  # not in the current folder, where Snakemake would look
    assert called("-d", str(own))[:2] == ["--snakefile", f"{own}/Snakefile"]


def test_a_folder_that_is_not_there_is_not_made(called):
    with pytest.raises(ConfigError, match="--directory nowhere: is not a folder"):
        called("--directory", "nowhere", "--", "compare")


@pytest.mark.parametrize("option", [["--cores", "2"], ["--cores=2"], ["-n"], ["--profile", "slurm"]])
def test_who_says_how_many_jobs_run_is_not_overruled(called, option):
    assert ["--cores", "all"] not in [called(*option)[at : at + 2] for at in range(8)]


def record(level=logging.INFO, text="", **said) -> logging.LogRecord:
    made = logging.LogRecord("snakemake", level, "", 0, text, None, None)
    vars(made).update(said)
    return made


def test_a_line_for_each_job_what_was_refused_and_the_tables_at_the_end(capsys, tmp_path):
    answers = pd.DataFrame({"answer": ["Sure!", "1. x"], "refused": ["talking", ""]})
    asked = [tmp_path / "0-of-1/completions.parquet", tmp_path / "writer/completions.parquet"]
    for path in asked:
        path.parent.mkdir()
        answers.to_parquet(path)
    handler = LogHandler(OutputSettings(show_failed_logs=True), None)
    handler.emit(record(event=LogEvent.RUN_INFO, stats={"total": 4}))
    tables = ["results/tables/t.csv", "results/tables/t.png"]
    jobs = {"train_encoder": ["results/train/x"], "generate_paraphrase": asked[:1]}
    jobs |= {"generate_merge": asked[1:], "report_table": tables}
    for number, (rule, outputs) in enumerate(jobs.items()):
        info = {"rule_name": rule, "wildcards": {"pairs": "dropout"}, "output": outputs}
        handler.emit(record(event=LogEvent.JOB_INFO, jobid=number, **info))
        handler.emit(record(text="resources: mem_mb=7"))  # what Snakemake says on the way
        handler.emit(record(event=LogEvent.JOB_FINISHED, job_id=number))
    handler.emit(record(logging.ERROR, "the disk is full"))
    handler.close()
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].startswith("[1/4] train_encoder dropout: 0 s")
    assert lines[1].startswith("[2/4] generate_paraphrase")
    assert lines[2].startswith("[3/4] generate_merge")
    refused = '1 of 2 answers are refused: talking 1, such as "Sure!"'
    assert lines[3] == f"    {asked[1].parent}: {refused}"
    assert lines[4:6] == ["[4/4] report_table dropout: 0 s", "the disk is full"]
    assert lines[6:] == ["4 jobs in 0 s. Made: results/tables/t.csv, results/tables/t.png"]


def test_a_dry_run_says_all_that_snakemake_says(capsys):
    handler = LogHandler(OutputSettings(dryrun=True), None)
    handler.emit(record(text="This was a dry-run."))
    assert capsys.readouterr().err == "This was a dry-run.\n"
