"""Answer calls of Snakemake, each in a fork: importing it takes longer than a plan of the small project.

A line on standard input is a call as JSON; a line with its exit code answers it.
"""

import gc
import json
import os
import runpy
import sys

import snakemake.cli  # noqa: F401 (once, before the forks)


def main() -> None:
    gc.freeze()  # a fork that looks for garbage leaves what it shares alone
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            become(**json.loads(line))
            runpy.run_module("snakemake", run_name="__main__", alter_sys=True)
            return
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


def become(arguments: list[str], folder: str, environment: dict[str, str], output: str) -> None:
    """Make this process what `python -m snakemake` is in a folder, with both streams in a file."""
    nothing, written = os.open(os.devnull, os.O_RDONLY), os.open(output, os.O_WRONLY)
    for stream, file in enumerate((nothing, written, written)):
        os.dup2(file, stream)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.path[0] = folder
    sys.argv[1:] = arguments


if __name__ == "__main__":
    main()
