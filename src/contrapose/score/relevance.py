"""How relevant texts are to the anchors of a pair set, by a cross-encoder."""

from typing import TYPE_CHECKING, Annotated

import pandas as pd

from contrapose.jobs.inputs import Pairs, pairs_of_texts
from contrapose.jobs.stage import SnakemakeJob
from contrapose.jobs.step import FromJob, Rows
from contrapose.models.scorer import plan
from contrapose.settings.encoders import EncoderSettings
from contrapose.tables import RELEVANCE

__all__ = ["build", "plan"]  # the settings are those of the encoder alone

if TYPE_CHECKING:
    from contrapose.models.classifier import Classifier

AT_ONCE = 32  # pairs of texts, the default of sentence-transformers' CrossEncoder.predict


def _cross_encoder(spec: EncoderSettings, job: SnakemakeJob) -> "Classifier":
    from contrapose.models.classifier import load_cross_encoder

    source, revision = spec.source(job.resources.encoder)
    return load_cross_encoder(source, revision).on(job.resources.device, spec.precision)


CrossEncoder = Annotated["Classifier", FromJob(_cross_encoder)]


def build(
    spec: EncoderSettings, pairs: Pairs, model: CrossEncoder
) -> Annotated[pd.DataFrame, Rows(RELEVANCE)]:
    """Score each anchor with its positives and hard negatives, each distinct pair of texts once.

    The score is the model's output before any activation, as `CrossEncoder.predict` of sentence-transformers
    gives it with `activation_fn=Identity()`.
    """
    from contrapose.models.classifier import outputs_of

    texts = pairs_of_texts(pairs)
    scores = outputs_of(model, list(texts.itertuples(index=False, name=None)), AT_ONCE)[:, 0]
    return texts.assign(score=scores.astype("float32"))[RELEVANCE.columns]
