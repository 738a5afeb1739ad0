"""All strategies: the modules of this package that have a `build`."""

from typing import TYPE_CHECKING, Annotated, Union

from pydantic import Field

import contrapose.pairs
from contrapose.steps import kinds_of, settings_class

STRATEGIES = kinds_of(contrapose.pairs)

if TYPE_CHECKING:
    from contrapose.pairs.strategy import (
        SentencePairs as PairSet,
    )  # without `kind`: code that needs it belongs in a strategy
else:
    PairSet = Annotated[
        Union[tuple(map(settings_class, STRATEGIES.values()))], Field(discriminator="kind")  # noqa: UP007
    ]
