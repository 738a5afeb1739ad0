"""A table of how similar a sentence is to texts made from it: rows are texts, columns encoders."""

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal

import pandas as pd
from pydantic import Field, model_validator

from contrapose.jobs.step import InputFiles, Rows
from contrapose.report.about import About
from contrapose.report.cells import EMPTY_CELL, Cells, RowCells, cell_table, encoder_cells
from contrapose.report.files import row_notes, seeds_note
from contrapose.report.headers import ROW
from contrapose.report.kinds.base import TableSettings
from contrapose.report.kinds.fields import PlainRows
from contrapose.report.kinds.rows import EncoderRows
from contrapose.report.output import Report
from contrapose.report.planned_rows import score_files
from contrapose.settings.plan import Plan
from contrapose.settings.spec import Spec
from contrapose.tables import TEXT_SIMILARITIES


class EditedText(Spec):
    """A row shows an edited form of the sentence."""

    label: str = Field(description="This is the label of the row.")
    text: str = Field(description="This is the edited form of the sentence.")
    published: str | None = Field(
        None,
        description="This is the label that the paper's table has for the same row. Its printed "
        "numbers then stand next to this row. Leave it null if the paper has no such row.",
    )


class SimilaritiesTable(EncoderRows, TableSettings):
    """The table shows the cosines of a sentence with edited forms of it."""

    kind: Literal["similarities"]
    sentence: str = Field(description="The edited texts are compared with this sentence.")
    texts: list[EditedText] = Field(
        min_length=1, description="Each entry is a row of the printed table: an edited form of the sentence."
    )
    rows: PlainRows = Field(
        description="Each entry is an encoder and a column of the printed table. Its `published` is the "
        "paper's name of the encoder."
    )

    labels: ClassVar[Mapping[str, str]] = {"label": "model"}
    reads_logs: ClassVar[bool] = False  # encoders are columns, and a budget belongs to a row

    @model_validator(mode="after")
    def _names(self) -> "SimilaritiesTable":
        for names in ([text.label for text in self.texts], [row.model for row in self.rows]):
            twice = sorted({name for name in names if names.count(name) > 1})
            if twice:
                raise ValueError(
                    f"'{twice[0]}' occurs twice. Give each text and each encoder a different name"
                )
        return self

    def inputs(self, project: Plan, about: About) -> dict[str, InputFiles]:
        return {"similarities": score_files(project, about, f"similarities/{about.name}")}


def build(
    spec: SimilaritiesTable, about: About, similarities: Annotated[pd.DataFrame, Rows(TEXT_SIMILARITIES)]
) -> Report:
    """Arrange cosines as cells: a row per text and a column per encoder, by seed and as mean over seeds."""
    cosines = similarities.set_index(["run", "label"]).cosine.to_dict()

    def cells(run: str) -> Cells:
        values = {text.label: cosines.get((run, text.label)) for text in spec.texts}
        return {
            label: EMPTY_CELL if value is None else {"value": value, "n": 1}
            for label, value in values.items()
        }

    by_encoder = list(encoder_cells(about, cells))
    rows = [
        RowCells(
            text.label,
            {encoder.model: encoder.cells[text.label]},
            published=text.published,
            run=encoder.run,
            seed=encoder.seed,
            row=number,
        )
        for number, text in enumerate(spec.texts)
        for encoder in by_encoder
    ]
    names = {row.published or "": row.model for row in about.rows}
    by_model = {
        label: {names[name]: value for name, value in numbers.items() if name in names}
        for label, numbers in about.published.items()
    }
    named = about.model_copy(update={"published": by_model})
    tidy, of_encoders = cell_table(named, rows), list(row_notes(about.rows))
    shown = spec.printed_parts(tidy)
    shown.insert(1, (ROW, "text"), [text.text for text in spec.texts])
    notes = [f"{seeds_note(about.seeds)}.", f"Cosines with: {spec.sentence}", *of_encoders]
    return spec.report(about, tidy, notes, columns=list(names), shown=shown, row_notes="; ".join(of_encoders))
