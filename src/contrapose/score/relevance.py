"""How relevant texts are to the anchors of a pair set, by a cross-encoder."""

import pandas as pd

from contrapose.tables import RELEVANCE
from contrapose.train.classifier import Classifier, outputs_of

AT_ONCE = 32  # pairs of texts, the default of sentence-transformers' CrossEncoder.predict


def relevance(pairs: pd.DataFrame, model: Classifier) -> pd.DataFrame:
    """Score each anchor with its positives and hard negatives, each distinct pair of texts once.

    Parameters
    ----------
    pairs : PAIRS table
    model : Classifier
        From `load_cross_encoder`.

    Returns
    -------
    RELEVANCE table
        The model's output before any activation, as `CrossEncoder.predict` of sentence-transformers gives it
        with `activation_fn=Identity()`.
    """
    sides = (
        pairs[["anchor", side]].set_axis(["anchor", "text"], axis=1) for side in ("positive", "negatives")
    )
    texts = pd.concat([each.explode("text") for each in sides]).dropna().drop_duplicates(ignore_index=True)
    scores = outputs_of(model, list(texts.itertuples(index=False, name=None)), AT_ONCE)[:, 0]
    return texts.assign(score=scores.astype("float32"))[RELEVANCE.columns]
