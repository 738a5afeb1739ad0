"""What a step is given by its job, named for planning, which does not wait for PyTorch."""

from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from contrapose.jobs.stage import SnakemakeJob
from contrapose.jobs.step import FromJob
from contrapose.settings.catalogs import PinnedModel
from contrapose.settings.spec import Precision, Spec

if TYPE_CHECKING:
    from contrapose.models.checkpoint import Checkpoints
    from contrapose.models.perplexity import CausalLM


class OfLanguageModel(Spec):
    """Settings of a step that runs a language model, of the hub or of the input folder."""

    hub: PinnedModel | None = Field(None, description="The model, if it is one of the hub")

    def source(self, job: SnakemakeJob) -> tuple[str, str | None]:
        """Return the name on the hub or the folder, and the revision."""
        return (self.hub.model, self.hub.revision) if self.hub else (job.resources.language_model, None)


class OfCausalLM(OfLanguageModel):
    """Settings of a step that runs a causal language model."""

    precision: Precision = Field("auto", description="The config's setting, unresolved: auto stays auto")


def _checkpoints(spec: object, job: SnakemakeJob) -> "Checkpoints":
    from contrapose.models.checkpoint import Checkpoints

    return Checkpoints.of(job.resources)


def _causal_lm(spec: OfCausalLM, job: SnakemakeJob) -> "CausalLM":
    """Load a causal language model from the hub or its folder."""
    from contrapose.models.perplexity import load_causal_lm

    return load_causal_lm(*spec.source(job), job.resources.device, spec.precision)


Checkpointed = Annotated["Checkpoints", FromJob(_checkpoints)]
LanguageModel = Annotated["CausalLM", FromJob(_causal_lm)]
