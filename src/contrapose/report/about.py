"""Facts about a table or figure beside its settings."""

from collections.abc import Mapping, Sequence
from typing import Self

import pandas as pd
from pydantic import Field

from contrapose.report.found import Found
from contrapose.report.published import PaperRows
from contrapose.settings.deviations import Deviation
from contrapose.settings.plan import Plan
from contrapose.settings.spec import Spec

SELECTED = ", selected"  # appended to the label of a row whose settings a search selects


def row_label(group: str, model: str) -> str:
    """Return the label of a row with its group."""
    return ": ".join(filter(None, [group, model]))


def label_of(cell: Mapping | pd.Series) -> str:
    """Return the label of the row of a cell of CELLS."""
    return row_label(cell["group"], cell["model"])


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
        description="Run ids, one per seed of the table, or that of a pretrained encoder; none: this catalog "
        "cannot have the row",
    )
    trained: bool = Field(True, description="By us, once per seed; fine-tuned at least")
    candidates: list[Candidate] = Field([], description="Settings to select the runs from, on dev sets")
    selected_for: str | None = Field(
        None, description="Label of the row whose settings a search selects here"
    )
    published: str | None = Field(None, description="The paper's label of its row, if it has one")
    fair_for: str | None = Field(
        None, description="The paper's label of a row in whose place it is judged, too"
    )
    encoder: str = Field("", description="Role of the encoder that it starts from, or is")
    untrained: str = Field(
        "",
        description="Run id of that encoder without training, pooled as the recipe of the row says; empty if "
        "that is as its folder declares",
    )
    note: str = Field("", description="What a reader has to know, e.g. that another encoder stands in")
    averaged: list[str] = Field(
        [], description="Run ids of the trainings, one per seed, whose weights are averaged to one encoder"
    )
    asked: list[str] = Field([], description="The chat models behind its pairs, also in the note")

    @property
    def label(self) -> str:
        return row_label(self.group, self.model)

    @property
    def every_run(self) -> list[str]:
        return [run for runs in (self.runs, *(each.runs for each in self.candidates)) for run in runs]

    def without(self, reasons: Mapping[str, str]) -> "TableRow":
        """Return the row without unavailable runs, with the reason as a note.

        A row of which one training is unavailable has no other either: without the one that fails, its mean
        would look better than the row is.
        """
        unavailable = [run for run in self.every_run if run in reasons]
        if not unavailable:
            return self
        kept = [each for each in self.candidates if not set(each.runs) & set(unavailable)]
        lost = [run for run in self.runs if run in reasons]
        settings = ", ".join(each.setting for each in self.candidates if each not in kept)
        some = f"{len(lost)} of {len(self.runs)} trainings have no scores: " * (len(lost) < len(self.runs))
        reason = f"without {settings}" if kept else f"skipped: {some * bool(lost)}{reasons[unavailable[0]]}"
        note = "; ".join(filter(None, [self.note, reason]))
        return self.model_copy(update={"runs": [] if lost else self.runs, "candidates": kept, "note": note})


class Source(Spec):
    """Something that a table or figure is about and that is no encoder, and whether this catalog has it."""

    label: str
    id: str | None = Field(description="Of what was made for it, `{pairs}/{detector}`; null: nothing")
    note: str = Field("", description="What this catalog lacks for it, or what a reader has to know")

    def without(self, reasons: Mapping[str, str]) -> "Source":
        why = reasons.get(self.id or "")
        return self.model_copy(update={"id": None, "note": why}) if why else self


class About(Spec):
    """What every table and figure knows about itself."""

    name: str = Field(description="table4_1")
    source: str = Field(description="The paper, in words")
    catalog: str
    catalog_description: str
    generated: bool = Field(
        description="The catalog makes its own text: never print a paper's number beside its"
    )
    notes: list[str] = Field([])
    deviations: list[Deviation] = Field([])
    seeds: list[int] = Field([], description="Of the trainings behind a row")
    rows: list[TableRow] = Field([], description="Of a table whose rows are encoders")
    sources: list[Source] = Field([], description="What another table or figure is about")
    bootstrap: int = Field(1000, ge=100, description="Resamples of test pairs behind each comparison")
    # What the files of the job say, see `Found`; empty until they are read.
    published: PaperRows = Field({}, exclude=True)
    histories: list[str] = Field([], exclude=True)

    @classmethod
    def planned(cls, project: Plan, name: str, notes: Sequence[str] = (), **facts: object) -> Self:
        """Return what is known of a table or figure before its job runs, and what its paper leaves open.

        `facts` are further fields: rows or sources, and those of a kind's own class.
        """
        study = project.shown(name).study
        in_study = name.removeprefix(study.prefix)
        return cls(
            name=name,
            source=study.source,
            catalog=project.catalog_name,
            catalog_description=project.catalog.description,
            generated=project.catalog.generated,
            notes=notes,
            deviations=[open_ for open_ in study.deviations if not open_.tables or in_study in open_.tables],
            seeds=project.seeds,
            bootstrap=project.config.bootstrap,
            **facts,
        )

    @property
    def signature(self) -> str:
        return f"{self.name} · catalog {self.catalog}"

    @property
    def runs(self) -> list[str]:
        """The ids of all scored runs of the rows, each once, in the order of their files."""
        return list(dict.fromkeys(run for row in self.rows for run in row.every_run))

    @property
    def ids(self) -> list[str]:
        """The ids of the existing sources, each once, in the order of their files."""
        return list(dict.fromkeys(source.id for source in self.sources if source.id is not None))

    def with_found(self, found: Found) -> Self:
        """Return a copy with what the files of the job say, and without what could not be made."""
        return self.model_copy(
            update={
                "rows": [row.without(found.reasons) for row in self.rows],
                "sources": [source.without(found.reasons) for source in self.sources],
                "notes": [*self.notes, *found.notes],
                "published": found.published,
                "histories": found.histories,
            }
        )
