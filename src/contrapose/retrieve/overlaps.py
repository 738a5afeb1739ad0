"""What test pairs share with the texts that encoders are trained on, and with the pairs that select them."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from contrapose.text.equal_text import equal_words

Pairs = Iterable[tuple[str, str]]
# What test pairs may be among; in braces the name of the corpus, file or task.
SO = ", so scores on new texts may be lower"
TRAINING_SENTENCES = f"the training sentences of '{{}}'{SO}"
TRAINING_PAIRS = f"the training pairs of '{{}}'{SO}"
DEV_PAIRS = "the dev pairs of {}, which can choose checkpoints and settings"


def pair_words(first: str, second: str) -> tuple[str, str]:
    """Return what pairs of texts with the same words have in common, whichever comes first."""
    one, other = sorted((equal_words(first), equal_words(second)))
    return one, other


def overlaps(
    tests: Mapping[str, Sequence[tuple[str, str]]],
    texts: Mapping[str, Iterable[str]],
    pairs: Mapping[str, Pairs],
) -> list[str]:
    """Return a sentence for each set of test pairs that shares something with others, or repeats a pair.

    Texts count as the same if their words do.  `tests` are by name, `texts` and `pairs` by what they are,
    such as `the training sentences`.
    """
    sentences = {name: {equal_words(text) for pair in test for text in pair} for name, test in tests.items()}
    keys = {name: [pair_words(*pair) for pair in test] for name, test in tests.items()}
    every_sentence, every_pair = set().union(*sentences.values()), set().union(*keys.values())
    found = []
    for what, others in texts.items():
        seen = every_sentence.intersection(map(equal_words, others))
        for name, known in sentences.items():
            found += _said(name, len(known & seen), len(known), f"test sentences are among {what}")
    for what, further in pairs.items():
        seen_pairs = every_pair.intersection(pair_words(*pair) for pair in further)
        for name, test in keys.items():
            shared = sum(pair in seen_pairs for pair in test)
            found += _said(name, shared, len(test), f"test pairs are among {what}")
    return [*found, *(said for name, test in keys.items() for said in repeats(name, test))]


def repeats(name: str, pairs: Sequence[tuple[str, str]]) -> list[str]:
    """Return a sentence if some of these `pair_words` occur more than once."""
    repeated = sum(count for count in Counter(pairs).values() if count > 1)
    return _said(name, repeated, len(pairs), "pairs occur more than once")


def _said(name: str, some: int, of: int, what: str) -> list[str]:
    return [f"{name}: {some:,} of {of:,} {what}."] if some else []
