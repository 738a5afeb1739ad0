"""All kinds of tables and figures: the modules of this package with a `build`."""

from typing import TYPE_CHECKING, Annotated, Union

from pydantic import Field

import contrapose.report.kinds
from contrapose.report.kinds.base import Drawn, Printed
from contrapose.steps import kinds_of, settings_class

_KINDS = kinds_of(contrapose.report.kinds)
TABLES = {kind: module for kind, module in _KINDS.items() if issubclass(settings_class(module), Printed)}
FIGURES = {kind: module for kind, module in _KINDS.items() if issubclass(settings_class(module), Drawn)}

if TYPE_CHECKING:
    TableSettings = Printed  # type checkers then refuse access to `kind`
    FigureSettings = Drawn
else:
    TableSettings = Annotated[
        Union[tuple(map(settings_class, TABLES.values()))], Field(discriminator="kind")  # noqa: UP007
    ]
    FigureSettings = Annotated[
        Union[tuple(map(settings_class, FIGURES.values()))], Field(discriminator="kind")  # noqa: UP007
    ]
