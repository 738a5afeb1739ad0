"""Whether results are as they were made: looked at before each run."""

import os
import shlex
from contextlib import chdir
from pathlib import Path

from contrapose.base.directory import call, settings
from contrapose.base.errors import TableError
from contrapose.jobs.manifest import lost_links, manifest_files, read_manifest
from contrapose.settings.cli_config import config_file, given_config
from contrapose.settings.main import Config
from contrapose.settings.spec import validated
from contrapose.tools.command_line import OTHER, RunArguments

SHOWN_FILES = 20
RESULTS = "results"
# Options with which a run makes every result again, or none.
UNCHECKED = {"-F", "--forceall", *OTHER} - {"-n", "--dry-run", "--dryrun"}


def check_unchanged(folder: str, parsed: RunArguments) -> None:
    """Raise TableError before a run in a folder if a result is not as it was made, by the ends of its files.

    Results that the run is told to make again may differ, by rule or file.
    """
    options = {word.partition("=")[0] for word in parsed.options}
    if options & UNCHECKED:
        return
    again = {*parsed.words("-R", "--forcerun"), *(parsed.targets if options & {"-f", "--force"} else [])}
    with chdir(folder):
        pathvars = given_config(parsed.config).get("pathvars") or {}
        named = validated(Config, {"pathvars": pathvars}, f"{config_file()} or --config")
        results = named.pathvars.get("results", RESULTS)
        for path, reason in lost_links(Path(results)).items():
            raise TableError(f"{path}: {reason}, so nothing was started. Mount the disk, or remove the link.")
        files = manifest_files(Path(results)) if os.path.isdir(results) else []
        changed = {
            str(path): reason
            for manifest in (read_manifest(file) for file in files if file.exists())  # jobs may be at work
            if again.isdisjoint((manifest.made["rule"], *map(str, manifest.paths.values())))
            for path, reason in manifest.changes(Path(results), whole=False)
        }
    if not changed:
        return
    shown = "\n".join([f"{path}: {reason}" for path, reason in changed.items()][:SHOWN_FILES])
    command = call("run", settings(parsed.config), "--force --", shlex.join(changed))
    raise TableError(
        "Results have changed since their jobs wrote them, so nothing was "
        f"started:\n{shown}\nTo build them again: {command}\nResults that the current settings no "
        "longer build can be removed."
    )
