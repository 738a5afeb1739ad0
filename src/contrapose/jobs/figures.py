"""Settings of the stage report: figures."""

from pydantic import Field

from contrapose.jobs.tables import IdentifiedRow, JudgedSource, PrintedTable
from contrapose.tasks import Task


class HistogramJob(PrintedTable):
    """What a figure of gold scores depends on, beside the benchmarks."""

    # A list: the canonical text of settings sorts the keys of a map, and panels have an order.
    sets: list[tuple[str, Task]] = Field(min_length=1, description="Printed name and task")
    bins: int = Field(ge=1)


class ScatterJob(PrintedTable):
    """What a figure of alignment and uniformity depends on, beside the table that it shows."""


class CalibrationJob(PrintedTable):
    """What a figure of calibration depends on, beside judged texts."""

    panels: list[IdentifiedRow] = Field(min_length=1)
    bins: int = Field(ge=1)


class TenthsJob(PrintedTable):
    """What a figure of labels by p(human) depends on, beside the counts."""

    sources: list[JudgedSource] = Field(min_length=1)


class DifferencesJob(PrintedTable):
    """What a figure of differences depends on, beside the table that it shows."""

    baseline: str


class CurveJob(PrintedTable):
    """What a figure of curves depends on, beside the tables that it shows."""

    of: list[str] = Field(min_length=1, description="Names of the tables, in the order of the files")
    column: str
    points: list[tuple[str, float]] = Field(min_length=2)
    axis: str
    logarithmic: bool
