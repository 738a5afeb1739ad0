"""kill -9 of the workflow and its jobs: nothing half-written counts, and the same call finishes the work."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from snakemake_logger_plugin_contrapose.at_work import at_work_in
from snakemake_logger_plugin_contrapose.running import tail
from tests.checkout import PROMPTS, TARGET, Checkout, checkout
from tests.faults.running import started_snakemake, until

# The stages that keep a state.  A log appears when a job of one has begun; the seconds lead into its work.
MOMENTS = {"generating": ("logs/generate/wiki/*/*.log", 1.0), "training": ("logs/train/*/*/*.log", 2.0)}


def killed(project: Checkout, logs: str, seconds: float) -> None:
    """Run the workflow and kill it and its jobs once a log of this kind has been there for some seconds."""
    for log in project.folder.glob(logs):  # of the call before
        log.unlink()
    run = started_snakemake(project.folder, "--cores", "2", TARGET)
    until(lambda: any(project.folder.glob(logs)), lambda: run.poll() is None)
    time.sleep(seconds)
    os.killpg(run.pid, signal.SIGKILL)
    run.wait()


def test_a_fine_tuning_that_is_asked_to_end_goes_on_to_the_same_bytes(finished: Checkout, tmp_path: Path):
    name = "evaluate/fine_tuned/short/snli/released/bert-base/seed42"
    project = Checkout(shutil.copytree(finished.folder, tmp_path / "project", symlinks=True))
    result, log = project.folder / f"results/{name}.parquet", project.folder / f"logs/{name}.log"
    undisturbed = result.read_bytes()
    result.unlink()
    log.unlink()
    run = started_snakemake(project.folder, "--cores", "1", f"results/{name}.parquet")
    until(lambda: log.exists() and "fine-tune:" in log.read_text(), lambda: run.poll() is None)
    os.killpg(run.pid, signal.SIGTERM)
    assert run.wait(600) != 0
    [stopped] = re.findall(r"StoppedError: SIGTERM: training stopped after step (\d+) of", log.read_text())
    assert not result.exists()
    assert list((project.folder / "state" / name).glob("**/checkpoint.safetensors"))
    project.run(f"results/{name}.parquet")
    assert f"resuming after step {stopped}" in log.read_text()
    assert result.read_bytes() == undisturbed
    assert not list((project.folder / "state" / name).glob("**/checkpoint.safetensors"))


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nobody tells a job of Snakemake's end")
def test_a_training_whose_snakemake_is_killed_or_interrupted_saves_and_the_next_call_goes_on(
    finished: Checkout, tmp_path: Path
):
    project = Checkout(shutil.copytree(finished.folder, tmp_path / "project", symlinks=True))
    run = "train/dropout/simcse+epochs=300/seed42"
    log, target = project.folder / f"logs/{run}.log", f"results/{run}/history.parquet"
    snakemake = started_snakemake(project.folder, "--cores", "1", target)
    until(lambda: log.exists() and "dev score" in log.read_text(), lambda: snakemake.poll() is None)
    snakemake.kill()
    snakemake.wait()
    end = time.monotonic() + 600
    while not (
        stopped := re.findall(r"StoppedError: SIGTERM: training stopped after step (\d+) of", log.read_text())
    ):
        assert time.monotonic() < end
        time.sleep(0.1)
    assert f"Snakemake (process {snakemake.pid}) has ended" in log.read_text()
    assert not (project.folder / target).exists()
    until(lambda: not at_work_in(project.folder))
    refused = contrapose_run(project.folder, target)
    assert "No process of this machine uses the folder" in refused.communicate()[1]
    assert contrapose_run(project.folder, "--unlock").wait() == 0
    run = contrapose_run(project.folder, target)
    resumes = f"resuming after step {stopped[0]}"
    until(
        lambda: resumes in tail(log, 1 << 20), lambda: run.poll() is None
    )  # Snakemake removes the log before
    # Ctrl-C, as a terminal sends it.
    os.killpg(run.pid, signal.SIGINT)
    said = run.communicate(timeout=600)[1]
    step = re.findall(r"StoppedError: SIGINT: training stopped after (step \d+ of \d+)", log.read_text())[0]
    name = "training dropout (simcse, epochs 300, seed 42)"
    stopped = f"after 0 of 1 jobs. Stopped {name} after {step}. Run the same command again to continue.\n"
    assert said.endswith(f"The run was interrupted {stopped}")
    assert "Traceback" not in said
    assert run.returncode == 130
    assert not (project.folder / target).exists()


def contrapose_run(folder: Path, *arguments: str) -> subprocess.Popen:
    """Start `contrapose run` in a process group of its own, as a shell does."""
    command = [sys.executable, "-m", "contrapose", "run", *arguments]
    streams = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen(command, cwd=folder, start_new_session=True, **streams)


def contents(folder: Path) -> dict[str, bytes]:
    """Return every result by its name; plots, costs and what hidden drafts are left over do not count."""
    files = (path for path in (folder / "results").rglob("*") if path.is_file() and path.suffix != ".png")
    found = {str(path.relative_to(folder)): path for path in files}
    results = (name for name in found if "/." not in name and not name.startswith("results/generate/cost."))
    return {name: found[name].read_bytes() for name in results}


def test_a_workflow_killed_in_the_middle_of_stages_ends_in_the_same_bytes(finished: Checkout, tmp_path: Path):
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
