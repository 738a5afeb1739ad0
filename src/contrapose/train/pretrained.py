"""Pre-train a small encoder on a corpus; see `pretrain_encoder`."""

from functools import partial

from contrapose.jobs.inputs import Sentences
from contrapose.jobs.step import Writer, planned
from contrapose.models.given import Checkpointed
from contrapose.settings.catalogs import PretrainedEncoder
from contrapose.settings.plan import Plan


@planned
def plan(project: Plan, role: str) -> PretrainedEncoder:
    """Return how a small encoder is pre-trained, without the note, which changes no weight."""
    return project.source("encoders", role, "pretrained").model_copy(update={"note": ""})


def build(spec: PretrainedEncoder, sentences: Sentences, checkpoints: Checkpointed) -> Writer:
    """Pre-train a small encoder on the first sentences of a corpus."""
    from contrapose.train.pretraining import pretrain_encoder

    texts = sentences.text.tolist()[: spec.texts]
    return partial(pretrain_encoder, texts, spec, checkpoints=checkpoints)
