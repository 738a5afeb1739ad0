"""Pre-train a small encoder on a corpus; see `pretrain_encoder`."""

from functools import partial

from contrapose.pairs.strategy import Sentences
from contrapose.settings.worlds import PretrainedEncoder
from contrapose.step import Checkpointed, Project, Writer, planned


@planned
def plan(project: Project, role: str) -> PretrainedEncoder:
    """Return how a small encoder is pre-trained, without the note, which changes no weight."""
    return project.source("encoders", role, "pretrained").model_copy(update={"note": ""})


def build(spec: PretrainedEncoder, sentences: Sentences, checkpoints: Checkpointed) -> Writer:
    """Pre-train a small encoder on the first sentences of a corpus."""
    from contrapose.train.pretraining import pretrain_encoder

    texts = sentences.text.tolist()[: spec.texts]
    return partial(pretrain_encoder, texts, spec, checkpoints=checkpoints)
