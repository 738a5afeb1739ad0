"""Train an encoder further by masked language modelling, see `ContinuedEncoder`."""

from functools import partial
from typing import TYPE_CHECKING, Annotated

from contrapose.base.seeds import derived_seed
from contrapose.jobs.inputs import Sentences
from contrapose.jobs.step import Device, FromJob, Writer, planned
from contrapose.models.given import Checkpointed
from contrapose.settings.catalogs import ContinuedEncoder
from contrapose.settings.encoders import EncoderSettings
from contrapose.settings.plan import Plan

if TYPE_CHECKING:
    from transformers import PreTrainedModel

    from contrapose.models.checkpoint import Checkpoints
    from contrapose.models.sentence_encoder import SentenceEncoder


CARD = (
    "The encoder {of}, trained for {steps} more steps by masked language modelling (15 % of the "
    "tokens)\non the corpus {corpus}: batches of {batch}, learning rate {learning_rate}, seed {seed}. "
    "The loss of the last\n100 steps is {loss} nats per masked token. Such training mostly removes what "
    "an encoder has learned about the similarity of\nsentences.\n"
)


class ContinuedTraining(EncoderSettings):
    """What such a training depends on, beside the sentences and the encoder's folder."""

    training: ContinuedEncoder


@planned
def plan(project: Plan, role: str) -> ContinuedTraining:
    """Return what an encoder is trained on further, and from what; the note changes no weight."""
    training = project.source("encoders", role, "mlm_pretraining").model_copy(update={"note": ""})
    start = project.encoder(training.of)
    how = {"prompts": start.prompts, "pooling": start.pooling, "precision": project.config.precision}
    return ContinuedTraining(encoder=start.hub, training=training, **how)


def build(
    spec: ContinuedTraining,
    sentences: Sentences,
    folder: Annotated[str, FromJob(lambda spec, job: job.resources.encoder)],
    device: Device,
    checkpoints: Checkpointed,
) -> Writer:
    """Train all weights of an encoder to predict masked words of a corpus; its pooling stays as it is.

    The layer that predicts words is that of the checkpoint, or a new one.  It is saved, too, so that the
    encoder can replace masked words.  README.md of the folder says how it was made, with the loss at the end.
    """
    from contrapose.models.export import save_encoder
    from contrapose.models.sentence_encoder import encoder_of

    encoder = encoder_of(spec, folder, device)
    texts = sentences.text.tolist()
    model, loss = continue_training(encoder, spec.source(folder), texts, spec.training, checkpoints)
    card = CARD.format(**spec.training.model_dump(), loss=loss)
    return partial(save_encoder, encoder, card=card, with_head=model)


def continue_training(
    encoder: "SentenceEncoder",
    source: tuple[str, str | None],
    texts: list[str],
    spec: ContinuedEncoder,
    checkpoints: "Checkpoints | None" = None,
) -> "tuple[PreTrainedModel, float]":
    """Train an encoder in place, see `build`.

    Returns the trained model with the layer that predicts words, and the last loss, in nats a masked token.
    """
    import torch
    from transformers import AutoModelForMaskedLM

    from contrapose.models.folders import model_folder
    from contrapose.models.transformer import model_and_tokenizer, read_config
    from contrapose.train.pretraining import masked_texts, trained

    folder = model_folder(*source)
    torch.manual_seed(derived_seed("continued", spec.model_dump_json()) % 2**63)
    model, tokenizer = model_and_tokenizer(AutoModelForMaskedLM, folder, read_config(folder), new_head=True)
    model.to(encoder.device)
    to_learn = masked_texts(texts, spec.max_length)(model, tokenizer)
    training = trained(model, *to_learn, spec, checkpoints, encoder.precision)
    encoder.model.load_state_dict(model.base_model.state_dict(), strict=False)  # all but a pooling layer
    encoder.unused = {}  # the pooling layer belongs to the former weights
    return model, float(training["final_loss"])
