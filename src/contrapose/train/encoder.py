"""Train an encoder on a table of pairs, by a recipe of kind `contrastive`; see `train_encoder`."""

import json
from typing import TYPE_CHECKING, Annotated, Any

from contrapose.pairs.strategy import Pairs
from contrapose.status import read_status
from contrapose.steps import FromJob
from contrapose.train.recipe import Recipe
from contrapose.train.training import Dev, Finish, Options, Trained, TrainingSettings
from contrapose.train.training import plan as plan

if TYPE_CHECKING:
    from contrapose.encoders.encoder import SentenceEncoder


def _new(spec: TrainingSettings[Recipe], job: Any) -> "SentenceEncoder":
    from contrapose.encoders.encoder import new_encoder

    source, revision = spec.pretrained(spec.recipe.pooler).source(job.resources.encoder)
    return new_encoder(source, spec.recipe, spec.seed, revision, spec.prompts)


def _teachers(spec: TrainingSettings[Recipe], job: Any) -> "list[SentenceEncoder]":
    from contrapose.encoders.encoder import encoder_of

    places = json.loads(job.resources.teachers)
    pairs = zip(spec.teachers, places, strict=True)
    return [encoder_of(each, place, job.resources.device) for each, place in pairs]


def _guide(spec: TrainingSettings[Recipe], job: Any) -> "SentenceEncoder | None":
    from contrapose.encoders.encoder import encoder_of

    res = job.resources
    return encoder_of(spec.guide, res.guide, res.device) if spec.guide else None


def build(
    spec: TrainingSettings[Recipe],
    pairs: Pairs,
    dev: Dev,
    options: Options,
    encoder: Annotated["SentenceEncoder", FromJob(_new)],
    teachers: Annotated["list[SentenceEncoder]", FromJob(_teachers)],
    guide: Annotated["SentenceEncoder | None", FromJob(_guide)],
    skipped: Annotated[list[str], FromJob(lambda spec, job: read_status(job.input.pairs).skipped)],
    finish: Finish,
) -> Trained:
    """Train one encoder on a table of pairs."""
    from contrapose.train.loop import train_encoder

    history, counts = train_encoder(encoder, pairs, dev, spec.recipe, spec.seed, options, teachers, guide)
    return finish(encoder, history, skipped, **counts)
