"""A logger plugin of Snakemake: one line for each job that ends, and at the end the tables and pictures.

`contrapose run` uses it; with Snakemake itself it is `--logger contrapose`.
"""

import sys
import time
from logging import WARNING, LogRecord
from pathlib import Path

from snakemake.logging import DefaultFormatter
from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent

NOTHING = "Nothing to be done"  # how Snakemake says that all is up to date
SHOWN = (".csv", ".png", ".html")  # of what is made for people; the same as Parquet is for programs


class LogHandler(LogHandlerBase):
    """Writes to standard error what a person who waits wants to know; errors as Snakemake writes them."""

    def __post_init__(self) -> None:
        self.begin, self.done, self.total = time.monotonic(), 0, 0
        self.jobs: dict[int, str] = {}
        self.started: dict[int, float] = {}
        self.outputs: dict[int, list[str]] = {}
        self.made: list[str] = []
        self.setFormatter(DefaultFormatter(show_failed_logs=self.common_settings.show_failed_logs))

    writes_to_stream = True
    writes_to_file = False
    has_filter = True
    has_formatter = True
    needs_rulegraph = False

    def emit(self, record: LogRecord) -> None:
        """Take up what one record says, and write a line if a job ended or something is wrong."""
        said = vars(record)
        match said.get("event"):
            case LogEvent.RUN_INFO:
                self.total = said["stats"]["total"] if "stats" in said else 0
            case LogEvent.JOB_INFO:
                number, ids = said["jobid"], dict(said["wildcards"] or {}).values()
                self.jobs[number] = " ".join([said["rule_name"], *ids])
                self.outputs[number] = list(map(str, said["output"] or []))
                self.started[number] = time.monotonic()
            case LogEvent.JOB_FINISHED:
                self._finished(said["job_id"])
            case _ if record.levelno >= WARNING or NOTHING in record.getMessage():
                self._say(self.format(record))

    def _finished(self, number: int) -> None:
        self.done += 1
        self.made += [
            path for path in self.outputs.get(number, ()) if "/tables/" in path or "/figures/" in path
        ]
        took = time.monotonic() - self.started.get(number, time.monotonic())
        passed = time.monotonic() - self.begin
        left = passed / self.done * max(0, self.total - self.done)
        width = len(str(self.total))
        counted = f"[{self.done:{width}}/{self.total}]"
        self._say(
            f"{counted} {self.jobs.get(number, '?')}: {_time(took)}"
            + (f", about {_time(left)} left" if left else "")
        )

    def close(self) -> None:
        """Say at the end where the tables and the pictures are."""
        shown = [path for path in self.made if Path(path).suffix in SHOWN]
        if shown:
            passed = _time(time.monotonic() - self.begin)
            self._say(f"{self.done} jobs in {passed}. Made: {', '.join(shown)}")
            self.made = []
        super().close()

    def _say(self, text: str) -> None:
        print(text, file=sys.stderr, flush=True)


def _time(seconds: float) -> str:
    """Return a time as a person says it."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
