"""BLEU as the thesis takes it: how much of a sentence's wording its paraphrases keep.  NLTK's, unsmoothed."""

import warnings
from collections.abc import Sequence

from nltk.translate.bleu_score import modified_precision, sentence_bleu

ORDERS = 4  # n-grams of 1 to 4 tokens, NLTK's default


def bleu(source: Sequence[str], paraphrases: Sequence[Sequence[str]]) -> float:
    """Return BLEU with the source as hypothesis and its paraphrases as references.  Thesis, section 3.2.

    So it is high if any one of the paraphrases keeps an n-gram of the source.  No smoothing: without a
    common n-gram of some order NLTK puts the smallest positive number in the place of that precision, and
    the score is about 1e-78 or less, and 0 without a common token (methods 8).

    Parameters
    ----------
    source : sequence of tokens; a text counts as the sequence of its characters
    paraphrases : sequences of tokens, likewise, at least one

    Returns
    -------
    float in [0, 1], lower is more divergent
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # one for each missing order: `has_common` counts them
        return float(sentence_bleu(paraphrases, source))


def has_common(source: Sequence[str], paraphrases: Sequence[Sequence[str]], order: int = ORDERS) -> bool:
    """Return whether any paraphrase keeps an n-gram of `order` tokens; if not, unsmoothed BLEU is about 0."""
    return modified_precision(paraphrases, source, order).numerator > 0
