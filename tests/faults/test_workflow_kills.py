"""kill -9 of the workflow and its jobs: nothing half-written counts, and the same call finishes the work."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow.parquet as pq

from tests.checkout import PROMPTS, TARGET, Checkout, checkout

# A log appears when a job of the stage has begun; the seconds lead into its work.
MOMENTS = {
    "sampling": ("logs/corpus/wiki/*.log", 0.3),
    "generating": ("logs/generate/wiki/*/*.log", 1.0),
    "training": ("logs/train/*/*/*.log", 2.0),
    "evaluating": ("logs/evaluate/english/*/*/*.log", 0.2),
}


def killed(project: Checkout, logs: str, seconds: float) -> None:
    """Run the workflow and kill it and its jobs once a log of this kind has been there for some seconds."""
    for log in project.folder.glob(logs):  # of the call before
        log.unlink()
    run = subprocess.Popen(
        [sys.executable, "-m", "snakemake", "--cores", "2", TARGET],
        cwd=project.folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    end = time.monotonic() + 120
    while not any(project.folder.glob(logs)):
        assert time.monotonic() < end, "the stage never began"
        assert run.poll() is None, "the workflow ended before"
        time.sleep(0.02)
    time.sleep(seconds)
    os.killpg(run.pid, signal.SIGKILL)
    run.wait()


def contents(folder: Path) -> dict[str, bytes]:
    """Return every result by its name; plots, costs and what hidden drafts are left over do not count."""
    files = (path for path in (folder / "results").rglob("*") if path.is_file() and path.suffix != ".png")
    found = {str(path.relative_to(folder)): path for path in files}
    results = (name for name in found if "/." not in name and not name.startswith("results/generate/cost."))
    return {name: found[name].read_bytes() for name in results}


def test_a_workflow_killed_in_every_stage_ends_in_the_same_bytes(finished: Checkout, tmp_path: Path):
    project = checkout(tmp_path)
    for stage, (logs, seconds) in MOMENTS.items():
        killed(project, logs, seconds)
        for path in project.folder.glob("results/**/*.parquet"):
            if not path.name.startswith("."):
                pq.read_metadata(path)  # whole, or not there
        assert not (project.folder / TARGET).exists(), stage
        project.forked("--unlock")
    project.run(TARGET, PROMPTS)
    ours, undisturbed = contents(project.folder), contents(finished.folder)
    # The other tables are made from these files, of which none is another one and none is left over.
    assert {TARGET, PROMPTS} <= ours.keys() <= undisturbed.keys()
    assert [name for name in ours if ours[name] != undisturbed[name]] == []
