"""Rules of the stage score."""

from contrapose.jobs import (
    ScorerJob,
)
from contrapose.plan.generate import GeneratePlan


class ScorePlan(GeneratePlan):
    """Rules of the stage score."""

    def score_similarities(self, corpus: str, llm: str, prompt: str, scorer: str) -> ScorerJob:
        """Which encoder measures similarity, with its own pooling."""
        return ScorerJob(pooling=self.encoder(scorer).pooling, encoder=self._hub_encoder(scorer))

    def score_parascores(self, corpus: str, llm: str, prompt: str, scorer: str) -> ScorerJob:
        """Which encoder BERTScore takes; it looks at tokens, so no pooling."""
        return ScorerJob(encoder=self._hub_encoder(scorer))

    def score_paraphrases(self, corpus: str, llm: str, prompt: str, scorer: str) -> dict:
        """Return nothing: the thesis's formula has no setting."""
        return {}
