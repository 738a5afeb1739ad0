"""How long the jobs take that are left of a run, by its seeds and steps, and which of these fit in a time."""

import heapq
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

# After 2, 4, 8 and 16 steps Span crop of examples/wiki is 0.25, 0.40, 0.63 and 0.86 points above no training
# (STS-B's test, one seed), Dropout 0.28, 0.41, 0.60 and, by the example's table, 0.61.
FEWEST_STEPS = 8
# Seconds of a core that a job takes beside its models: in a comparison of examples/wiki of 25 jobs Snakemake
# took 29, and each job 1 to 3.  The 154 jobs of one on two cores took 2.6 each: 12.5 min, of which models 9.
# Until the first job starts it is 8.
JOB_SECONDS, START_SECONDS = 2.5, 8.0


def beside_models(jobs: int, cores: int) -> float:
    """Return the seconds that pass beside the models of some jobs, because each has to start and end."""
    return START_SECONDS + JOB_SECONDS * jobs / cores


class Choice(NamedTuple):
    """How long each row is trained, and how often."""

    steps: int | None  # None: as the recipes say
    seeds: int

    def __str__(self) -> str:
        seeds = f"{self.seeds} seed{'s' * (self.seeds > 1)}"
        return seeds + (f" of {self.steps} steps" if self.steps else "")


class ModelJob(NamedTuple):
    """The seconds that a job with a model holds a core or a GPU."""

    fixed: float
    each_step: float = 0.0

    def seconds(self, steps: int | None) -> float:
        return self.fixed + (steps or 0) * self.each_step


class Jobs(NamedTuple):
    """Jobs of a run."""

    models: Sequence[ModelJob] = ()
    others: float = 0.0  # seconds of the whole machine that all jobs without a model take


class Forecast(NamedTuple):
    """The jobs of a run that are left with the fewest seeds, and those that each further seed adds."""

    fewest: int
    few: Jobs
    each: Jobs
    workers: int  # cores or GPUs
    beside: float  # seconds that pass without a job

    def seconds(self, choice: Choice) -> float:
        """Return the seconds until all jobs of a choice have ended."""
        further = choice.seeds - self.fewest
        jobs = [*self.few.models, *(job for job in self.each.models for _ in range(further))]
        models = makespan([job.seconds(choice.steps) for job in jobs], self.workers)
        return self.beside + self.few.others + further * self.each.others + models


class Open(NamedTuple):
    """What a budget may choose."""

    steps: int | None  # of the recipes, as far as they have the same number
    epoch: int  # steps until each sentence was seen once
    seeds: tuple[int, int, int]  # the fewest, the usual number, the most
    fixed: bool = False  # the steps are given, or those of trainings that are made

    @property
    def smallest(self) -> Choice:
        changed = self.steps is not None and not self.fixed
        return Choice(min(FEWEST_STEPS, self.steps or 0) if changed else self.steps, self.seeds[0])


def makespan(jobs: Iterable[float], workers: int) -> float:
    """Return when the last of some jobs ends, each of which holds one worker: the longest begin first."""
    ends = [0.0] * workers
    for seconds in sorted(jobs, reverse=True):
        heapq.heapreplace(ends, ends[0] + seconds)
    return max(ends)


def fitting(cost: Callable[[Choice], float], open: Open, seconds: float) -> Choice | None:
    """Return what fills so many seconds, alike for every row; None if even the smallest choice takes more.

    With less than the recipe's steps take, the fewest seeds with as many steps as fit.  Else as many seeds as
    fit with these steps, up to the usual number; from there on with the steps of an epoch, up to the most.
    What is left is less than a seed takes: more steps fill it.
    """
    few, usual, most = open.seeds
    steps = open.steps
    if cost(open.smallest) > seconds:
        return None
    if steps is None or open.fixed:
        return Choice(steps, _last(range(few, most + 1), seconds, lambda count: cost(Choice(steps, count))))
    if cost(Choice(steps, few)) > seconds:
        some = range(min(FEWEST_STEPS, steps), steps)
        steps = _last(some, seconds, lambda each: cost(Choice(each, few)))
        return Choice(steps, _last(range(few, usual + 1), seconds, lambda count: cost(Choice(steps, count))))
    epoch = max(steps, open.epoch)
    if cost(Choice(epoch, usual)) <= seconds:
        steps = epoch
        count = _last(range(usual, most + 1), seconds, lambda count: cost(Choice(epoch, count)))
        if count == most:
            return Choice(epoch, most)
    else:
        count = _last(range(few, usual + 1), seconds, lambda count: cost(Choice(open.steps, count)))
    more = range(steps, max(2 * steps, epoch) + 1)
    return Choice(_last(more, seconds, lambda each: cost(Choice(each, count))), count)


def _last(values: range, seconds: float, cost: Callable[[int], float]) -> int:
    """Return the last of some values that takes at most so many seconds, or the first."""
    return values[max(0, bisect_right(values, seconds, key=cost) - 1)]
