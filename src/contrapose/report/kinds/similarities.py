"""A table of how similar a sentence is to texts made from it: rows are texts, columns encoders."""

from typing import TYPE_CHECKING, Annotated, Literal

import pandas as pd
from pydantic import Field, model_validator

from contrapose.report.about import About
from contrapose.report.cells import NOTHING, NUMBERS, Cells, printed_table, tidy_cells
from contrapose.report.files import papers_numbers, row_notes, seeds_note, table_text, with_notes
from contrapose.report.kinds.base import OfEncoders, PlainRows, Printed, Published, Report
from contrapose.report.published import printed_rows, published_numbers
from contrapose.settings.rows import EditedText
from contrapose.steps import Paths, Rows, planned
from contrapose.tables import PUBLISHABLE, TEXT_SIMILARITIES

if TYPE_CHECKING:
    from contrapose.project import Project

DECIMALS = 2  # as PrdSimCSE prints them


class SimilaritiesTable(OfEncoders, Printed):
    """Cosines of a sentence with edited forms of it."""

    kind: Literal["similarities"]
    sentence: str
    texts: list[EditedText] = Field(min_length=1, description="Rows of the printed table")
    rows: PlainRows = Field(
        description="Encoders, which are its columns; `published` is the paper's name of one"
    )

    @model_validator(mode="after")
    def _names(self) -> "SimilaritiesTable":
        for names in ([text.label for text in self.texts], [row.model for row in self.rows]):
            twice = sorted({name for name in names if names.count(name) > 1})
            if twice:
                raise ValueError(f"'{twice[0]}' occurs twice; give each text and each encoder its own name")
        return self

    @planned
    def inputs(self, project: "Project", name: str) -> dict[str, Paths]:
        """The cosines."""
        return {
            "similarities": project.reports.scores(name, f"similarities/{name}"),
            "published": project.reports.published(name),
        }


def build(
    spec: SimilaritiesTable,
    about: About,
    similarities: Annotated[pd.DataFrame, Rows(TEXT_SIMILARITIES)],
    published: Published,
) -> Report:
    """Arrange cosines as the cells of a PUBLISHABLE table.

    A row per text and a column per encoder, by seed and as mean over seeds, like `tidy_cells`.
    """
    cosines = similarities.set_index(["run", "label"]).cosine.to_dict()

    def cells(run: str) -> Cells:
        values = {text.label: cosines.get((run, text.label)) for text in spec.texts}
        return {
            label: NOTHING if value is None else {**NOTHING, "value": value, "n": 1}
            for label, value in values.items()
        }

    printed = printed_rows(about.name, published, spec.layout)
    by_encoder = tidy_cells(cells, about.rows, about, {})
    parts = []
    for number, text in enumerate(spec.texts):
        numbers = published_numbers(text.published, text.label, printed)
        part = by_encoder[by_encoder.column == text.label]
        theirs = [numbers.get(about.rows[encoder].published or "") for encoder in part["row"]]
        labels = {"row": number, "group": "", "model": text.label, "column": part.model}
        parts.append(part.assign(**labels, published=theirs, published_row=text.published or ""))
    tidy = pd.concat(parts, ignore_index=True).astype(NUMBERS)
    table = printed_table(tidy, DECIMALS).drop(columns="group").rename(columns={"model": "label"})
    table.insert(1, "text", [text.text for text in spec.texts])
    told = list(row_notes(about.rows))
    notes = [f"{seeds_note(about.seeds)}.", f"Cosines with: {spec.sentence}", *told]
    texts, encoders = [text.published for text in spec.texts], [row.published or "" for row in about.rows]
    paper = papers_numbers(about, printed, encoders, DECIMALS, texts)
    markdown = table_text(about, spec, table, notes, *paper)
    return Report(tidy, PUBLISHABLE, with_notes(table, about, "; ".join(told)), markdown)
