"""The strategies that there are: the modules of this package with a `build`."""

from typing import TYPE_CHECKING, Annotated, Union

from pydantic import Field

import contrapose.pairs
from contrapose.kinds import kinds_of, settings_class

STRATEGIES = kinds_of(contrapose.pairs)

if TYPE_CHECKING:
    from contrapose.pairs.strategy import (
        SentencePairs as PairSet,
    )  # whoever asks for the kind is in the wrong place
else:
    PairSet = Annotated[
        Union[tuple(map(settings_class, STRATEGIES.values()))], Field(discriminator="kind")  # noqa: UP007
    ]
