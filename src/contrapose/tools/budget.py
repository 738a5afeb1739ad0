"""Choose seeds, steps and sentences of a run by a budget of time or money, for all rows alike.

What is chosen is written into `config/config.yaml` of the folder: `plan`, `report` and a later `run` then
mean the same encoders.  docs/plan.md says in which order things are chosen, docs/statistics.md why no row
gets more than others.
"""

import math
import os
import re
import shutil
import sys
import time
from bisect import bisect_right
from collections.abc import Callable, Sequence
from contextlib import chdir
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from contrapose.base.errors import ConfigError
from contrapose.base.home import HOME
from contrapose.generate.progress import usd
from contrapose.jobs.manifest import manifest_file
from contrapose.project import Project
from contrapose.settings.cli_config import CONFIG, given_config
from contrapose.settings.ids import Run, is_trained
from contrapose.tools.child import followed
from contrapose.tools.command_line import RunArguments
from contrapose.tools.dry_run import Job, planned_jobs
from contrapose.tools.model_work import SECONDS, hours, operations, unknown
from contrapose.tools.plan import llm_estimates
from contrapose.tools.power import power
from contrapose.tools.speed import Machine, cores, finished, machine, spelled
from contrapose.tools.workload import Call

UNITS = {"s": 1.0, "min": 60.0, "h": SECONDS, "USD": 1.0}
FEWEST_SEEDS, USUAL_SEEDS, MOST_SEEDS = 3, 5, 10  # those of which docs/statistics.md says how often they err
# After 2, 4, 8 and 16 steps Span crop of examples/wiki is 0.25, 0.40, 0.63 and 0.86 points above no training
# (STS-B's test, one seed), Dropout 0.28, 0.41, 0.60 and, by the example's table, 0.61.
FEWEST_STEPS = 8
FEWEST_SENTENCES = 100  # on which the thesis compares prompts
# Seconds of a core that a job takes beside its models: in a comparison of examples/wiki of 25 jobs Snakemake
# took 29, and each job 1 to 3.  Until the first job starts it is 8.
JOB_SECONDS, START_SECONDS = 2.5, 8.0
ROUGH = 2  # times that an estimate before anything is measured may be off
# Of the money, what answers are expected to cost; the rest is for refused and long ones.
EXPECTED = 0.8


class Choice(NamedTuple):
    """How long each row is trained, and how often."""

    steps: int | None  # None: as the recipes say
    seeds: int

    def __str__(self) -> str:
        return f"{self.seeds} seeds" + (f" of {self.steps} steps" if self.steps else "")


@dataclass
class BudgetedRun:
    """A call of `contrapose run` with a budget."""

    folder: Path
    given: RunArguments  # without the budget
    begun: float = 0.0  # as time.monotonic counts

    def __post_init__(self) -> None:
        self.begun = time.monotonic()

    @property
    def seeds(self) -> int | None:
        """Seeds that the call itself gives."""
        settings = (each.partition("=") for each in self.given.config)
        return next((int(value) for key, _, value in settings if key == "seeds"), None)

    @property
    def spent(self) -> float:
        return time.monotonic() - self.begun

    def settings(self, **changed: object) -> dict[str, object]:
        return given_config(self.given.config) | {name: value for name, value in changed.items() if value}

    def call(self, **changed: object) -> Call:
        """Return the jobs that are left to do with some settings changed."""
        settings = self.settings(**changed)
        return Call(Project(settings, HOME), planned_jobs(settings, HOME, self.given.targets, False))

    def run(self, *config: str, targets: Sequence[str] = ()) -> None:
        """Run targets, by default those of the call; end with the exit code of a run that fails."""
        settings = [*self.given.config, *config]
        options = [each for each in self.given.options if each not in ("--config", "-C", *settings)]
        config_option = ["--config", *settings] if settings else []
        command = [*options, *config_option, "--", *(targets or self.given.targets)]
        if code := followed([sys.executable, "-m", "contrapose", "run", *command]):
            sys.exit(code)

    def write(self, **chosen: object) -> None:
        """Write settings into the folder's own configuration."""
        file = self.folder / CONFIG
        file.write_text(with_settings(file.read_text(encoding="utf-8"), chosen), encoding="utf-8")


def with_settings(text: str, chosen: dict[str, object]) -> str:
    """Return the text of a YAML file with other values of some keys of its top level; comments stay."""
    for key, value in chosen.items():
        line, count = re.subn(rf"(?m)^{key}:[^#\n]*?(?=\s*(#|$))", f"{key}: {value}", text, count=1)
        text = line if count else f"{text.rstrip()}\n{key}: {value}  # chosen by contrapose run --budget\n"
    return text


def amount(text: str) -> tuple[float, str]:
    """Return a budget as seconds or USD, and its unit; raise a ConfigError if it is neither."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?) ?(s|min|h|USD)", text)
    if not match or not float(match[1]):
        raise ConfigError(
            f"--budget {text}: is neither time nor money. Write it like 20min, 2h, 90s or 5USD."
        )
    return float(match[1]) * UNITS[match[2]], match[2]


def within(budgets: Sequence[str], folder: str, arguments: list[str]) -> bool:
    """Choose what budgets allow and write it; return whether the run itself is left to do.

    `arguments` are those of `contrapose run` without the budgets.  Raises a ConfigError if a budget allows
    no run that says something, and then nothing has been written.
    """
    amounts = sorted(map(amount, budgets), key=lambda each: each[1] != "USD")  # fewer sentences, less time
    if {"-n", "--dry-run"} & set(arguments):
        raise ConfigError(
            "--budget with -n: a budget is kept by running. `contrapose plan` says what a run takes."
        )
    if not Path(folder, CONFIG).is_file():
        raise ConfigError(
            f"--budget: {folder} has no {CONFIG}, into which the choice is written. Write a folder that "
            "has one: contrapose new FOLDER"
        )
    parsed = RunArguments.of(arguments)
    if not parsed.targets:
        raise ConfigError("--budget: say what to build, after --: contrapose run --budget 20min -- compare")
    run = BudgetedRun(Path(folder).resolve(), parsed)
    return all(_for_money(run, value) if unit == "USD" else _for_time(run, value) for value, unit in amounts)


def rungs(steps: int | None, epoch: int, seeds: tuple[int, int, int], fixed: bool = False) -> list[Choice]:
    """Return the choices from the cheapest to the dearest; each has no less of anything than the one before.

    The fewest seeds; the recipes' `steps`; the usual number of seeds; steps until each sentence was seen
    once, an `epoch`; the most seeds.  Steps that are `fixed`, or None, stay as they are.
    """
    fewest, usual, most = seeds
    if steps is None or fixed:
        return [Choice(steps, each) for each in range(fewest, most + 1)]
    choices = [Choice(each, fewest) for each in range(min(FEWEST_STEPS, steps), steps + 1)]
    choices += [Choice(steps, each) for each in range(fewest + 1, usual + 1)]
    choices += [Choice(each, usual) for each in range(steps + 1, epoch + 1)]
    return choices + [Choice(max(steps, epoch), each) for each in range(usual + 1, most + 1)]


def chosen(choices: Sequence[Choice], cost: Callable[[Choice], float], seconds: float) -> Choice | None:
    """Return the last of `rungs` that takes at most so many seconds; None if even the first takes more."""
    place = bisect_right(choices, seconds, key=cost)
    return choices[place - 1] if place else None


def _for_time(run: BudgetedRun, seconds: float) -> bool:
    with chdir(run.folder):
        few = run.call(seeds=run.seeds or FEWEST_SEEDS)
        if not run.seeds and not _trainings(few):  # made before: more seeds are added to the folder's
            few = run.call(seeds=Project(run.settings(), HOME).config.seeds)
        more = run.call(seeds=few.project.config.seeds + 1)
        trainings = _trainings(more)
        if not trainings:
            print("--budget: nothing is left to train.", flush=True)
            return True
        choices, measured = _choices(run, few, more), any(finished(few.project))
        cost = _cost(run, few, more)
        if names := _uncounted(more):
            print(f"--budget: in no estimate, as it is not known: {', '.join(names)}.", flush=True)
    guess = chosen(choices, cost, seconds) or (None if cost(choices[0]) > ROUGH * seconds else choices[0])
    if guess and not measured:
        print("--budget: measuring one training.", flush=True)
        targets = [trainings[0].outputs[-1], *_first_scores(more, trainings[0])]
        run.run(*([f"steps={guess.steps}"] if guess.steps else []), targets=targets)
        with chdir(run.folder):
            cost = _cost(run, few, more)
    with chdir(run.folder):
        device = machine(few.project)
    choice = chosen(choices, cost, seconds - run.spent)
    if choice is None:
        if guess and guess.steps and not measured:  # no later run has its steps; its log has its speed
            _remove(run, more, trainings[0])
        least = spelled((cost(choices[0]) + run.spent) / SECONDS)
        raise ConfigError(
            f"--budget: the smallest run, {choices[0]} for every row, takes about {least} on {device.name} "
            f"({device.source}), and {spelled(seconds / SECONDS)} were given. Give more, or leave rows out."
        )
    _say(run, choice, cost(choice), device)
    first = choice._replace(seeds=choices[0].seeds)
    run.write(**_settings(first))
    more_seeds = [first._replace(seeds=each) for each in range(first.seeds, choices[-1].seeds + 1)]
    return len(more_seeds) == 1 or _more_seeds(run, more_seeds, cost, seconds)


def _more_seeds(
    run: BudgetedRun, choices: list[Choice], cost: Callable[[Choice], float], seconds: float
) -> bool:
    """Run the fewest seeds, and write how many there is time for at their speed; False if no more."""
    first, begun = choices[0], run.spent
    run.run()
    seconds_taken = run.spent - begun
    slower = seconds_taken / cost(first)
    left, start = seconds - run.spent, START_SECONDS - cost(first)
    best = chosen(choices, lambda each: (cost(each) + start) * slower, left)
    said = f"--budget: {first.seeds} seeds took {spelled(seconds_taken / SECONDS)}"
    if best is None or best == first:
        print(f"{said}, and no time is left for more.", flush=True)
        return False
    print(f"{said}; there is time for {best.seeds}.", flush=True)
    run.write(**_settings(best))
    if differences := _differences(run, best):
        print(f"\n{differences}\n", flush=True)
    return True


def _remove(run: BudgetedRun, call: Call, training: Job) -> None:
    """Remove what a training made, and its scores."""
    first = _run(training)
    scorings = [job for job in _scorings(call) if job.wildcards["run"] == first]
    for outputs in (each.outputs for each in (training, *scorings)):
        for path in (run.folder / each for each in (*outputs, str(manifest_file(outputs[0])))):
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)


def _run(training: Job) -> str:
    pairs, recipe, seed = (training.wildcards[name] for name in ("pairs", "recipe", "seed"))
    return Run(pairs, recipe, int(seed)).id


def _first_scores(call: Call, training: Job) -> list[str]:
    """Return the scores of a training and of encoders without training: what differences vary by."""
    first = _run(training)
    evaluated = {job.wildcards["run"]: job.outputs[0] for job in _scorings(call)}
    return [file for run, file in evaluated.items() if run == first or not is_trained(run)]


def _scorings(call: Call) -> list[Job]:
    return [job for job in call.jobs if call.rule(job).work == "evaluation"]


def _trainings(call: Call) -> list[Job]:
    """Return the trainings of a call, a short one of the first seed first."""
    trainings = [job for job in call.jobs if call.rule(job).work == "training"]
    for job in trainings:
        if operations(call, job) is None:
            lacking = unknown(call, job)
            raise ConfigError(f"--budget: how long trainings take is not known without the {lacking}.")
    return sorted(trainings, key=lambda job: (int(job.wildcards["seed"]), operations(call, job)))


def _uncounted(call: Call) -> list[str]:
    """Name what is missing for the time of jobs that ask language models or run models beside trainings."""
    lacking = [one.unknown for one in llm_estimates(call)]
    works = (job for job in call.jobs if call.rule(job).work)
    lacking += [unknown(call, job) for job in works if operations(call, job) is None]
    return list(dict.fromkeys(filter(None, lacking)))


def _say(run: BudgetedRun, choice: Choice, seconds: float, device: Machine) -> None:
    differences = _differences(run, choice)
    said = f"--budget: {choice} for every row, about {spelled(seconds / SECONDS)} on {device.name}"
    print(f"{said} ({device.source}); written to {_place(run)}.", flush=True)
    print(f"\n{differences}\n" if differences else "", flush=True)


def _differences(run: BudgetedRun, choice: Choice) -> str:
    """Return what the tables of a choice could tell apart."""
    with chdir(run.folder):
        settings = run.settings(**_settings(choice))
        return power(Call(Project(settings, HOME), planned_jobs(settings, HOME, run.given.targets, False)))


def _place(run: BudgetedRun) -> str:
    return os.path.relpath(run.folder / CONFIG)


def _settings(choice: Choice) -> dict[str, object]:
    return {name: value for name, value in choice._asdict().items() if value}


def _choices(run: BudgetedRun, few: Call, more: Call) -> list[Choice]:
    """Return the rungs of a call; steps that are given, or those of trainings that are made, are kept."""
    project, trainings = more.project, _trainings(more)
    recipes: list[Any] = [project.recipe(job.wildcards["recipe"]) for job in trainings]
    steps = {getattr(recipe, "steps", None) for recipe in recipes}
    epochs = [
        math.ceil((more.rows(job.wildcards["pairs"]) or 0) / getattr(recipe, "batch_size", math.inf))
        for job, recipe in zip(trainings, recipes, strict=True)
    ]
    fixed = len(steps) > 1 or bool(project.config.steps) or len(list(finished(project))) > 1
    one = steps.pop() if len(steps) == 1 else None
    fewest = few.project.config.seeds
    seeds = (fewest, max(fewest, USUAL_SEEDS), max(fewest, MOST_SEEDS))
    return rungs(one, max(epochs), (fewest,) * 3 if run.seeds else seeds, fixed)


def _cost(run: BudgetedRun, few: Call, more: Call) -> Callable[[Choice], float]:
    """Return the function that estimates the seconds of a choice."""
    device = machine(few.project)
    *_, last = [None, *finished(few.project)]
    # Where other programs take the cores, a second of a core takes more of a clock.
    slower = max(1.0, last.wall_seconds / last.seconds) if last else 1.0

    def seconds(call: Call, steps: int | None) -> float:
        call = replace(call, project=Project(run.settings(steps=steps), HOME))
        models = (hours(call, job, device.rates) or 0.0 for job in call.jobs if call.rule(job).work)
        waiting = sum(one.amounts["time"] or 0.0 for one in llm_estimates(call))
        beside = START_SECONDS + len(call.jobs) * JOB_SECONDS / cores()
        return slower * (beside + SECONDS * sum(models)) + SECONDS * waiting

    @cache
    def each(steps: int | None) -> tuple[float, float]:
        return seconds(few, steps), seconds(more, steps)

    def cost(choice: Choice) -> float:
        with chdir(run.folder):
            three, four = each(choice.steps)
        return three + (choice.seeds - few.project.config.seeds) * (four - three)

    return cost


def _for_money(run: BudgetedRun, dollars: float) -> bool:
    """Choose of how many sentences answers are asked, and let no model of the folder cost more in all."""
    with chdir(run.folder):
        every = run.call()
        costs = _costs(every)
        names = {one.labels["corpus"] for one in llm_estimates(every)} & every.project.recipes.corpora.keys()
        most = max((every.texts(name).sentences or 0 for name in names), default=0)
        wanted = sum(costs.values())
        if not wanted:
            print("--budget: no answer is left to pay.", flush=True)
            return True

        def cost(sentences: int) -> float:
            project = Project(run.settings(sentences=sentences), HOME)
            return sum(_costs(Call(project, every.jobs)).values())

        count = most
        if wanted > EXPECTED * dollars:
            count = bisect_right(range(most), EXPECTED * dollars, lo=1, key=cost) - 1
        if count < min(FEWEST_SENTENCES, most):
            raise ConfigError(
                f"--budget {dollars:g}USD: answers about {FEWEST_SENTENCES} sentences are expected to take "
                f"{usd(cost(FEWEST_SENTENCES))}, and {EXPECTED:.0%} of a budget is for what is expected. All "
                f"{most:,} would take {usd(wanted)}. Give more, or leave out rows of the study."
            )
        fewer = {"sentences": count} if count < most else {}
        expected = cost(count) if fewer else wanted
    limits = {role: round(dollars * each / wanted, 6) for role, each in costs.items() if each}
    print(
        f"--budget: answers about {count:,} of {most:,} sentences, on which every row is trained: about "
        f"{usd(expected)} (all: {usd(wanted)}). No more than {dollars:g} USD will be spent; written to "
        f"{_place(run)}.",
        flush=True,
    )
    shares = ", ".join(f"{role}: {each:g}" for role, each in limits.items())
    run.write(**fewer, llm_budget=f"{{{shares}}}")
    return True


def _costs(call: Call) -> dict[str, float]:
    """Return what the answers that are left to ask are expected to cost, by role."""
    costs: dict[str, float] = {}
    for one in llm_estimates(call):
        if one.amounts["cost"] is None:
            raise ConfigError(f"--budget: the cost of answers is not known without the {one.unknown}.")
        costs[one.labels["llm"]] = costs.get(one.labels["llm"], 0.0) + one.amounts["cost"]
    return costs
