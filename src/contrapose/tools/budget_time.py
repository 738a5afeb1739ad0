"""Choose seeds and steps of a run by a budget of time, the same for all methods."""

import math
import shlex
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from contrapose.base.directory import NAMES, call
from contrapose.base.errors import ConfigError
from contrapose.base.home import HOME
from contrapose.jobs.timing import read_timing, timing_file
from contrapose.project import Project
from contrapose.project.methods import methods_of
from contrapose.project.rules import WorkKind
from contrapose.report.about import SELECTED
from contrapose.settings.ids import Run, is_trained
from contrapose.tools.budgeted_run import BudgetedRun
from contrapose.tools.command_line import METHODS, RunArguments, methods_setting
from contrapose.tools.dry_run import Job
from contrapose.tools.forecast import (
    JOB_SECONDS,
    START_SECONDS,
    Choice,
    Forecast,
    Jobs,
    ModelJob,
    Open,
    fitting,
)
from contrapose.tools.model_work import SECONDS, SIZE, hours, operations, unknown
from contrapose.tools.plan import llm_estimates
from contrapose.tools.power import power
from contrapose.tools.speed import Machine, cores, finished, machine, measure_products, spelled
from contrapose.tools.workload import Call

# Between the first two and the last docs/explanation/statistics.md says how often tables err.
FEWEST_SEEDS, USUAL_SEEDS, MOST_SEEDS = 3, 5, 10
LATE = (
    0.05  # of the budget: a last seed may end so late.  Half of the 10 % by which a budget is missed at most.
)


class Speed(NamedTuple):
    """How fast a machine runs jobs."""

    device: Machine
    slower: float  # seconds of a clock for a second of a core, of which other programs take a part
    factors: Mapping[str, float]  # by the work of a rule: how often what is estimated passed


@dataclass(frozen=True)
class TimedRun:
    """The jobs of a run with a budget of time, and how fast they are."""

    run: BudgetedRun
    few: Call  # what was left with the fewest seeds
    each: Sequence[Job]  # what one more seed adds
    open: Open
    speed: Speed
    planning: float  # seconds that it took to plan them
    done: frozenset[str] = frozenset()  # first outputs of the jobs that have ended since
    trained: int | None = None  # steps of the trainings among them
    calls: int = 3  # of Snakemake to come: trainings that measure, half of the seeds, all the rest
    pace: float = 1.0  # seconds that passed for one that calls were expected to take

    @property
    def trainings(self) -> list[Job]:
        """What is left to train, the shortest of the first seed first."""
        jobs = [job for job in (*self.few.jobs, *self.each) if self.few.rule(job).work == "training"]
        return sorted(jobs, key=lambda job: (int(job.wildcards["seed"]), operations(self.few, job)))

    @property
    def workers(self) -> int:
        """How many jobs with a model run at once."""
        given = [int(value) for value in self.run.given.values("-c", "--cores") if value.isdecimal()]
        return max(1, min([self.speed.device.devices, *given]))

    def fitting(self, seconds: float) -> Choice | None:
        """Return what ends before so many seconds are spent."""
        return fitting(self.seconds, self.open, seconds - self.run.spent)

    def seconds(self, choice: Choice) -> float:
        """Return the seconds that a choice takes from now on."""
        left = [job for job in self.few.jobs if not self._is_done(job, choice.steps)]
        waiting = sum(one.amounts["time"] or 0.0 for one in llm_estimates(replace(self.few, jobs=left)))
        starts = self.speed.slower * START_SECONDS * self.calls
        jobs = self._jobs(left), self._jobs(self.each)
        calls = Forecast(self.open.seeds[0], *jobs, self.workers, starts).seconds(choice)
        return self.pace * calls + self.planning * (self.calls - 1) + SECONDS * waiting

    def _is_done(self, job: Job, steps: int | None) -> bool:
        trained = "seed" in job.wildcards or is_trained(job.wildcards.get("run", ""))
        return job.outputs[0] in self.done and (steps == self.trained or not trained)

    def _jobs(self, jobs: Sequence[Job]) -> Jobs:
        models = [self.model_job(job) for job in jobs if self.few.rule(job).work]
        return Jobs(models, self.speed.slower * JOB_SECONDS * (len(jobs) - len(models)) / cores())

    def model_job(self, job: Job) -> ModelJob:
        """Return what a job with a model takes."""
        (fixed, each_step), factors = self.estimated(job), self.speed.factors
        factor = factors.get(str(self.few.rule(job).work), factors.get("training", self.speed.slower))
        return ModelJob(self.speed.slower * JOB_SECONDS + factor * fixed, factor * each_step)

    def estimated(self, job: Job) -> ModelJob:
        """Return the seconds of a core or GPU for the operations of a job, at the rate of the device."""
        device, recipe = self.speed.device, job.wildcards.get("recipe")
        seconds = SECONDS * device.devices * (hours(self.few, job, device.rates) or 0.0)
        steps = getattr(self.few.project.recipe(recipe), "steps", None) if recipe else None
        return ModelJob(0.0, seconds / steps) if steps and self.open.steps else ModelJob(seconds)

    def after(self, jobs: Sequence[Job], steps: int | None, now: bool = True) -> "TimedRun":
        """Return the same once some jobs have ended, with trainings of so many steps, by their logs.

        If they have not ended just now, other programs may have left them more or less than they leave now.
        """
        passed, estimated, worked = dict[str, float](), dict[str, float](), 0.0
        for job in jobs:
            work = str(self.few.rule(job).work)
            took = read_timing(timing_file(job.logs[0])) if job.logs else None
            expected = self.estimated(job).seconds(steps) if self.few.rule(job).work else 0.0
            if took and expected:
                own = took["gpu_seconds"] or took["cpu_seconds"]
                passed[work] = passed.get(work, 0.0) + (
                    took["wall_seconds"] if now else self.speed.slower * own
                )
                estimated[work] = estimated.get(work, 0.0) + expected
                worked += own
        slower = max(1.0, sum(passed.values()) / worked) if worked else self.speed.slower
        factors = {**self.speed.factors, **{work: passed[work] / estimated[work] for work in estimated}}
        device = self.speed.device
        if estimated:
            device = device._replace(source=f"measured by finished jobs: {', '.join(sorted(estimated))}")
        speed = Speed(device, slower, factors)
        done = frozenset(job.outputs[0] for job in jobs)
        return replace(self, speed=speed, done=done, trained=steps, calls=self.calls - bool(factors))


def for_time(run: BudgetedRun, seconds: float) -> bool:
    """Choose and write what ends within so many seconds; return whether there is anything left to run."""
    timed = planned(run)
    if not timed.trainings:
        print("--budget: All trainings are finished.", flush=True)
        return True
    if names := _uncounted(timed.few):
        print(
            "--budget: The estimate does not include jobs for which these numbers are not known: "
            f"{', '.join(names)}.",
            flush=True,
        )
    if not (choice := timed.fitting(seconds)):
        raise _too_little(timed, seconds)
    if not timed.speed.factors:
        timed = _measured(timed)
        choice = timed.fitting(seconds)
    if not choice:
        raise _too_little(timed, seconds)
    run.write(_settings(choice))
    takes = spelled((timed.seconds(choice) + run.spent) / SECONDS)
    said = f"Every method is trained with {choice}, which takes about {takes} in all."
    print(f"--budget: {said} These settings are written to {run.place}.", flush=True)
    _say_differences(timed, choice)
    if not run.seeds:
        _first_seeds(timed, choice, seconds)
    return True


def planned(run: BudgetedRun) -> TimedRun:
    """Return the jobs of a run, and how fast they are: by the trainings that it keeps, or by an estimate."""
    begun, worked = time.monotonic(), time.process_time()
    few = run.call({"seeds": run.seeds or FEWEST_SEEDS})
    if not run.seeds and not _of_work(few, "training"):  # made before: more seeds are added to the folder's
        few = run.call({})
    count = few.project.config.seeds
    more = run.call({"seeds": count + 1})
    logs = any(finished(few.project))
    made = _but(run.call({"seeds": count}, everything=True).jobs, few.jobs) if logs else []
    planning = time.monotonic() - begun
    slower = max(1.0, planning / (time.process_time() - worked))
    if not logs:
        measure_products()
    speed = Speed(machine(few.project), slower, {})
    trained = bool(_of_work(replace(few, jobs=made), "training"))
    open = _open(run, more, count, fixed=trained)
    timed = TimedRun(run, few, _but(more.jobs, few.jobs), open, speed, planning)
    return timed.after(made, open.steps, now=False) if trained else timed


def _open(run: BudgetedRun, more: Call, fewest: int, fixed: bool) -> Open:
    """Return what may be chosen; steps that are given, or those of trainings that are made, are kept."""
    trainings = _of_work(more, "training")
    for job in trainings:
        if operations(more, job) is None:
            lacking = unknown(more, job)
            pairs = f"{more.project.results}/pairs/{job.wildcards['pairs']}.parquet"
            first = call("download") if lacking.startswith(SIZE) else call("run", "--", pairs)
            raise ConfigError(
                f"--budget: Contrapose cannot estimate how long the trainings take, because the {lacking} is "
                f"not known yet. First call {first}, or leave out --budget."
            )
    recipes: list[Any] = [more.project.recipe(job.wildcards["recipe"]) for job in trainings]
    steps = {getattr(recipe, "steps", None) for recipe in recipes}
    epochs = [
        math.ceil((more.rows(job.wildcards["pairs"]) or 0) / getattr(recipe, "batch_size", math.inf))
        for job, recipe in zip(trainings, recipes, strict=True)
    ]
    one = steps.pop() if len(steps) == 1 else None
    seeds = (fewest,) * 3 if run.seeds else (fewest, max(fewest, USUAL_SEEDS), max(fewest, MOST_SEEDS))
    return Open(one, max(epochs, default=0), seeds, fixed or bool(more.project.config.steps))


def _measured(timed: TimedRun) -> TimedRun:
    """Train as many rows as run at once, with the fewest steps, and score them; return what that says."""
    smallest = timed.open.smallest
    first = [job for job in timed.trainings if job.wildcards["seed"] == timed.trainings[0].wildcards["seed"]]
    first = first[: timed.workers]
    targets = _scores(timed.few, first)
    of_steps = f" of {smallest.steps} steps" if smallest.steps else ""
    said = f"{len(first)} trainings{of_steps} run first, to measure the speed of this machine."
    print(f"--budget: {said}", flush=True)
    timed.run.run(targets, *([f"steps={smallest.steps}"] if smallest.steps else []))
    return timed.after(_behind(timed.few.jobs, targets), smallest.steps)


def _first_seeds(timed: TimedRun, choice: Choice, seconds: float) -> None:
    """Train and score half of the seeds that are to come; then write how many there is time for."""
    run, made = timed.run, 0 if _of_work(timed.few, "training") else timed.few.project.config.seeds
    count = made + (choice.seeds - made) // 2
    half = run.call(_settings(choice._replace(seeds=count)))
    if not (trainings := _of_work(half, "training")):
        return
    targets = _scores(half, trainings)
    begun = run.spent
    run.run(targets)
    took, jobs = run.spent - begun, _behind(half.jobs, targets)
    kept = Open(choice.steps, 0, (count, max(count, USUAL_SEEDS), max(count, MOST_SEEDS)), fixed=True)
    timed = replace(timed, few=half, open=kept).after(jobs, choice.steps)
    again = replace(timed, few=replace(half, jobs=jobs), done=frozenset())
    timed = replace(timed, pace=took / again.seconds(choice._replace(seeds=count)))
    best = timed.fitting((1 + LATE) * seconds) or choice._replace(seeds=count)
    seeds = "1 seed" if count == 1 else f"{count} seeds"
    said = f"Training each method with {seeds} took {spelled(took / SECONDS)}"
    print(f"--budget: {said}. Number of seeds that the budget allows: {best.seeds}.", flush=True)
    run.write(_settings(best))
    _say_differences(timed, best)


def _scores(call: Call, trainings: Sequence[Job]) -> list[str]:
    """Return the scores of trainings and of encoders without training: what differences vary by."""
    runs = {_run(job): job.outputs[-1] for job in trainings}
    scorings = [job for job in _of_work(call, "evaluation") if "run" in job.wildcards]
    scores = [job for job in scorings if job.wildcards["run"] in runs or not is_trained(job.wildcards["run"])]
    unscored = runs.keys() - {job.wildcards["run"] for job in scores}
    return [*(runs[run] for run in sorted(unscored)), *(job.outputs[0] for job in scores)]


def _run(training: Job) -> str:
    pairs, recipe, seed = (training.wildcards[name] for name in ("pairs", "recipe", "seed"))
    return Run(pairs, recipe, int(seed)).id


def _behind(jobs: Sequence[Job], targets: Sequence[str]) -> list[Job]:
    """Return the jobs that some files need, directly or not."""
    makers = {path: job for job in jobs for path in job.outputs}
    found, todo = dict[str, Job](), [*targets]
    while todo:
        job = makers.get(todo.pop())
        if job and job.outputs[0] not in found:
            found[job.outputs[0]] = job
            todo += job.inputs
    return [*found.values()]


def _but(jobs: Sequence[Job], others: Sequence[Job]) -> list[Job]:
    """Return the jobs that are not among others."""
    known = {job.outputs[0] for job in others}
    return [job for job in jobs if job.outputs[0] not in known]


def _of_work(call: Call, work: WorkKind) -> list[Job]:
    return [job for job in call.jobs if call.rule(job).work == work]


def _uncounted(call: Call) -> list[str]:
    """Name what is missing for the time of jobs that ask language models or run models beside trainings."""
    lacking = [one.unknown for one in llm_estimates(call)]
    works = (job for job in call.jobs if call.rule(job).work)
    lacking += [unknown(call, job) for job in works if operations(call, job) is None]
    return list(dict.fromkeys(filter(None, lacking)))


def _settings(choice: Choice) -> dict[str, object]:
    return {name: value for name, value in choice._asdict().items() if value}


def _say_differences(timed: TimedRun, choice: Choice) -> None:
    """Print what the tables of a choice could tell apart."""
    project = Project(timed.run.settings(_settings(choice)), HOME)
    said = power(replace(timed.few, project=project))
    print(f"\n{said}\n" if said else "", flush=True)


def _too_little(timed: TimedRun, seconds: float) -> ConfigError:
    """Return the error for a run of which not even the smallest fits: with the methods that do, if any do."""
    run, smallest, device = timed.run, timed.open.smallest, timed.speed.device
    takes = timed.seconds(smallest)
    said = (
        f"--budget {' '.join(run.budgets)}: The smallest run trains every method with {smallest}. It "
        f"takes about {spelled((takes + run.spent) / SECONDS)} on {device.name} ({device.source})."
    )
    stay, methods = _methods(timed)
    if not methods:
        return ConfigError(f"{said} Raise the budget, or use fewer methods.")
    order = sorted(methods, key=lambda name: methods[name])
    for count in reversed(range(len(order))):
        takes -= methods[order[count]] / timed.workers
        names = [*stay, *order[:count]]
        if takes > seconds or not names:
            continue
        fewer = replace(run, given=RunArguments.of(_with_methods(run.given, names)), begun=0.0)
        found = replace(planned(fewer), speed=timed.speed, calls=timed.calls)
        if choice := found.fitting(seconds):
            return ConfigError(
                f"{said} Only {len(names)} of {len(stay) + len(order)} methods fit, trained with "
                f"{choice}: the baselines, and the methods with the shortest trainings. This command "
                f"trains them:\n    {_command(run, names)}"
            )
    return ConfigError(
        f"{said} Even {' and '.join(stay) or order[0]} takes longer than the budget. Raise the budget."
    )


def _methods(timed: TimedRun) -> tuple[list[str], dict[str, float]]:
    """Return the trained rows that no choice of methods leaves out, and what the others take in seconds."""
    project, steps = timed.few.project, timed.open.smallest.steps
    stay, runs, kept = list[str](), dict[str, set[str]](), set[str]()
    for name in (job["table"] for job in timed.few.of("report_sts_table")):
        spec: Any = project.shown(name).spec
        free = {row.model for row in methods_of(spec)} if spec.costs else set()
        for row in project.about(name).rows:
            model, of_row = row.model.removesuffix(SELECTED), {*row.every_run, *row.averaged}
            if model in free and of_row:
                runs.setdefault(model, set()).update(of_row)
            else:
                kept |= of_row
                stay += [model] * (spec.costs and row.trained and bool(of_row) and model not in stay)
    seconds = dict.fromkeys(runs, 0.0)
    for job in timed.few.jobs:
        run = _run(job) if timed.few.rule(job).work == "training" else job.wildcards.get("run", "")
        of = [model for model in runs if run in runs[model] - kept]
        if of and timed.few.rule(job).work:
            took = timed.model_job(job).seconds(steps)
            seconds |= {model: seconds[model] + took for model in of}
    return stay, seconds


def _with_methods(given: RunArguments, names: Sequence[str]) -> list[str]:
    others = [each for each in given.config if not each.startswith("methods=")]
    return given.with_config([*others, methods_setting(names)])


def _command(run: BudgetedRun, names: Sequence[str]) -> str:
    """Return the call that was made, with other methods."""
    given = run.given
    for option in NAMES:  # `call` names the folder
        given = RunArguments.of(given.without(option))
    config = [each for each in given.config if not each.startswith("methods=")]
    options = RunArguments.of(given._replace(targets=[]).with_config(config)).options
    budgets = [word for budget in run.budgets for word in ("--budget", budget)]
    return call("run", shlex.join([*budgets, *options, METHODS, *names, "--", *given.targets]))
