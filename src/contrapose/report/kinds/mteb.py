"""A table of the scores of encoders on tasks of mteb."""

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field

from contrapose.base.errors import unknown
from contrapose.jobs.step import InputFiles
from contrapose.report.about import About
from contrapose.report.kinds.fields import Ordered
from contrapose.report.kinds.sts import ComparedRows
from contrapose.report.output import Report
from contrapose.report.planned_rows import score_files
from contrapose.report.score_report import score_report
from contrapose.report.scored_cells import FurtherNotes
from contrapose.report.scores import AVERAGE, ScoreColumn
from contrapose.settings.ids import named
from contrapose.settings.plan import Plan
from contrapose.settings.spec import Name

MEANING = (
    "Each column is the main score of a task in mteb x100. For STS, this is Spearman's correlation. "
    "For labelled pairs, it is the average precision (the best of cosine, dot product and two "
    "distances). For retrieval, it is nDCG@10, and for clustering the V-measure. Intervals are over "
    "pairs and queries, and for clustering over the samples of mteb."
)


class MtebTable(ComparedRows):
    """The table shows the main score of encoders on tasks of mteb."""

    kind: Literal["mteb"]
    tasks: Name = Field(description="This names a list of tasks under `mteb` of the catalog.")
    columns: Ordered[Name] = Field(
        min_length=1, description="Each entry maps a printed name to a task of the list."
    )
    average: str | None = Field(
        AVERAGE, description="The mean of the columns has this name. With null, there is no mean."
    )

    def check_in(self, tables: Mapping[str, Any], name: str, project: Plan) -> None:
        where = f"mteb of config/catalogs/{project.catalog_name}.yaml"
        listed = named(project.catalog.mteb, self.tasks, where)
        known = [each if isinstance(each, str) else each.name for each in listed]
        for task in self.columns.values():
            if task not in known:
                raise unknown(f"{name}.columns: tasks of mteb.{self.tasks}", task, known)

    def inputs(self, project: Plan, about: About) -> dict[str, InputFiles]:
        return {"scores": score_files(project, about, f"mteb/{self.tasks}")}


def build(spec: MtebTable, about: About, scores: list[str]) -> Report:
    """Arrange main scores x100: see `score_report`."""
    columns = [ScoreColumn(name, task, "main_score") for name, task in spec.columns.items()]
    return score_report(spec, about, columns, scores, [], further=FurtherNotes([MEANING]), form="mteb")
