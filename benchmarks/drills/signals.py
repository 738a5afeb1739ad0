"""End runs by signals at all moments: does anything hang, stay behind or go unsaid?

python -m benchmarks.drills.signals FOLDER TARGET [--tries N] [--seed N]

`contrapose run` makes a target again and again in a folder where it can run for a while, and gets SIGTERM,
SIGINT or SIGHUP after up to `SECONDS`: alone, with its whole process group, or as timeout(1) sends it, twice.
Every third run is started by a parent that ignores SIGINT, every other third one by nohup.
"""

import argparse
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path

from snakemake_logger_plugin_contrapose.at_work import at_work_in

SECONDS = 20.0  # after the start; from the imports to the middle of a training
LONGEST = 60.0  # after which a run hangs
AFTER = 10.0  # seconds after the end of a run until no job of it may be left
RUN = (sys.executable, "-P", "-m", "contrapose", "run")
SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


def _twice(process: int, number: int) -> None:
    os.kill(process, number)
    os.killpg(process, number)


def _ignore(numbers: tuple[int, ...]) -> None:
    for number in numbers:
        signal.signal(number, signal.SIG_IGN)


TO: dict[str, Callable[[int, int], None]] = {"it": os.kill, "its group": os.killpg, "it, then group": _twice}
STARTED: dict[str, tuple[int, ...]] = {
    "as usual": (),
    "SIGINT ignored": (signal.SIGINT,),
    "nohup": (signal.SIGHUP,),
}


def tried(folder: Path, target: str, draw: random.Random) -> tuple[str, str]:
    """Start a run, send one signal, and return what was tried and how it ended."""
    how, to, number = draw.choice([*STARTED]), draw.choice([*TO]), draw.choice(SIGNALS)
    if number in STARTED[how] and number == signal.SIGHUP:
        number = signal.SIGTERM  # nohup is there to outlive SIGHUP
    ignored = partial(_ignore, STARTED[how])
    run = subprocess.Popen(
        [*RUN, "--cores", "1", "--", target],
        cwd=folder, text=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        start_new_session=True, preexec_fn=ignored,
    )  # fmt: skip
    seconds = draw.uniform(0, SECONDS)
    time.sleep(seconds)
    what = f"{number.name} to {to} after {seconds:.1f} s, {how}"
    if run.poll() is not None:
        return what, f"ended by itself: {run.stderr.read()[-300:] if run.stderr else ''}"
    begun = time.monotonic()
    TO[to](run.pid, number)
    try:
        said = run.communicate(timeout=LONGEST)[1]
    except subprocess.TimeoutExpired:
        os.killpg(run.pid, signal.SIGKILL)
        said = run.communicate()[1]
        subprocess.run([*RUN, "--unlock"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        return what, f"HANGS: {said[-300:]}"
    took = time.monotonic() - begun
    while (left := at_work_in(folder)) and time.monotonic() - begun < took + AFTER:
        time.sleep(0.1)
    if "Traceback" in said:
        print(said, flush=True)
    lines = said.strip().splitlines()
    how_said = "LEFT " if left else "TRACEBACK " if "Traceback" in said else ""
    return what, f"{how_said}{run.returncode} in {took:.1f} s: {lines[-1] if lines else '(nothing said)'}"


def main() -> None:
    """Print each try, and how often each way of ending occurred."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("target")
    parser.add_argument("--tries", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    draw, ends = random.Random(options.seed), Counter[str]()
    for _ in range(options.tries):
        what, end = tried(options.folder.resolve(), options.target, draw)
        print(f"{what}: {end}", flush=True)
        ends[end.split(" in ")[0] if " in " in end else end.split(":")[0]] += 1
    print(dict(ends))


if __name__ == "__main__":
    main()
