"""Average the weights of encoders that are trained already: model soups and WiSE-FT."""

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from contrapose.base.errors import ConfigError
from contrapose.jobs.stage import SnakemakeJob
from contrapose.jobs.step import FromJob, planned
from contrapose.settings.plan import Plan
from contrapose.settings.recipes import AveragedRecipe
from contrapose.tables import HISTORY, empty
from contrapose.train import training
from contrapose.train.training import Finish, Trained, TrainingSettings

if TYPE_CHECKING:
    from torch import Tensor

    from contrapose.models.sentence_encoder import SentenceEncoder


class AveragedTrainings(TrainingSettings[AveragedRecipe]):
    """What an average of weights depends on, beside the encoders."""

    runs: list[str] = Field(description="Ids of the trainings whose weights are averaged")


@planned
def plan(project: Plan, pairs: str, recipe: str, seed: str) -> AveragedTrainings:
    """Return settings with a fixed seed: nothing is random."""
    runs = project.runs.averaged(pairs, recipe, int(seed))
    common = training.plan(project, pairs, recipe, "0")
    return AveragedTrainings(**dict(common), runs=[each.id for each in runs])


def _untrained(spec: AveragedTrainings, job: SnakemakeJob) -> "Callable[[SentenceEncoder], SentenceEncoder]":
    """Return what loads the encoder before training, with the pooling of a trained one."""
    from contrapose.models.sentence_encoder import load_encoder

    def load(trained: "SentenceEncoder") -> "SentenceEncoder":
        source = spec.pretrained("auto").source(job.resources.encoder)
        return load_encoder(*source, trained.form.pooling, spec.prompts)

    return load


def build(
    spec: AveragedTrainings,
    trained: list[str],
    untrained: Annotated["Callable[[SentenceEncoder], SentenceEncoder]", FromJob(_untrained)],
    finish: Finish,
) -> Trained:
    """Average the weights of all trained encoders, and with share 1 - `alpha` those before training."""
    from contrapose.models.sentence_encoder import load_encoder

    alpha = spec.recipe.alpha

    def weighted() -> "Iterator[tuple[float, SentenceEncoder]]":
        for folder in trained:
            encoder = load_encoder(folder)
            yield alpha / len(trained), encoder
        if alpha < 1:
            yield 1 - alpha, untrained(encoder)

    return finish(average(weighted()), empty(HISTORY))


def average(weighted: "Iterable[tuple[float, SentenceEncoder]]") -> "SentenceEncoder":
    """Return the first of some encoders with the weighted mean of all their weights, heads included.

    Weights sum to 1.  Sums are in float64 and in the given order, and are rounded to float32 at the end, so
    equal encoders give equal bytes.  Only two models are in memory at once.  Raises ConfigError for encoders
    with other layers, poolers or vocabularies than the first one's.
    """
    first, total = None, dict[str, "Tensor"]()
    for weight, encoder in weighted:
        first = first or encoder
        _check_alike(first, encoder)
        for name, tensor in encoder.state_dict().items():
            part = weight * tensor.double()
            total[name] = total[name] + part if name in total else part
    assert first is not None
    first.load_state_dict(total)  # which rounds to float32
    return first


def _check_alike(first: "SentenceEncoder", other: "SentenceEncoder") -> None:
    """Refuse an average of what does not have the same layers, pooler and vocabulary."""
    one, two = (
        {name: (*each.shape,) for name, each in every.state_dict().items()} for every in (first, other)
    )
    differs = sorted(name for name in one.keys() | two.keys() if one.get(name) != two.get(name))
    if first.pooler != other.pooler:
        differs.append(f"pooling {first.pooler} and {other.pooler}")
    elif first.tokenizer.get_vocab() != other.tokenizer.get_vocab():
        differs.append("vocabulary")
    if differs:
        raise ConfigError(
            f"recipe: the weights cannot be averaged, because the encoders differ in {differs[0]}. "
            "Average trainings of one encoder. With alpha below 1, they must have no head (mlp: "
            "always, whitening, flow), because the encoder before training has none."
        )
