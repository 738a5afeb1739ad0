"""Pairs of a sentence with itself with some words replaced by a masked language model."""

from typing import Literal

from pydantic import Field

from contrapose.generate.masked_words import WordFilling
from contrapose.jobs.inputs import Pairs, Paraphrases, Sentences
from contrapose.jobs.step import InputFiles
from contrapose.pairs.pair_rows import no_pairs, sampled
from contrapose.pairs.paraphrase import paraphrase_pairs
from contrapose.pairs.strategy import SentencePairs
from contrapose.pairs.word_pairs import is_unspaced
from contrapose.settings.plan import Paths
from contrapose.settings.refs import TrainableName


class MaskedWordPairs(SentencePairs, WordFilling):
    """The positive is the sentence with 15 % of its words replaced by those of BERT. SimCSE, Table 1."""

    kind: Literal["masked_words"]
    filler: TrainableName = Field(
        description="This is the catalog's name of an encoder that predicts masked words, such as "
        "bert-base. It may not be one that is trained here."
    )

    def inputs(self, paths: Paths) -> dict[str, InputFiles]:
        how = f"{self.rate:g}-{self.choice}-draw{self.seed}-slots{self.slots}"
        return {**super().inputs(paths), "paraphrases": paths.masked_words(self.corpus, self.filler, how)}


def build(spec: MaskedWordPairs, sentences: Sentences, paraphrases: Paraphrases) -> Pairs:
    """Pair each sentence with itself with other words, replaced anew in each slot: see the step of that name.

    If most sentences are written without spaces between words, the result is `no_pairs`.
    """
    if is_unspaced(sentences):
        return no_pairs(
            f"pairs of kind masked_words: most sentences of the corpus '{spec.corpus}' have no spaces "
            "between words, which this kind needs. Use another kind, such as punctuation"
        )
    kept = sampled(sentences, spec.size, spec.seed, "sentences")
    return paraphrase_pairs(kept, paraphrases, what="other words")
