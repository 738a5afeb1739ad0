"""Run Snakemake as `contrapose run` does: a word on Ctrl-C, 130 after it, and nothing about profiles.

Imports nothing of contrapose before the workflow, which decides what package of that name it runs.
"""

import gc
import io
import json
import os
import re
import signal
import sys
import threading
import time
from argparse import ArgumentParser, Namespace
from contextlib import redirect_stderr, suppress
from pathlib import Path
from types import FrameType

from snakemake.cli import args_to_api, get_argument_parser, parse_args
from snakemake.exceptions import print_exception
from snakemake.scheduling.job_scheduler import JobScheduler

from snakemake_logger_plugin_contrapose import INTERRUPTED, answer, interrupted, project_at_hand, would_fail

ENDING = "CONTRAPOSE_ENDING"  # set by src/contrapose/tools/run.py: folder and arguments of a call that builds
SHELLS = ("sh", "bash", "dash", "zsh")  # Snakemake starts a script through one
SECONDS_TO_HEAR = 10  # jobs that have heard a signal begin to end long before
STOPS = (
    b"\nStopping. Trainings finish their step and save it. Run the same command again to continue. "
    b"Press Ctrl-C again to end them at once.\n"
)


def main(arguments: list[str]) -> None:
    """Call Snakemake and end with its exit code."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _interrupt)
    # Snakemake's own handler of SIGTERM waits for running jobs; a second signal inside it waits for ever.
    JobScheduler.exit_gracefully = staticmethod(_interrupt)
    gc.set_threshold(50_000)  # objects, as in src/contrapose/command.py
    call, done = json.loads(os.environ.pop(ENDING, "null")), False
    try:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})  # which `contrapose run` blocks
        parser, options = _parsed(arguments)
        done = args_to_api(options, parser)
        if done and call and not options.dryrun:  # -np is one, too
            done = _say_ending(*call)
    except KeyboardInterrupt:
        pass
    except Exception as error:
        print_exception(error)
    sys.exit(INTERRUPTED if interrupted.is_set() else int(not done or would_fail.is_set()))


def _say_ending(folder: str, arguments: list[str]) -> bool:
    """Print what the tables of a call say, if its workflow is ours; return whether that went well."""
    if (project := project_at_hand()) is None:
        return True
    from contrapose.base.errors import ContraposeError, printable
    from contrapose.tools.ending import lines_of_run

    try:
        answer(lines_of_run(project, folder, arguments))
    except (ContraposeError, OSError) as error:
        print("\n".join(map(printable, str(error).split("\n"))), file=sys.stderr)
        return False
    return True


def _interrupt(number: int, frame: FrameType | None) -> None:
    """End this run at the first signal; further ones are for its jobs, which all get them, too."""
    if not interrupted.is_set():
        interrupted.set()
        os.write(2, STOPS)  # sys.stderr may be redirected, or be what was interrupted
        threading.Thread(target=_ask_again, daemon=True).start()
        raise KeyboardInterrupt


def _ask_again() -> None:
    """Send SIGTERM once to each job that is still there: one that was just starting has heard nothing.

    Who is saving or waits for answers goes on with that.  On Linux only.
    """
    asked = set[int]()
    while True:
        time.sleep(SECONDS_TO_HEAR)
        for process in _jobs() - asked:
            asked.add(process)
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGTERM)


def _jobs() -> set[int]:
    """Return the processes of this group, but shells, and forks, whose waiting process passes signals on."""
    group = dict[int, tuple[str, int]]()
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError, ValueError):  # it has just ended
            before, _, after = path.read_text().rpartition(")")
            parent, its_group = map(int, after.split()[1:3])
            if its_group == os.getpgrp():
                group[int(path.parent.name)] = before.partition("(")[2], parent
    jobs = {number for number, (name, parent) in group.items() if parent in group and name not in SHELLS}
    return jobs - {os.getpid()}


def _parsed(arguments: list[str]) -> tuple[ArgumentParser, Namespace]:
    """Parse the arguments, without the line on profiles; of an error without Snakemake's long usage."""
    said = io.StringIO()
    try:
        with redirect_stderr(said):
            return parse_args(arguments)
    finally:
        text = re.sub("Using (?:profiles?|workflow specific profile) .*\n", "", said.getvalue())
        _, error, message = text.rpartition(": error: ")
        sys.stderr.write(f"{_in_a_sentence(message.strip(), arguments)}\n" if error else text)


def _in_a_sentence(message: str, arguments: list[str]) -> str:
    """Return what is wrong with arguments; no workflow is read after that."""
    from contrapose.tools.parser import in_a_sentence

    options = get_argument_parser()._option_string_actions
    return in_a_sentence(message, "contrapose run", options, arguments)


if __name__ == "__main__":
    main(sys.argv[1:])
