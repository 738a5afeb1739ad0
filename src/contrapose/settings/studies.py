"""`config/studies/*/study.yaml`: a paper as data, its tables, figures, deviations and claims."""

from typing import Literal

from pydantic import Field

from contrapose.report.kinds.union import FigureSettings, TableSettings
from contrapose.settings.deviations import Deviation
from contrapose.settings.spec import Name, Spec


class Study(Spec):
    """`config/studies/<paper>/study.yaml`: a paper as data."""

    title: str
    source: str
    prefix: Name | Literal[""] = Field(description="Prefix of its tables' names; empty for the main study")
    tables: dict[Name, TableSettings]
    figures: dict[Name, FigureSettings] = Field({})
    deviations: list[Deviation] = Field([])
