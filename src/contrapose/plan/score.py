"""Rules of the stage score."""

from contrapose.config.corpora import TaskCorpus
from contrapose.config.pairs import DinoPairs
from contrapose.errors import ConfigError
from contrapose.jobs import (
    HumanTexts,
    IdentificationJob,
    PerplexityJob,
    RewriteStatisticsJob,
    ScorerJob,
)
from contrapose.plan.generate import GeneratePlan
from contrapose.tasks import TASKS


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

    def score_identification(self, pairs: str, identifier: str) -> IdentificationJob:
        """How the classifier is trained, and which texts stand for human ones."""
        spec = self.identifier(identifier)
        human = [self._human_texts(each) for each in self._identified_pairs(pairs)]
        return IdentificationJob(identifier=spec, human=human, encoder=self._hub_encoder(spec.encoder))

    def _identified_pairs(self, pairs: str) -> list[DinoPairs]:
        """Return the pair set of kind dino of an id, and behind it its dev pairs if it has some."""
        spec = self.pairs(pairs)
        assert isinstance(spec, DinoPairs)  # the rule takes no other id
        return [spec, self.dino_pairs(spec.dev)] if spec.dev else [spec]

    def _human_texts(self, pairs: DinoPairs) -> HumanTexts:
        corpus = self.corpus(self.synthetic(pairs.texts).corpus)
        if not isinstance(corpus, TaskCorpus):
            return HumanTexts()
        return HumanTexts(tasks=corpus.tasks, split=corpus.split)

    def human_texts_inputs(self, pairs: str) -> list[str]:
        """Return the files of human texts: evaluation sets, or the corpus if it is not made of them."""
        return [self._human_texts_file(each) for each in self._identified_pairs(pairs)]

    def _human_texts_file(self, pairs: DinoPairs) -> str:
        if tasks := self._human_texts(pairs).tasks:
            return f"<results>/retrieve/benchmarks/{TASKS[tasks[0]].suite}.parquet"
        return f"<results>/corpus/{self.synthetic(pairs.texts).corpus}.parquet"

    def dev_pairs_inputs(self, pairs: str) -> list[str]:
        """Return the file of the dev pairs of a pair set of kind dino; none if it names none."""
        spec = self.pairs(pairs)
        assert isinstance(spec, DinoPairs)
        return [f"<results>/pairs/{spec.dev}.parquet"] if spec.dev else []

    def score_linguistics(self, pairs: str, identifier: str) -> HumanTexts:
        """Which texts stand for human ones: the same as in identification."""
        return self._human_texts(self._identified_pairs(pairs)[0])

    def score_rewrites(self, rewrites: str, **shard: str) -> PerplexityJob:
        """Whose perplexity; the model comes as files, or is one of the hub."""
        return PerplexityJob(hub=self.language_model(self.rewrites(rewrites).lm).hub)

    def score_rewrite_statistics(self, rewrites: str, threshold: str) -> RewriteStatisticsJob:
        """Which candidates are counted, and how their words are."""
        spec, number = self.rewrites(rewrites), float(threshold)
        if threshold != f"{number:g}":
            raise ConfigError(f"threshold '{threshold}' is written '{number:g}'. Use that.")
        return RewriteStatisticsJob(threshold=number, at_most=spec.at_most, language=spec.language)
