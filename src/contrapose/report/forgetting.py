"""Which rows of a table of scores gain on what they are for, and lose on what the encoder could do before."""

import pandas as pd

from contrapose.report.about import About, label_of
from contrapose.report.comparison import difference_text
from contrapose.report.inference import LEVEL


def forgetting(tidy: pd.DataFrame, about: About, own: str, general: str, decimals: int) -> str:
    """Return a warning of rows that are above an untrained encoder in one column and below it in another.

    Both differences have to be significant, so the chance of a warning for a row that does not forget is no
    larger than that of one of the tests.  Without such a row it says which loss the test would have found.
    Empty if no row is compared with an untrained encoder.
    """
    untrained = [row.label for row in about.rows if row.runs and not row.trained]
    cells = tidy[tidy.seed.isna() & tidy.baseline.isin(untrained)]
    cells = cells[cells.baseline == next(iter(cells.baseline), "")].drop_duplicates(["row", "column"])
    gains, losses = (cells[cells.column == name].set_index("row") for name in (own, general))
    gains = gains[gains.index.isin(losses.index)]
    if gains.empty:
        return ""
    losses, baseline = losses.loc[gains.index], gains.baseline.iloc[0]
    if losses.p.isna().all():
        return (
            f"Whether rows lose on {general} is not tested: they were trained once. Set `seeds` to 3 or more."
        )
    gained = (gains.p <= LEVEL) & (gains.difference > 0)
    lost = (losses.p <= LEVEL) & (losses.difference < 0)

    def named(which: pd.Series) -> str:
        both = gains[which], losses[which]
        return "; ".join(
            f"{label_of(gain)} ({own} {gain['difference']:+.{decimals}f}, {general} "
            f"{difference_text(loss, decimals)})"
            for gain, loss in zip(*(each.to_dict("records") for each in both), strict=True)
        )

    seen = f"A loss of {losses.least.median():.{decimals}f} would be found with 80 %."
    if not (gained & lost).any():
        return f"No row that is above {baseline} on {own} is significantly below it on {general}. {seen}"
    kept = named(gained & ~lost) or "no row; a recipe of kind averaged with alpha 0.5, halfway back, may be"
    return (
        f"**Warning: forgetting.** Above {baseline} on {own}, but below it on {general}: "
        f"{named(gained & lost)}. Above it on {own} without a significant loss on {general}: {kept}. {seen}"
    )
