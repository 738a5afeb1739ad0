"""Make an encoder of the mini world, to be checked in by hand."""

from functools import partial

from contrapose.jobs.step import Writer, planned
from contrapose.settings.instructions import Instructions
from contrapose.settings.plan import Plan
from contrapose.settings.spec import Spec


class MiniModel(Spec):
    """Which model is made; its settings are beside the code that makes it."""

    name: str
    instructions: list[tuple[str, Instructions]]


@planned
def plan(project: Plan, name: str) -> MiniModel:
    """Return which model is pre-trained; of gpt2, with the instructions that it learns to follow."""
    names = ("sentences", "questions") if name == "gpt2" else ()  # its training texts, in order
    texts = [(each, project.entry("instructions", each)) for each in names]
    return MiniModel(name=name, instructions=texts)


def build(spec: MiniModel) -> Writer:
    """Pre-train it."""
    from contrapose_mini.pretrain import write_mini_encoder

    return partial(write_mini_encoder, spec.name)
