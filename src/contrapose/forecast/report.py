"""The forecast as a text for people."""

import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from contrapose.forecast.compute import Device
from contrapose.forecast.dag import Job, planned_jobs
from contrapose.forecast.dictionary import fine_tunings, scorings
from contrapose.forecast.disk import Size, Space, checkpoint, disk
from contrapose.forecast.generation import Asking, every_asking
from contrapose.forecast.loads import GPU
from contrapose.forecast.needs import RULES, Needs, needs
from contrapose.forecast.synthetic import identifications, writings
from contrapose.forecast.texts import BYTES_PER_WORD, SIMCSE_WORDS, WORDS, corpus_texts
from contrapose.forecast.training import Work, encodings, trainings
from contrapose.generate.progress import usd
from contrapose.plan import Plan

UNKNOWN = "?"
PETA, TERA, GIGA, MEGA = 1e15, 1e12, 1e9, 1e6


def forecast(plan: Plan, device: Device, python: str = sys.executable) -> str:
    """Say in Markdown what building all tables of the chosen studies in the chosen world will take.

    Nothing has to be built, fetched or asked, and no model is loaded.  What is built already is used for
    the lengths of texts alone: the forecast is of everything, from nothing.

    Parameters
    ----------
    plan : Plan
    device : Device
        Encoders run on one of these.
    python : str
        Interpreter that has Snakemake.

    Raises
    ------
    BackendError, ConfigError
        Snakemake cannot plan it, or a shape in the world file is not that of the encoder.
    """
    studies = ", ".join(plan.studies)
    jobs = planned_jobs(plan, list(plan.studies), python)
    asked = every_asking(plan, jobs)
    trained, encoding = trainings(plan, jobs, device), encodings(plan, jobs, device)
    written, judged = writings(plan, jobs, device), identifications(plan, jobs, device)
    scored, tuned = scorings(plan, jobs, device), fine_tunings(plan, jobs, device)
    roles = {work.role for work in [*trained, *encoding, *judged, *tuned]}
    readers = {work.role for work in [*written, *scored]}
    parts = [
        f"# Plan: {studies} in world {plan.world_name}, seeds: {len(plan.seeds)}",
        f"{plan.world.description}. From nothing; formulae and sources: docs/plan.md.",
        *_jobs(jobs),
        *_sentences(plan, jobs),
        *_generation(asked),
        *_compute("Writing texts", written, device),
        *_compute("Telling machine from human", judged, device),
        *_compute("Scoring candidates of dictionaries, at most", scored, device),
        *_compute("Training", trained, device),
        *_compute("Evaluating and scoring", encoding, device),
        *_compute("Fine-tuning, at most", tuned, device),
        *_asked(plan, jobs),
        *_disk(disk(plan, jobs, asked, roles, readers), checkpoint(plan, jobs)),
    ]
    return "\n\n".join(parts) + "\n"


def _jobs(jobs: Sequence[Job]) -> list[str]:
    counts = Counter(job.rule for job in jobs)
    rows = [*((rule, f"{count:,}") for rule, count in sorted(counts.items())), ("all", f"{len(jobs):,}")]
    return ["## Jobs", _table(["rule", "jobs"], rows)]


def _sentences(plan: Plan, jobs: Iterable[Job]) -> list[str]:
    """Say which corpora were counted and which are only expected."""
    names = {job.wildcards["corpus"] for job in jobs if "corpus" in job.wildcards}
    rows = []
    for name in sorted(names):
        texts = corpus_texts(plan, name)
        if texts is None:
            rows.append((name, *[UNKNOWN] * 3, "counted when it is built"))
            continue
        numbers = (f"{texts.count:,}", f"{texts.length:.1f}", f"{texts.tokens:.1f}")
        rows.append((name, *numbers, "counted" if texts.built else "expected"))
    return [
        "## Sentences",
        _table(["corpus", "sentences", "bytes each", "word pieces each", "how"], rows),
        f"Expected: {WORDS} words, in SimCSE's corpus {SIMCSE_WORDS} (thesis, Table 4.5), "
        f"of {BYTES_PER_WORD} bytes.",
    ]


def _generation(asked: Sequence[Asking]) -> list[str]:
    if not asked:
        return []
    names = ["corpus", "llm", "prompt", "sentences", "requests", "tokens each", "s each", "tokens", "cost"]
    names += ["at most", "USD per million", "in flight", "hours", "hours at the rate limits"]
    rows = [_asking(one) for one in asked]
    every = [one.estimate for one in asked]
    requests, tokens = sum(one.requests for one in every), sum(one.tokens for one in every)
    money = [usd(sum(one.dollars for one in every)), usd(sum(one.at_most for one in every))]
    rows.append(("all", "", "", "", f"{requests:,.0f}", "", "", f"{tokens:,.0f}", *money, *[""] * 4))
    slow = sorted({one.llm for one in asked if one.seconds is None})
    unknown = (
        f" Hours of {', '.join(slow)} are not known: no `tokens_per_second` in the world." if slow else ""
    )
    return [
        "## Generation",
        _table(names, rows),
        "A request for each sentence that no smaller corpus has asked about; at most: all its tries, every "
        f"answer cut. What journals answer already: `snakemake --cores 1 generate_estimate`.{unknown}",
    ]


def _asking(one: Asking) -> tuple[str, ...]:
    asking, minutes = one.estimate, one.estimate.minutes
    return (
        *(one.corpus, one.llm, one.prompt),
        f"{asking.sentences:,}",
        f"{asking.requests:,.0f}",
        f"{sum(one.each)}",
        UNKNOWN if one.seconds is None else f"{one.seconds:.1f}",
        f"{asking.tokens:,.0f}",
        *(usd(asking.dollars), usd(asking.at_most), usd(one.dollars_per_million)),
        f"{one.at_once}",
        _hours(one.hours),
        _hours(minutes / 60) if minutes else "-",
    )


def _compute(title: str, works: Sequence[Work], device: Device) -> list[str]:
    if not works:
        return []
    names = [
        "work",
        "model",
        "jobs",
        "steps each",
        "sentences each",
        "tokens",
        "operations each",
        "hours each",
    ]
    rows = [
        (
            *(one.what, one.role, f"{one.jobs}"),
            *("-" if one.steps is None else f"{one.steps:,}", _known(one.sentences, ",")),
            *(_known(one.tokens, ".1f"), _flops(one.flops), _hours(one.hours)),
        )
        for one in works
    ]
    flops = sum(one.jobs * one.flops for one in works if one.flops is not None)
    hours = sum(one.jobs * one.hours for one in works if one.hours is not None)
    jobs = sum(one.jobs for one in works)
    rows.append(("all", "", f"{jobs}", "", "", "", _flops(flops), _hours(hours)))
    unknown = sum(one.jobs for one in works if one.flops is None)
    left_out = f" {unknown} jobs are not counted: see `{UNKNOWN}`." if unknown else ""
    return [f"## {title}", _table(names, rows), f"Hours on one {device}.{left_out}"]


def _asked(plan: Plan, jobs: Iterable[Job]) -> list[str]:
    """Say what the jobs of every rule ask a cluster for."""
    found: dict[str, list[Needs]] = {}
    for job in jobs:
        if job.rule in RULES:
            found.setdefault(job.rule, []).append(needs(plan, job.rule, job.wildcards))
    names = ["rule", "jobs", "memory", "minutes", "CPUs", "GPUs", "memory of a GPU", "disk"]
    rows = [(rule, f"{len(each):,}", *_largest(each)) for rule, each in sorted(found.items())]
    every = [each for asked in found.values() for each in asked]
    hours = sum(each.gpus * each.runtime for each in every) / 60
    expected = sum(each.gpus * each.expected for each in every) / 60
    return [
        "## What the jobs ask for",
        _table(names, rows),
        f"The largest of each rule, at the first attempt; a second asks for twice the memory and time. GPU "
        f"hours: {hours:,.0f} asked for, {expected:,.0f} expected on {GPU}.",
    ]


def _largest(each: Sequence[Needs]) -> tuple[str, ...]:
    memory, on_gpu = max(one.mem_mb for one in each), max(one.gpu_mem_mb for one in each)
    return (
        _bytes(memory * MEGA),
        f"{max(one.runtime for one in each):,}",
        f"{max(one.cpus for one in each)}",
        f"{max(one.gpus for one in each)}",
        _bytes(on_gpu * MEGA) if on_gpu else "-",
        _bytes(max(one.disk_mb for one in each) * MEGA),
    )


def _disk(spaces: Mapping[str, Space], largest: Size) -> list[str]:
    rows = [
        (what, _space(space)) for what, space in [*spaces.items(), ("all", sum(spaces.values(), Space()))]
    ]
    return [
        "## Disk",
        _table(["files", "size"], rows),
        f"While encoders are trained, up to {_bytes(largest)} for what a job keeps as checkpoints.",
    ]


def _space(space: Space) -> str:
    return _bytes(space.size) + (f" and {space.unknown} x {UNKNOWN}" if space.unknown else "")


def _known(value: float | None, form: str) -> str:
    return UNKNOWN if value is None else format(value, form)


def _hours(hours: float | None) -> str:
    if hours is None:
        return UNKNOWN
    return f"{hours:,.1f}" if hours >= 10 else f"{hours:.2f}" if hours >= 0.01 else "< 0.01"


def _flops(flops: float | None) -> str:
    if flops is None:
        return UNKNOWN
    return f"{flops / PETA:,.1f} PFLOP" if flops >= PETA else f"{flops / TERA:,.2f} TFLOP"


def _bytes(size: Size) -> str:
    if size is None:
        return UNKNOWN
    return f"{size / GIGA:,.2f} GB" if size >= GIGA else f"{size / MEGA:,.1f} MB"


def _table(names: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Write a Markdown table whose columns also stand one below the other on a terminal."""
    widths = [max(len(row[at]) for row in (names, *rows)) for at in range(len(names))]
    rule = [":" + "-" * (widths[0] - 1), *("-" * (width - 1) + ":" for width in widths[1:])]
    lines = [_aligned(names, widths), rule, *(_aligned(row, widths) for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _aligned(cells: Sequence[str], widths: Sequence[int]) -> list[str]:
    return [
        cells[0].ljust(widths[0]),
        *(each.rjust(width) for each, width in zip(cells[1:], widths[1:], strict=True)),
    ]
