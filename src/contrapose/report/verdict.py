"""The verdict of a table of scores: which method to use, what may be lost by it, and what would decide it.

It is computed from cells alone, and knows no page: docs/explanation/statistics.md has the rule.
"""

from collections.abc import Callable
from typing import NamedTuple

import pandas as pd

from contrapose.report.about import About
from contrapose.report.between_encoders import best_of_encoders
from contrapose.report.forgetting import with_forgetting
from contrapose.report.recommendation import RANKING, RUN, VERDICT, Recommendation, recommendations
from contrapose.report.scores import ScoreTable

Answer = Callable[[pd.DataFrame, str], str]  # from cells and the column that decides


class MethodVerdict(NamedTuple):
    """What a table of scores says in all."""

    decides: str  # the column that rows are compared by
    advice: list[Recommendation]
    run: str  # of the row to use; empty: none is recommended, or it has no single run

    @property
    def text(self) -> str:
        """What the table says in all, as its page, the report and the end of a run have it."""
        return " ".join(each.text for each in self.advice)

    @property
    def facts(self) -> dict[str, str]:
        """The facts in the status of the table: ranking column, first sentence for readers, a run to use."""
        known = {VERDICT: self.text.split("\n\n")[0], RUN: self.run} if self.advice else {}
        return {RANKING: self.decides, **known}


def verdict(
    tidy: pd.DataFrame, table: ScoreTable, about: About, answer: Answer | None = None
) -> MethodVerdict:
    """Return the verdict on a CELLS table with differences, and costs if it has some.

    `answer`, of a table that asks a question of its own, replaces the recommendations.
    """
    decides = table.deciding(tidy.column)
    if answer:
        return MethodVerdict(decides, [Recommendation(answer(tidy, decides))], "")
    compared = [decides] if table.has_average else table.names
    advice = recommendations(
        tidy,
        compared,
        table.names,
        table.decimals,
        table.items,
        table.margin,
        about.rows,
        table.general,
    )
    advice = with_forgetting(advice, tidy, about, decides, table.general, table.decimals)
    if table.by_encoder and table.costs:
        advice = [*best_of_encoders(advice, tidy, about, decides, table.decimals), *advice]
    rows = [recommended.row for recommended in advice if recommended.row is not None]
    runs = tidy.run[tidy["row"].isin(rows[:1]) & (tidy.run != "")]
    return MethodVerdict(decides, advice, runs.iloc[0] if len(runs) else "")
