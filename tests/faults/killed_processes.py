"""Start a job in two processes many times, kill something else each time, and print what came of it as JSON.

Usage: killed_processes.py FOLDER

It imports once and forks for every job; the processes of a job run this file too, and import next to nothing.
"""

import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

from contrapose.jobs.processes import is_launched
from contrapose.models.launch import in_processes
from tests.faults.running import alive, until

PROCESSES = 2


def job(folder: Path) -> None:
    """Write which process this is, and wait for the end of the test, or for the signal."""
    threads = in_processes(PROCESSES, 5, "cpu")
    print(f"with {threads} threads", flush=True)
    (folder / os.environ["RANK"]).write_text(str(os.getpid()))
    until(lambda: (folder / "end").exists())


def started(folder: Path) -> int:
    """Fork the job, as a warm script would start."""
    child = os.fork()
    if child == 0:
        log = os.open(folder / "log", os.O_WRONLY | os.O_CREAT)
        os.dup2(log, 1)
        os.dup2(log, 2)
        sys.argv = [__file__, str(folder)]
        code = 0
        try:
            job(folder)
        except SystemExit as end:
            if isinstance(end.code, str):
                print(end.code, file=sys.stderr, flush=True)
            code = int(end.code is not None)
        finally:
            os._exit(code)
    return child


CASES: dict[str, Callable[[int, list[int], Path], object]] = {
    "all end well": lambda job, processes, folder: (folder / "end").touch(),
    "one process is killed": lambda job, processes, folder: os.kill(processes[1], signal.SIGKILL),
    "the job is killed": lambda job, processes, folder: os.kill(job, signal.SIGKILL),
    "the job is asked to end": lambda job, processes, folder: os.kill(job, signal.SIGTERM),
}


def main(folder: Path) -> None:
    import accelerate.commands.launch  # noqa: F401 (imported once, before forks)

    results = {}
    for number, (when, happens) in enumerate(CASES.items()):
        place = folder / str(number)
        place.mkdir()
        launcher = started(place)
        files = [place / str(rank) for rank in range(PROCESSES)]
        until(lambda files=files: all(file.exists() and file.read_text() for file in files))
        processes = [int(file.read_text()) for file in files]
        happens(launcher, processes, place)
        code = os.waitstatus_to_exitcode(os.waitpid(launcher, 0)[1])
        until(lambda processes=processes: not any(alive(each) for each in processes))
        results[when] = {"code": code, "log": (place / "log").read_text()}
    print(json.dumps(results))


if __name__ == "__main__":
    if is_launched():
        job(Path(sys.argv[1]))
    else:
        main(Path(sys.argv[1]))
