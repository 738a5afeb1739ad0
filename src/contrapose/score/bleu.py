"""BLEU, how much of a sentence's wording others keep: unsmoothed as in the thesis, and smoothed."""

import math
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import count, repeat
from operator import add

ORDERS = 4  # n-grams of 1 to 4 tokens, NLTK's default
EPSILON = 0.1  # what NLTK's smoothing method 1 counts where no n-gram of an order is kept

_FOREIGN = "\0"  # for tokens that the source lacks, and between paraphrases

_Count = Callable[[str, str], int]  # text, n-gram -> how often
_Ngrams = tuple[list[str], list[tuple[str, int, _Count]]]


def bleu(source: Sequence[str], paraphrases: Sequence[Sequence[str]], orders: int = ORDERS) -> float:
    """Return BLEU with the source as hypothesis and its paraphrases as references.  Thesis, section 3.2.

    In [0, 1], lower is more divergent: high if any one of the paraphrases keeps an n-gram of the source.
    Equal to NLTK's `sentence_bleu` (Papineni et al. 2002) without smoothing: without a common n-gram of some
    order NLTK puts the smallest positive number in place of that precision, and the score is about 1e-78 or
    less, and 0 without a common token.  NLTK warns of this; `has_common` reports it.

    Tokens are the words, or the characters if a text is passed.  N-grams of 1 to `orders` tokens count, all
    with the same weight.
    """
    kept = _kept(source, paraphrases, orders)
    if not kept[0]:
        return 0.0
    logarithms = [
        math.log(number / (len(source) - order) if number else sys.float_info.min)
        for order, number in enumerate(kept)
    ]
    return math.exp(_brevity(source, paraphrases) + math.fsum(logarithms) / orders)


def smoothed_bleus(
    source: Sequence[str], paraphrases: Sequence[Sequence[str]], orders: int = ORDERS
) -> list[float]:
    """Return BLEU-1, BLEU-2 ... of a source; BLEU-k uses n-grams of 1 to k tokens.

    Equal to NLTK's `sentence_bleu` with smoothing method 1 (Chen and Cherry 2014): where no n-gram of an
    order is kept, `EPSILON` is counted.  0 without a common token.
    """
    kept = _kept(source, paraphrases, orders)
    if not kept[0]:
        return [0.0] * orders
    logarithms = [
        math.log((number or EPSILON) / max(1, len(source) - order)) for order, number in enumerate(kept)
    ]
    brevity = _brevity(source, paraphrases)
    return [math.exp(brevity + math.fsum(logarithms[:order]) / order) for order in range(1, orders + 1)]


def _brevity(source: Sequence[str], paraphrases: Sequence[Sequence[str]]) -> float:
    length = len(source)
    _, closest = min([(abs(len(paraphrase) - length), len(paraphrase)) for paraphrase in paraphrases])
    return min(0.0, 1 - closest / length)


def has_common(source: Sequence[str], paraphrases: Sequence[Sequence[str]], order: int = ORDERS) -> bool:
    """Return whether any paraphrase keeps an n-gram of `order` tokens; if not, unsmoothed BLEU is about 0."""
    return _kept(source, paraphrases, order)[-1] > 0


def _kept(source: Sequence[str], paraphrases: Sequence[Sequence[str]], orders: int) -> list[int]:
    """Return how many n-grams of the source are kept, of 1, 2, ... tokens.

    One that the source repeats counts at most as often as in the paraphrase that has it most often.
    """
    characters, ngrams = _written(tuple(source), orders)
    others = ["".join(map(characters.get, paraphrase, repeat(_FOREIGN))) for paraphrase in paraphrases]
    is_kept = _FOREIGN.join(others).__contains__
    kept = []
    for distinct, repeated in ngrams:
        number = sum(map(is_kept, distinct))
        for ngram, times, occurrences in repeated:
            most = max([occurrences(other, ngram) for other in others])
            if most > 1:
                number += min(times, most) - 1  # one is counted above
        kept.append(number)
    return kept


@lru_cache(maxsize=2)  # a sentence's words, or characters, are scored with one paraphrase after another
def _written(source: tuple[str, ...], orders: int) -> tuple[dict[str, str], list[_Ngrams]]:
    """Write every token as one character, so that finding an n-gram is a substring search.

    Returns the character of each token; and for each order, the distinct n-grams, with, for repeated ones,
    their number and the function that counts them in a text.
    """
    characters = dict(zip(source, map(chr, count(1)), strict=False))
    text = "".join(map(characters.__getitem__, source))
    ngrams: list[_Ngrams] = []
    every = [""] * len(text)
    for order in range(orders):
        every = list(map(add, every, text[order:]))  # one token longer
        distinct = set(every)
        repeated: list[tuple[str, int, _Count]] = []
        if len(distinct) < len(every):
            repeated = [
                (ngram, times, _overlapping if ngram[0] in ngram[1:] else str.count)
                for ngram, times in Counter(every).items()
                if times > 1
            ]
        ngrams.append((list(distinct), repeated))
    return characters, ngrams


def _overlapping(text: str, ngram: str) -> int:
    number = start = 0
    while start := text.find(ngram, start) + 1:
        number += 1
    return number
