"""All strategies: the modules of this package that have a `build`, and a person's own."""

from types import ModuleType
from typing import TYPE_CHECKING, Annotated, Union, get_args

from pydantic import Field

import contrapose.pairs
from contrapose.errors import ConfigError
from contrapose.steps import kinds_of, settings_class


def _strategies() -> dict[str, ModuleType]:
    """Return {kind: its module}; raise a ConfigError if settings have another kind than their module."""
    found = kinds_of(contrapose.pairs)
    for name, module in found.items():
        kind = getattr(settings_class(module), "model_fields", {}).get("kind")
        if kind is None or get_args(kind.annotation) != (name,):
            raise ConfigError(
                f"{module.__file__}: the first parameter of build is no settings class with a field kind: "
                f'Literal["{name}"]. Write one: the kind is the name of the module, or of its entry point.'
            )
    return found


STRATEGIES = _strategies()

if TYPE_CHECKING:
    from contrapose.pairs.strategy import (
        SentencePairs as PairSet,
    )  # without `kind`: code that needs it belongs in a strategy
else:
    PairSet = Annotated[
        Union[tuple(map(settings_class, STRATEGIES.values()))], Field(discriminator="kind")  # noqa: UP007
    ]
