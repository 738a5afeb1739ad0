"""A table of some texts of a pair set."""

from typing import Annotated, ClassVar, Literal

import pandas as pd
from pydantic import Field

from contrapose.jobs.step import InputFiles, Rows
from contrapose.report.about import About
from contrapose.report.kinds.base import TableSettings
from contrapose.report.output import Report
from contrapose.settings.plan import Plan
from contrapose.settings.refs import PairsId
from contrapose.tables import EXAMPLES, PAIRS

SHOWN = ["anchor", "positive", "negative", "label", "weight"]  # fields of an example, if it has them


class ExamplesTable(TableSettings):
    """The table shows some texts of a pair set."""

    kind: Literal["examples"]
    pairs: PairsId = Field(description="This is the id of a pair set.")
    order: Literal["file", "weight"] = Field(
        "file",
        description="With `file`, the table shows the first pairs. With `weight`, it shows those of "
        "highest and then those of lowest weight.",
    )
    rows: int = Field(
        4,
        ge=1,
        description="The table shows this many pairs. With `order: weight`, it shows this many at each end.",
    )
    published: None = Field(None, description="This key stays null, since no paper prints such a table.")

    papers: ClassVar[str] = "texts"
    missing: ClassVar[str] = "–"

    def about(self, project: Plan, name: str) -> About:
        missing = project.lacking_entry("pairs", self.pairs)
        return About.planned(project, name, [f"Skipped: {missing}."] if missing else [])

    def inputs(self, project: Plan, about: About) -> dict[str, InputFiles]:
        missing = project.lacking_entry("pairs", self.pairs)
        return {"pairs": [] if missing else [project.paths.pairs(project.pairs_id(self.pairs))]}


def build(spec: ExamplesTable, about: About, pairs: Annotated[pd.DataFrame, Rows(PAIRS)]) -> Report:
    """Return rows of a pair set whose positive differs from the anchor, as EXAMPLES.

    These are the first rows; or, by weight, those with the highest, then those with the lowest weights, with
    label and weight, each positive once.  Ids break ties.  Of several views the last one is shown: the first
    may be the sentence itself.
    """
    shown = pairs[(pairs["view"] == pairs["view"].max()) & (pairs.slot == 0)]
    shown = shown[shown.positive != shown.anchor]
    hard = shown.negatives.str.join(" / ").where(shown.negatives.str.len() > 0, None)
    shown = shown.assign(negative=hard)
    if spec.order == "weight":
        shown = shown.sort_values(["weight", "id"], ascending=[False, True]).drop_duplicates("positive")
        shown = shown.iloc[sorted({*range(len(shown))[: spec.rows], *range(len(shown))[-spec.rows :]})]
    else:
        shown = shown.head(spec.rows).assign(label=None, weight=None)
    texts = shown.assign(table=about.name, catalog=about.catalog, row=range(len(shown)))
    tidy = texts[EXAMPLES.columns].astype({"row": "int16", "label": float, "weight": float})
    shown, notes = tidy[SHOWN], [f"Pair set `{spec.pairs}`."]
    if len(tidy):
        shown = shown.dropna(axis="columns", how="all").fillna({"negative": "–"})
    numbers = {name: shown[name].map("{:.3g}".format) for name in ("label", "weight") if name in shown}
    shown = shown.assign(**numbers)
    return spec.report(about, tidy, notes, shown=shown, row_notes=f"from {spec.pairs}", schema=EXAMPLES)
