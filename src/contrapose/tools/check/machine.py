"""What this machine has for the jobs: disk, folders, GPUs, and the executor of a profile."""

import importlib.util
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

import yaml

from contrapose.project import Project
from contrapose.resources import JobResources, read_resources
from contrapose.tools.check.findings import Finding, judged
from contrapose.tools.jobs import Job
from contrapose.tools.start import check_writable

GIGA = 1e9
SECONDS = 60.0  # that nvidia-smi may take


def check_folders(folders: Mapping[str, Path]) -> list[Finding]:
    """Make `results`, `logs` and `state`, and write a block into each."""

    def writable(name: str) -> str:
        check_writable(folders[name], name)
        return f"'{folders[name]}' can be written"

    return [judged(name, partial(writable, name)) for name in folders]


def check_disk(sizes: Mapping[Path, float]) -> Iterator[Finding]:
    """Compare the bytes that will be written to folders with what their file systems have free."""
    there = {folder: _existing(folder) for folder in sizes}
    devices = {folder: place.stat().st_dev for folder, place in there.items()}
    for device in dict.fromkeys(devices.values()):
        same = [folder for folder in sizes if devices[folder] == device]
        need, free = sum(sizes[folder] for folder in same), shutil.disk_usage(there[same[0]]).free
        what = f"disk of {', '.join(map(str, same))}"
        numbers = f"{free / GIGA:,.2f} GB free, about {need / GIGA:,.2f} GB will be written"
        if free < need:
            yield Finding("missing", what, f"{numbers}. Make room, or move them: pathvars, HF_HOME.")
        else:
            yield Finding("fine", what, numbers)


def _existing(folder: Path) -> Path:
    return next(place for place in (folder.absolute(), *folder.absolute().parents) if place.exists())


def check_gpu(project: Project, jobs: Sequence[Job], remote: bool) -> list[Finding]:
    """Look for a GPU if a rule asks for one; with `remote` jobs run elsewhere."""
    rows = read_resources(project.home / "workflow" / "resources.yaml")
    asking = Counter(
        job.rule
        for job in jobs
        if job.rule in rows and JobResources(rows[job.rule], project.config.device).gpus
    )
    if not asking:
        return [Finding("fine", "GPU", f"no job asks for one; device is '{project.config.device}'")]
    wanted = f"{asking.total()} jobs ask for one ({', '.join(sorted(asking))})"
    if remote:
        return [
            Finding(
                "not checked", "GPU", f"{wanted}, on other machines. Check there: srun --gpus=1 make check"
            )
        ]
    if gpus := _gpus():
        return [Finding("fine", "GPU", f"{wanted}; here: {', '.join(gpus)}")]
    if project.config.device == "cuda":
        found = f"{wanted}, and nvidia-smi names none. Start where there is one, or set device: auto."
        return [Finding("missing", "GPU", found)]
    return [
        Finding("warning", "GPU", f"{wanted}, and nvidia-smi names none: they take the CPU, maybe for days.")
    ]


def _gpus() -> list[str]:
    command = ["nvidia-smi", "--query-gpu=name,memory.total", "--format=csv,noheader"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=True)
    except (OSError, subprocess.SubprocessError):
        return []
    return done.stdout.splitlines()


def executor_of(profile: str | None) -> str:
    """Return the executor of a Snakemake profile."""
    files = [Path(profile, name) for name in ("profile.yaml", "config.yaml")] if profile else []
    for file in files:
        if file.is_file():
            return (yaml.safe_load(file.read_text(encoding="utf-8")) or {}).get("executor", "local")
    return "local"


def check_executor(executor: str) -> list[Finding]:
    """Look for the plugin of an executor and for the program by which SLURM takes jobs."""
    if executor == "local":
        return []
    plugin = f"snakemake_executor_plugin_{executor.replace('-', '_')}"
    if importlib.util.find_spec(plugin) is None:
        found = f"is not installed. pip install {plugin.replace('_', '-')} -c constraints.txt"
        return [Finding("missing", f"executor {executor}", found)]
    if executor == "slurm" and shutil.which("sbatch") is None:
        found = "there is no sbatch here. Start the workflow where jobs can be submitted."
        return [Finding("missing", "executor slurm", found)]
    return [Finding("fine", f"executor {executor}", "is installed")]
