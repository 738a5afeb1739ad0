"""A sample of a pair set for people to look at, with cosines by the encoder before training."""

from typing import Annotated

import pandas as pd

from contrapose.jobs.inputs import Pairs
from contrapose.jobs.status import with_status
from contrapose.jobs.step import Rows
from contrapose.models.scorer import Scorer, plan
from contrapose.score.pair_cosines import build as cosines_of
from contrapose.settings.encoders import EncoderSettings
from contrapose.tables import PAIR_SAMPLES

__all__ = ["build", "plan"]  # the settings are those of the encoder alone

SAMPLED = 200  # ids.  Cosines spread by 0.1 or 0.2, so the standard error of their mean is about 0.01. Ours


def build(
    spec: EncoderSettings, pairs: Pairs, encoder: Scorer
) -> Annotated[pd.DataFrame, Rows(PAIR_SAMPLES)]:
    """Draw a row of each of 200 ids, the same ids from all pair sets that have them, and compare its texts.

    The status counts all `rows`; `copies`, whose positive is the anchor; and `duplicates`, whose anchor and
    positive an earlier row has, too.
    """
    drawn = drawn_from(pairs)
    cosines = cosines_of(spec, drawn, encoder).set_index(["anchor", "text"]).score.to_dict()
    negatives = drawn[["anchor", "negatives"]].explode("negatives").dropna()
    each = [cosines[texts] for texts in negatives.itertuples(index=False, name=None)]
    sample = drawn.assign(
        negative=drawn.negatives.str.join(" / ").where(drawn.negatives.str.len() > 0, None),
        cosine=[float(cosines[texts]) for texts in zip(drawn.anchor, drawn.positive, strict=True)],
        negative_cosine=pd.Series(each, negatives.index, dtype=float).groupby(level=0).mean(),
    )
    sample = sample[PAIR_SAMPLES.columns].reset_index(drop=True)
    return with_status(sample, counts=counts_of(pairs))


def counts_of(pairs: pd.DataFrame) -> dict[str, int]:
    """Return the number of all rows, of copies and of duplicates, see `build`."""
    return {
        "rows": len(pairs),
        "copies": int((pairs.positive == pairs.anchor).sum()),
        "duplicates": int(pairs.duplicated(["anchor", "positive"]).sum()),
    }


def drawn_from(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return a row each of some ids, both by hashes: which ids depends on no other id, nor on their order."""
    by_id, by_row = (
        pd.util.hash_pandas_object(pairs[key], index=False) for key in ("id", ["id", "slot", "view"])
    )
    order = pairs.assign(by_id=by_id.array, by_row=by_row.array).sort_values(["by_id", "by_row"])
    return order.drop_duplicates("id").head(SAMPLED)
