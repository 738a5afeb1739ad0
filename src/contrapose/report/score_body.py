"""The body of the page of a table of scores: its table, a summary, and the sections on differences."""

import pandas as pd

from contrapose.report.comparison import SECOND
from contrapose.report.comparison_text import (
    difference_sections,
    marked_ties,
    rank_note,
    summary,
    summary_parts,
)
from contrapose.report.files import shown_table
from contrapose.report.headers import COST, SCORE
from contrapose.report.kinds.base import TableSettings
from contrapose.report.row_costs import printed_costs
from contrapose.report.scored_cells import ScoredCells
from contrapose.report.scores import ScoreTable


def score_body(
    spec: TableSettings, scored: ScoredCells, table: ScoreTable, decides: str
) -> tuple[pd.DataFrame, str, list[str]]:
    """Return the table as printed, by part, what the page shows of it, and the sections after the notes.

    `decides` is the column that rows are compared by.
    """
    tidy = scored.tidy
    shown = spec.printed_parts(tidy[tidy.variant != SECOND])
    costs = printed_costs(tidy, scored.about.rows) if table.costs else pd.DataFrame(index=shown.index)
    shown = shown.join(pd.concat({COST: costs}, axis=1))
    return shown, *_arranged(scored, marked_ties(tidy, shown), table, decides)


def _arranged(
    scored: ScoredCells, shown: pd.DataFrame, table: ScoreTable, decides: str
) -> tuple[str, list[str]]:
    """Return a table as printed, and the sections after the notes: of one with costs a summary comes first.

    `decides` is the column that rows are compared by there.
    """
    tidy = scored.tidy
    sections = difference_sections(tidy, table.decimals)
    if not table.costs:
        not_general = ~tidy.column.isin(list(table.general))
        return shown_table(shown), [*sections, rank_note(tidy[tidy.seed.isna() & not_general])]
    scores = [name for name in dict.fromkeys(tidy.column) if (SCORE, name) in shown]
    first = summary(tidy, shown, scores, decides, table.decimals)
    if not scores[1:]:
        alone = {(SCORE, scores[0]): (SCORE, table.measure)}
        first.columns = pd.MultiIndex.from_tuples([alone.get(key, key) for key in first.columns])
        sections = []
    body, took = summary_parts(first, shown, scored.about)
    return body, [*sections, *took]
