"""A call of `contrapose run` with a budget: its settings, its jobs, and the runs that it starts."""

import os
import re
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import chdir
from dataclasses import dataclass, field
from pathlib import Path

from contrapose.base.home import HOME
from contrapose.project import Project
from contrapose.project.methods import said_of_skipped
from contrapose.settings.cli_config import CONFIG, given_config
from contrapose.tools.child import followed
from contrapose.tools.command_line import RunArguments
from contrapose.tools.dry_run import planned_jobs
from contrapose.tools.workload import Call


@dataclass
class BudgetedRun:
    """A call of `contrapose run` with a budget; what it is asked is asked in its folder."""

    folder: Path
    given: RunArguments  # without the budgets
    budgets: Sequence[str] = ()  # as they are written
    start: Path = field(default_factory=Path.cwd)  # where it was called
    begun: float = 0.0  # as time.monotonic counts

    def __post_init__(self) -> None:
        self.begun = self.begun or time.monotonic()

    @property
    def seeds(self) -> int | None:
        """Seeds that the call itself gives."""
        settings = (each.partition("=") for each in self.given.config)
        return next((int(value) for key, _, value in settings if key == "seeds"), None)

    @property
    def spent(self) -> float:
        return time.monotonic() - self.begun

    def settings(self, changed: Mapping[str, object]) -> dict[str, object]:
        return {**given_config(self.given.config), **changed}

    def call(self, changed: Mapping[str, object], everything: bool = False) -> Call:
        """Return the jobs that are left to do with some settings changed, or all of them."""
        project = Project(self.settings(changed), HOME)
        said_of_skipped(project)  # or the error that no method is left
        jobs = planned_jobs(project, self.given.targets, everything)
        return Call(project, [job for job in jobs if job.outputs])  # others are targets

    def run(self, targets: Sequence[str], *config: str) -> None:
        """Run targets with further settings; end with the exit code of a run that fails."""
        command = self.given._replace(targets=[*targets]).with_config([*self.given.config, *config])
        with chdir(self.start):
            code = followed([sys.executable, "-m", "contrapose", "run", *command])
        if code:
            sys.exit(code)

    def write(self, chosen: Mapping[str, object]) -> None:
        """Write settings into the folder's own configuration, with the methods that the call gives."""
        file, given = self.folder / CONFIG, [each.partition("=") for each in self.given.config]
        methods = {key: value for key, _, value in given if key == "methods"}
        text = with_settings(file.read_text(encoding="utf-8"), {**chosen, **methods})
        file.write_text(text, encoding="utf-8")

    @property
    def place(self) -> str:
        """The file that is written to."""
        return os.path.relpath(self.folder / CONFIG, self.start)


def with_settings(text: str, chosen: Mapping[str, object]) -> str:
    """Return the text of a YAML file with other values of some keys of its top level; comments stay."""
    for key, value in chosen.items():
        found = re.search(rf"(?m)^{key}:[^#\n]*?(?=\s*(#|$))", text)
        if found:
            text = f"{text[: found.start()]}{key}: {value}{text[found.end() :]}"
        else:
            text = f"{text.rstrip()}\n{key}: {value}  # chosen by contrapose run --budget\n"
    return text
