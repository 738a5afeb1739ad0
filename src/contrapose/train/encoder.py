"""Train an encoder on a table of pairs, by a recipe of kind `contrastive`; see `train_encoder`."""

import json
from typing import TYPE_CHECKING, Annotated

from contrapose.jobs.inputs import Pairs
from contrapose.jobs.stage import SnakemakeJob
from contrapose.jobs.status import read_status
from contrapose.jobs.step import FromJob, planned
from contrapose.settings.plan import Plan
from contrapose.train.recipe import LOSSES, Recipe
from contrapose.train.training import Dev, Finish, Options, Trained, TrainingSettings, plan

__all__ = ["build", "plan"]  # planned as every training

if TYPE_CHECKING:
    from contrapose.models.sentence_encoder import SentenceEncoder


@planned
def further_modules(project: Plan, recipe: str, **others: str) -> list[str]:
    """Return the module of the loss, which a training finds by its name."""
    return [LOSSES[project.entry("recipes", recipe).loss].__name__]


def _new(spec: TrainingSettings[Recipe], job: SnakemakeJob) -> "SentenceEncoder":
    from contrapose.models.sentence_encoder import new_encoder

    source, revision = spec.pretrained("auto").source(job.resources.encoder)
    return new_encoder(source, spec.recipe, spec.seed, revision, spec.prompts)


def _frozen(spec: TrainingSettings[Recipe], job: SnakemakeJob) -> "list[SentenceEncoder]":
    from contrapose.models.sentence_encoder import encoder_of

    folders = zip(spec.frozen, json.loads(job.resources.frozen), strict=True)
    return [encoder_of(each, folder, job.resources.device) for each, folder in folders]


def build(
    spec: TrainingSettings[Recipe],
    pairs: Pairs,
    dev: Dev,
    options: Options,
    encoder: Annotated["SentenceEncoder", FromJob(_new)],
    frozen: Annotated["list[SentenceEncoder]", FromJob(_frozen)],
    skipped: Annotated[list[str], FromJob(lambda spec, job: read_status(job.input.pairs).skipped)],
    finish: Finish,
) -> Trained:
    """Train one encoder on a table of pairs."""
    from contrapose.train.contrastive import train_encoder

    number = len(spec.recipe.teachers)
    others = frozen[:number], next(iter(frozen[number:]), None)  # teachers, and the guide
    history, counts = train_encoder(encoder, pairs, dev, spec.recipe, spec.seed, options, *others)
    return finish(encoder, history, skipped, **counts)
