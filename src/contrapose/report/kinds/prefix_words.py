"""A table of how many words a pair set puts in front of sentences of some length."""

from typing import Annotated, ClassVar, Literal

import pandas as pd
from pydantic import Field

from contrapose.errors import TableError
from contrapose.refs import Ref
from contrapose.report.about import About
from contrapose.report.cells import NOTHING, cell_table, row_cells
from contrapose.report.files import dashed
from contrapose.report.kinds.base import Printed, Published, Report
from contrapose.report.published import Decimals
from contrapose.settings.rows import Band
from contrapose.steps import Paths, Project, Rows, planned
from contrapose.tables import PAIRS

WORDS, SENTENCES = "prefix_words", "sentences"


class PrefixWordsTable(Printed):
    """How many words a pair set puts in front of sentences of some length."""

    kind: Literal["prefix_words"]
    pairs: Annotated[str, Ref("pairs", kind="prefix")] = Field(description="Id of a pair set of kind prefix")
    bands: list[Band] = Field(min_length=1, description="Rows; lengths of the sentence")

    papers: ClassVar[str] = "rule"
    decimals: ClassVar[Decimals] = None
    labelled: ClassVar[bool] = True

    @planned
    def inputs(self, project: Project, name: str) -> dict[str, Paths]:
        return {"pairs": [project.places.pairs(project.pairs_id(self.pairs))]}


def build(
    spec: PrefixWordsTable, about: About, pairs: Annotated[pd.DataFrame, Rows(PAIRS)], published: Published
) -> Report:
    """Count the words that a pair set prepends to its sentences, by the length of the sentence.

    Lengths are in words between white space.  PrdSimCSE, Table 8.  Raises TableError if a positive does not
    end in its anchor, so that it has no prefix.
    """
    whole = [positive.endswith(anchor) for anchor, positive in zip(pairs.anchor, pairs.positive, strict=True)]
    if not all(whole):
        wrong = pairs.iloc[whole.index(False)]
        raise TableError(f"{spec.pairs}: {wrong.positive!r} does not end in {wrong.anchor!r}: no prefix.")
    length = pairs.anchor.str.split().str.len()
    in_front = pairs.positive.str.split().str.len() - length
    cells: list[dict] = []
    for number, band in enumerate(spec.bands):
        words = in_front[length.between(band.at_least, band.most)]
        values = {WORDS: float(words.mean()) if len(words) else None, SENTENCES: float(len(words))}
        own = {column: {**NOTHING, "value": value, "n": len(words)} for column, value in values.items()}
        label = band.name if published else None
        cells += row_cells(about, number, own, published, band.name, published=label)
    tidy = cell_table(cells)
    notes, told, columns = [f"Pair set `{spec.pairs}`."], f"counted in {spec.pairs}", [WORDS, SENTENCES]
    shown = dashed(spec.printed(tidy), columns)
    return spec.report(about, tidy, notes, columns=columns, published=published, shown=shown, told=told)
