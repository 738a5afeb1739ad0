"""Ask a chat model for texts of several labels for every sentence of a corpus, as DINO does."""

import logging
from typing import Annotated

import pandas as pd
from pydantic import Field

from contrapose.generate.attempts import completions_of
from contrapose.generate.llm import Ask
from contrapose.generate.llm_requests import LLMRequests, requests_to
from contrapose.generate.refused import with_refused
from contrapose.generate.requests import PLACEHOLDER
from contrapose.jobs.inputs import Sentences
from contrapose.jobs.step import Outputs, planned
from contrapose.settings.plan import Plan
from contrapose.settings.spec import Spec
from contrapose.tables import COMPLETIONS, SYNTHETIC

logger = logging.getLogger(__name__)


class LabelledRequests(LLMRequests):
    """Ask for a text of a label."""

    label: float = Field(description="Similarity that the text is to have")


class TextRequests(Spec):
    """What one LLM is asked for texts of several labels for every sentence."""

    instructions: list[LabelledRequests] = Field(min_length=1)

    @property
    def llm(self) -> str:
        return self.instructions[0].llm


@planned
def plan(project: Plan, texts: str) -> TextRequests:
    """Return what a chat model is told to write for the texts of kind asked."""
    spec = project.entry("synthetic", texts)
    instructions, requests = project.entry("instructions", spec.instructions), []
    for instruction, entry, prompt in spec.prompts(project):
        template = instructions.prompt(instruction.label, PLACEHOLDER)
        base = dict(requests_to(project, spec.llm, prompt, "continuation", template))
        fields = {"entry": entry, "label": instruction.label, "masked": instruction.masked}
        requests.append(LabelledRequests(**base | fields))
    return TextRequests(instructions=requests)


def build(
    spec: TextRequests, sentences: Sentences, ask: Ask
) -> Annotated[tuple, Outputs(texts=SYNTHETIC, completions=COMPLETIONS)]:
    """Ask about all sentences, one text per request, instruction by instruction.

    The SYNTHETIC texts are in the order of the sentences.  If all attempts at a text failed, it is the last
    raw answer, with the reason.
    """
    attempts, texts = [], []
    with ask as ask_all:
        for place, each in enumerate(spec.instructions):
            answers = ask_all(each, zip(sentences.id, sentences.text, strict=True))
            attempts += answers
            for number, one in enumerate(answers):
                text = one.items[0] if one.items else one.completions[-1]["answer"]
                texts.append((number, place, one.id, each.label, each.entry, text, one.reason))
    logger.info("%d texts for %d sentences", len(texts), len(sentences))
    table = pd.DataFrame([row for _, _, *row in sorted(texts)], columns=SYNTHETIC.columns)
    completions = completions_of(attempts)
    table = with_refused(table.astype({"label": "float32", "entry": "int16"}), completions, spec.llm)
    return table, completions
