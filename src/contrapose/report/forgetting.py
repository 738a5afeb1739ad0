"""What encoders could do before and can no longer, beside what they gained: a warning of forgetting."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from contrapose.report.about import About, label_of
from contrapose.report.comparison_text import difference_text
from contrapose.report.inference import LEVEL
from contrapose.report.recommendation import Recommendation, significant


def with_forgetting(
    said: Sequence[Recommendation], tidy: pd.DataFrame, about: About, general: Sequence[str], decimals: int
) -> list[Recommendation]:
    """Add to the text of a recommended row on which general columns it is below an untrained encoder.

    Where that is significant, as in `forgetting`, which says it of every row.
    """
    cells = _from_untrained(tidy, about)
    lost = significant(cells[cells.column.isin(general)], -1)

    def completed(one: Recommendation) -> Recommendation:
        losses = lost[lost["row"] == one.row].to_dict("records")
        if not losses:
            return one
        parts = ", ".join(f"{each['column']} ({difference_text(each, decimals)})" for each in losses)
        label, baseline = label_of(losses[0]), losses[0]["baseline"]
        return one._replace(
            text=f"{one.text} However, {label} is significantly worse than {baseline} on {parts}."
        )

    return [completed(one) for one in said]


def _from_untrained(tidy: pd.DataFrame, about: About) -> pd.DataFrame:
    """Return the means of rows that are compared with an untrained encoder, the first of several."""
    untrained = [row.label for row in about.rows if row.runs and not row.trained]
    cells = tidy[tidy.seed.isna() & tidy.baseline.isin(untrained)]
    return cells[cells.baseline == next(iter(cells.baseline), "")].drop_duplicates(["row", "column"])


def forgetting(tidy: pd.DataFrame, about: About, mean: str, general: str, decimals: int) -> str:
    """Return a warning of rows that are above an untrained encoder in one column and below it in another.

    Both differences have to be significant, so the chance of a warning for a row that does not forget is no
    larger than that of one of the tests.  Without such a row it says which loss the test would have found.
    Empty if no row is compared with an untrained encoder.
    """
    cells = _from_untrained(tidy, about)
    gains, losses = (cells[cells.column == name].set_index("row") for name in (mean, general))
    gains = gains[gains.index.isin(losses.index)]
    if gains.empty:
        return ""
    losses, baseline = losses.loc[gains.index], gains.baseline.iloc[0]
    if losses.p.isna().all():
        return (
            f"Losses on {general} are not tested, because each method was trained once. "
            "Set `seeds` to 3 or more."
        )
    gained = (gains.p <= LEVEL) & (gains.difference > 0)
    lost = (losses.p <= LEVEL) & (losses.difference < 0)

    def named(which: pd.Series) -> str:
        both = gains[which], losses[which]
        return "; ".join(
            f"{label_of(gain)} ({mean} {gain['difference']:+.{decimals}f}, {general} "
            f"{difference_text(loss, decimals)})"
            for gain, loss in zip(*(each.to_dict("records") for each in both), strict=True)
        )

    mde = losses.mde.median()
    seen = "" if np.isnan(mde) else f" A loss of {mde:.{decimals}f} would be found with 80 % power."
    if not (gained & lost).any():
        return f"No method that gains on {mean} vs. {baseline} loses significantly on {general}.{seen}"
    kept = (
        named(gained & ~lost)
        or "none. A recipe of kind weight_average with alpha 0.5, halfway back to the encoder before "
        "training, can help"
    )
    return (
        f"**Warning: forgetting.** These methods gain on {mean} vs. {baseline}, but lose on {general}: "
        f"{named(gained & lost)}. These gain on {mean} without a significant loss on {general}: {kept}.{seen}"
    )
