"""What all trainings have: settings, the encoder that they start from, run options, and what they leave."""

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Generic, Literal, TypeVar

import pandas as pd
from pydantic import Field

from contrapose.jobs.stage import SnakemakeJob, provenance, run_of
from contrapose.jobs.status import with_status
from contrapose.jobs.step import FromJob, Outputs, planned
from contrapose.models import scorer as scorers
from contrapose.models.launch import in_processes
from contrapose.settings.catalogs import PinnedEncoder, Prompts
from contrapose.settings.encoders import EncoderSettings
from contrapose.settings.ids import seed_of
from contrapose.settings.plan import Plan
from contrapose.settings.recipes import RecipeKind
from contrapose.settings.spec import PoolingName, Precision, Spec
from contrapose.tables import HISTORY

if TYPE_CHECKING:
    from contrapose.models.sentence_encoder import SentenceEncoder
    from contrapose.train.loop import RunOptions

CARD = Path(__file__).with_name("card.md")  # template of README.md in an encoder's folder
CARD_TASK = "sentence-similarity"  # of the hub
NOT_IN_CARD = ("kind", "encoder")  # settings of a recipe that appear elsewhere in the card

R = TypeVar("R", bound=RecipeKind)


class TrainingSettings(Spec, Generic[R]):
    """What a training by one kind of recipe depends on, beside its pairs and the dev pairs."""

    recipe: R = Field(description="With what the catalog changes about training put in")
    seed: int = Field(ge=0, description="Of new weights, dropout, and the order of pairs or of draws")
    encoder: PinnedEncoder | None = Field(
        None, description="Where a hub encoder is from; null: the input folder"
    )
    prompts: Prompts | None = Field(None, description="null is what the folder itself says")
    precision: Precision = Field("auto", description="The config's precision")
    frozen: list[EncoderSettings] = Field(
        [], description="How those encode that training only reads: the recipe's teachers, then its guide"
    )

    def pretrained(self, pooling: PoolingName | Literal["own"]) -> EncoderSettings:
        """The encoder that a layer is fitted to, or that is copied."""
        pooling = "auto" if pooling == "own" else pooling
        return EncoderSettings(
            encoder=self.encoder, pooling=pooling, prompts=self.prompts, precision=self.precision
        )


@planned
def plan(project: Plan, pairs: str, recipe: str, seed: str) -> TrainingSettings:
    """Return the settings of a training by a recipe of any kind."""
    spec, precision = project.entry("recipes", recipe), project.config.precision
    frozen = [scorers.plan(project, role) for role in spec.frozen_encoders]
    model = project.encoder(spec.encoder)
    start = {"encoder": model.hub, "prompts": model.prompts, "precision": precision, "frozen": frozen}
    return TrainingSettings(recipe=spec, seed=seed_of(seed), **start)


class CardFacts(Spec):
    """What the model card of a trained encoder says beside the settings of the training."""

    catalog: str
    catalog_description: str
    generated: bool = Field(description="The catalog makes its own text")
    base: str = Field(description="The pretrained encoder, in words")
    base_model: str | None = Field(None, description="Its name on the hub, if it is from there")
    language: str | None = Field(None, description="ISO 639-1 code, if settings say it")
    asked: list[str] = Field([], description="The chat models that the pairs are made by")


def _pretrained(spec: TrainingSettings, job: SnakemakeJob) -> "SentenceEncoder":
    from contrapose.models.sentence_encoder import encoder_of

    return encoder_of(spec.pretrained(spec.recipe.pooling), job.resources.encoder, job.resources.device)


def _dev(spec: TrainingSettings, job: SnakemakeJob) -> pd.DataFrame | None:
    from contrapose.train.dev_scores import read_dev

    return read_dev(job.input.get("dev"), spec.recipe)


def _options(spec: TrainingSettings, job: SnakemakeJob) -> "RunOptions":
    """Return run options in each of the processes of a job, which it starts if there are several."""
    import torch

    from contrapose.models.checkpoint import Checkpoints
    from contrapose.train.loop import RunOptions

    res = job.resources
    torch.set_num_threads(in_processes(res.processes, job.threads, res.device))
    recompute, checkpoints = bool(res.get("gradient_checkpointing")), Checkpoints.of(res)
    return RunOptions(res.device, spec.precision, recompute=recompute, checkpoints=checkpoints)


# An encoder, and the log of its training.
Trained = Annotated[tuple, Outputs(encoder=None, history=HISTORY)]


def _finish(spec: TrainingSettings, job: SnakemakeJob) -> Callable[..., Trained]:
    """Return a function from what a training leaves, encoder and HISTORY, to what its job writes.

    Its further arguments are what of the material of the pairs was skipped, and counts, see `train_encoder`:
    both are in the status of the history.
    """

    def trained(
        encoder: "SentenceEncoder", history: pd.DataFrame, skipped: Iterable[str] = (), **counts: int
    ) -> Trained:
        from contrapose.models.export import save_encoder

        facts = CardFacts.model_validate_json(job.resources.card)
        made_by = {**provenance(job), **counts}
        card = _card(facts, made_by, spec.recipe, len(history), encoder)
        notes = [encoder.note] if encoder.note else []
        status = {"skipped": [*skipped], "counts": counts, "notes": notes}
        return partial(save_encoder, encoder, card=card), with_status(history, **status)

    return trained


def _card(
    facts: CardFacts, made_by: dict[str, Any], recipe: RecipeKind, steps: int, encoder: "SentenceEncoder"
) -> str:
    """Return the model card of a trained encoder, README.md in its folder, in the form of the hub.

    Equal runs give equal text: it holds no time and no path.
    """
    from huggingface_hub import ModelCard, ModelCardData

    from contrapose.models.glow import Glow

    data = ModelCardData(
        language=facts.language,
        base_model=facts.base_model,
        library_name="sentence-transformers",
        pipeline_tag=CARD_TASK,
        tags=["sentence-transformers", CARD_TASK, "feature-extraction", "contrapose"],
    )
    words = {"facts": facts, "run": run_of(made_by), "made_by": made_by, "steps": steps}
    words["recipe"] = _used_settings(recipe)
    words["has_flow"] = any(isinstance(module, Glow) for module in encoder.head)
    return f"{ModelCard.from_template(data, str(CARD), **words)}\n"


def _used_settings(recipe: RecipeKind) -> dict[str, Any]:
    """Return the settings of a recipe for the card: without options of its loss that are not used."""
    settings = recipe.model_dump(mode="json", exclude={*NOT_IN_CARD, *recipe.idle})
    return {name: value for name, value in settings.items() if value is not None}


Pretrained = Annotated["SentenceEncoder", FromJob(_pretrained)]
Dev = Annotated[pd.DataFrame | None, FromJob(_dev)]
Options = Annotated["RunOptions", FromJob(_options)]
Finish = Annotated[Callable[..., Trained], FromJob(_finish)]
