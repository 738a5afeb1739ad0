"""Programs that a test starts and kills, and the wait for what they do."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

HOME = Path(__file__).parents[2]


def started_snakemake(folder: Path, *arguments: str) -> subprocess.Popen:
    """Start Snakemake in a process group of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "snakemake", *arguments],
        cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip


def until(condition: Callable[[], object], goes_on: Callable[[], object] = lambda: True) -> None:
    """Wait until something has happened, while what it is expected of goes on."""
    end = time.monotonic() + 600
    while not condition():
        assert goes_on(), "it ended too early"
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.005)


def alive(process: int) -> bool:
    """Whether it runs; one that ended stays in /proc until its parent has asked for its exit code."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def printed(script: Path, *arguments: object, **environment: str) -> dict:
    """Run a script of this folder and return the JSON of its last line."""
    done = subprocess.run(
        [sys.executable, str(script), *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": f"{HOME}:{HOME}/src", **environment},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])
