"""Which trained encoders are published."""

from collections.abc import Sequence
from pathlib import Path

from contrapose.errors import ConfigError, TableError, unknown
from contrapose.forecast.dag import Job
from contrapose.ids import canonical_id
from contrapose.project import Run
from contrapose.publish.chain import Chain

ALL = "all"
EXAMPLE = "dropout/simcse/seed42"


def trained_runs(wanted: Sequence[str], chain: Chain) -> list[str]:
    """Return the canonical ids of runs whose encoders are there.

    Parameters
    ----------
    wanted : run ids, or `all` alone: every run behind the tables that are built
    chain : Chain

    Raises
    ------
    ConfigError
        Something is no run, or is behind no table that is built.
    TableError
        The encoder of a run is gone.
    """
    known = runs_of(chain)
    ids = sorted(known) if list(wanted) == [ALL] else [_canonical(each, chain) for each in wanted]
    for run in ids:
        if run not in known:
            raise unknown("runs behind the tables that are built", run, known)
        if not encoder_folder(known[run]).is_dir():
            raise TableError(
                f"{encoder_folder(known[run])} is gone. Build it: snakemake '{encoder_folder(known[run])}'"
            )
    return ids


def runs_of(chain: Chain) -> dict[str, Job]:
    """Return run id: the job that trains it, of all runs behind the tables that are built."""
    trainings = [job for job in chain.jobs if {"pairs", "recipe", "seed"} <= job.wildcards.keys()]
    return {
        Run(by["pairs"], by["recipe"], int(by["seed"])).id: job
        for job in trainings
        for by in (job.wildcards,)
        if job.rule.startswith("train_")
    }


def encoder_folder(job: Job) -> Path:
    """Return the encoder that a training makes."""
    return Path(next(path for path in job.outputs if Path(path).name == "encoder"))


def _canonical(identifier: str, chain: Chain) -> str:
    parts = identifier.strip("/").split("/")
    if len(parts) != 3 or not parts[2].removeprefix("seed").isdigit():
        raise ConfigError(
            f"--encoders: '{identifier}' is no run. A run is PAIRS/RECIPE/seedN, like {EXAMPLE}. Word "
            "vectors and encoders that a world pre-trains for itself are no runs and are not published."
        )
    pairs, recipe, seed = parts
    recipes = chain.plan.recipes.recipes
    return Run(chain.plan.pairs_id(pairs), canonical_id(recipe, recipes), int(seed.removeprefix("seed"))).id
