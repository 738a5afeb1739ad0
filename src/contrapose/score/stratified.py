"""Pairs of sentences of a corpus that an encoder finds anything from alike to unlike, for people to grade."""

import logging
from typing import Annotated

import numpy as np
import pandas as pd
from pydantic import Field

from contrapose.base.seeds import generator
from contrapose.jobs.inputs import Sentences
from contrapose.jobs.step import Rows, planned
from contrapose.models import scorer as scorers
from contrapose.models.scorer import Scorer
from contrapose.settings.encoders import EncoderSettings
from contrapose.settings.plan import Plan
from contrapose.tables import RELEVANCE

logger = logging.getLogger(__name__)

STRATA = 10  # ours: with 200 pairs 20 are in each
MOST = 4000  # sentences that are compared, drawn where there are more: some 500 MB of cosines and numbers


class StratifiedDraw(EncoderSettings):
    """How many pairs are drawn, by whose cosines."""

    count: int = Field(ge=1, description="Pairs, if there are twice as many sentences")
    seed: int = Field(ge=0, description="Seed")


@planned
def plan(project: Plan, scorer: str, number: str, draw: str, **others: str) -> StratifiedDraw:
    """Return how many pairs are drawn, with which seed, and the encoder whose cosines decide."""
    return StratifiedDraw(**scorers.exact(project, scorer), count=int(number), seed=int(draw))


def build(
    spec: StratifiedDraw, sentences: Sentences, encoder: Scorer
) -> Annotated[pd.DataFrame, Rows(RELEVANCE)]:
    """Draw pairs equally often from ten strata of the cosine, with each sentence in one pair at most.

    The pairs of SemEval's STS tasks were drawn by bands of string similarity, too, since nearly all pairs of
    two random sentences are unlike (Agirre et al. 2012).  What tells two encoders apart is the order that
    they give to pairs of different grades, so grades should be spread out; and pairs that share no sentence
    count as independent, so n of them carry most.  Strata by the untrained encoder favour it a little: the
    range of its own cosines is widened most.

    Returns pairs in random order, fewer than `count` where sentences run out.
    """
    from contrapose.models.embeddings import embeddings  # loads PyTorch, which planning does without

    if len(sentences) > MOST:
        order = generator("stratified", "sentences", spec.seed).permutation(len(sentences))
        sentences = sentences.iloc[order[:MOST]]
    texts = sentences.text.tolist()
    vectors = embeddings(encoder, texts)
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), np.finfo(np.float32).tiny)
    first, second, cosines = stratified(vectors @ vectors.T, spec.count, spec.seed)
    logger.info("%d pairs of %d sentences", len(first), len(texts))
    text = sentences.text.to_numpy()
    return pd.DataFrame({"anchor": text[first], "text": text[second], "score": cosines.clip(-1, 1)})


def stratified(cosines: np.ndarray, count: int, draw: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Draw pairs of n things by their cosines, of shape (n, n): both numbers of each pair, and its cosine.

    Strata have equal width between the least and the largest cosine.  They take turns, the one with the
    fewest pairs first; one that has no pair of two unused things left is passed over.  What is drawn follows
    from the cosines and the seed `draw` alone.
    """
    rng = generator("stratified", "pairs", draw)
    first, second = np.triu_indices(len(cosines), 1)
    values = cosines[first, second]
    edges = np.linspace(values.min(), values.max(), STRATA + 1)[1:-1]
    stratum = np.digitize(values, edges)
    shuffled = rng.permutation(len(values))
    fewest = np.argsort(np.bincount(stratum, minlength=STRATA), kind="stable")
    queues = [iter(shuffled[stratum[shuffled] == each]) for each in fewest]
    used, chosen = np.zeros(len(cosines), bool), list[int]()
    while queues and len(chosen) < count:
        for queue in list(queues):
            pair = next((each for each in queue if not (used[first[each]] or used[second[each]])), None)
            if pair is None:
                queues.remove(queue)
            elif len(chosen) < count:
                used[[first[pair], second[pair]]] = True
                chosen.append(int(pair))
    taken = rng.permutation(np.array(chosen, int))
    return first[taken], second[taken], values[taken]
