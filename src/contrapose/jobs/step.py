"""A step is a module: its settings, and `build`, whose signature says what it reads and what it makes.

    def build(
        spec: NeighbourSearch, pairs: Pairs, encoder: Scorer
    ) -> Annotated[pd.DataFrame, Rows(NEIGHBOURS)]: ...

Rule `score_neighbours` runs `build` of `contrapose.score.neighbours`; that of a strategy `pairs_prefix`, of
`contrapose.pairs.prefix`.  A parameter of `build` is

- a settings class: the settings of the job, or the part of them with the parameter's name, or the resource of
  that name, which reruns nothing.  `plan(project, **wildcards)` beside `build` returns those of a job: only
  what the step uses itself and what can change its result;
- annotated with `FromJob`: made from settings and job, such as a loaded encoder;
- an input: what its annotation reads from the files (`Sentences = Annotated[pd.DataFrame, Rows(SENTENCES)]`),
  or their paths (`list[str]`).

What is returned goes to the rule's output: a table as annotated, an iterator of pieces of one, a function
that writes a file or folder (`Writer`), or a tuple of these, `Annotated[tuple, Outputs(texts=SENTENCES)]`.
A table or figure of a study writes itself (`Report`, `Drawing`).
"""

import inspect
import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from importlib import import_module
from itertools import chain
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType
from typing import Annotated, Any, NamedTuple, TypeVar, get_args, get_origin

import pandas as pd
from pydantic import BaseModel

from contrapose.base.directory import rebuild
from contrapose.base.errors import ConfigError, OutdatedError, TableError
from contrapose.jobs.manifest import made_now, manifest_file
from contrapose.jobs.processes import is_first
from contrapose.jobs.stage import SnakemakeJob, all_input_files, input_files, log_to, provenance
from contrapose.jobs.state import alone_in, remove_state
from contrapose.jobs.status import or_unavailable, read_status
from contrapose.jobs.user_code import user_kinds
from contrapose.tables import PAIRS, Table, TableWriter, read_table, read_tables, write_table, written

OF_PAIRS = "_of_pairs"  # how rules end that do the same for a pair set as others for answers
# Inputs of pairs that a language model may have answered.
ANSWERED = ("paraphrases", "negatives", "backtranslations", "relevance", "texts")

F = TypeVar("F", bound=Callable)
InputFiles = str | list[str]  # the files of an input


def planned(function: F) -> F:
    """Mark a property that only the planning of jobs reads: it is in no code digest and reruns nothing.

    Functions that take a project or its places need no mark.
    """
    return function


class Rows(NamedTuple):
    """The rows of a table: of all files of an input together, perhaps not every column; or of an output."""

    table: Table
    columns: list[str] | None = None

    def __call__(self, files: list[str]) -> pd.DataFrame:
        """Return the rows of all files; one file is not copied."""
        if len(files) == 1:
            return read_table(files[0], self.table, self.columns)
        return read_tables(files, self.table, self.columns)


class Outputs(dict[str, Table | None]):
    """The tables of a rule's outputs, by name, in the order of what `build` returns; None: a `Writer`."""


class FromJob(NamedTuple):
    """Makes a parameter of `build` from the settings of a job and the object that Snakemake gives to it."""

    make: Callable[[Any, Any], Any]


def into(output: str, table: Table) -> FromJob:
    """Return what makes the writer of an output that `build` writes itself, piece by piece."""
    return FromJob(lambda spec, job: TableWriter(job.output[output], table, provenance(job)))


def wildcard(name: str) -> FromJob:
    """Return what reads a wildcard of the rule."""
    return FromJob(lambda spec, job: job.wildcards[name])


Device = Annotated[str, FromJob(lambda spec, job: job.resources.device)]
State = Annotated[Path, FromJob(lambda spec, job: Path(job.resources.state))]
DataFolder = Annotated[  # of the catalog; None if all it needs is on the hub
    Path | None, FromJob(lambda spec, job: Path(job.resources.data) if job.resources.data else None)
]
Shard = Annotated[  # its number and how many there are
    tuple[int, int], FromJob(lambda spec, job: (int(job.wildcards.shard), int(job.wildcards.shards)))
]
Writer = Callable[[Path], object]  # writes a file or folder, complete or not at all


def kinds_of(package: ModuleType) -> dict[str, ModuleType]:
    """Return {kind: its module} of the modules of a package that have a `build`, and a person's own."""
    names = [info.name for info in iter_modules(package.__path__[:1])]
    modules = {name: import_module(f"{package.__name__}.{name}") for name in names}
    ours = {name: module for name, module in modules.items() if hasattr(module, "build")}
    return ours | user_kinds(package.__name__, names)


def step_module(rule: str) -> str:
    """Return the module of a rule's step; `score_neighbours`: `contrapose.score.neighbours`."""
    stage, name = rule.removesuffix(OF_PAIRS).split("_", 1)
    return f"contrapose_mini.made.{name}" if stage == "mini" else f"contrapose.{stage}.{name}"


def settings_class(module: ModuleType) -> Any:
    """Return the class of a step's settings; None without parameters."""
    return next(iter(parameters(module).values()), None)


def run(job: SnakemakeJob) -> None:
    """Run the step of a job: read what `build` takes, call it, and write what it returns.

    Parameters
    ----------
    job : the object that Snakemake gives to a script
        Its resource `step` is the module of the step.  With a resource `device` the step runs a
        model, on the threads of the job; with `state` it keeps a folder, which is removed at the end.
    """
    resources = job.resources
    with ExitStack() as stack:
        stack.enter_context(log_to(job.log[0], job.threads if resources.get("device") else None))
        module = import_module(resources.step)
        tables = _tables(module, job)
        stack.enter_context(or_unavailable(job, tables))
        state = resources.get("state")
        if state and not resources.get("checkpoint_seconds"):  # checkpoints lock their folder themselves
            stack.enter_context(alone_in(Path(state)))
        outputs = [path for _, path in job.output.items()]
        manifest_file(outputs[0]).unlink(missing_ok=True)  # it is of other files from now on
        with _named(job):
            made = result(job)
        if not is_first():  # another process writes
            return
        if hasattr(made, "write"):
            made.write(job.output, provenance(job))
        else:
            parts = made if isinstance(made, tuple) else (made,) * len(tables)
            for (name, table), part in zip(tables.items(), parts, strict=True):
                _write(part, job.output[name], table, job)
        made_now(outputs, provenance(job), all_input_files(job)).write()
        if state:
            remove_state(Path(state))


@contextmanager
def _named(job: SnakemakeJob) -> Iterator[None]:
    """Have errors of a step, which knows only its tables and settings, name the files and ids of its job."""
    try:
        yield
    except OutdatedError as error:
        if not (files := input_files(job, error.input)):
            raise
        raise TableError(f"{files[0]}: {error.reason}. {rebuild(*files)}") from error
    except (ConfigError, TableError) as error:
        wildcards = dict(job.wildcards.items())
        ids = " on ".join(f"{key} '{wildcards[key]}'" for key in ("recipe", "pairs") if key in wildcards)
        about, colon, says = str(error).partition(": ")
        if not ids or not colon or about not in ("recipe", "pairs"):
            raise
        raise type(error)(f"{ids}: {says}") from error


def result(job: SnakemakeJob) -> object:
    """Return what `build` of a job's step returns.

    A parameter `about`, of tables and figures, learns from the input files what could not be made.
    """
    module = import_module(job.resources.step)
    return module.build(**_arguments(module, job))


def _arguments(module: ModuleType, job: SnakemakeJob) -> dict[str, Any]:
    """Return the arguments of `build`."""
    settings = json.loads(job.params.settings)
    arguments: dict[str, Any] = {}
    others: dict[str, Any] = {}
    for name, kind in parameters(module).items():
        if not (isinstance(kind, type) and issubclass(kind, BaseModel)):
            others[name] = kind
        elif not arguments and "spec" not in settings:
            arguments[name] = kind.model_validate(settings)
        else:
            values = settings[name] if name in settings else json.loads(job.resources[name])
            arguments[name] = kind.model_validate(values)
    unavailable: set[str] = set()
    if "about" in arguments:
        found = arguments["spec"].found(arguments["about"], job)
        arguments["about"], unavailable = arguments["about"].with_found(found), found.empty
    spec = next(iter(arguments.values()), None)
    for name, kind in others.items():
        read = declared_as(kind)
        if isinstance(read, FromJob):
            arguments[name] = read.make(spec, job)
        else:
            files = [file for file in input_files(job, name) if file not in unavailable]
            arguments[name] = read(files) if read else files
    return arguments


def parameters(module: ModuleType) -> dict[str, Any]:
    """Return the parameters of `build`, with what they are declared as."""
    annotations = inspect.get_annotations(module.build, eval_str=True)
    return {name: kind for name, kind in annotations.items() if name != "return"}


def declared_as(kind: object) -> Any:
    """Return the first that stands in `Annotated` beside a type: what reads or writes it, or None."""
    return next(iter(getattr(kind, "__metadata__", ())), None)


def _tables(module: ModuleType, job: SnakemakeJob) -> Outputs:
    """Return the table that each output of a job holds, or None for what a function writes.

    Without those that `build` writes itself.
    """
    kind = inspect.get_annotations(module.build, eval_str=True)["return"]
    if kind is None:
        return Outputs()
    declared = declared_as(kind)
    if isinstance(declared, Outputs):
        return declared
    return Outputs((name, _table(kind)) for name, _ in job.output.items())


def _table(kind: object) -> Table | None:
    if get_origin(kind) is Iterator:  # of its pieces
        (kind,) = get_args(kind)
    read = declared_as(kind)
    return read.table if isinstance(read, Rows) else None


def _write(made: Any, path: str, table: Table | None, job: SnakemakeJob) -> None:
    """Write what a step made to one of its outputs."""
    if table is None:
        with written(path) as draft:
            made(draft)
    elif isinstance(made, pd.DataFrame):
        write_table(made, path, table, {**provenance(job), **_status(made, table, job)})
    else:
        facts, pieces = provenance(job), iter(made)
        if table is PAIRS:
            first = next(pieces)
            facts, pieces = {**facts, **_status(first, table, job)}, chain([first], pieces)
        with TableWriter(path, table, facts) as writer:
            for piece in pieces:
                writer.write(piece)


def _skipped(job: SnakemakeJob, *names: str) -> list[str]:
    return [each for name in names for path in input_files(job, name) for each in read_status(path).skipped]


def _status(made: pd.DataFrame, table: Table, job: SnakemakeJob) -> dict[str, object]:
    """Return the status of a table for its metadata; pairs also skip what their material does.

    Where there are none for that reason, a table says why answers were refused.
    """
    status = read_status(made.attrs)
    if table is PAIRS:
        skipped, refused = _skipped(job, "sentences"), _skipped(job, *ANSWERED)
        update: dict[str, object] = {"skipped": skipped + status.skipped + refused}
        if status.unavailable:
            update["unavailable"] = "; ".join([status.unavailable, *refused])
        status = status.model_copy(update=update)
    return status.metadata()
