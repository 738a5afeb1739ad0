"""A kind of pairs, tables or figures is a module: settings, and `build`, whose signature says what it reads.

    def build(spec: PrefixPairs, sentences: Sentences) -> pd.DataFrame

Parameters of `build` that are settings classes come from the settings of its job (the first one holds those
of the kind), or from its resource of that name, which reruns nothing.  Every other parameter is an input:
what its annotation reads from the files (`Sentences = Annotated[pd.DataFrame, Read(SENTENCES)]`), or their
paths (`list[str]`).
"""

import inspect
import json
from collections.abc import Callable
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType
from typing import Any, NamedTuple, TypeVar

import pandas as pd

from contrapose.settings.spec import Spec
from contrapose.stage import input_files
from contrapose.tables import Table, read_table, read_tables

F = TypeVar("F", bound=Callable)
Paths = str | list[str]  # the files of an input


def planned(function: F) -> F:
    """Mark a method that only the planning of jobs calls: it is in no code digest and reruns nothing."""
    return function


class Read(NamedTuple):
    """Reads the table that an input holds: all of its files together, and perhaps not every column."""

    table: Table
    columns: list[str] | None = None

    def __call__(self, files: list[str]) -> pd.DataFrame:
        """Return the rows of all files; one file is not copied."""
        if len(files) == 1:
            return read_table(files[0], self.table, self.columns)
        return read_tables(files, self.table, self.columns)


def kinds_of(package: ModuleType) -> dict[str, ModuleType]:
    """Return {kind: its module} of the modules of a package that have a `build`."""
    names = [found.name for found in iter_modules(package.__path__)]
    modules = {name: import_module(f"{package.__name__}.{name}") for name in names}
    return {name: module for name, module in modules.items() if hasattr(module, "build")}


def settings_class(module: ModuleType) -> Any:
    """Return the class of a kind's settings."""
    return next(iter(_parameters(module).values()))


def built(package: str, snakemake: Any) -> Any:
    """Read the inputs of a kind's `build`, call it, and return its result.

    Parameters
    ----------
    package : str
        The package with the module of the kind, such as `contrapose.pairs`.
    snakemake : the object that Snakemake gives to a script
        Its settings hold those of each parameter that is a settings class, by name; `spec` holds its kind.
        The `about` of a table or figure learns from the files what could not be made.
    """
    settings = json.loads(snakemake.params.settings)
    module = import_module(f"{package}.{settings['spec']['kind']}")
    values: dict[str, Any] = {}
    inputs: dict[str, Any] = {}
    for name, kind in _parameters(module).items():
        if isinstance(kind, type) and issubclass(kind, Spec):
            told = settings[name] if name in settings else json.loads(snakemake.resources[name])
            values[name] = kind.model_validate(told)
        else:
            inputs[name] = kind
    gone: set[str] = set()
    if "about" in values:
        values["about"], gone = values["about"].told_by(snakemake.input)
    for name, kind in inputs.items():
        files = [file for file in input_files(snakemake, name) if file not in gone]
        readers = getattr(kind, "__metadata__", ())
        values[name] = readers[0](files) if readers else files
    return module.build(**values)


def _parameters(module: ModuleType) -> dict[str, Any]:
    """Return the parameters of `build`, with what they are declared as."""
    found = inspect.get_annotations(module.build, eval_str=True)
    return {name: kind for name, kind in found.items() if name != "return"}
