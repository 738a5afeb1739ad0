"""What `contrapose run -n` says: a line for each rule that would run jobs, and why."""

import os
import re
import shlex
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress

from contrapose.base.directory import call, settings
from contrapose.base.errors import ContraposeError
from contrapose.jobs.manifest import manifest_file, read_manifest
from contrapose.project import Project
from contrapose.project.methods import lost_baselines, said_of_curves
from contrapose.project.staleness import made_today
from contrapose.tools.check import check_will_fail
from contrapose.tools.command_line import RunArguments
from contrapose.tools.dry_run import Job
from contrapose.tools.forecast import beside_models
from contrapose.tools.model_work import hours
from contrapose.tools.speed import Machine, cores, machine, spelled
from contrapose.tools.verify import in_words
from contrapose.tools.workload import Call
from snakemake_logger_plugin_contrapose.running import DOING, name_of

SHOWN = 3  # reasons of a rule, settings of a reason: with more a line is no line any more
PARAMS = "Params have changed since last execution"
NOT_BUILT, FORCED = "not built yet", "forced by an option of this call"
INCOMPLETE = "left incomplete by a run that was stopped"
STATES = (NOT_BUILT, FORCED, INCOMPLETE)  # of jobs; other reasons are sentences
# How Snakemake's reasons begin (snakemake.jobs.Reason), and what is said; the first that a job has is told.
REASONS = {
    "Forced execution": FORCED,
    PARAMS: "settings or code have changed",
    "Missing output files": NOT_BUILT,
    "Incomplete output files": INCOMPLETE,
    "Updated input files": "the input has changed",
    "Set of input files has changed": "there are other inputs than before",
    "Software environment definition has changed": "the software environment has changed",
    "Input files updated by another job": "the input is rebuilt",
}
HOUR = 3600  # seconds
FAILS = "A run would fail."
PROFILE = "SNAKEMAKE_PROFILE"
ELSEWHERE = {"--profile", "--executor", "-e"}  # options with which jobs may run on other machines
UPDATED = re.compile(r"Updated input files: ([^,;]+)")


def outline(project: Project, jobs: Sequence[Job]) -> Iterator[str]:
    """Yield a line for each rule, stage by stage, with why and about how long its models run, and one of all.

    If nothing is built yet, only the last line says so.
    Jobs without outputs, such as that of a study by its name, only ask for others.
    """
    device, stages = machine(project), list(DOING)
    rules = defaultdict[str, list[Job]](list)
    for job in jobs:
        if job.outputs:
            rules[job.rule].append(job)
    work = Call(project, [job for job in jobs if job.outputs])
    reasons = {rule: _reasons(project, some) for rule, some in rules.items()}
    first = {*reasons.values()} == {NOT_BUILT}
    for rule in sorted(rules, key=lambda rule: _number(stages, rule.partition("_")[0])):
        some = rules[rule]
        name = name_of(rule, some[0].wildcards if len(some) == 1 else {})
        time = model_time(work, some, device)
        yield f"{len(some):4} x {name}{time and f', {time}'}{'' if first else f': {reasons[rule]}'}"
    count, time = len(work.jobs), model_time(work, work.jobs, device, beside_models(len(work.jobs), cores()))
    takes = f" All take {time} on {device.name}." if time else ""
    for table, said in (said_of_curves(project, work.tables) | lost_baselines(project, work.tables)).items():
        yield f"{table}: {said}"
    failing = _failing(project, jobs)
    start = "" if failing else " To start, run the same command without -n."
    why = ", because nothing of this is built yet" * first
    yield f"{count} job{'s' * (count > 1)} would run{why}.{takes}{start}"
    given = RunArguments.of(sys.argv[1:])
    targets = given.targets or given.stray  # Snakemake also takes targets without `--` before them
    same = [settings(given.config), shlex.join(["--", *targets]) if targets else ""]
    old = "" if first else f", and `{call('status', same[0])}` lists results that are out of date"
    yield f"`{call('plan', *same)}` estimates the costs{old}. Add --verbose for all messages of Snakemake."
    yield from (f"{FAILS} {each}" for each in failing)
    if failing:
        yield f"`{call('check', *same)}` looks for everything that is missing."


def _failing(project: Project, jobs: Sequence[Job]) -> list[str]:
    """Return why a run of some jobs would fail for what Snakemake does not look for: files, a GPU."""
    here = ELSEWHERE.isdisjoint(word.partition("=")[0] for word in sys.argv) and PROFILE not in os.environ
    return [f"{one.what}: {one.text}" for one in check_will_fail(project, jobs, here)]


def _number(stages: Sequence[str], stage: str) -> int:
    """Return the place of a stage; what makes the mini world comes first."""
    return stages.index(stage) if stage in stages else -1


def model_time(work: Call, jobs: Sequence[Job], device: Machine, beside: float = 0.0) -> str:
    """Return how long the models of some jobs run in words; empty if nothing is known of it.

    Some seconds beside them are added.
    """
    every = [_hours(work, job, device) for job in jobs if work.rule(job).work]
    known = [each for each in every if each is not None]
    whole = "about" if len(known) == len(every) else "at least"
    return f"{whole} {spelled(sum(known) + beside / HOUR)}" if known else ""


def _hours(work: Call, job: Job, device: Machine) -> float | None:
    with suppress(ContraposeError):  # a file to count in is damaged, which its job will say
        return hours(work, job, device.rates)
    return None


def _reasons(project: Project, jobs: Sequence[Job]) -> str:
    """Return why the jobs of a rule run; if they differ, with their numbers, the most frequent first."""
    counts = Counter(reason(project, job) for job in jobs).most_common()
    if len(counts) == 1:
        return counts[0][0]
    more = sum(count for _, count in counts[SHOWN:])
    shown = [
        f"{count} {'is' if count == 1 else 'are'} {why}" if why in STATES else f"for {count}, {why}"
        for why, count in counts[:SHOWN]
    ]
    return "; ".join([*shown, *([f"for {more}, there are other reasons"] if more else [])])


def reason(project: Project, job: Job) -> str:
    """Return why a job runs, in words; of changed settings, which, before and now."""
    begins = next((each for each in REASONS if each in job.reason), "")
    if begins == PARAMS and (changed := _changed(project, job)):
        return changed
    if begins == "Updated input files" and (file := UPDATED.search(job.reason)):
        return f"{file[1].strip()} has changed"
    return REASONS.get(begins, job.reason.partition(":")[0])


def _changed(project: Project, job: Job) -> str:
    """Return which settings of a job have changed, or that its code has; empty if no manifest says it."""
    with suppress(ContraposeError):
        made = read_manifest(manifest_file(job.outputs[0])).made
        today, code = made_today(project, made)
        changes = in_words(made["settings"], today)
        more = f" and {len(changes) - SHOWN} more" if len(changes) > SHOWN else ""
        if changes:
            return f"settings have changed: {', '.join(changes[:SHOWN])}{more}"
        return "the code has changed" * (code != made["code"])
    return ""
