"""Ask a language model how similar the anchors of a pair set are to their positives and hard negatives.

Wang et al. 2024 (MultiCSR), Cheng et al. 2023 (CLAIF).
"""

import logging
from typing import Annotated

import pandas as pd

from contrapose.generate.attempts import completions_of
from contrapose.generate.llm import Ask
from contrapose.generate.llm_requests import LLMRequests, requests_to
from contrapose.generate.refused import with_refused
from contrapose.generate.requests import question
from contrapose.jobs.inputs import Pairs, pairs_of_texts
from contrapose.jobs.step import Outputs, planned
from contrapose.settings.plan import Plan
from contrapose.tables import COMPLETIONS, RELEVANCE

logger = logging.getLogger(__name__)


@planned
def plan(project: Plan, pairs: str, llm: str, prompt: str) -> LLMRequests:
    """Return how a chat model is asked for a score of two texts; the pairs are an input."""
    return requests_to(project, llm, prompt, "score")


def build(
    spec: LLMRequests, pairs: Pairs, ask: Ask
) -> Annotated[tuple, Outputs(relevance=RELEVANCE, completions=COMPLETIONS)]:
    """Ask for a score from 0 to 5 of each distinct pair of texts, which stand for the prompt's sentence.

    The same two texts have the same id and answer in every pair set.  A pair of texts whose attempts all
    failed has no score: it is in the COMPLETIONS alone.
    """
    texts = pairs_of_texts(pairs)
    with ask as ask_all:
        attempts = ask_all(spec, map(question, texts.anchor, texts.text))
    scores = [float(one.items[0]) if one.items else None for one in attempts]
    scored = texts.assign(score=pd.array(scores, "float32")).dropna(subset=["score"])
    logger.info("%d of %d pairs of texts have a score", len(scored), len(texts))
    completions = completions_of(attempts)
    scored = with_refused(scored.reset_index(drop=True), completions, f"{spec.llm}, prompt {spec.prompt}")
    return scored, completions
