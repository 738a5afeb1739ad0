"""All kinds of tables and figures: the modules of this package with a `build`."""

from typing import TYPE_CHECKING, Annotated, Union

from pydantic import Field

import contrapose.report.kinds
from contrapose.jobs.step import kinds_of, settings_class
from contrapose.report.kinds.base import ReportSettings, TableSettings

_KINDS = kinds_of(contrapose.report.kinds)
TABLES = {
    kind: module for kind, module in _KINDS.items() if issubclass(settings_class(module), TableSettings)
}
FIGURES = {kind: module for kind, module in _KINDS.items() if kind not in TABLES}

if TYPE_CHECKING:
    AnyTable = TableSettings  # type checkers then refuse access to `kind`
    AnyFigure = ReportSettings
else:
    AnyTable, AnyFigure = (
        Annotated[Union[tuple(map(settings_class, kinds.values()))], Field(discriminator="kind")]  # noqa: UP007
        for kinds in (TABLES, FIGURES)
    )
