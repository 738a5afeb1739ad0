"""Check disk space and GPUs of this machine."""

import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from contrapose.project import Project
from contrapose.project.yaml_files import read_yaml
from contrapose.resources import JobResources, read_resources
from contrapose.tools.check.findings import Finding
from contrapose.tools.jobs import Job

GIGA = 1e9


def check_disk(sizes: Mapping[Path, float]) -> Iterator[Finding]:
    """Compare the bytes that will be written to folders with the free space of their file systems."""
    there = {folder: _existing(folder) for folder in sizes}
    for device in dict.fromkeys(place.stat().st_dev for place in there.values()):
        same = [folder for folder, place in there.items() if place.stat().st_dev == device]
        need, free = sum(sizes[folder] for folder in same), shutil.disk_usage(there[same[0]]).free
        found = f"{free / GIGA:,.2f} GB free, about {need / GIGA:,.2f} GB will be written."
        advice = " Free space, or move them: pathvars, HF_HOME." if free < need else ""
        level = "missing" if free < need else "fine"
        yield Finding(level, f"disk of {', '.join(map(str, same))}", found + advice)  # type: ignore[arg-type]


def _existing(folder: Path) -> Path:
    return next(place for place in (folder.absolute(), *folder.absolute().parents) if place.exists())


def check_gpu(project: Project, jobs: Sequence[Job], executor: str) -> Finding:
    """Look for a GPU if a rule asks for one and its jobs run on this machine."""
    rows, device = read_resources(project.home / "workflow" / "resources.yaml"), project.config.device
    on_gpu = {rule for rule, row in rows.items() if JobResources(row, device).gpus}
    asking = Counter(job.rule for job in jobs if job.rule in on_gpu)
    wanted = f"device is '{device}', and {asking.total()} jobs ask for one"
    if not asking:
        return Finding("fine", "GPU", wanted)
    if executor != "local":
        return Finding("not checked", "GPU", f"{wanted}, elsewhere. Look there: srun --gpus=1 make check")
    if gpus := _gpus():
        return Finding("fine", "GPU", f"{wanted}; here: {', '.join(gpus)}")
    if device == "cuda":
        return Finding("missing", "GPU", f"{wanted}. nvidia-smi names none: set device: auto or cpu.")
    return Finding("warning", "GPU", f"{wanted}. nvidia-smi names none: they take the CPU, maybe for days.")


def _gpus() -> list[str]:
    command = ["nvidia-smi", "--query-gpu=name,memory.total", "--format=csv,noheader"]
    if shutil.which(command[0]) is None:
        return []
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.splitlines()


def executor_of(profile: str | None) -> str:
    """Return the executor of a Snakemake profile; raise a ConfigError if its file is not valid YAML."""
    files = [Path(profile, name) for name in ("profile.yaml", "config.yaml")] if profile else []
    settings = next((read_yaml(file) for file in files if file.is_file()), None)
    return settings.get("executor", "local") if isinstance(settings, dict) else "local"
