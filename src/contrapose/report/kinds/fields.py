"""Types of fields that several kinds of tables and figures have."""

from collections.abc import Callable, Sequence
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BeforeValidator, Field, ValidationInfo, WrapSerializer

from contrapose.base.errors import unknown
from contrapose.base.tasks import Task
from contrapose.report.about import row_label
from contrapose.report.row_settings import BaselineRow, Row, TaskMetric
from contrapose.settings.spec import TextForm


def without_choices(rows: Sequence[Row]) -> Sequence[Row]:
    """Refuse rows whose settings are chosen: only tables of scores have dev sets to choose on."""
    if any(row.grid or row.choices for row in rows):
        raise ValueError(
            "settings are selected only in tables of kind sts or fine_tuned. Give the settings themselves"
        )
    return rows


def _spelled_baselines(value: object) -> object:
    listed = value if isinstance(value, list) else [value] if value is not None else []
    return [{"row": each} if isinstance(each, str) else each for each in listed]


def _of_rows(baselines: list[BaselineRow], info: ValidationInfo) -> list[BaselineRow]:
    """Refuse a baseline that is not one of the rows; `rows` precedes it in the class."""
    rows = info.data.get("rows", [])
    for baseline in baselines:
        known = {name for row in rows for name in (row.model, row_label(row.group, row.model))}
        known |= {row.group for row in rows if row.group and baseline.by == "encoder"}
        if rows and baseline.row not in known:
            raise ValueError(str(unknown("rows", baseline.row, known)))
    return baselines


Baselines = Annotated[
    list[BaselineRow],
    BeforeValidator(
        _spelled_baselines, json_schema_input_type=str | BaselineRow | list[str | BaselineRow] | None
    ),
    AfterValidator(_of_rows),
    Field(
        [],
        max_length=2,
        description="Each other method is compared with this method. To compare with two, write a list. "
        "An entry is the label of a method, or `{row: LABEL, by: encoder}`. With null or an empty list, "
        "the baseline is the first method of each group, or of the table if no group has two methods. So "
        "there is no value for a table without a baseline: only a table with a single method has none.",
    ),
]


Margin = Annotated[
    float | None,
    Field(
        gt=0,
        description="Differences below this margin count as none. The table marks methods whose "
        "difference is significantly smaller than it. With null, no method is marked.",
    ),
]


FormChoice = Annotated[
    TextForm,
    Field(
        description="The table shows the sets of this form, which their entries in the catalog declare. "
        "`senteval` stands for tokenised texts, as SimCSE evaluates them, and `raw` for texts as released. "
        "Pairs of your own have the form `senteval`, too, because it is the default of an entry."
    ),
]


PlainRows = Annotated[list[Row], Field(min_length=1), AfterValidator(without_choices)]


def _listed(value: dict[str, Any], dump: Callable[[dict[str, Any]], dict[str, Any]]) -> list[list[Any]]:
    return [[key, each] for key, each in dump(value).items()]


# A map whose order matters, such as columns or panels: in the settings of a job it is a list, because their
# canonical text sorts the keys of a map.
T = TypeVar("T")


Ordered = Annotated[
    dict[str, T],
    BeforeValidator(lambda value: dict(value) if isinstance(value, list) else value),
    WrapSerializer(_listed, when_used="json"),
]


Scored = Annotated[  # a task's name alone: its Spearman correlations
    TaskMetric,
    BeforeValidator(
        lambda value: {"task": value} if isinstance(value, str) else value,
        json_schema_input_type=Task | TaskMetric,
    ),
]
