"""A table of the accuracy of a classifier on the vectors of encoders, on the transfer tasks of SentEval."""

from typing import Literal

from pydantic import Field

from contrapose.base.tasks import TransferTask
from contrapose.jobs.step import InputFiles
from contrapose.report.about import About
from contrapose.report.kinds.fields import Ordered
from contrapose.report.kinds.sts import ComparedRows
from contrapose.report.output import Report
from contrapose.report.planned_rows import score_files
from contrapose.report.score_report import score_report
from contrapose.report.scores import ScoreColumn
from contrapose.settings.plan import Plan


class TransferTable(ComparedRows):
    """The table shows the accuracy of a classifier on the vectors of encoders, on SentEval's transfer
    tasks.
    """

    kind: Literal["transfer"]
    columns: Ordered[TransferTask] = Field(description="Each entry maps a printed name to a transfer task.")
    split: Literal["test", "dev"] = Field(
        "test",
        description="With `dev`, the numbers are the accuracies that select the penalty, SentEval's devacc.",
    )

    def inputs(self, project: Plan, about: About) -> dict[str, InputFiles]:
        return {"scores": score_files(project, about, "transfer"), "sets": project.paths.transfer}


def build(spec: TransferTable, about: About, scores: list[str], sets: list[str]) -> Report:
    """Arrange accuracies x100: see `score_report`."""
    columns = [ScoreColumn(name, task, "accuracy") for name, task in spec.columns.items()]
    return score_report(spec, about, columns, scores, sets, transfer=True)
