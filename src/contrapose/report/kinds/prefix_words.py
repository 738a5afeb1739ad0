"""A table of how many words a pair set puts in front of sentences of some length."""

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal

import pandas as pd
from pydantic import Field

from contrapose.base.errors import TableError
from contrapose.jobs.step import InputFiles, Rows
from contrapose.report.about import About
from contrapose.report.cells import RowCells, cell_table
from contrapose.report.kinds.base import TableSettings
from contrapose.report.output import Report
from contrapose.report.printed_cells import Decimals
from contrapose.report.row_settings import Band
from contrapose.settings.plan import Plan
from contrapose.settings.refs import Ref
from contrapose.tables import PAIRS

WORDS, SENTENCES = "prefix_words", "sentences"


class PrefixWordsTable(TableSettings):
    """The table shows how many words a pair set puts before sentences of some length."""

    kind: Literal["prefix_words"]
    pairs: Annotated[str, Ref("pairs", kind="prefix")] = Field(
        description="This is the id of a pair set of kind `prefix`."
    )
    bands: list[Band] = Field(min_length=1, description="Each entry is a row: a range of sentence lengths.")

    papers: ClassVar[str] = "rule"
    decimals: ClassVar[Decimals] = None
    labels: ClassVar[Mapping[str, str]] = {"label": "model"}
    missing: ClassVar[str] = "–"

    def inputs(self, project: Plan, about: About) -> dict[str, InputFiles]:
        return {"pairs": [project.paths.pairs(project.pairs_id(self.pairs))]}


def build(spec: PrefixWordsTable, about: About, pairs: Annotated[pd.DataFrame, Rows(PAIRS)]) -> Report:
    """Count the words that a pair set prepends to its sentences, by the length of the sentence.

    Lengths are in words between white space.  PrdSimCSE, Table 8.  Raises TableError if a positive does not
    end in its anchor, so that it has no prefix.
    """
    whole = [positive.endswith(anchor) for anchor, positive in zip(pairs.anchor, pairs.positive, strict=True)]
    if not all(whole):
        wrong = pairs.iloc[whole.index(False)]
        raise TableError(
            f"{spec.pairs}: the positive {wrong.positive!r} does not end in the anchor {wrong.anchor!r}, "
            "so it has no prefix. Name a pair set of kind prefix."
        )
    length = pairs.anchor.str.split().str.len()
    in_front = pairs.positive.str.split().str.len() - length
    rows = []
    for band in spec.bands:
        words = in_front[length.between(band.at_least, band.most)]
        values = {WORDS: words.mean(), SENTENCES: len(words)}
        cells = {column: {"value": value, "n": len(words)} for column, value in values.items()}
        rows.append(RowCells(band.name, cells, published=band.name if about.published else None))
    tidy, notes = cell_table(about, rows), [f"Pair set `{spec.pairs}`."]
    return spec.report(about, tidy, notes, row_notes=f"counted in {spec.pairs}")
