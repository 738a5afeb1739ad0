"""All strategies: the modules of this package that have a `build`, and a person's own."""

import inspect
from types import ModuleType
from typing import TYPE_CHECKING, Annotated, Union, get_args

import contrapose.pairs
from contrapose.base.errors import ConfigError
from contrapose.jobs.step import InputFiles, Rows, declared_as, kinds_of, parameters, settings_class
from contrapose.jobs.user_code import user_module
from contrapose.pairs.strategy import Strategy
from contrapose.settings.plan import Paths
from contrapose.settings.spec import ByKind

PLANNED = ("inputs", "material")  # methods that Strategy leaves to each kind


def _strategies() -> dict[str, ModuleType]:
    """Return {kind: its module}; raise a ConfigError if a module lacks what planning asks of its settings."""
    strategies = kinds_of(contrapose.pairs)
    for name, module in strategies.items():
        kind = getattr(settings_class(module), "model_fields", {}).get("kind")
        if kind is None or get_args(kind.annotation) != (name,):
            raise ConfigError(
                f"{module.__file__}: the first parameter of `build` must have as type a settings "
                f'class with a field kind: Literal["{name}"]. Write such a class. The kind is the '
                "name of the module, or of its entry point."
            )
        methods = {each: getattr(settings_class(module), each, None) for each in PLANNED}
        lacks = [f"no method {each}" for each in PLANNED if methods[each] in (None, getattr(Strategy, each))]
        names = inspect.signature(module.build).parameters
        lacks += [f"no type for {each} of build" for each in names if each not in parameters(module)]
        if lacks:
            raise ConfigError(
                f"{module.__file__}: the module has {' and '.join(lacks)}. See recipe 1 of "
                "CONTRIBUTING.md: derive the settings from SentencePairs, or from OtherPairs with a "
                "method `inputs`, and annotate the types."
            )
    return strategies


def inputs_of(pairs: Strategy, paths: Paths) -> dict[str, InputFiles]:
    """Return the files of the parameters of a strategy's `build`, those of its `inputs`.

    Raises ConfigError if a person's own names none for a table that its `build` takes.
    """
    inputs, module = pairs.inputs(paths), STRATEGIES[pairs.kind]
    tables = [name for name, kind in parameters(module).items() if isinstance(declared_as(kind), Rows)]
    if user_module(module.__name__) and (missing := [name for name in tables if not inputs.get(name)]):
        raise ConfigError(
            f"{module.__file__}: `build` takes {', '.join(missing)}, but the method `inputs` of its "
            f"settings returns only files of {', '.join(inputs) or 'nothing'}. Let `inputs` return "
            "the others as well."
        )
    return inputs


STRATEGIES = _strategies()

if TYPE_CHECKING:
    from contrapose.pairs.strategy import (
        SentencePairs as PairSet,
    )  # without `kind`: code that needs it belongs in a strategy
else:
    PairSet = Annotated[Union[tuple(map(settings_class, STRATEGIES.values()))], ByKind(None)]  # noqa: UP007
