"""Train a small language model, on a corpus or on instructions with labelled pairs."""

from functools import partial

from pydantic import Field

from contrapose.jobs.step import Writer, planned
from contrapose.models.given import Checkpointed
from contrapose.settings.catalogs import PretrainedLanguageModel
from contrapose.settings.instructions import Instructions
from contrapose.settings.plan import Plan
from contrapose.settings.spec import Spec
from contrapose.tables import BENCHMARK, SENTENCES, read_table


class LanguageModelTraining(Spec):
    """What a small language model depends on, beside the labelled pairs or the corpus."""

    language_model: PretrainedLanguageModel = Field(description="Without its note")
    instructions: list[Instructions]


@planned
def plan(project: Plan, role: str) -> LanguageModelTraining:
    """Return how a small language model is trained, and the instructions that it learns to follow."""
    source = project.source("language_models", role, "pretrained")
    instructions = [project.entry("instructions", name) for name in source.instructions]
    return LanguageModelTraining(
        language_model=source.model_copy(update={"note": ""}), instructions=instructions
    )


def build(spec: LanguageModelTraining, texts: list[str], checkpoints: Checkpointed) -> Writer:
    """Train a small language model, see `train_language_model`."""
    from contrapose.train.small_language_models import pair_documents, text_documents, train_language_model

    model = spec.language_model
    if model.corpus:
        lines = read_table(texts[0], SENTENCES).text.tolist()
        documents = text_documents(lines, model.documents, model.seed)
    else:
        benchmarks = read_table(texts[0], BENCHMARK)
        documents = pair_documents(benchmarks, spec.instructions, model.documents, model.seed)
    return partial(train_language_model, documents, model, checkpoints=checkpoints)
