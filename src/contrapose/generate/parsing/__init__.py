"""Parse an answer of a language model into its texts, or a reason for refusing it.

When in doubt, an answer is refused: asking again costs a fraction of a cent, a wrong pair poisons training.
Lines are judged by position and marker; words decide only whether an item is a paraphrase at all.
"""

from contextlib import suppress

from contrapose.generate.parsing.items import check_paraphrases, good_ones, unwrapped
from contrapose.generate.parsing.lists import listed, of_any_length
from contrapose.generate.parsing.refusals import Refusal, Refused
from contrapose.generate.parsing.single import one_continuation, one_negative, one_paraphrase, one_score
from contrapose.generate.parsing.text import compared, parser
from contrapose.generate.parsing.translations import CHINESE, any_translation, one_translation
from contrapose.generate.parsing.written import json_triplet, some_sentences
from contrapose.settings.prompt_files import VERSIONS

# Refusals for which other items of a list are no worse.
OF_ITEMS = {Refusal.FEWER, Refusal.MORE, Refusal.COPY, Refusal.DUPLICATE, Refusal.BLANK}
OF_ITEMS |= {Refusal.LABELS, Refusal.MARKUP, Refusal.PLACEHOLDER}
FEWEST = 4  # items, half of which are good: one sentence alone may be the model talking. Ours


@parser
def five_paraphrases(text: str, source: str) -> list[str]:
    """Return the five paraphrases of an answer, in its order.

    They are on one line each, without marker and outer quotes, pairwise different and different from the
    `source`, the sentence to be paraphrased, after NFKC, casefold and removal of outer punctuation.
    """
    return _all_or_none(text, source)


@parser
def some_paraphrases(text: str, source: str) -> list[str]:
    """Return the paraphrases of an answer that are none of its bad ones, again in turn until they are five.

    Refused, as by `five_paraphrases`, if these are fewer than two or than half of a list of any length.
    """
    try:
        return _all_or_none(text, source)
    except Refused as refused:
        if refused.refusal not in OF_ITEMS:
            raise
        items = _items(text, source)
        kept = good_ones(items, source)
        if 2 * len(kept) < max(len(items), FEWEST):
            raise
    return [kept[place % len(kept)] for place in range(VERSIONS)]


def _all_or_none(text: str, source: str) -> list[str]:
    items = unwrapped(listed(text, source), source)
    check_paraphrases(items, source)
    return items


def _items(text: str, source: str) -> list[str]:
    """Return the items of a list that need not be five; none if there is no list."""
    for read in (lambda: listed(text, source), lambda: of_any_length(text)):
        with suppress(Refused):
            return read()
    return []


# By what a request is parsed as.
PARSERS = {
    "paraphrases": five_paraphrases,
    "paraphrase": one_paraphrase,
    "negative": one_negative,
    "translation": one_translation,
    "any_translation": any_translation,
    "continuation": one_continuation,
    "score": one_score,
    "triplet": json_triplet,
    "sentences": some_sentences,
}
