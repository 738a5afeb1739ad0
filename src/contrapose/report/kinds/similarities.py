"""A table of how similar a sentence is to texts made from it: rows are texts, columns encoders."""

from typing import Annotated, ClassVar, Literal

import pandas as pd
from pydantic import Field, model_validator

from contrapose.report.about import About
from contrapose.report.cells import NOTHING, NUMBERS, Cells, tidy_cells
from contrapose.report.files import row_notes, seeds_note
from contrapose.report.kinds.base import OfEncoders, PlainRows, Printed, Published, Report
from contrapose.report.published import published_numbers
from contrapose.settings.rows import EditedText
from contrapose.steps import Paths, Project, Rows, planned
from contrapose.tables import TEXT_SIMILARITIES


class SimilaritiesTable(OfEncoders, Printed):
    """Cosines of a sentence with edited forms of it."""

    kind: Literal["similarities"]
    sentence: str
    texts: list[EditedText] = Field(min_length=1, description="Rows of the printed table")
    rows: PlainRows = Field(
        description="Encoders, which are its columns; `published` is the paper's name of one"
    )

    labelled: ClassVar[bool] = True

    @model_validator(mode="after")
    def _names(self) -> "SimilaritiesTable":
        for names in ([text.label for text in self.texts], [row.model for row in self.rows]):
            twice = sorted({name for name in names if names.count(name) > 1})
            if twice:
                raise ValueError(f"'{twice[0]}' occurs twice; give each text and each encoder its own name")
        return self

    @planned
    def inputs(self, project: Project, name: str) -> dict[str, Paths]:
        return {"similarities": project.reports.scores(name, f"similarities/{name}")}


def build(
    spec: SimilaritiesTable,
    about: About,
    similarities: Annotated[pd.DataFrame, Rows(TEXT_SIMILARITIES)],
    published: Published,
) -> Report:
    """Arrange cosines as cells: a row per text and a column per encoder, by seed and as mean over seeds."""
    cosines = similarities.set_index(["run", "label"]).cosine.to_dict()

    def cells(run: str) -> Cells:
        values = {text.label: cosines.get((run, text.label)) for text in spec.texts}
        return {
            label: NOTHING if value is None else {**NOTHING, "value": value, "n": 1}
            for label, value in values.items()
        }

    by_encoder = tidy_cells(cells, about.rows, about, {})
    parts = []
    for number, text in enumerate(spec.texts):
        numbers = published_numbers(text.published, text.label, published)
        part = by_encoder[by_encoder.column == text.label]
        theirs = [numbers.get(about.rows[encoder].published or "") for encoder in part["row"]]
        labels = {"row": number, "group": "", "model": text.label, "column": part.model}
        parts.append(part.assign(**labels, published=theirs, published_row=text.published or ""))
    tidy = pd.concat(parts, ignore_index=True).astype(NUMBERS)
    shown, told = spec.printed(tidy), list(row_notes(about.rows))
    shown.insert(1, "text", [text.text for text in spec.texts])
    notes = [f"{seeds_note(about.seeds)}.", f"Cosines with: {spec.sentence}", *told]
    columns = [row.published or "" for row in about.rows]
    return spec.report(
        about, tidy, notes, columns=columns, shown=shown, told="; ".join(told), published=published
    )
