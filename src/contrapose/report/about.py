"""Facts about a table or figure beside its settings."""

from collections.abc import Iterable, Mapping
from typing import Self

import pandas as pd
from pydantic import Field

from contrapose.base.errors import TableError
from contrapose.jobs.stage import run_of
from contrapose.jobs.status import read_status
from contrapose.report.published import PaperRows
from contrapose.settings.deviations import Deviation
from contrapose.settings.spec import Spec
from contrapose.tables import SCORES, read_provenance

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
        some = f"{len(lost)} of {len(self.runs)} trainings gave no scores: " * (len(lost) < len(self.runs))
        reason = f"without {settings}" if kept else f"left out: {some * bool(lost)}{reasons[unavailable[0]]}"
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
    # Of the files of the job: the paper's printed rows, if there are any, and the logs of the trainings.
    published: PaperRows = Field({}, exclude=True)
    histories: list[str] = Field([], exclude=True)

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

    def with_reasons(self, files: Iterable[str]) -> tuple[Self, set[str]]:
        """Return a copy without what is unavailable, with the reasons from the status of files.

        An unavailable row or source gives its reason, unless it has scores in another file; other reasons,
        sets without scores, and the precision of models become notes.  Also returns the files of unavailable
        rows and sources, which no longer belong to any.  Raises TableError if `precision: auto` meant float32
        for some files and bf16 for others.
        """
        reasons, unavailable, others = dict[str, str](), set[str](), dict[str, None]()
        ran_in, auto, scored = set[str](), dict[str, str](), set[str]()
        for file in files:
            made = read_provenance(file) if file.endswith(".parquet") else {}
            ran_in.update(made.get("precision", []))
            auto |= dict.fromkeys(made.get("auto_precision", {}).values(), file)
            status = read_status(made)
            if made.get("table") == SCORES.name:
                others |= dict.fromkeys(status.skipped)
                scored |= set() if status.unavailable else {_id(made)}
            if status.unavailable:
                if (about := _id(made)) in (*self.runs, *self.ids):
                    reasons[about] = status.unavailable
                    unavailable.add(file)
                else:
                    others[status.unavailable] = None
        if len(auto) > 1:
            (one, first), (other, second) = sorted(auto.items())
            raise TableError(
                f"{self.name}: with `precision: auto` {first} was made in {one}, but {second} in {other}, on "
                "processors of two kinds, and a table compares no two precisions. Set precision: float32 or "
                "bf16 in config.yaml, which makes what ran with auto again."
            )
        reasons = {about: why for about, why in reasons.items() if about not in scored}
        rows, sources = ([each.without(reasons) for each in some] for some in (self.rows, self.sources))
        notes = [*self.notes, *(f"Left out: {why}." for why in others if why not in reasons.values())]
        if ran_in:
            notes.append(f"Models ran in {' and '.join(sorted(ran_in))}.")
        return self.model_copy(update={"rows": rows, "sources": sources, "notes": notes}), unavailable


def _id(made: Mapping) -> str:
    settings, names = made.get("settings", {}), made.get("wildcards", {})
    if "task" in settings:
        return ""
    if "seed" in names:
        return run_of(made)
    return settings.get("run") or "/".join(names[each] for each in ("pairs", "detector") if each in names)
