"""Inputs of the claims of a study."""

from pydantic import Field

from contrapose.report.published import PrintedLayout
from contrapose.settings.deviations import Claim
from contrapose.settings.spec import Spec


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
