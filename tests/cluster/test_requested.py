"""What jobs ask SLURM for is what the rule's row says; a further attempt asks for more."""

import re
import signal
from pathlib import Path

import pytest
from snakemake.iocontainers import Namedlist

from contrapose.jobs.queue import comment_of
from contrapose.tools.command_line import project_of
from contrapose.tools.dry_run import planned_jobs
from contrapose.tools.resources import JobResources, minutes_of
from tests.checkout import HOME, Checkout
from tests.cluster.study import answer, controller, ended, queue, wait_until

DEVICE = "device=cuda"
JOBS = {
    "train_encoder": {"pairs": "dropout", "recipe": "simcse+mlp=always", "seed": "42"},
    "generate_paraphrase": {
        **{"corpus": "wiki", "llm": "chatgpt", "prompt": "1", "shard": "0", "shards": "2"},
    },
}
TARGETS = (
    "results/train/dropout/simcse+mlp=always/seed42/history.parquet",
    "results/generate/wiki/chatgpt-prompt1/0-of-2/paraphrases.parquet",
)
# SLURM takes them and does not start them.
HELD = ("--set-resources", *(f"{rule}:slurm_extra='--hold'" for rule in JOBS))
UNITS = {"M": 1, "G": 1024}


@pytest.fixture(scope="module")
def gpus(slurm: None) -> None:
    """Have GPUs that can be asked for, whatever they are."""
    if "gpu:" not in answer("sinfo", "--noheader", "--format=%G"):
        pytest.skip("this SLURM has no GPUs")


def asked(folder: Path) -> dict[str, tuple[int, int, int, int]]:
    """Return comment: (MB, minutes, CPUs, GPUs) of each job of a folder, as SLURM has understood it."""
    found = {}
    for job in queue(folder):
        told = answer("scontrol", "show", "job", job, "--oneliner")
        known = dict(re.findall(r"(\w+)=(\S*)", told))
        days, _, clock = known["TimeLimit"].rpartition("-")
        hours, minutes, _ = clock.split(":")
        size, unit = known["MinMemoryNode"][:-1], known["MinMemoryNode"][-1]
        gpus = re.search(r"gpu:(\d+)", known.get("TresPerJob", "").replace("/", ":"))
        found[known["Comment"]] = (
            int(size) * UNITS[unit],
            (int(days or 0) * 24 + int(hours)) * 60 + int(minutes),
            int(known["NumCPUs"]),
            int(gpus[1]) if gpus else 0,
        )
    return found


def expected(attempt: int) -> dict[str, tuple[int, int, int, int]]:
    """Return the same as the rows of `workflow/resources.yaml` have it."""
    project = project_of([DEVICE])
    found = {}
    for job in planned_jobs(project, TARGETS):
        if JOBS.get(job.rule) == job.wildcards:
            row, files = JobResources(project.rules[job.rule], "cuda"), Namedlist(job.inputs)
            files._set_name("encoder", 0, end=len(files))  # in files: none is fetched from the hub
            comment = comment_of(job.rule, list(job.wildcards.values()))
            found[comment] = (
                row.mem_mb(files, attempt),
                row.runtime(files, attempt, minutes_of(project, job.rule, job.wildcards)),
                row.cpus(files),
                row.gpus,
            )
    return found


@pytest.mark.usefixtures("gpus")
def test_jobs_ask_for_what_their_rows_say_and_the_second_time_for_twice_the_memory_and_time(
    built: Checkout, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(built.folder)
    first, second = expected(1), expected(2)
    assert sorted(gpus for *_, gpus in first.values()) == [0, 1]
    process = controller(built.folder, *TARGETS, "--config", DEVICE, *HELD)
    try:
        wait_until(lambda: len(queue(built.folder)) == len(JOBS), process)
        assert asked(built.folder) == first
        jobs = queue(built.folder)
        answer("scancel", *jobs)
        wait_until(lambda: len(set(queue(built.folder)) - set(jobs)) == len(JOBS), process)
        assert asked(built.folder) == second
    finally:
        process.send_signal(signal.SIGINT)
        ended(process, check=False)


VISIBLE = """
rule all:
    input: "with.txt", "without.txt"
rule one:
    output: "with.txt"
    resources: gpu=1, mem_mb=1000
    shell: "echo GPU ${{CUDA_VISIBLE_DEVICES:-none}} > {output}"
rule none:
    output: "without.txt"
    resources: gpu=0, mem_mb=1000
    shell: "echo GPU ${{CUDA_VISIBLE_DEVICES:-none}} > {output}"
"""


@pytest.mark.usefixtures("gpus")
def test_a_job_sees_the_gpu_that_it_asked_for_and_no_other_job_does(tmp_path: Path):
    (tmp_path / "Snakefile").write_text(VISIBLE)
    (tmp_path / "profiles").symlink_to(HOME / "profiles")
    ended(controller(tmp_path, "all"))
    assert re.fullmatch(r"GPU \d\n", (tmp_path / "with.txt").read_text())
    assert (tmp_path / "without.txt").read_text() == "GPU none\n"


PARTITIONED = """
rule all:
    input: "hour.txt", "day.txt"
rule hour:
    output: "hour.txt"
    resources: runtime=60, mem_mb=1000
    shell: "echo $SLURM_JOB_PARTITION > {output}"
rule day:
    output: "day.txt"
    resources: runtime=1440, mem_mb=1000
    shell: "echo $SLURM_JOB_PARTITION > {output}"
"""
LIMITS = 'partitions: {short: {max_runtime: "1:00:00"}, main: {}}'


@pytest.mark.usefixtures("slurm")
def test_a_job_goes_to_the_partition_whose_limit_holds_it(tmp_path: Path):
    if not {"short", "main"} <= {*answer("sinfo", "--noheader", "--format=%R").split()}:
        pytest.skip("this SLURM has other partitions than that of the tests")
    (tmp_path / "Snakefile").write_text(PARTITIONED)
    (tmp_path / "partitions.yaml").write_text(LIMITS)
    (tmp_path / "profiles").symlink_to(HOME / "profiles")
    ended(controller(tmp_path, "all", "--slurm-partition-config", "partitions.yaml"))
    assert (tmp_path / "hour.txt").read_text() == "short\n"
    assert (tmp_path / "day.txt").read_text() == "main\n"
