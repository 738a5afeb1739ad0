"""What all trainings have: settings, the encoder that they start from, run options, and what they leave."""

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import pandas as pd
from pydantic import Field

from contrapose.ids import seed_of
from contrapose.processes import in_processes
from contrapose.settings.encoders import EncoderSettings
from contrapose.settings.recipes import AnyRecipe
from contrapose.settings.spec import Precision, Spec
from contrapose.settings.worlds import EncoderHub, Prompts
from contrapose.stage import provenance
from contrapose.status import with_status
from contrapose.steps import FromJob, Outputs, Project, planned
from contrapose.tables import HISTORY

if TYPE_CHECKING:
    from contrapose.encoders.encoder import SentenceEncoder
    from contrapose.train.loop import RunOptions


class TrainingSettings(Spec):
    """What a training depends on, beside its pairs and the dev pairs."""

    recipe: AnyRecipe = Field(description="With what the world changes about training put in")
    seed: int = Field(ge=0, description="Of new weights, dropout, and the order of pairs or of draws")
    encoder: EncoderHub | None = Field(
        None, description="Where a hub encoder is from; null: the input folder"
    )
    prompts: Prompts | None = Field(None, description="null is what the folder itself says")
    precision: Precision = Field("auto", description="The config's precision")
    teacher: EncoderSettings | None = Field(
        None, description="How the recipe's teacher encodes, if it has one"
    )

    @property
    def pretrained(self) -> EncoderSettings:
        """The encoder that a layer is fitted to, or that is copied, with the pooling of the recipe."""
        return EncoderSettings(
            encoder=self.encoder, pooling=self.recipe.pooler, prompts=self.prompts, precision=self.precision
        )


S = TypeVar("S", bound=TrainingSettings)


@planned
def training_settings(kind: type[S], project: Project, recipe: str, seed: str) -> S:
    """Return the settings of a training by a recipe."""
    spec, teacher, precision = project.recipe(recipe), None, project.config.precision
    if role := getattr(spec, "teacher", None):
        model = project.encoder(role)
        how = {"pooling": model.pooling, "prompts": model.prompts, "precision": precision}
        teacher = EncoderSettings(encoder=model.hub, **how)
    model = project.encoder(spec.encoder)
    start = {"encoder": model.hub, "prompts": model.prompts, "precision": precision, "teacher": teacher}
    return kind(recipe=spec, seed=seed_of(seed), **start)


class CardFacts(Spec):
    """What the model card of a trained encoder says beside the settings of the training."""

    world: str
    world_description: str
    generated: bool = Field(description="The world makes its own text")
    base: str = Field(description="The pretrained encoder, in words")
    base_model: str | None = Field(None, description="Its name on the hub, if it is from there")
    language: str | None = Field(None, description="ISO 639-1 code, if settings say it")


def _pretrained(spec: TrainingSettings, job: Any) -> "SentenceEncoder":
    from contrapose.encoders.encoder import encoder_of

    return encoder_of(spec.pretrained, job.resources.encoder, job.resources.device)


def _dev(spec: Any, job: Any) -> pd.DataFrame | None:
    from contrapose.train.dev import read_dev

    return read_dev(job.input.get("dev"), spec.recipe)


def _options(spec: TrainingSettings, job: Any) -> "RunOptions":
    """Return run options in each of the processes of a job, which it starts if there are several."""
    import torch

    from contrapose.train.checkpoint import Checkpoints
    from contrapose.train.loop import RunOptions

    res = job.resources
    torch.set_num_threads(in_processes(res.processes, job.threads, res.device))
    recompute, checkpoints = bool(res.get("recompute")), Checkpoints.of(res)
    return RunOptions(res.device, spec.precision, recompute=recompute, checkpoints=checkpoints)


Pretrained = Annotated["SentenceEncoder", FromJob(_pretrained)]
Dev = Annotated[pd.DataFrame | None, FromJob(_dev)]
Options = Annotated["RunOptions", FromJob(_options)]
Provenance = Annotated[Any, FromJob(lambda spec, job: partial(provenance, job))]  # when all has been made


# An encoder, and the log of its training.
Trained = Annotated[tuple, Outputs(encoder=None, history=HISTORY)]


def trained(
    encoder: "SentenceEncoder",
    history: pd.DataFrame,
    card: CardFacts,
    made_by: Any,
    skipped: Iterable[str] = (),
    **counts: int,
) -> Trained:
    """Return what a training leaves: the encoder with its model card, and its HISTORY.

    The status of the history has the `counts`, see `train_encoder`, and what of the material of the pairs was
    `skipped`; `made_by` returns the provenance.
    """
    from contrapose.train.card import encoder_card

    text = encoder_card(card, {**made_by(), **counts}, len(history), encoder.head)
    return partial(encoder.save, card=text), with_status(history, skipped=[*skipped], counts=counts)
