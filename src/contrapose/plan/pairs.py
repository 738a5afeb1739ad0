"""Rules of the stage pairs."""

from contrapose.config.pairs import (
    DictionaryPairs,
    DinoPairs,
    DropoutPairs,
    HeldOutPairs,
    PrefixPairs,
    PunctuationPairs,
    ReweightedPairs,
    SentencePairs,
    TriplePairs,
)
from contrapose.config.spec import Spec
from contrapose.jobs import (
    DictionaryJob,
    DropoutJob,
    PrefixJob,
    PunctuationJob,
    TripleSample,
)
from contrapose.plan.score import ScorePlan


class PairsPlan(ScorePlan):
    """Rules of the stage pairs."""

    def generated_by(self, pairs: str) -> str:
        """Return the folder of the answers that a pair set is made of."""
        spec = self.pairs(pairs)
        assert spec.kind == "paraphrase"
        return f"<results>/generate/{spec.corpus}/{spec.llm}-prompt{spec.prompt}"

    def pairs_dropout(self, pairs: str) -> DropoutJob:
        """Which sentences."""
        spec = self.pairs(pairs)
        assert isinstance(spec, DropoutPairs)
        return DropoutJob(**dict(spec), sentences=self._drawn(spec), dev=self.held_out(spec))

    def pairs_punctuation(self, pairs: str) -> PunctuationJob:
        """Which sentences, and what is inserted."""
        spec = self.pairs(pairs)
        assert isinstance(spec, PunctuationPairs)
        return PunctuationJob(**dict(spec), sentences=self._drawn(spec))

    def pairs_prefix(self, pairs: str) -> PrefixJob:
        """Which sentences, and what stands in front of them."""
        spec = self.pairs(pairs)
        assert isinstance(spec, PrefixPairs)
        return PrefixJob(**dict(spec), sentences=self._drawn(spec))

    def pairs_paraphrase(self, pairs: str) -> Spec:
        """Settings of the pair set."""
        return self.pairs(pairs)

    def pairs_triples(self, pairs: str) -> TripleSample:
        """How many triples are kept, and which."""
        spec = self.pairs(pairs)
        assert isinstance(spec, TriplePairs)
        held_out = self.held_out(spec)
        return TripleSample(triples=self._drawn(spec), seed=spec.seed, dev=held_out, part=spec.part)

    def pairs_dino(self, pairs: str) -> DinoPairs:
        """Which texts become pairs; not those that a training on them is judged on."""
        spec = self.pairs(pairs)
        assert isinstance(spec, DinoPairs)
        return spec.model_copy(update={"dev": None})

    def pairs_reweighted(self, pairs: str) -> ReweightedPairs:
        """What the weights are."""
        spec = self.pairs(pairs)
        assert isinstance(spec, ReweightedPairs)
        return spec

    def pairs_dictionary(self, pairs: str) -> DictionaryJob:
        """Which candidates become pairs: the first ones are for dev alone."""
        spec = self.dictionary_pairs(pairs)
        held_out = self.held_out(spec)
        is_dev = spec.part == "dev"
        return DictionaryJob(
            threshold=spec.threshold,
            choice=spec.choice,
            draw=spec.draw,
            skipped=0 if is_dev else held_out,
            pairs=held_out if is_dev else self._drawn(spec),
        )

    def dictionary_pairs(self, pairs: str) -> DictionaryPairs:
        """Return a pair set of kind dictionary by its id."""
        spec = self.pairs(pairs)
        assert isinstance(spec, DictionaryPairs)  # the rule takes no other id
        return spec

    def weighing_inputs(self, pairs: str) -> list[str]:
        """Return what the weights of a pair set are taken from; nothing if they are random."""
        spec = self.pairs_reweighted(pairs)
        scores = f"<results>/score/identification/{spec.of}/{spec.identifier}.parquet"
        return [] if spec.strategy == "random" else [scores]

    def held_out(self, spec: HeldOutPairs) -> int:
        """Return how many pairs of a set are for dev alone."""
        return 0 if spec.held_out is None else self.size(spec.held_out)

    def _drawn(self, spec: SentencePairs | TriplePairs | DictionaryPairs) -> int | None:
        return None if spec.size is None else self.size(spec.size)
