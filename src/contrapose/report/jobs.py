"""What the claims and pages of the report read."""

from typing import Literal

from pydantic import Field

from contrapose.settings.deviations import Claim, Deviation
from contrapose.settings.rows import PrintedLayout
from contrapose.settings.spec import Pooling, Spec


class ClaimsJob(Spec):
    """What the verdicts on a study's claims depend on, beside its tables."""

    study: str
    source: str = Field(description="The paper, in words")
    world: str
    world_description: str
    generated: bool = Field(description="The world makes its own text: no verdict is one on the paper")
    claims: list[Claim] = Field(min_length=1)
    not_judged: list[str] = Field([], description="Ids of claims that this world cannot judge")
    tables: list[str] = Field(
        description="Tables that the claims need and there are, in the order of the files"
    )
    runs: list[str] = Field(description="Trained encoders behind them, in the order of their logs")
    published: list[str] = Field(description="Printed tables that the claims need, in the order of the files")
    layouts: list[PrintedLayout] = Field([], description="Of these printed tables, likewise")
    functions: str = Field(description="Digest of the study's module of claims, which is found by name")
    notes: list[str] = Field([], description="What a reader has to know, e.g. that another encoder stands in")


ResultKind = Literal["tables", "figures", "claims"]  # folders of results that people read


class PageJob(Spec):
    """What a page of the report depends on, beside the files of the table, figure or claims."""

    name: str
    kind: ResultKind
    study: str
    title: str = Field(description="Of the study")
    source: str = Field(description="The paper, in words")
    generated: bool = Field(
        description="The world makes its own text: never print a paper's number beside its"
    )
    command: str = Field(description="Builds it again")
    look: str = Field(description="Digest of the templates")


class StudyResults(Spec):
    """What a study consists of, for the overview."""

    name: str
    title: str
    source: str
    results: list[tuple[ResultKind, str, str]] = Field(description="Kind, name and caption of each")
    deviations: list[Deviation]
    command: str = Field(description="Builds all of it")


class OverviewJob(Spec):
    """What the overview depends on, beside the files of what is built."""

    world: str
    world_description: str
    generated: bool
    seeds: int = Field(ge=1, description="Trainings per run")
    studies: list[StudyResults]
    look: str = Field(description="Digest of the templates")


class ScoreTableJob(Spec):
    """What `results/tables/score.csv` depends on, beside scores and benchmarks."""

    encoder: str = Field(description="Name of the folder, without the path to it")
    generated: bool = Field(False, description="The world makes its own sets, of its own sizes")
    pooling: Pooling = "auto"
