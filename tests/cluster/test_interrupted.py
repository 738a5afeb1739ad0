import signal
from pathlib import Path

import pytest

from tests.checkout import HOME, Checkout, snakemake
from tests.cluster.study import answer, controller, ended, queue, submitted, wait_until

# Long enough to be interrupted, and with a comma, as most ids have.
TRAINING = "results/train/dropout/simcse+epochs={}+mlp=always/seed42/history.parquet"
OFTEN = ("--set-resources", "train_encoder:checkpoint_seconds=1")


def checkpoint_of(project: Checkout, epochs: int) -> list[Path]:
    return list(
        project.folder.glob(f"state/train/dropout/simcse+epochs={epochs}+*/**/checkpoint.safetensors")
    )


def log_of(project: Checkout, epochs: int) -> str:
    file = TRAINING.format(epochs).replace("results/", "logs/").replace("/history.parquet", ".log")
    return (project.folder / file).read_text()


def test_a_cancelled_training_on_a_drained_node_goes_on_when_the_node_is_back(built: Checkout):
    node = answer("hostname", "-s").strip()
    process = controller(built.folder, TRAINING.format(60), *OFTEN)
    wait_until(lambda: checkpoint_of(built, 60), process)
    answer("scontrol", "update", f"nodename={node}", "state=drain", "reason=test")
    try:
        [job] = queue(built.folder)
        answer("scancel", job)
        # The profile's retries submit it again; nothing runs on a drained node.
        wait_until(lambda: set(queue(built.folder)) - {job}, process)
    finally:
        answer("scontrol", "update", f"nodename={node}", "state=resume")
    output = ended(process)
    assert "Trying to restart job" in output
    assert "resuming after step" in log_of(built, 60)


def test_after_a_killed_controller_nothing_is_started_twice(built: Checkout):
    target = TRAINING.format(61)
    process = controller(built.folder, target, *OFTEN)
    wait_until(lambda: checkpoint_of(built, 61), process)
    [job] = queue(built.folder)
    answer("scontrol", "suspend", job)  # it waits for the calls below
    process.kill()
    process.wait()
    assert "--unlock" in submitted(built, target, check=False)
    snakemake(built.folder, "--unlock")
    assert f"scancel {job}" in submitted(built, target, check=False)
    assert queue(built.folder) == [job]
    answer("scancel", job)
    wait_until(lambda: not queue(built.folder))
    submitted(built, target, *OFTEN)
    assert "resuming after step" in log_of(built, 61)


def test_ctrl_c_takes_the_jobs_along(built: Checkout):
    process = controller(built.folder, TRAINING.format(62))
    wait_until(lambda: queue(built.folder), process)
    process.send_signal(signal.SIGINT)
    ended(process, check=False)
    wait_until(lambda: not queue(built.folder))


WAITING = """
rule waiting:
    output: "waiting.txt"
    resources: mem_mb=1000, slurm_extra="'--hold'"
    shell: "touch {output}"
rule other:
    output: "other.txt"
    resources: mem_mb=1000
    shell: "touch {output}"
"""


@pytest.mark.usefixtures("slurm")
def test_a_call_that_ends_lets_the_waiting_jobs_of_another_one_run(tmp_path):
    (tmp_path / "Snakefile").write_text(WAITING)
    (tmp_path / "profiles").symlink_to(HOME / "profiles")
    waiting = controller(tmp_path, "waiting.txt")
    wait_until(lambda: queue(tmp_path), waiting)
    [job] = queue(tmp_path)
    ended(controller(tmp_path, "other.txt"))
    answer("scontrol", "release", job)
    assert "Trying to restart" not in ended(waiting)


GREEDY = """
import time
rule all:
    input: "memory.txt", "time.txt"
rule memory:
    output: "memory.txt"
    resources: mem_mb=lambda wildcards, attempt: 500 * attempt, attempt=lambda wildcards, attempt: attempt
    script: "memory.py"
rule time:
    output: "time.txt"
    resources:
        mem_mb=1000,
        runtime=lambda wildcards, attempt: attempt,
        attempt=lambda wildcards, attempt: attempt,
    shell: "sleep 100; echo {resources.attempt} > {output}"
"""
HOARD = """
import time
held = bytearray(600_000_000)
time.sleep(5)  # memory is looked at now and then
open(snakemake.output[0], "w").write(f"{snakemake.resources.attempt}\\n")
"""


@pytest.mark.usefixtures("slurm")
def test_a_job_out_of_memory_or_time_is_tried_again_with_more(tmp_path):
    (tmp_path / "Snakefile").write_text(GREEDY)
    (tmp_path / "memory.py").write_text(HOARD)
    (tmp_path / "profiles").symlink_to(HOME / "profiles")
    ended(controller(tmp_path, "all"))
    assert (tmp_path / "time.txt").read_text() == "2\n"
    assert (tmp_path / "memory.txt").read_text() == "2\n"
