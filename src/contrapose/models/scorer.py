"""The encoder that a job scores with, and its settings."""

from typing import TYPE_CHECKING, Annotated, Any

from contrapose.jobs.stage import SnakemakeJob
from contrapose.jobs.step import FromJob, planned
from contrapose.settings.encoders import EncoderSettings
from contrapose.settings.plan import Plan

if TYPE_CHECKING:
    from contrapose.models.sentence_encoder import SentenceEncoder


@planned
def plan(project: Plan, scorer: str, **others: str) -> EncoderSettings:
    """Return the settings of the encoder of a role."""
    model = project.encoder(scorer)
    precision = project.config.precision
    return EncoderSettings(
        pooling=model.pooling, prompts=model.prompts, encoder=model.hub, precision=precision
    )


@planned
def exact(project: Plan, scorer: str) -> dict[str, Any]:
    """Return settings with `auto` as float32, so that cosines choose the same texts on every machine."""
    settings = dict(plan(project, scorer))
    return settings | ({"precision": "float32"} if settings["precision"] == "auto" else {})


def _scorer(spec: EncoderSettings, job: SnakemakeJob) -> "SentenceEncoder":
    from contrapose.models.sentence_encoder import encoder_of

    return encoder_of(spec, job.resources.encoder, job.resources.device)


Scorer = Annotated["SentenceEncoder", FromJob(_scorer)]
