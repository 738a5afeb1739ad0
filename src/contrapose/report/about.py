"""What a table or figure is told about itself, beside its settings."""

from pydantic import Field

from contrapose.settings.deviations import Deviation
from contrapose.settings.spec import Spec

SELECTED = ", selected"  # behind the label of a row that a search selects the settings of


def row_label(group: str, model: str) -> str:
    """Name a row with its group."""
    return ": ".join(filter(None, [group, model]))


class Candidate(Spec):
    """A setting that a search tries, with its runs."""

    setting: str = Field(description="What it sets, `dropout=0.1,epochs=5`")
    runs: list[str] = Field(min_length=1, description="Run ids, one per seed of the table")


class TableRow(Spec):
    """A row of a table with the runs behind it."""

    group: str = ""
    model: str = Field(description="Label of the row")
    runs: list[str] = Field(
        [],
        description="Run ids, one per seed of the table, or that of a pretrained encoder; none: this world "
        "cannot have the row",
    )
    trained: bool = Field(True, description="By us, once per seed; fine-tuned at least")
    candidates: list[Candidate] = Field([], description="Settings to select the runs from, on dev sets")
    published: str | None = Field(None, description="The paper's label of its row, if it has one")
    note: str = Field("", description="What a reader has to know, e.g. that another encoder stands in")

    @property
    def label(self) -> str:
        """The row with its group."""
        return row_label(self.group, self.model)

    @property
    def every_run(self) -> list[str]:
        """The ids of all that is scored for it."""
        return [run for runs in (self.runs, *(each.runs for each in self.candidates)) for run in runs]


class Source(Spec):
    """Something that a table or figure is about and that is no encoder, and whether this world has it."""

    label: str
    id: str | None = Field(description="Of what was made for it, `{pairs}/{identifier}`; null: nothing")
    note: str = Field("", description="What this world lacks for it, or what a reader has to know")


class About(Spec):
    """What every table and figure is told about itself."""

    name: str = Field(description="table4_1")
    source: str = Field(description="The paper, in words")
    world: str
    world_description: str
    generated: bool = Field(
        description="The world makes its own text: never print a paper's number beside its"
    )
    notes: list[str] = Field([])
    deviations: list[Deviation] = Field([])
    seeds: list[int] = Field([], description="Of the trainings behind a row")
    rows: list[TableRow] = Field([], description="Of a table whose rows are encoders")
    sources: list[Source] = Field([], description="What another table or figure is about")
    bootstrap: int = Field(1000, ge=100, description="Resamples behind each 95 % interval")

    @property
    def runs(self) -> list[str]:
        """The ids of all that is scored for the rows, each once: the order of their files."""
        return list(dict.fromkeys(run for row in self.rows for run in row.every_run))

    @property
    def ids(self) -> list[str]:
        """The ids of the sources that there are, each once: the order of their files."""
        return list(dict.fromkeys(source.id for source in self.sources if source.id is not None))
