"""Train an encoder on a table of pairs, by a recipe of kind `contrastive`; see `train_encoder`."""

from typing import TYPE_CHECKING, Annotated, Any

from contrapose.pairs.strategy import Pairs
from contrapose.settings.recipes import Recipe
from contrapose.status import read_status
from contrapose.steps import FromJob, Project, planned
from contrapose.train.training import (
    CardFacts,
    Dev,
    Options,
    Provenance,
    Trained,
    TrainingSettings,
    trained,
    training_settings,
)

if TYPE_CHECKING:
    from contrapose.encoders.encoder import SentenceEncoder


class EncoderTraining(TrainingSettings):
    """What a training by a contrastive loss depends on."""

    recipe: Recipe


@planned
def plan(project: Project, pairs: str, recipe: str, seed: str) -> EncoderTraining:
    return training_settings(EncoderTraining, project, recipe, seed)


def _new(spec: EncoderTraining, job: Any) -> "SentenceEncoder":
    from contrapose.encoders.encoder import new_encoder

    source, revision = spec.pretrained.source(job.resources.encoder)
    return new_encoder(source, spec.recipe, spec.seed, revision, spec.prompts)


def _teacher(spec: EncoderTraining, job: Any) -> "SentenceEncoder | None":
    from contrapose.encoders.encoder import encoder_of

    res = job.resources
    return encoder_of(spec.teacher, res.teacher, res.device) if spec.teacher else None


def build(
    spec: EncoderTraining,
    pairs: Pairs,
    dev: Dev,
    options: Options,
    encoder: Annotated["SentenceEncoder", FromJob(_new)],
    teacher: Annotated["SentenceEncoder | None", FromJob(_teacher)],
    skipped: Annotated[list[str], FromJob(lambda spec, job: read_status(job.input.pairs).skipped)],
    card: CardFacts,
    made_by: Provenance,
) -> Trained:
    """Train one encoder on a table of pairs."""
    from contrapose.train.loop import train_encoder

    history, counts = train_encoder(encoder, pairs, dev, spec.recipe, spec.seed, options, teacher)
    return trained(encoder, history, card, made_by, skipped, **counts)
