"""Say what the jobs that still have to run take: jobs, requests, tokens, USD, hours, disk."""

import argparse
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import pandas as pd

from contrapose.generate.progress import usd
from contrapose.home import HOME
from contrapose.project import Project
from contrapose.project.given import given_config
from contrapose.tools.jobs import planned_jobs
from contrapose.tools.plan.call import Call
from contrapose.tools.plan.disk import FileSizes, disk_files
from contrapose.tools.plan.llm_costs import RequestCounts, request_counts
from contrapose.tools.plan.work import RATES, WORKS, hours, unknown

GIGA = 1e9
COUNT, DECIMAL = "{:,.0f}".format, "{:,.2f}".format
FORMATS: dict[str, Callable[[float], str]] = {
    **{"jobs": COUNT, "requests": COUNT, "tokens": COUNT, "cost": usd, "at most": usd},
    **{"hours": DECIMAL, "GB": DECIMAL},
}
ESTIMATED = {"requests": "requests", "tokens": "tokens", "cost": "dollars", "at most": "at_most"}


class PlanLine(NamedTuple):
    """A row of a table."""

    labels: dict[str, str]
    amounts: dict[str, list[float | None]]  # the summands of each cell; None: unknown
    unknown: Iterable[str] = ()  # why some are unknown


def main(arguments: list[str]) -> None:
    """Print the plan.  Raises ContraposeError if the settings or the targets are wrong."""
    parser = argparse.ArgumentParser(prog="contrapose plan", description=__doc__)
    config, device = "as for snakemake --config", "whose hours are counted: a GPU's, or those of one core"
    parser.add_argument("--config", nargs="*", default=[], metavar="key=value", help=config)
    parser.add_argument("--device", choices=RATES, default="a100", help=device)
    parser.add_argument("--everything", action="store_true", help="also what exists already")
    parser.add_argument("targets", nargs="*", help="after --: files or studies (default: the chosen studies)")
    given = parser.parse_args(arguments)
    settings = given_config(given.config)
    project = Project(settings, HOME)
    targets = given.targets or list(project.studies)
    call = Call(project, planned_jobs(settings, HOME, targets, given.everything))
    print(f"{', '.join(targets)} in world {project.world_name}, seeds: {len(project.seeds)}\n")
    print(plan(call, given.device) if call.jobs else "Everything is up to date: no job would run.")


def plan(call: Call, device: str) -> str:
    """Return all tables as text, and what is unknown.  `device` is a key of RATES."""
    jobs = sorted(Counter(job.rule for job in call.jobs).items())
    tables = {
        "Jobs": [PlanLine({"rule": rule}, {"jobs": [count]}) for rule, count in jobs],
        "Language models behind endpoints": [_asked_line(one) for one in request_counts(call)],
        f"Training and other work of models, hours of one {device}": _work_lines(call, device),
        "Disk": _disk_lines(call),
    }
    parts = [f"{title}\n{_summed(lines)}" for title, lines in tables.items() if lines]
    names = (name for lines in tables.values() for line in lines for name in line.unknown if name)
    if told := list(dict.fromkeys(names)):
        parts.append("\n  ".join(["Not known, and in no sum:", *told]))
    return "\n\n".join(parts)


def _asked_line(one: RequestCounts) -> PlanLine:
    labels = {name: getattr(one, name) for name in ("llm", "prompt", "corpus")}
    amounts = {name: [getattr(one.estimate, key, None)] for name, key in ESTIMATED.items()}
    return PlanLine(labels, {**amounts, "hours": [one.hours]}, [one.unknown])


def _work_lines(call: Call, device: str) -> list[PlanLine]:
    lines = []
    for rule in sorted({job.rule for job in call.jobs} & set(WORKS)):
        jobs = [job for job in call.jobs if job.rule == rule]
        found = [hours(call, job, device) for job in jobs]
        names = [unknown(call, job) for job, value in zip(jobs, found, strict=True) if value is None]
        lines.append(PlanLine({"rule": rule}, {"jobs": [len(jobs)], "hours": found}, names))
    return lines


def _disk_lines(call: Call) -> list[PlanLine]:
    found: dict[str, list[FileSizes]] = defaultdict(list)
    for each in disk_files(call):
        found[each.what].append(each)
    lines = []
    for what, files in found.items():
        sizes = [each.size and each.size / GIGA for each in files]
        lines.append(
            PlanLine({"files": what}, {"GB": sizes}, [one.source for one in files if one.size is None])
        )
    return lines


def _summed(lines: Sequence[PlanLine]) -> str:
    labels = dict.fromkeys(lines[0].labels, "")
    labels[next(iter(labels))] = "all"
    sums = {name: [value for line in lines for value in line.amounts[name]] for name in lines[0].amounts}
    rows = [
        {**line.labels, **{name: _sum(values, FORMATS[name]) for name, values in line.amounts.items()}}
        for line in [*lines, PlanLine(labels, sums)]
    ]
    return pd.DataFrame(rows).to_string(index=False)


def _sum(values: Sequence[float | None], form: Callable[[float], str]) -> str:
    """Return a sum as text: a lower bound if some values are unknown, `?` if all are."""
    known = [value for value in values if value is not None]
    at_least = "at least " if len(known) < len(values) else ""
    return f"{at_least}{form(sum(known))}" if known else "?"
