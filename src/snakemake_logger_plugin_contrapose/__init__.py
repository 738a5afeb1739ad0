"""A logger plugin for Snakemake: what runs, a line for each job that ends, and errors in their own words.

`contrapose run` uses it; with Snakemake itself, pass `--logger contrapose`.
"""

import os
import re
import shutil
import sys
import threading
import time
from collections.abc import Iterable, Mapping
from logging import WARNING, LogRecord
from pathlib import Path
from typing import Any

from snakemake.logging import DefaultFilter, DefaultFormatter
from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent

# Snakemake loads this before the workflow puts its own code in front of an installed package: `contrapose` is
# imported inside functions alone.
from snakemake_logger_plugin_contrapose.at_work import write_record
from snakemake_logger_plugin_contrapose.config_files import refuse_code
from snakemake_logger_plugin_contrapose.plain_errors import error_in_log, plain_error
from snakemake_logger_plugin_contrapose.remaining import Remaining, duration
from snakemake_logger_plugin_contrapose.running import Running, log_state, name_of, stopped_step

refuse_code(sys.argv)

# Snakemake's messages at the information level that a person needs: all is up to date; SIGTERM.
TOLD = ("Nothing to be done", "Will exit after finishing")
MERGED = "Config file "  # begins the message that --config changes the settings
SHOWN = {"tables": ".md", "figures": ".png"}  # folder: which of its files are listed at the end
COMPLETIONS, SHARD = "completions.parquet", re.compile(r"^\d+-of-\d+$")  # the answers of a language model
MOST = 6  # files in one line
AGAIN = "Run the same command again to continue."
CORRECTED = "Correct the error above, then run the same command again: it continues."
RETRIED = "the next run sends the requests with refused answers again, up to `max_attempts` times"
EVERY = 60.0  # seconds between two lines on what runs, where there is no terminal
INTERRUPTED = 130  # exit code after Ctrl-C, as shells have it: 128 + SIGINT
TOUCH = {"-t", "--touch"}  # with which Snakemake dates results and runs no job
interrupted = threading.Event()  # set at the first Ctrl-C
would_fail = threading.Event()  # set if the run that a dry run is about would fail


class LogHandler(LogHandlerBase):
    """Writes to standard error: on a terminal one line that changes, elsewhere lines only."""

    def __post_init__(self) -> None:
        self.begin, self.start = time.monotonic(), Path.cwd()
        self.done, self.total, self.failed = 0, 0, 0
        self.remaining = Remaining({})
        self.running: dict[int, Running] = {}
        self.made: list[Path] = []
        self.terminal = sys.stderr.isatty()
        self.line, self.waits, self.told = "", "", self.begin  # on the terminal; said last, and when
        self.ended = threading.Event()
        options = self.common_settings
        self.planned: list[Mapping[str, Any]] = []  # jobs of a dry run
        self.setFormatter(DefaultFormatter(options.quiet, options.show_failed_logs))
        self.addFilter(
            DefaultFilter(
                options.quiet, options.debug_dag, options.verbose, options.dryrun, options.printshellcmds
            )
        )

    @property
    def whole(self) -> bool:
        """Whether all messages of Snakemake are shown; of a dry run if a person asks for more or less."""
        options = self.common_settings
        asked = options.verbose or options.quiet or options.printshellcmds or options.debug_dag
        return options.verbose or (options.dryrun and bool(asked or project_at_hand() is None))

    writes_to_stream = True
    writes_to_file = False
    has_filter = True
    has_formatter = True
    needs_rulegraph = False

    def emit(self, record: LogRecord) -> None:
        """Process one record, and write a line if a job ended or something is wrong."""
        try:
            self._process(record, vars(record))
        except Exception:
            self.handleError(record)  # otherwise Snakemake hands over no further record

    def _process(self, record: LogRecord, event: Mapping[str, Any]) -> None:
        match event.get("event"):
            case LogEvent.WORKFLOW_STARTED if not self.common_settings.verbose:
                pass
            case None if record.getMessage().startswith(MERGED) and not self.common_settings.verbose:
                pass
            case LogEvent.JOB_FINISHED if not self.whole:
                self._finished(event["job_id"])
            case _ if interrupted.is_set():
                pass
            case LogEvent.ERROR if not self.common_settings.verbose:
                self._say(plain_error(record.getMessage(), event["exception"], self.start))
            case _ if self.whole:
                self._say(self.format(record))
            case LogEvent.JOB_INFO if self.common_settings.dryrun:
                self.planned.append(event)
            case LogEvent.RUN_INFO if not self.common_settings.dryrun:
                self._begin(event["stats"])
            case LogEvent.JOB_INFO:
                self.running[event["jobid"]] = _running(event)
            case LogEvent.JOB_ERROR:
                self._failed(event["jobid"], record)
            case _ if record.levelno >= WARNING or record.getMessage().startswith(TOLD):
                self._say(plain_error(self.format(record), ""))

    def _begin(self, stats: Mapping[str, int]) -> None:
        write_record()
        if not self.total:
            threading.Thread(target=self._watch, daemon=True).start()
        jobs = {rule: count for rule, count in stats.items() if rule not in {"total", *self._targets()}}
        self.total = sum(jobs.values())
        self.remaining = Remaining(jobs)

    def _targets(self) -> set[str]:
        """Return the rules that only ask for the files of others: studies, and all."""
        return {"all", *(project_at_hand().studies if project_at_hand() else ())}

    def _watch(self) -> None:
        """Tell what runs, from time to time."""
        while not self.ended.wait(1.0 if self.terminal else 5.0):
            with self.lock:  # type: ignore[union-attr]
                if self.running and not interrupted.is_set():
                    self._tell()

    def _tell(self) -> None:
        text, waits = self.status()
        if self.terminal:
            text = text[: shutil.get_terminal_size().columns - 1]
            print(f"\r{text.ljust(len(self.line))}", end="", file=sys.stderr, flush=True)
            self.line = text
        elif time.monotonic() - self.told >= EVERY or waits != self.waits:
            self._say(text)
        self.waits = waits

    def status(self) -> tuple[str, str]:
        """Return what runs and how long it will take, in words, and for what it waits, if for anything."""
        now = time.monotonic()
        states = [(job, log_state(job.logs)) for job in self.running.values()]
        # A job that waits for a server is told first, then one whose step is known.
        job, state = max(states, key=lambda one: (bool(one[1].waits), bool(one[1].step)))
        left = f", {duration(state.left)} left" if state.left is not None else ""
        step = f"{job.name}: {state.step or duration(now - job.begun)}{left}"
        more = len(states) - 1
        others = f" (and {more} more job{'s' * (more > 1)})" if more and not state.waits else ""
        rest = self.remaining.said((job.rule, now - job.begun, state.left) for job, state in states)
        jobs = f"{self.done} of {self.total} jobs{rest and f', {rest}'}"
        return f"{state.waits or step}{others}; {jobs}", state.waits

    def _finished(self, number: int) -> None:
        job = self.running.pop(number)
        if job.rule in self._targets():
            return
        self.done += 1
        seconds = time.monotonic() - job.begun
        self.remaining.finish(job.rule, seconds, 1 + len(self.running))
        self.made += [path for path in job.outputs if SHOWN.get(path.parent.name) == path.suffix]
        now = time.monotonic()
        running = ((each.rule, now - each.begun, log_state(each.logs).left) for each in self.running.values())
        rest = self.remaining.said(running) if self.done < self.total else ""
        counted = f"[{self.done:{len(str(self.total))}}/{self.total}]"
        self._say(f"{counted} {job.name}: {duration(seconds)}{rest and f', {rest}'}")
        for each in _refused(job.outputs):
            self._say(f"    {each}")

    def _failed(self, number: int, record: LogRecord) -> None:
        """Say what a job said last; if that is no message of ours, all that Snakemake says of it."""
        if interrupted.wait(1.0):  # seconds: at Ctrl-C a job may end before this process is told
            return
        job, self.failed = self.running.pop(number), self.failed + 1
        message, logs = error_in_log(job.logs), ", ".join(map(self._seen, job.logs))
        self._say(f"{job.name} failed: {message}\nLog: {logs}" if message else self.format(record))

    def close(self) -> None:
        """Write at the end how far the run came, and where the tables and figures are."""
        if not self.ended.is_set():
            self.ended.set()
            self._say(self._ending())
            if self.planned and not interrupted.is_set():
                _say_outline(self.planned)
        super().close()

    def _ending(self) -> str:
        if interrupted.is_set() and not self.total:
            return "The run was interrupted before its first job."
        if interrupted.is_set():
            steps = {job.name: stopped_step(job.logs) for job in self.running.values()}
            after = "".join(f" Stopped {name} after {step}." for name, step in steps.items() if step)
            return f"The run was interrupted after {self.done} of {self.total} jobs.{after} {AGAIN}"
        if self.failed and self.done < self.total:
            return (
                f"The run ended with an error after {self.done} of {self.total} jobs. Finished results "
                f"are kept. {CORRECTED}"
            )
        if TOUCH & {*sys.argv}:
            return (
                f"--touch built nothing. It gave the results of {self.done} jobs a new date, so "
                "Snakemake treats them as up to date, even if they come from other settings or code. "
                "`contrapose status` lists these results."
            )
        if self.made:
            shown = ", ".join(map(self._seen, self.made[:MOST]))
            more = f" and {len(self.made) - MOST} more" if len(self.made) > MOST else ""
            return f"{self.done} jobs in {duration(time.monotonic() - self.begin)}. Built: {shown}{more}"
        return ""

    def _seen(self, path: Path) -> str:
        """Return the path of a file of the project from the folder of the call."""
        return os.path.relpath(path, self.start)

    def _say(self, text: str) -> None:
        """Write lines, in place of the one that changes."""
        if self.line:
            print(f"\r{' ' * len(self.line)}\r", end="", file=sys.stderr)
            self.line = ""
        if text:
            print(text, file=sys.stderr, flush=True)
            self.told = time.monotonic()


def _running(event: Mapping[str, Any]) -> Running:
    outputs, logs = ([Path(str(path)) for path in event[which] or []] for which in ("output", "log"))
    name = name_of(event["rule_name"], dict(event["wildcards"] or {}))
    return Running(event["rule_name"], name, outputs, logs, time.monotonic())


def project_at_hand() -> Any:
    """Return the project of the workflow that was read; None of a workflow that is not ours."""
    module = sys.modules.get("contrapose.project.at_hand")
    return module and module.at_hand()


def answer(lines: Iterable[str]) -> None:
    """Print on standard output; in silence if what reads it has ended, as `head` does."""
    try:
        print("".join(f"{line}\n" for line in lines), end="", flush=True)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for what is left to be written


def _say_outline(planned: Iterable[Mapping[str, Any]]) -> None:
    """Print what a run would do, where Snakemake prints its dry run, and note if it would fail."""
    from contrapose.tools.dry_run import job_of
    from contrapose.tools.outline import FAILS, outline

    lines = [*outline(project_at_hand(), list(map(job_of, planned)))]
    if any(line.startswith(FAILS) for line in lines):
        would_fail.set()
    answer(lines)


def _refused(outputs: list[Path]) -> list[str]:
    """Say how many answers of language models a job did not accept, and why; of a shard its merge says it."""
    asked = [path for path in outputs if path.name == COMPLETIONS and not SHARD.search(path.parent.name)]
    if not asked:
        return []
    import pandas as pd

    from contrapose.generate.refused import Tally

    tallies = [Tally.of(pd.read_parquet(path, columns=["answer", "refused"])) for path in asked]
    return [
        f"{path.parent}: {tally} ({RETRIED})"
        for path, tally in zip(asked, tallies, strict=True)
        if tally.codes
    ]
