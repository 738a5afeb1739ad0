"""Test pairs that share a sentence are no independent evidence: what their influences add up to."""

from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np

from contrapose.text.equal_text import equal_words

# Pairs of a component up to which the root of its matrix is taken: seconds.  Ours
MOST_CONNECTED = 2000


class Sharing:
    """Which of n pairs share a sentence directly.

    Sentences are compared without case, spaces and marks, so that tokenised and raw text agree.
    """

    def __init__(self, first: Sequence[str], second: Sequence[str]) -> None:
        """Take the sentences of n pairs."""
        self.n = len(first)
        keys = np.array([equal_words(text) for text in (*first, *second)], object)
        numbers = np.unique(keys, return_inverse=True)[1] if self.n else np.empty(0, int)
        self.ends = np.sort(numbers.reshape(2, self.n), axis=0)  # (2, n): the numbers of the sentences

    def __getitem__(self, chosen: np.ndarray) -> "Sharing":
        """Return that of some of the pairs, which are given by a mask or their places."""
        other = Sharing((), ())
        other.ends = self.ends[:, chosen]
        other.n = other.ends.shape[1]
        return other

    def squared(self, influence: np.ndarray) -> float:
        """Return the sum of h_i h_j over all pairs i and j, also i = j, that share a sentence.

        `influence` has the shape (n,).  The sum over sentences of the squared sum of h of the pairs with it
        counts a pair of two sentences twice with itself, and twice with its repetitions; so the squared sums
        of equal pairs are taken off once.  Fafchamps and Gubert (2007), Journal of Development Economics 83,
        equation 2.4; Aronow, Samii and Assenova (2015), Political Analysis 23, equation 5.
        """
        first, second = self.ends
        two = first != second
        of_sentences = np.bincount(first, influence, self.sentences)
        of_sentences += np.bincount(second[two], influence[two], self.sentences)
        equal = np.bincount(self._equal[two], influence[two])
        return float(of_sentences @ of_sentences - equal @ equal)

    @cached_property
    def effective(self) -> float:
        """The number of independent pairs whose sum of squares is as uncertain: n if none share a sentence.

        n^2 over the number of ordered pairs of pairs that share a sentence.  These are Satterthwaite's
        degrees of freedom of `squared` for influences that are independent and alike, as Bell and McCaffrey
        (2002), Survey Methodology 28, take them.
        """
        return self.n**2 / self.squared(np.ones(self.n)) if self.n else 0.0

    def components(self) -> Iterator[np.ndarray]:
        """Yield the places of the pairs of each component of at least two: they share something by others."""
        from scipy.sparse import coo_matrix
        from scipy.sparse.csgraph import connected_components

        graph = coo_matrix((np.ones(self.n), tuple(self.ends)), (self.sentences, self.sentences))
        of_pair = connected_components(graph, directed=False)[1][self.ends[0]]
        order = np.argsort(of_pair, kind="stable")
        for part in np.split(order, np.flatnonzero(np.diff(of_pair[order])) + 1):
            if len(part) > 1:
                yield part

    def draws(self, number: int, rng: np.random.Generator) -> np.ndarray:
        """Return numbers of shape (number, n) whose products with influences vary by `squared`.

        They are normal, and draw the pairs of a component together.  The matrix of which pairs share a
        sentence may have eigenvalues below 0, which are taken as 0: Cameron, Gelbach and Miller (2011),
        Journal of Business and Economic Statistics 29, section 2.3.  On STS12, 13 and 15 that adds 1 % to
        standard errors.  In a component of more than `MOST_CONNECTED` pairs each sentence has a number, and a
        pair the sum of its two, which adds the variance of the pairs alone.
        """
        drawn = rng.standard_normal((number, self.n), np.float32)
        for part in self.components():
            ends = self.ends[:, part]
            if len(part) > MOST_CONNECTED:
                sentences, local = np.unique(ends, return_inverse=True)
                first, second = local.reshape(ends.shape)
                own = rng.standard_normal((number, len(sentences)), np.float32)
                drawn[:, part] = own[:, first] + own[:, second] * (first != second)
                continue
            share = (ends[:, None, :, None] == ends[None, :, None, :]).any(axis=(0, 1))
            values, vectors = np.linalg.eigh(share.astype(np.float32))
            # The symmetric root is unique; bases of equal eigenvalues differ between processors.
            drawn[:, part] @= (vectors * np.sqrt(values.clip(min=0))) @ vectors.T
        return drawn

    @property
    def sentences(self) -> int:
        """One more than the largest number of a sentence."""
        return int(self.ends.max(initial=-1)) + 1

    @cached_property
    def _equal(self) -> np.ndarray:
        """The number of each different pair, in either order: (n,)."""
        return np.unique(self.ends[0] * self.sentences + self.ends[1], return_inverse=True)[1]
