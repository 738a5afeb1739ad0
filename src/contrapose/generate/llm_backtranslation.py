"""Ask a language model to translate every sentence of a corpus into another language and back."""

from typing import Annotated

from contrapose.generate.attempts import completions_of
from contrapose.generate.backtranslation import backtranslations
from contrapose.generate.llm import Ask
from contrapose.generate.llm_requests import LLMRequests, requests_to
from contrapose.generate.refused import with_refused
from contrapose.generate.translate import translated
from contrapose.jobs.inputs import Sentences
from contrapose.jobs.step import Outputs, planned
from contrapose.settings.plan import Plan
from contrapose.settings.spec import Spec
from contrapose.tables import COMPLETIONS, PARAPHRASES, TRANSLATIONS


class BacktranslationRequests(Spec):
    """What one LLM is asked about the sentences, and about its translations of them."""

    there: LLMRequests
    back: LLMRequests

    @property
    def llm(self) -> str:
        return self.there.llm


@planned
def plan(project: Plan, corpus: str, translator: str) -> BacktranslationRequests:
    """Return the requests of both ways of a back-translation by a chat model."""
    spec = project.entry("back_translators", translator)
    ways = (spec.there, spec.back)
    there, back = (requests_to(project, spec.llm, prompt, "any_translation") for prompt in ways)
    return BacktranslationRequests(there=there, back=back)


def build(
    spec: BacktranslationRequests, sentences: Sentences, ask: Ask
) -> Annotated[
    tuple, Outputs(translations=TRANSLATIONS, backtranslations=PARAPHRASES, completions=COMPLETIONS)
]:
    """Ask about all sentences, then about each accepted translation.

    A text that occurs several times is asked about once.  The COMPLETIONS are those of both directions,
    distinguished by the prompt.
    """
    rows = list(zip(sentences.id, sentences.text, strict=True))
    with ask as ask_all:
        forth, attempts = translated(spec.there, rows, ask_all)
        back, more = translated(spec.back, [(id, forth[text]) for id, text in rows if text in forth], ask_all)
    forward, returned = backtranslations(sentences, forth, back)
    completions = completions_of([*attempts, *more])
    return forward, with_refused(returned, completions, f"{spec.llm}, both ways"), completions
