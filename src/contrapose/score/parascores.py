"""ParaScore without a reference: near in meaning, but not too near in letters.  The thesis rejects it.

Meaning is BERTScore's F1, without idf weights and without rescaling.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import numpy as np
import pandas as pd

from contrapose.jobs.step import Rows
from contrapose.models.scorer import Scorer, plan
from contrapose.score.scored_texts import Texts
from contrapose.settings.encoders import EncoderSettings
from contrapose.tables import PARASCORES

__all__ = ["build", "plan"]  # the settings are those of the encoder alone

if TYPE_CHECKING:
    from torch import Tensor

    from contrapose.models.sentence_encoder import SentenceEncoder

GAMMA, OMEGA = 0.35, 0.05  # ParaScore's paper, Shen et al. (2022)
# The layer of bert-base that agrees best with human judgements, by the bert-score package. An encoder with
# fewer layers uses its last.
LAYER = 9


def bert_f1(first: "Tensor", second: "Tensor") -> float:
    """Return BERTScore's F1 of two texts: each token is matched with the nearest of the other text.

    `first` and `second` are vectors of tokens, of shape (T, H) and (U, H).  The first and the last of each
    are the special ones: others may be matched with them, they themselves do not count.
    """
    from torch.nn.functional import normalize

    cosines = normalize(first, dim=-1) @ normalize(second, dim=-1).T  # (T, U)
    recall = cosines.max(dim=1).values[1:-1].mean()
    precision = cosines.max(dim=0).values[1:-1].mean()
    return float(2 * precision * recall / (precision + recall))


def build(spec: EncoderSettings, texts: Texts, encoder: Scorer) -> Annotated[pd.DataFrame, Rows(PARASCORES)]:
    """Return ParaScore = F1 + OMEGA x divergence of every paraphrase, with the sentence as its source.

    Anchors are the sentences, positives their paraphrases; the encoder's pooler and head are not used.  In
    the order of the pairs.
    """
    from nltk.metrics.distance import edit_distance

    vectors = _token_vectors(encoder, [*texts.anchor, *texts.positive])
    both = list(zip(texts.anchor, texts.positive, strict=True))
    f1 = np.array([bert_f1(vectors[source], vectors[paraphrase]) for source, paraphrase in both])
    # The edit distance in characters over the length of the longer text, in [0, 1], and the reward for it: -1
    # for a copy, at most GAMMA.
    distances = np.array([edit_distance(*pair) / max(*map(len, pair), 1) for pair in both])
    divergences = np.where(distances >= GAMMA, GAMMA, -1 + (GAMMA + 1) / GAMMA * distances)
    columns = {
        "sentence_id": texts.id.array,
        "slot": texts.slot.array,
        "f1": f1,
        "distance": distances,
        "parascore": f1 + OMEGA * divergences,
    }
    return pd.DataFrame(columns, columns=PARASCORES.columns)


def _token_vectors(encoder: "SentenceEncoder", texts: Sequence[str]) -> dict[str, "Tensor"]:
    """Return the (T, H) vectors of every distinct text at the layer of BERTScore, on the CPU."""
    import torch

    from contrapose.models.devices import computing_in

    vectors = {}
    for text in dict.fromkeys(texts):
        tokens = encoder.tokenizer(text, truncation=True, max_length=encoder.max_length, return_tensors="pt")
        inputs = {name: tokens[name].to(encoder.device) for name in ("input_ids", "attention_mask")}
        with torch.inference_mode(), computing_in(encoder.precision, encoder.device):
            layers = encoder.model(**inputs, output_hidden_states=True).hidden_states
        vectors[text] = layers[min(LAYER, len(layers) - 1)][0].float().cpu()
    return vectors
