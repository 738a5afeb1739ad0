"""A logger plugin for Snakemake: one line for each job that ends, and at the end the tables and figures.

`contrapose run` uses it; with Snakemake itself, pass `--logger contrapose`.
"""

import re
import sys
import time
from logging import WARNING, LogRecord
from pathlib import Path
from typing import NamedTuple

from snakemake.logging import DefaultFilter, DefaultFormatter
from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent

NOTHING = "Nothing to be done"  # Snakemake's message that all is up to date
SHOWN = (".csv", ".png")  # formats of tables and figures listed at the end
COMPLETIONS, SHARD = "completions.parquet", re.compile(r"^\d+-of-\d+$")  # the answers of a language model
MOST = 6  # files in one line


class Begun(NamedTuple):
    """A running job."""

    name: str  # its rule and wildcards
    outputs: list[Path]
    time: float


class LogHandler(LogHandlerBase):
    """Writes progress to standard error, and errors as Snakemake writes them."""

    def __post_init__(self) -> None:
        self.begin, self.done, self.total = time.monotonic(), 0, 0
        self.running: dict[int, Begun] = {}
        self.made: list[Path] = []
        options = self.common_settings
        self.whole = options.dryrun or options.verbose  # all messages of Snakemake
        self.setFormatter(DefaultFormatter(options.quiet, options.show_failed_logs))
        self.addFilter(
            DefaultFilter(
                options.quiet, options.debug_dag, options.verbose, options.dryrun, options.printshellcmds
            )
        )

    writes_to_stream = True
    writes_to_file = False
    has_filter = True
    has_formatter = True
    needs_rulegraph = False

    def emit(self, record: LogRecord) -> None:
        """Process one record, and write a line if a job ended or something is wrong."""
        event = vars(record)
        match event.get("event"):
            case _ if self.whole:
                self._say(self.format(record))
            case LogEvent.RUN_INFO:
                self.total = event["stats"]["total"]
            case LogEvent.JOB_INFO:
                name = " ".join([event["rule_name"], *dict(event["wildcards"] or {}).values()])
                outputs = [Path(str(path)) for path in event["output"] or []]
                self.running[event["jobid"]] = Begun(name, outputs, time.monotonic())
            case LogEvent.JOB_FINISHED:
                self._finished(self.running.pop(event["job_id"]))
            case _ if record.levelno >= WARNING or NOTHING in record.getMessage():
                self._say(self.format(record))

    def _finished(self, job: Begun) -> None:
        now = time.monotonic()
        self.done += 1
        self.made += [
            path for path in job.outputs if path.suffix in SHOWN and path.parent.name in ("tables", "figures")
        ]
        left = (now - self.begin) / self.done * (self.total - self.done)
        counted = f"[{self.done:{len(str(self.total))}}/{self.total}]"
        rest = f", about {_time(left)} left" if self.done < self.total else ""
        self._say(f"{counted} {job.name}: {_time(now - job.time)}{rest}")
        for each in _refused(job.outputs):
            self._say(f"    {each}")

    def close(self) -> None:
        """Write at the end where the tables and figures are."""
        if self.made:
            shown = ", ".join(map(str, self.made[:MOST]))
            more = f" and {len(self.made) - MOST} more" if len(self.made) > MOST else ""
            self._say(f"{self.done} jobs in {_time(time.monotonic() - self.begin)}. Made: {shown}{more}")
            self.made = []
        super().close()

    def _say(self, text: str) -> None:
        print(text, file=sys.stderr, flush=True)


def _refused(outputs: list[Path]) -> list[str]:
    """Say how many answers of language models a job did not accept, and why; of a shard its merge says it."""
    asked = [path for path in outputs if path.name == COMPLETIONS and not SHARD.search(path.parent.name)]
    if not asked:
        return []
    import pandas as pd

    from contrapose.generate.refused import Tally

    tallies = [Tally.of(pd.read_parquet(path, columns=["answer", "refused"])) for path in asked]
    return [f"{path.parent}: {tally}" for path, tally in zip(asked, tallies, strict=True) if tally.codes]


def _time(seconds: float) -> str:
    """Return a duration in seconds, minutes or hours."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
