"""What was built, the jobs behind it, and where each file comes from."""

import hashlib
import json
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from contrapose.errors import ConfigError
from contrapose.fingerprint import canonical, digest
from contrapose.forecast.dag import Job, planned_jobs
from contrapose.plan import Plan
from contrapose.tables import read_provenance
from contrapose.verify import Finding, findings

RECORDED = ("settings", "code", "packages")  # of `contrapose.stage.provenance`, beside rule and wildcards
CHUNK = 1 << 20  # bytes read at once


def sha256(path: Path) -> str:
    """Return the SHA-256 of a file in hex digits; it is read in pieces."""
    found = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(CHUNK):
            found.update(piece)
    return found.hexdigest()


@dataclass(frozen=True)
class Chain:
    """The tables, figures and claims that are built, and every job behind them.

    `targets` are the files that a person asks for: one for each table, figure and study with claims.
    """

    plan: Plan
    results: Path
    targets: dict[str, Path]
    unbuilt: tuple[str, ...]
    jobs: list[Job]

    @cached_property
    def makers(self) -> dict[str, Job]:
        """The job that makes a file, by the file's path."""
        return {path: job for job in self.jobs for path in job.outputs}

    @property
    def studies(self) -> list[str]:
        """The studies of which something is built."""
        owners = {f"tables/{name}": study for name, (study, _) in self.plan.tables.items()}
        owners |= {f"figures/{name}": study for name, (study, _) in self.plan.figures.items()}
        owners |= {f"claims/{study}": study for study in self.plan.studies}
        return list(dict.fromkeys(owners[name] for name in self.targets))

    def published(self, name: str) -> list[Path]:
        """Return the files of a table, a figure or the claims of a study."""
        return [Path(path) for path in self.makers[str(self.targets[name])].outputs]

    def behind(self, job: Job) -> list[Job]:
        """Return a job and all jobs that it depends on, in the order of the plan."""
        needed, todo = set(), list(job.outputs[:1])
        while todo:
            maker = self.makers.get(todo.pop())
            if maker and maker.outputs[0] not in needed:
                needed.add(maker.outputs[0])
                todo += maker.inputs
        return [one for one in self.jobs if one.outputs and one.outputs[0] in needed]

    def stale(self) -> list[Finding]:
        """Return what `make verify` finds in the chain and in the folders that are published."""
        folders = [self.results / name for name in ("tables", "figures", "claims")]
        return [
            one
            for one in findings(self.results, self.plan)
            if str(one.path) in self.makers or one.path.parent in folders
        ]

    def shown(self, path: str | Path) -> str:
        """Write a path without the folders of this machine."""
        place = Path(path).resolve()
        named = {"results": self.results, "{data}": self.plan.data, ".": Path(), "./": self.plan.home}
        for name, folder in named.items():
            if folder is not None and place.is_relative_to(folder.resolve()):
                return (Path(name) / place.relative_to(folder.resolve())).as_posix()
        return f".../{place.parent.name}/{place.name}"

    def record(self, job: Job) -> dict[str, object]:
        """Return what made the files of a job: what its Parquet file says or, without one, today's plan.

        `id` is a digest of rule, wildcards, settings and code; inputs that a job makes carry its id, others
        their SHA-256.
        """
        made = self._made[job.outputs[0]]
        inputs = [self._input(path) for path in job.inputs]
        outputs = [self.shown(path) for path in job.outputs]
        return {"id": self.identity(job), "rule": job.rule, "wildcards": job.wildcards, **made,
                "inputs": inputs, "outputs": outputs}  # fmt: skip

    def identity(self, job: Job) -> str:
        """Return the id of a job."""
        return self._identities[job.outputs[0]]

    @cached_property
    def _identities(self) -> dict[str, str]:
        return {
            job.outputs[0]: digest(
                job.rule, canonical(job.wildcards), canonical(made["settings"]), str(made["code"])
            )
            for job in self.jobs
            for made in (self._made[job.outputs[0]],)
        }

    @cached_property
    def _made(self) -> dict[str, dict[str, object]]:
        return {job.outputs[0]: self._made_by(job) for job in self.jobs}

    def _made_by(self, job: Job) -> dict[str, object]:
        for path in map(Path, job.outputs):
            found = read_provenance(path) if path.suffix == ".parquet" and path.is_file() else {}
            if found.get("rule") == job.rule:
                return {name: found[name] for name in RECORDED}
        settings = json.loads(self.plan.settings(job.rule, job.wildcards))
        return {"settings": settings, "code": self.plan.code(job.rule, job.wildcards)}

    def _input(self, path: str) -> dict[str, str | None]:
        if maker := self.makers.get(path):
            return {"path": self.shown(path), "job": self.identity(maker)}
        return {"path": self.shown(path), "sha256": sha256(Path(path)) if Path(path).is_file() else None}


def built_chain(plan: Plan) -> Chain:
    """Return what of the chosen studies is built, and the jobs behind it.

    Raises
    ------
    ConfigError
        Nothing is built.
    BackendError
        Snakemake cannot plan it.
    """
    results = Path(plan.config.pathvars.get("results", "results"))
    wanted = dict(_wanted(plan, results))
    targets = {name: path for name, path in wanted.items() if path.is_file()}
    if not targets:
        raise ConfigError(
            f"{results}: holds no table, figure or claims of {', '.join(plan.studies)}. Build some first: "
            f"snakemake --cores all {next(iter(wanted.values()), '')}"
        )
    jobs = planned_jobs(plan, [str(path) for path in targets.values()], sys.executable)
    unbuilt = tuple(name for name in wanted if name not in targets)
    return Chain(plan, results, targets, unbuilt, _in_order(jobs))


def _wanted(plan: Plan, results: Path) -> Iterator[tuple[str, Path]]:
    """Yield every table, figure and study with claims, and the file that a person asks for."""
    yield from ((f"tables/{name}", results / "tables" / f"{name}.csv") for name in plan.tables)
    yield from ((f"figures/{name}", results / "figures" / f"{name}.pdf") for name in plan.figures)
    yield from ((f"claims/{name}", results / "claims" / f"{name}.csv") for name in plan.studies_with_claims)


def _in_order(jobs: Iterable[Job]) -> list[Job]:
    """Sort jobs that make something by what it is: Snakemake plans them in an order of its own."""
    making = [
        job._replace(inputs=_paths(job.inputs), outputs=_paths(job.outputs)) for job in jobs if job.outputs
    ]
    return sorted(making, key=lambda job: (job.rule, job.outputs))


def _paths(texts: Iterable[str]) -> list[str]:
    """Write paths in one way, `results/x` and not `./results/x`."""
    return [str(Path(text)) for text in texts]
