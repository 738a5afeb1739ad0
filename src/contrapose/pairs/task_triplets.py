"""Triplets that a language model writes for tasks: a query, its document, and one that only looks like it."""

from typing import ClassVar, Literal

from pydantic import Field

from contrapose.base.errors import ConfigError
from contrapose.jobs.inputs import Pairs, Paraphrases, Sentences
from contrapose.jobs.status import with_status
from contrapose.pairs.pair_rows import FEWEST, as_pairs, in_lists, sampled, too_few
from contrapose.pairs.strategy import AskedPairs, HeldOutPairs
from contrapose.settings.plan import Plan
from contrapose.settings.refs import CorpusName, LLMName, PromptName


class TaskTripletPairs(HeldOutPairs, AskedPairs):
    """A chat model writes anchor, positive and hard negative for each entry of a corpus. E5-mistral, Wang et
    al. 2024.

    Improving Text Embeddings with Large Language Models (arXiv 2401.00368), section 3.1: it first writes the
    tasks, here a corpus of kind asked with the prompt `tasks`.
    """

    kind: Literal["task_triplets"]
    besides: ClassVar[str] = ", and triplets for them"
    corpus: CorpusName = Field(
        description="Each entry of this corpus is a task. With the prompt `similar_triplets`, they can "
        "be any sentences."
    )
    llm: LLMName = Field("chatgpt", description="This entry of the catalog's `llms` writes the texts.")
    prompt: PromptName = Field(
        "task_triplets",
        description="This is the prompt of the request: the name of a file under config/prompts/, "
        "without `.yaml`. Its key `answer` must be `triplet`.",
    )
    seed: int = Field(1, ge=0, description="This seed selects the entries that are held out.")

    def check(self, project: Plan) -> None:
        super().check(project)
        if project.entry("prompts", self.prompt).asked_for != "triplet":
            raise ConfigError(
                f"pairs: prompt '{self.prompt}' does not request a triplet. Name one with `answer: "
                "triplet`, such as task_triplets or similar_triplets."
            )

    def sides(self, project: Plan) -> int:
        return 3


def build(spec: TaskTripletPairs, sentences: Sentences, paraphrases: Paraphrases) -> Pairs:
    """Return the triplet of each row of the corpus that has one, in its order.

    `paraphrases`: anchors in slot 0, positives in slot 1, hard negatives in slot 2.  Rows without a triplet
    are dropped, and the status says how many.
    """
    kept = sampled(sentences, None, spec.seed, "sentences", spec.held_out, spec.part)
    texts = paraphrases.pivot(index="sentence_id", columns="slot", values="text")
    texts = texts.reindex(index=kept.id, columns=range(3)).dropna()
    missing = len(kept) - len(texts)
    dropped = f"{missing} of {len(kept)} tasks without a triplet are dropped" if missing else ""
    if len(texts) < FEWEST:
        return too_few(spec.kind, dropped, len(texts), FEWEST)
    anchor, positive, negative = (texts[slot] for slot in range(3))
    pairs = as_pairs(texts.index.to_series(), anchor, positive, negatives=in_lists(negative))
    return with_status(pairs, skipped=[dropped] if dropped else [])
