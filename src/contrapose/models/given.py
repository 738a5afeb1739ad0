"""What a step is given by its job, named for planning, which does not wait for PyTorch."""

from typing import TYPE_CHECKING, Annotated, Any

from contrapose.jobs.step import FromJob

if TYPE_CHECKING:
    from contrapose.models.checkpoint import Checkpoints
    from contrapose.models.perplexity import CausalLM


def _checkpoints(spec: Any, job: Any) -> "Checkpoints":
    from contrapose.models.checkpoint import Checkpoints

    return Checkpoints.of(job.resources)


def _causal_lm(spec: Any, job: Any) -> "CausalLM":
    """Load a causal language model from the hub or its folder."""
    from contrapose.models.perplexity import load_causal_lm

    source, revision = (
        (spec.hub.model, spec.hub.revision) if spec.hub else (job.resources.language_model, None)
    )
    return load_causal_lm(source, revision, job.resources.device, spec.precision)


Checkpointed = Annotated["Checkpoints", FromJob(_checkpoints)]
LanguageModel = Annotated["CausalLM", FromJob(_causal_lm)]
