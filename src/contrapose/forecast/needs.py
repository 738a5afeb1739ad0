"""What a job asks a cluster for: memory, time, CPUs, GPUs, disk.  The one place of sizes; docs/plan.md."""

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, replace
from functools import cache
from math import ceil, inf

from contrapose.errors import ContraposeError
from contrapose.forecast.dag import Job
from contrapose.forecast.disk import checkpoint, disk
from contrapose.forecast.loads import CUDA_HOST, MODELS, UNKNOWN, Load
from contrapose.forecast.rows import ASKING, RATES, UNKNOWN_TABLE, row_load
from contrapose.plan import Plan

MB = 1e6
# What every job has beside its work.  A job of a cluster is two Snakemakes, each of which holds the plan (219
# MB in the mini world, 231 MB in the hub's with all studies), and Python with its imports (measured: to 160
# MB, with NLTK's data and SciPy 300 MB; 620 MB with PyTorch).
SNAKEMAKES, TABLES, TORCH = 450e6, 300e6, 650e6
MEMORY_FACTOR, TIME_FACTOR = 1.5, 3.0  # what is asked for, of what is expected
# Starting, and a file system that answers slowly: minutes.
SHORTEST, SHORTEST_MODEL = 10, 20
# Minutes that a job asks for at most whose work survives it in journals, checkpoints or blocks: many clusters
# let none run for more than one to three days, and its next attempt goes on.
DAY = 24 * 60
# With `device: auto` a job asks for a GPU if it would work longer than this on one core: minutes.
PATIENCE = 30
CPUS_PER_GPU = 4  # one feeds it, the others tokenise
MOST_CPUS = 8  # of a job that runs its model on the CPU: more of them wait for each other
DISK = 200e6  # bytes of every job: logs, drafts of small tables


RULES = {*MODELS, *RATES, *ASKING}  # that ask for something; the others are local


@dataclass(frozen=True)
class Needs:
    """What a job asks for at its first attempt."""

    mem_mb: int  # of the host
    runtime: int  # minutes
    cpus: int
    gpus: int
    gpu_mem_mb: int  # of each GPU, for people: no scheduler is told
    disk_mb: int
    longest: float  # minutes that any attempt asks for at most
    expected: float  # minutes that the formulae say, without factor or floor

    def of_attempt(self, attempt: int) -> "Needs":
        """Return what the n-th attempt asks for: n times the memory and the time, which may have an end."""
        minutes = min(attempt * self.runtime, self.longest)
        return replace(self, mem_mb=attempt * self.mem_mb, runtime=int(minutes))


def needs(plan: Plan, rule: str, wildcards: Mapping[str, str]) -> Needs:
    """Return what a job of a rule asks for, from sizes of the world and shapes of its models.

        mem_mb  = 1.5 x (Snakemake twice + imports + bytes of the rows or of the model)
        runtime = 3 x expected minutes, at least 10 (with a model 20); at most a day if the next attempt
                  goes on from there
        expected = operations / (peak x utilisation of a GPU, or those of a core), or seconds of the rows

    `loads` has the formulae of models, `rows` those of tables.  What the sizes do not tell has a stated
    default; a file or setting that is wrong has one too, as the rule itself says what is wrong.  No table is
    opened and nothing is imported that is large.

    Parameters
    ----------
    plan : Plan
    rule : str
        One that is not local.
    wildcards : mapping
        Of the job; its seed and its shard make no difference.
    """
    alike = ((name, value) for name, value in sorted(wildcards.items()) if name not in ("seed", "shard"))
    return _needs(_from_nothing(plan), rule, tuple(alike))


@cache
def _from_nothing(plan: Plan) -> Plan:
    other = copy(plan)
    other.from_nothing = True
    return other


@cache
def _needs(plan: Plan, rule: str, alike: tuple[tuple[str, str], ...]) -> Needs:
    job = Job(rule, dict(alike))
    try:
        load = MODELS.get(rule, row_load)(plan, job)
        space = _disk(plan, job)
    except ContraposeError:
        load, space = UNKNOWN if rule in MODELS else UNKNOWN_TABLE, DISK
    return _asked(load, space, plan.config.device, plan.config.processes)


def _disk(plan: Plan, job: Job) -> float:
    """Return the bytes that a job writes; a checkpoint is replaced by a whole one, so it counts twice.

    That is a bound for identification, whose folds take turns.
    """
    written = sum(space.size for space in disk(plan, [job], [], []).values())
    return DISK + written + 2 * (checkpoint(plan, [job]) or 0)


def _asked(load: Load, space: float, device: str, processes: int) -> Needs:
    """Turn what a job takes into what it asks for.

    Parameters
    ----------
    load : Load
    space : float
        Bytes on the disk.
    device : str
        As in the config: a GPU is asked for with `cuda`, and with `auto` if a core would take longer than
        PATIENCE; never with `cpu` and `mps`.
    processes : int
        Of one training, each with a GPU, or with a core.
    """
    spread = processes if load.may_spread else 1
    wanted = device == "cuda" or (device == "auto" and load.seconds > 60 * PATIENCE)
    on_gpu = load.gpu_seconds is not None and wanted
    if on_gpu:
        assert load.gpu_seconds is not None
        # Every process has the model, its checkpoint and its libraries; the batch is shared out.
        work, seconds, cpus = spread * (load.beside_gpu + CUDA_HOST), load.gpu_seconds / spread, CPUS_PER_GPU
    else:
        cores = -(-load.seconds // (60 * PATIENCE)) if load.runs_model and device == "cpu" else 1
        cpus = int(min(MOST_CPUS, max(1, cores)))
        work, seconds = spread * load.memory, load.seconds / cpus / spread
    imports = spread * TORCH if load.runs_model else TABLES
    minutes = max(SHORTEST_MODEL if load.runs_model else SHORTEST, ceil(TIME_FACTOR * seconds / 60))
    longest = DAY if load.goes_on else inf
    return Needs(
        mem_mb=_rounded(MEMORY_FACTOR * (SNAKEMAKES + imports + work) / MB),
        runtime=int(min(minutes, longest)),
        cpus=cpus * spread,
        gpus=spread if on_gpu else 0,
        gpu_mem_mb=_rounded(MEMORY_FACTOR * load.gpu_memory / MB) if on_gpu else 0,
        disk_mb=_rounded(MEMORY_FACTOR * space / MB),
        longest=longest,
        expected=seconds / 60,
    )


def _rounded(megabytes: float) -> int:
    """Round up to hundreds: more digits would promise what the formulae do not hold."""
    return 100 * ceil(megabytes / 100)
