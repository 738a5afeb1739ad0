"""What encoders could do before and can no longer, beside what they gained: a warning of forgetting."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from contrapose.report.about import About, label_of
from contrapose.report.comparison_text import difference_text
from contrapose.report.inference import LEVEL
from contrapose.report.recommendation import Recommendation, significant


def with_forgetting(
    said: Sequence[Recommendation],
    tidy: pd.DataFrame,
    about: About,
    decides: str,
    general: Sequence[str],
    decimals: int,
) -> list[Recommendation]:
    """Add to the text of a recommended row how it differs from an untrained encoder on general columns.

    If the row is significantly worse there, the text also names the highest row in the column that decides
    that gains significantly without such a loss.
    """
    cells = _from_untrained(tidy, about)
    losses = significant(cells[cells.column.isin(general)], -1)
    tested = cells[cells.column.isin(general) & cells.p.notna()].groupby("row").size()
    unharmed = set(tested.index[tested == len(general)]) - set(losses["row"])
    gains = significant(cells[(cells.column == decides) & cells["row"].isin(unharmed)], 1)
    gains = gains.sort_values("value", ascending=False, kind="stable")

    def completed(one: Recommendation) -> Recommendation:
        if one.row is None:
            return one
        of_row = cells[(cells["row"] == one.row) & cells.difference.notna()].to_dict("records")
        on_general = [each for each in of_row if each["column"] in general]
        lost_on = set(losses.column[losses["row"] == one.row])
        texts = [_unharmed(each, decimals) for each in on_general if each["column"] not in lost_on]
        harmed = [each for each in on_general if each["column"] in lost_on]
        if harmed:
            parts = ", ".join(f"{each['column']} ({difference_text(each, decimals)})" for each in harmed)
            label, baseline = label_of(harmed[0]), harmed[0]["baseline"]
            texts.append(f"However, {label} is significantly worse than {baseline} on {parts}.")
            others = gains[gains.baseline == baseline].head(1).to_dict("records")
            kept = f"without a significant loss on {' or '.join(general)}"
            texts += [
                f"{label_of(best)} gains {difference_text(best, decimals)} on {decides} {kept}."
                for best in others
            ]
        return one._replace(text=" ".join([one.text, *texts]))

    return [completed(one) for one in said]


def _unharmed(cell: Mapping, decimals: int) -> str:
    """Say how a row that does not lose significantly differs from an untrained encoder."""
    difference = f"{difference_text(cell, decimals)} vs. {cell['baseline']}"
    untested = " (not tested)" if pd.isna(cell["p"]) else " (not significant)" * (cell["p"] > LEVEL)
    return f"On {cell['column']}, the difference of {label_of(cell)} is {difference}{untested}."


def _from_untrained(tidy: pd.DataFrame, about: About) -> pd.DataFrame:
    """Return the means of rows that are compared with an untrained encoder, each with its first one."""
    untrained = [row.label for row in about.rows if row.runs and not (row.trained or row.averaged)]
    cells = tidy[tidy.seed.isna() & tidy.baseline.isin(untrained)]
    return cells.sort_values("variant", kind="stable").drop_duplicates(["row", "column"])


def forgetting(tidy: pd.DataFrame, about: About, mean: str, general: str, decimals: int) -> str:
    """Return a warning of rows that are above an untrained encoder in one column and below it in another.

    Both differences have to be significant, so the chance of a warning for a row that does not forget is no
    larger than that of one of the tests.  Without such a row it says which loss the test would have found.
    Empty if no row is compared with an untrained encoder; with several of these, each has its own paragraph.
    """
    cells = _from_untrained(tidy, about)
    of_each = (cells[cells.baseline == name] for name in cells.baseline.unique())
    warnings = (_warning(each, mean, general, decimals) for each in of_each)
    return "\n\n".join(dict.fromkeys(filter(None, warnings)))


def _warning(cells: pd.DataFrame, mean: str, general: str, decimals: int) -> str:
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
