import logging
from pathlib import Path

import pytest
from snakemake.settings.types import OutputSettings
from snakemake_interface_logger_plugins.common import LogEvent

import snakemake_logger_plugin_contrapose as plugin
from contrapose.tools import outline
from snakemake_logger_plugin_contrapose import LogHandler


@pytest.fixture
def clock(monkeypatch):
    """Return a list with the time, in seconds."""
    now = [0.0]
    monkeypatch.setattr(plugin.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(LogHandler, "_watch", lambda self: None)
    return now


@pytest.fixture
def handler(clock, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return LogHandler(OutputSettings(show_failed_logs=True), None)


def record(level=logging.INFO, text="", **said) -> logging.LogRecord:
    made = logging.LogRecord("snakemake", level, "", 0, text, None, None)
    vars(made).update(said)
    return made


def begin(handler: LogHandler, number: int, rule: str, *outputs: str, **wildcards: str) -> Path:
    """Begin a job; return its log."""
    log = Path(f"logs/{number}.log")
    log.parent.mkdir(exist_ok=True)
    info = {"rule_name": rule, "wildcards": wildcards, "output": outputs, "log": [str(log)]}
    handler.emit(record(event=LogEvent.JOB_INFO, jobid=number, input=[], reason="", **info))
    return log


def end(handler: LogHandler, number: int) -> None:
    handler.emit(record(event=LogEvent.JOB_FINISHED, job_id=number))


def plan(handler: LogHandler, **jobs: int) -> None:
    handler.emit(record(event=LogEvent.RUN_INFO, stats={**jobs, "total": sum(jobs.values())}))


def lines(capsys) -> list[str]:
    return capsys.readouterr().err.splitlines()


def test_a_line_for_each_job_and_what_people_read_at_the_end(handler, clock, capsys):
    plan(handler, train_encoder=1, report_sts_table=1)
    begin(handler, 0, "train_encoder", "results/train/x", pairs="dropout", recipe="simcse", seed="42")
    handler.emit(record(text="resources: mem_mb=7"))  # what Snakemake says on the way
    clock[0] = 60.0
    end(handler, 0)
    files = [f"results/tables/t.{end}" for end in ("csv", "md", "png", "parquet")]
    begin(handler, 1, "report_sts_table", *files, table="t")
    end(handler, 1)
    handler.close()
    assert lines(capsys) == [
        "[1/2] training dropout (simcse, seed 42): 60 s, about 0 s left",
        "[2/2] making table t: 0 s",
        "2 jobs in 60 s. Built: results/tables/t.md",
    ]


@pytest.mark.parametrize("option", ["--touch", "-t"])
def test_results_that_were_dated_alone_are_not_called_made(option, handler, capsys, monkeypatch):
    monkeypatch.setattr(plugin.sys, "argv", ["snakemake", option, "--", "results/tables/t.md"])
    plan(handler, report_sts_table=1)
    begin(handler, 0, "report_sts_table", "results/tables/t.md", table="t")
    end(handler, 0)
    handler.close()
    said = lines(capsys)[-1]
    assert "Built" not in said
    assert said.startswith("--touch built nothing. It gave the results of 1 jobs a new date")
    assert "`contrapose status` lists these" in said


def test_what_does_not_run_on_a_terminal_gets_whole_lines_from_time_to_time(handler, clock, capsys):
    plan(handler, generate_paraphrase=2)
    log = begin(handler, 0, "generate_paraphrase", corpus="wiki", shard="0", shards="1")
    clock[0] = 59.0
    handler._tell()
    clock[0] = 61.0
    log.write_text("chatgpt, prompt 1:  25%|##5       | 10/40 [00:10<00:30,  1.00 sentences/s, 7 tokens]\n")
    handler._tell()
    log.write_text(
        "7:00 http://localhost:8017/v1 does not answer (refused); trying for 4 more minutes\nx: 0\n"
    )
    handler._tell()  # at once
    log.write_text(f"{log.read_text()}http://localhost:8017/v1 answers again\n")
    handler._tell()
    running = "generating paraphrase wiki"
    assert lines(capsys) == [
        f"{running}: 10 of 40 sentences, 30 s left; 0 of 2 jobs, about 2 min left",
        "No server at http://localhost:8017/v1. Start it: the run goes on by itself. It tries for 4 more "
        "minutes, and Ctrl-C stops it; 0 of 2 jobs",
        f"{running}: 61 s; 0 of 2 jobs",
    ]


@pytest.mark.parametrize(
    ("logged", "said"),
    [
        (
            "https://example.org/v1 does not answer (no route)",
            "https://example.org/v1 does not answer. When it does, the run goes on by itself. It tries for 4 "
            "more minutes, and Ctrl-C stops it",
        ),
        (
            "http://localhost:1/v1: the server is overloaded (503)",
            "http://localhost:1/v1: the server is overloaded; trying for 4 more minutes",
        ),
    ],
)
def test_what_a_job_waits_for_is_told_with_what_to_do_and_without_other_jobs(logged, said, handler, clock):
    plan(handler, generate_paraphrase=2, corpus_sample=1)
    begin(handler, 0, "generate_paraphrase", corpus="wiki").write_text(
        f"7:00 {logged}; trying for 4 more minutes\n"
    )
    begin(handler, 1, "corpus_sample", corpus="wiki")
    assert handler.status()[0] == f"{said}; 0 of 3 jobs"


def test_a_job_that_fails_by_an_error_of_ours_says_its_message_once(handler, capsys):
    plan(handler, corpus_sample=2)
    log = begin(handler, 0, "corpus_sample", corpus="wiki")
    log.write_text("12:00 begun\nTableError: a.txt: has 1 sentence,\nthe corpus needs 2.\n")
    lost = "RuleException:\nCalledProcessError in file x.smk, line 3:\nCommand 'python' returned 1."
    handler.emit(record(logging.ERROR, lost, event=LogEvent.ERROR, exception="RuleException"))
    handler.emit(record(logging.ERROR, event=LogEvent.JOB_ERROR, jobid=0))
    handler.emit(record(logging.ERROR, "Exiting because a job execution failed. Look above ..."))
    last = "WorkflowError:\nAt least one job did not complete successfully."
    handler.emit(record(logging.ERROR, last, event=LogEvent.ERROR, exception="WorkflowError"))
    handler.close()
    assert lines(capsys) == [
        "sampling sample wiki failed: a.txt: has 1 sentence,",
        "the corpus needs 2.",
        "Log: logs/0.log",
        "The run ended with an error after 0 of 2 jobs. Finished results are kept. "
        "Correct the error above, then run the same command again: it continues.",
    ]


def test_a_job_that_fails_by_a_fault_of_the_program_shows_its_whole_log(handler, capsys):
    plan(handler, corpus_sample=1)
    log = begin(handler, 0, "corpus_sample")
    log.write_text("ConfigError: seen\nTraceback (most recent call last):\n  File x\nKeyError: 'a'\n")
    about = dict.fromkeys(["msg", "rule_msg", "input", "output", "conda_env", "shellcmd"])
    about |= {"rule_name": "corpus_sample", "aux": {}, "log": [str(log)]}
    handler.emit(record(logging.ERROR, event=LogEvent.JOB_ERROR, jobid=0, **about))
    assert "KeyError: 'a'" in lines(capsys)


def test_after_ctrl_c_it_says_from_where_the_same_command_goes_on(handler, capsys):
    plan(handler, train_encoder=16)
    log = begin(handler, 0, "train_encoder", pairs="crop", seed="42")
    plugin.interrupted.set()
    try:
        log.write_text("StoppedError: SIGINT: stopped after step 12 of 16, and its state is saved.\n")
        handler.emit(record(logging.ERROR, event=LogEvent.JOB_ERROR, jobid=0))
        handler.close()
    finally:
        plugin.interrupted.clear()
    assert lines(capsys) == [
        "The run was interrupted after 0 of 16 jobs. Stopped training crop (seed 42) after step 12 of 16. "
        "Run the same command again to continue."
    ]


def test_a_dry_run_of_what_would_fail_is_noted_for_the_exit_code(capsys, monkeypatch):
    monkeypatch.setattr(plugin, "project_at_hand", lambda: "the project")
    for said, fails in ("2 jobs would run.", False), ("A run would fail. GPU: none", True):
        monkeypatch.setattr(outline, "outline", lambda project, jobs, said=said: [said])
        plugin._say_outline([])
        assert plugin.would_fail.is_set() is fails
    plugin.would_fail.clear()


@pytest.mark.parametrize("ours", [True, False])
@pytest.mark.parametrize("asked", [{}, {"verbose": True}, {"printshellcmds": True}])
def test_a_dry_run_of_our_workflow_is_an_outline_unless_more_is_asked_for(capsys, monkeypatch, ours, asked):
    monkeypatch.setattr(plugin, "project_at_hand", lambda: "the project" if ours else None)
    monkeypatch.setattr(outline, "outline", lambda project, jobs: [f"{len(jobs)} jobs of {project}"])
    handler = LogHandler(OutputSettings(dryrun=True, **asked), None)
    plan(handler, train_encoder=2)
    begin(handler, 0, "train_encoder", "x")
    begin(handler, 1, "train_encoder", "y")
    handler.emit(record(text="This was a dry-run."))
    handler.close()
    said = capsys.readouterr()
    if ours and not asked:
        assert said == ("2 jobs of the project\n", "")
    else:
        assert said.err.endswith("This was a dry-run.\n")
        assert said.out == ""
