"""Figures, by kind: parts of `config/studies/*/study.yaml`."""

from typing import Annotated, Literal

from pydantic import Field

from contrapose.settings.rows import Identified, IdentifiedSource
from contrapose.settings.spec import Spec
from contrapose.tasks import Task


class Histogram(Spec):
    """A figure: the distribution of gold scores of some evaluation sets."""

    kind: Literal["histogram"]
    caption: str
    sets: dict[str, Task] = Field(min_length=1, description="Printed name: task; all splits together")
    bins: int = Field(10, ge=1, description="Equal bins on the set's own scale")


class Scatter(Spec):
    """A figure: alignment against uniformity, a labelled point per row of a table."""

    kind: Literal["scatter"]
    caption: str
    of: str = Field(description="Table of kind geometry in the same study")


class Curve(Spec):
    """A figure: a column of tables against a number that their rows stand for, a line per group of rows."""

    kind: Literal["curve"]
    caption: str
    of: list[str] = Field(
        min_length=1, description="Tables of kind sts, fine_tuned or rewrites in the same study"
    )
    column: str = Field(description="Printed name; the average over fewer columns stands for it, too")
    points: dict[str, float] = Field(
        min_length=2,
        description="Label of a row: its place on the axis; what a search selects for it is on another line",
    )
    axis: str = Field(description="What the places are")
    logarithmic: bool = False


class CalibrationPanel(Identified):
    """A panel of a figure of calibration."""

    label: str


class Calibration(Spec):
    """A figure: how many of the texts with some p(human) are human, as it is and at two temperatures."""

    kind: Literal["calibration"]
    caption: str
    panels: list[CalibrationPanel] = Field(min_length=1)
    bins: int = Field(10, ge=1, description="Equal bins of p(human)")


class Tenths(Spec):
    """A figure: the labels in each tenth of synthetic pairs by p(human), a panel per source."""

    kind: Literal["tenths"]
    caption: str
    sources: list[IdentifiedSource] = Field(min_length=1)


class Differences(Spec):
    """A figure: how far rows of a table are above one of their group, with intervals over seeds."""

    kind: Literal["differences"]
    caption: str
    of: str = Field(description="Table of kind sts in the same study; a panel per group of its rows")
    baseline: str = Field(description="Label of the row in each group that the others are compared with")


Figure = Annotated[
    Histogram | Scatter | Curve | Calibration | Tenths | Differences, Field(discriminator="kind")
]
