"""Look for everything that the jobs of a call need, before the first job."""

import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import chdir
from pathlib import Path

from huggingface_hub import constants
from snakemake.cli import get_profile_dir

from contrapose.base.directory import call
from contrapose.base.errors import ConfigError, ContraposeError, counted
from contrapose.project import Project
from contrapose.project.methods import (
    is_comparison,
    lost_baselines,
    nothing_to_compare,
    said_of_curves,
    said_of_lost_encoders,
    said_of_skipped,
)
from contrapose.settings.yaml_files import read_yaml
from contrapose.tools.arguments import parser_of
from contrapose.tools.check_encoders import FOLDER, check_encoders
from contrapose.tools.check_files import check_files, wrong_files
from contrapose.tools.check_overlaps import check_overlaps
from contrapose.tools.check_services import (
    addresses,
    check_addresses,
    check_embedder,
    check_hub,
    check_llm,
    on_hub,
)
from contrapose.tools.command_line import check_is_project, project_of
from contrapose.tools.dry_run import Job, planned_jobs, without_targets
from contrapose.tools.fetchable import fetch_command, fetchable
from contrapose.tools.finding import Finding, report
from contrapose.tools.needs import every_need, needs_of, skipped, tables_of, with_and_without_numbers
from contrapose.tools.plan import disk, large_batches, times, total_time
from contrapose.tools.power import few_pairs
from contrapose.tools.resources import JobResources
from contrapose.tools.speed import gpus, machine
from contrapose.tools.workload import Call

GIGA = 1e9
NOTHING = "Nothing is missing."
LONG = 8  # hours, a night: for longer runs on a CPU there is a warning


def main(arguments: list[str]) -> bool:
    """Print the findings; the exit code is 0 only if nothing that a job needs is missing."""
    options = parser_of("check").parse_args(arguments)
    check_is_project("check", options.targets)
    try:
        project = project_of(options.config)
    except ContraposeError as error:
        says = f"{str(error).rstrip('.')}. Nothing else was checked."
        findings, ready = [Finding("missing", "settings", says)], ""
    else:
        targets = options.targets or list(project.studies)
        profile = options.profile or os.environ.get("SNAKEMAKE_PROFILE")
        executor = executor_of(profile, getattr(options, "called_in", "."))
        print(f"{', '.join(targets)} in catalog {project.catalog_name}\n", flush=True)
        findings = check(project, options.config, targets, executor, options.live)
        ready = said_of_rows(project, targets)
    print(report(findings, ready))
    return any(one.level == "missing" for one in findings)


def check(
    project: Project, config: list[str], targets: list[str], executor: str, ask: bool = False
) -> list[Finding]:
    """Check everything that the jobs behind some targets need; only the executor `local` runs them here.

    `config` are the settings of the call, as `key=value`.
    """
    findings, jobs = [], list[Job]()
    try:
        jobs = without_targets(planned_jobs(project, targets, everything=False))
        tables = [job.wildcards.get("table", "") for job in jobs]
        needs = needs_of(project, jobs)
    except ContraposeError as error:
        needs, tables = every_need(project), tables_of(project, targets)
        lost = (
            f"{error}\nBecause of this error, the check covers the whole catalog, also files and models that "
            "you may not need."
        )
        findings.append(Finding("missing", "jobs", lost))
    for need in needs:
        llm = need.section == "llms"
        prompts = {job.wildcards.get("prompt", "") for job in jobs}
        if llm:
            findings += check_llm(project, need.name, ask, prompts)
        elif need.section == "encoders" and (source := need.source(project)).form == "endpoint":
            findings += check_embedder(source, need.name, ask)
        else:
            findings += check_files(project, need)
    findings += [*check_methods(project), *check_comparisons(project, tables)]
    known = {one.what for one in findings}
    gone = said_of_lost_encoders(project, Path(project.results))
    findings += (Finding("warning", key, said) for key, said in gone if key not in known)
    broken = {one.what for one in findings if one.level == "missing"}  # of which the fault is known
    findings += (one for one in check_encoders(project, jobs) if one.what.removeprefix(FOLDER) not in broken)
    findings += [*check_overlaps(project, targets), *_fetchable(project, config, targets)]
    findings += [*check_hub(on_hub(project, needs)), *check_addresses(addresses(project, needs))]
    findings.append(check_gpu(call := Call(project, jobs), executor))
    findings += [Finding("fine", "batch_size", said) for said in large_batches(call)]
    findings += [Finding("warning", *each) for each in few_pairs(call)]
    sizes = disk(call)
    kept, hub = sizes.pop("journals, answers", 0), sizes.pop("cache of the hub", 0)
    state = Path(project.config.pathvars.get("state", "state"))
    sizes_by_folder = {Path(project.results): sizes.total(), state: kept, Path(constants.HF_HOME): hub}
    return [*findings, *check_disk(sizes_by_folder)]


def said_of_rows(project: Project, targets: Sequence[str]) -> str:
    """Return how many methods the comparisons of some targets have, and what the others lack, in lines."""
    names = [name for name in tables_of(project, targets) if is_comparison(project.tables[name][1])]
    compared, lost = with_and_without_numbers(project, names)
    lacking = [f"  {said}" for said in skipped(project, targets)]
    if lacking:
        lacking.append(f"`{call('list')}` marks these methods with *.")
    if not compared:
        return "\n".join(["Nothing that a run needs is missing.", *lacking]) if lacking else NOTHING
    will = f"Ready: {compared}{f' of {compared + lost}' * (lost > 0)} method"
    will += f"{'s' * (compared + lost > 1)} will be compared."
    if not lost:
        return will
    each = "Each is listed under the first input that it lacks:"
    rest = (
        f"The other {lost} need optional input. {each}" if lost > 1 else "The other one needs optional input:"
    )
    return "\n".join([f"{will} {rest}", *lacking])


def check_will_fail(project: Project, jobs: Sequence[Job], here: bool) -> list[Finding]:
    """Return what is certain to stop some jobs and is seen at once: a file that cannot be read, no GPU.

    `here`: they run on this machine.
    """
    tables = [job.wildcards.get("table", "") for job in jobs]
    findings = [Finding("missing", *each) for each in nothing_to_compare(project, tables).items()]
    findings += wrong_files(project, jobs)
    if project.config.device == "cuda" and here:
        findings.append(check_gpu(Call(project, list(jobs)), "local"))
    return [one for one in findings if one.level == "missing"]


def check_methods(project: Project) -> Iterator[Finding]:
    """Name the methods that a call names but this catalog skips."""
    try:
        level, said = "warning", said_of_skipped(project)
    except ContraposeError as error:
        level, said = "missing", str(error)
    if said:
        yield Finding(level, *said.split(": ", 1))  # type: ignore[arg-type]


def check_comparisons(project: Project, tables: Sequence[str]) -> Iterator[Finding]:
    """Name the tables of which every trained method is skipped, or a baseline, or none is a named one."""
    for name, said in nothing_to_compare(project, tables).items():
        yield Finding("missing", name, said)
    for name, said in [*said_of_curves(project, tables).items(), *lost_baselines(project, tables).items()]:
        yield Finding("warning", name, said)


def _fetchable(project: Project, config: Sequence[str], targets: Sequence[str]) -> Iterator[Finding]:
    if names := fetchable(project, targets):
        text = f"{', '.join(names)}. Download them before a run: {fetch_command(config, targets)}"
        yield Finding("left out", "to be fetched", text)


def check_disk(sizes: Mapping[Path, float]) -> Iterator[Finding]:
    """Compare the bytes that will be written to folders with the free space of their file systems.

    A folder that cannot be written is missing.
    """
    places = {folder: _existing(folder) for folder in sizes}
    for folder, place in places.items():
        if sizes[folder] and not os.access(place, os.W_OK | os.X_OK):
            advice = "Change its permissions, or name another folder (pathvars, HF_HOME)."
            yield Finding("missing", f"folder {folder}", f"'{place}' cannot be written. {advice}")
    for device in dict.fromkeys(place.stat().st_dev for place in places.values()):
        same = [folder for folder, place in places.items() if place.stat().st_dev == device]
        need, free = sum(sizes[folder] for folder in same), shutil.disk_usage(places[same[0]]).free
        text = f"{free / GIGA:,.2f} GB are free, and about {need / GIGA:,.2f} GB will be written."
        advice = " Free disk space, or move the folders (pathvars, HF_HOME)." if free < need else ""
        level = "missing" if free < need else "fine"
        yield Finding(level, f"disk of {', '.join(map(str, same))}", text + advice)  # type: ignore[arg-type]


def _existing(folder: Path) -> Path:
    places = (folder.absolute(), *folder.absolute().parents)
    return next(place for place in places if os.path.exists(place))  # False for what may not be looked at


def check_gpu(call: Call, executor: str) -> Finding:
    """Look for a GPU if a rule asks for one and its jobs run on this machine; else say how long they take."""
    device = call.project.config.device
    asking = [job for job in call.jobs if JobResources(call.rule(job), device).gpus]
    count = sum(bool(call.rule(job).work) for job in asking) or len(asking)  # as `plan` counts
    wish = f"device is '{device}', and {counted(count, 'job')} request{'s' * (count == 1)} a GPU"
    if not asking:
        return Finding("fine", "GPU", wish)
    if executor != "local":
        return Finding(
            "not checked",
            "GPU",
            f"{wish}, on another machine. Check on that machine: srun --gpus=1 contrapose check",
        )
    if boards := gpus():
        return Finding("fine", "GPU", f"{wish}; this machine has {', '.join(boards)}")
    if device == "cuda":
        if _cuda_devices():  # of AMD, or in a container without nvidia-smi
            return Finding("fine", "GPU", f"{wish}; PyTorch finds one")
        return Finding("missing", "GPU", f"{wish}, but nvidia-smi names no GPU. Set device to auto or cpu.")
    here = machine(call.project)
    models = f"{counted(count, 'job')} with a model run{'s' * (count == 1)} on {here.name}"
    jobs = f"All {len(call.jobs)} jobs take" if len(call.jobs) > 1 else "The job takes"
    parts = times(call, here)
    text = f"nvidia-smi names no GPU, so {models}. {jobs} {total_time(parts)}."
    if parts.sum() < LONG:
        return Finding("fine", "GPU", text)
    return Finding("warning", "GPU", f"{text} Fewer methods, seeds or steps take less, or use a GPU.")


def _cuda_devices() -> int:
    """Return how many GPUs PyTorch finds, without starting CUDA."""
    import torch  # takes seconds

    return torch.cuda.device_count()


def executor_of(profile: str | None, called_in: str = ".") -> str:
    """Return the executor of a Snakemake profile, which is named in the folder of the call.

    Raises a ConfigError if Snakemake finds no such profile, or its file is not valid YAML.
    """
    if not profile or profile == "none":  # Snakemake's name of no profile
        return "local"
    with chdir(called_in):
        found = get_profile_dir(profile)
        settings = read_yaml(found[1]) if found else None
    if found is None:
        raise ConfigError(
            f"--profile {profile}: this profile does not exist. Name a folder that contains profile.yaml, "
            "such as profiles/slurm."
        )
    return settings.get("executor", "local") if isinstance(settings, dict) else "local"
