"""GloVe: word vectors whose dot products model how often two words co-occur.  Pennington et al. (2014)."""

import logging
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from contrapose.base.errors import TableError
from contrapose.base.seeds import generator
from contrapose.jobs.inputs import Sentences
from contrapose.jobs.step import Writer, planned
from contrapose.settings.catalogs import TrainedVectors
from contrapose.settings.plan import Plan
from contrapose.text.words import words

if TYPE_CHECKING:
    from scipy.sparse import csr_array


logger = logging.getLogger(__name__)

BLOCK = 64  # words per step of AdaGrad, which takes all their pairs
EPSILON = 1e-10  # initial sum of squares of AdaGrad, so that it never divides by 0


@planned
def plan(project: Plan, role: str) -> TrainedVectors:
    """Return how word vectors are trained, without the note, which changes no vector."""
    return project.source("encoders", role, "glove").model_copy(update={"note": ""})


def build(spec: TrainedVectors, sentences: Sentences) -> Writer:
    """Train word vectors on a corpus."""
    return partial(write_vectors, *train_glove(sentences.text.tolist(), spec))


def train_glove(texts: Sequence[str], spec: TrainedVectors) -> tuple[list[str], np.ndarray]:
    """Train vectors of the words of sentences: words, the most frequent first, and float64 of shape (V, D).

    Words are lower-cased tokens of NLTK.  Objective, initial vectors and w + w~ as the result are those of
    the authors' glove.c.  Differences: a step of AdaGrad takes all pairs of `BLOCK` words, in a random order
    of words, there one pair; its sums of squares include the current step and begin at about 0, there at 1;
    and there is no vector for unknown words.  Equal seeds give equal numbers on one machine with a fixed
    number of threads.

    Raises TableError if fewer than two words occur `min_count` times.
    """
    tokens = [[word.lower() for word in words(text)] for text in texts]
    counted = Counter(word for sentence in tokens for word in sentence)
    vocabulary = sorted(word for word, count in counted.items() if count >= spec.min_count)
    vocabulary.sort(key=lambda word: -counted[word])  # of equally frequent ones in the order of the alphabet
    if len(vocabulary) < 2:
        raise TableError(
            f"only {len(vocabulary)} words occur at least {spec.min_count} times in the corpus "
            f"'{spec.corpus}', but at least 2 words are needed. Lower min_count, or use a larger "
            "corpus."
        )
    counts = cooccurrences(tokens, vocabulary, spec.window)
    logger.info("%d words, %d pairs of them occur together", len(vocabulary), counts.nnz)
    weights, logs = weights_and_logs(counts, spec.x_max, spec.alpha)
    draws = generator("glove", spec.seed)
    model = Glove.fresh(len(vocabulary), spec.dimensions, draws)
    squares = [np.full_like(each, EPSILON) for each in model.arrays]
    for epoch in range(spec.epochs):
        order = draws.permutation(len(vocabulary))
        total = 0.0
        for start in range(0, len(order), BLOCK):
            block = order[start : start + BLOCK]
            loss, gradients = model.loss_and_gradients(block, weights[block].toarray(), logs[block].toarray())
            total += loss
            for which, (array, square, gradient) in enumerate(
                zip(model.arrays, squares, gradients, strict=True)
            ):
                at = block if which < 2 else slice(None)  # words: a block; contexts: all
                square[at] += gradient**2
                array[at] -= spec.learning_rate * gradient / np.sqrt(square[at])
        if epoch in (0, spec.epochs - 1):
            logger.info("epoch %d: loss %.5f per pair", epoch + 1, total / counts.nnz)
    return vocabulary, model.words + model.contexts


def cooccurrences(tokens: Sequence[Sequence[str]], vocabulary: Sequence[str], window: int) -> "csr_array":
    """Count how often two words occur in one sentence, each time weighted by one over their distance.

    Words that are not in the vocabulary are removed first, as in the authors' cooccur.c.  `window` is the
    largest distance counted.  The result is symmetric, float64 of shape (V, V).
    """
    number = {word: at for at, word in enumerate(vocabulary)}
    known = [[number[word] for word in sentence if word in number] for sentence in tokens]
    ids = np.array([at for sentence in known for at in sentence], np.int64)
    sentence = np.repeat(np.arange(len(known)), [len(each) for each in known])
    shape = (len(vocabulary), len(vocabulary))
    from scipy.sparse import csr_array

    total = csr_array(shape, dtype=np.float64)
    for distance in range(1, min(window, len(ids) - 1) + 1):
        near = sentence[distance:] == sentence[:-distance]
        left, right = ids[:-distance][near], ids[distance:][near]
        total += csr_array((np.full(len(left), 1 / distance), (left, right)), shape)  # duplicates are summed
    return total + total.T


def weights_and_logs(counts: "csr_array", x_max: float, alpha: float) -> "tuple[csr_array, csr_array]":
    """Return f(X) = min(1, X / x_max)^alpha and log X of pairs that occur, equation 9; 0 for the others."""
    weights, logs = counts.copy(), counts.copy()
    weights.data = np.minimum(1, counts.data / x_max) ** alpha
    logs.data = np.log(counts.data)
    return weights, logs


@dataclass
class Glove:
    """The parameters: a vector and a bias for each word, and again for each word as a context."""

    words: np.ndarray  # (V, D)
    word_biases: np.ndarray  # (V,)
    contexts: np.ndarray  # (V, D)
    context_biases: np.ndarray  # (V,)

    @classmethod
    def fresh(cls, count: int, dimensions: int, draws: np.random.Generator) -> "Glove":
        """Draw all of them uniformly from an interval of length 1 / (D + 1) around 0."""
        shapes = ((count, dimensions), (count,)) * 2
        return cls(*((draws.random(shape) - 0.5) / (dimensions + 1) for shape in shapes))

    @property
    def arrays(self) -> tuple[np.ndarray, ...]:
        return self.words, self.word_biases, self.contexts, self.context_biases

    def loss_and_gradients(
        self, block: np.ndarray, weights: np.ndarray, logs: np.ndarray
    ) -> tuple[float, tuple[np.ndarray, ...]]:
        """Return the part of the objective that belongs to a block of words, and its gradients.

        J = 1/2 sum f(X) (w w~ + b + b~ - log X)^2: equation 8, with the factor 1/2 of the authors' code.

        Weights and logs, (B, V), are those of each of these words with every context.  The gradients are for
        these words (B, D) and their biases (B,), and for all contexts (V, D) and their biases (V,).
        """
        words = self.words[block]
        errors = words @ self.contexts.T + self.word_biases[block, None] + self.context_biases - logs
        weighted = weights * errors  # (B, V)
        loss = 0.5 * float((weighted * errors).sum())
        of_words = weighted @ self.contexts, weighted.sum(axis=1)
        return loss, (*of_words, weighted.T @ words, weighted.sum(axis=0))


def write_vectors(vocabulary: Sequence[str], vectors: np.ndarray, path: Path) -> None:
    """Write word vectors in GloVe's text format: one word per line with its numbers, six decimals."""
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for word, vector in zip(vocabulary, vectors, strict=True):
            file.write(" ".join([word, *(f"{number:.6f}" for number in vector)]) + "\n")
