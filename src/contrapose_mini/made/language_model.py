"""Make a language model of the mini world, to be checked in by hand."""

from functools import partial

from contrapose.jobs.step import Writer
from contrapose_mini.made.encoder import MiniModel, plan

__all__ = ["build", "plan"]  # planned as the encoders of the mini world


def build(spec: MiniModel) -> Writer:
    """Train it."""
    from contrapose_mini.language_models import write_mini_language_model

    return partial(write_mini_language_model, spec.name, dict(spec.instructions))
