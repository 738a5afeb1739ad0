"""How the best rows of several encoders compare with each other, in a sentence."""

from collections.abc import Sequence

import pandas as pd

from contrapose.report.about import About, label_of
from contrapose.report.cells import scores_of_rows
from contrapose.report.comparison_text import difference_text, p_text
from contrapose.report.inference import comparisons
from contrapose.report.recommendation import Recommendation
from contrapose.tables import COMPARED


def best_of_encoders(
    said: Sequence[Recommendation], tidy: pd.DataFrame, about: About, column: str, decimals: int
) -> list[Recommendation]:
    """Compare the rows to use of each encoder in a column; empty unless there are several encoders.

    Each is compared with the highest; p-values are corrected for their number.  That the rows were chosen on
    the same test pairs makes differences look a little larger than they are.
    """
    chosen = {about.rows[one.row].encoder: one.row for one in said if one.row is not None}
    means = tidy[tidy.seed.isna() & (tidy.variant == "") & (tidy.column == column)].set_index("row")
    rows = [row for row in chosen.values() if row in means.index and pd.notna(means.value[row])]
    if len(rows) < 2:
        return []
    top = max(rows, key=means.value.__getitem__)
    of_column = scores_of_rows(tidy[tidy.column == column], about.rows)
    scores = {row: of_column[row] for row in rows if row in of_column}
    others = [row for row in rows if row != top]
    known = comparisons(scores, {row: top for row in others if {row, top} <= scores.keys()})
    parts = []
    for row in others:
        value = f"{label_of(means.loc[row])} ({means.value[row]:.{decimals}f})"
        if row in known:
            # The difference of the other row to the highest, the other way round.
            of_top = {"difference": -known[row].difference, "difference_low": -known[row].high}
            facts = {**dict.fromkeys(COMPARED), **of_top, "difference_high": -known[row].low}
            p = known[row].p
            value += f" by {difference_text(facts, decimals)}" + (f", {p_text(p)}" if pd.notna(p) else "")
        parts.append(value)
    best = f"{label_of(means.loc[top])} ({means.value[top]:.{decimals}f})"
    return [Recommendation(f"The best of each encoder: {best} is above {' and '.join(parts)}.", top)]
