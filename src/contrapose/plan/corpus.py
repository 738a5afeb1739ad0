"""Rules of the stage corpus."""

from contrapose.config.corpora import SegmentedCorpus, TaskCorpus
from contrapose.config.spec import Spec
from contrapose.config.worlds import (
    HubFile,
)
from contrapose.jobs import (
    CorpusDraws,
    CorpusSample,
    CorpusSegments,
    PublishedSample,
    SegmentedSample,
    TaskSentences,
)
from contrapose.plan.base import without_note
from contrapose.plan.retrieve import RetrievePlan
from contrapose.tasks import TASKS, Suite


class CorpusPlan(RetrievePlan):
    """Rules of the stage corpus."""

    def corpus_published(self, corpus: str) -> PublishedSample:
        """Where the lines are, and which of them are kept."""
        spec = self.published_corpus(corpus)
        source = without_note(self.sentence_source(spec.file))
        return PublishedSample(
            file=spec.file, source=source, sentences=self.sentences(corpus), seed=spec.seed
        )

    def sentence_inputs(self, corpus: str, made: str) -> list[str]:
        """Return the file of a published corpus; `made` is the folder of a world that makes its own."""
        name = self.published_corpus(corpus).file
        if isinstance(self.sentence_source(name), HubFile):
            return []
        return [made] if self.makes_data else self.sentence_files(name)

    def corpus_tasks(self, corpus: str) -> TaskSentences:
        """Which sets, and how many of their sentences."""
        spec = self.corpus(corpus)
        assert isinstance(spec, TaskCorpus)
        return TaskSentences(
            tasks=spec.tasks,
            split=spec.split,
            sentences=self.sentences(corpus),
            at_most=spec.at_most,
            seed=spec.seed,
        )

    def task_corpus_suite(self, corpus: str) -> Suite:
        """Return the suite whose sets a corpus is made of."""
        spec = self.corpus(corpus)
        assert isinstance(spec, TaskCorpus)
        return TASKS[spec.tasks[0]].suite

    def punkt_inputs(self) -> list[str]:
        """Return the articles that the sentence splitter may learn from; nothing in a world without any."""
        return ["<results>/retrieve/articles.parquet"] if self.world.articles else []

    def corpus_punkt(self) -> dict:
        """Return how many articles Punkt is trained on where it is not installed."""
        return {"punkt_articles": self.world.punkt_articles}

    def corpus_draw(self, corpus: str, shard: str, shards: str) -> Spec:
        """How sentences are drawn; the shard is in the file's name."""
        spec = self.sampled_corpus(corpus)
        draws = self.size(spec.size) * self.world.draws_per_sentence
        return CorpusDraws(**spec.model_dump(), draws=draws)

    def corpus_sample(self, corpus: str) -> Spec:
        """How many of them are kept."""
        drawn = self.corpus_draw(corpus, "0", "1")
        sentences = self.size(self.sampled_corpus(corpus).size)
        return CorpusSample(**drawn.model_dump(), sentences=sentences)

    def _segmented_corpus(self, name: str) -> SegmentedCorpus:
        corpus = self.corpus(name)
        assert isinstance(corpus, SegmentedCorpus)  # the rules take no other name
        return corpus

    def collection_of(self, corpus: str) -> str:
        """Return the file of the articles that a segmented corpus is made of."""
        return f"<results>/retrieve/collections/{self._segmented_corpus(corpus).collection}.parquet"

    def corpus_segments(self, corpus: str, shard: str, shards: str) -> CorpusSegments:
        """How articles are split, and how many sentences come first; the shard is in the file's name."""
        spec = self._segmented_corpus(corpus)
        candidates = self.size(spec.size) * spec.candidates_per_sentence
        return CorpusSegments(language=spec.language, seed=spec.seed, candidates=candidates)

    def corpus_segmented(self, corpus: str) -> SegmentedSample:
        """Which of them are kept."""
        spec = self._segmented_corpus(corpus)
        return SegmentedSample(
            **self.corpus_segments(corpus, "0", "1").model_dump(),
            sentences=self.size(spec.size),
            min_words=spec.min_words,
            max_words=spec.max_words,
            confidence=spec.confidence,
        )
