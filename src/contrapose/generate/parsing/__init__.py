"""Parse an answer of a language model into its texts, or a reason for refusing it.

When in doubt, an answer is refused: asking again costs a fraction of a cent, a wrong pair poisons training.
Lines are judged by position and marker; words decide only whether an item is a paraphrase at all.
"""

from contrapose.generate.parsing.items import check_paraphrases, unwrapped
from contrapose.generate.parsing.lists import listed
from contrapose.generate.parsing.refusals import Refusal
from contrapose.generate.parsing.single import one_continuation, one_negative, one_paraphrase, one_score
from contrapose.generate.parsing.text import compared, parser
from contrapose.generate.parsing.translations import CHINESE, any_translation, one_translation
from contrapose.generate.parsing.written import json_triple, some_sentences


@parser
def five_paraphrases(text: str, source: str) -> list[str]:
    """Return the five paraphrases of an answer, in its order.

    They are on one line each, without marker and outer quotes, pairwise different and different from the
    `source`, the sentence to be paraphrased, after NFKC, casefold and removal of outer punctuation.
    """
    items = unwrapped(listed(text, source), source)
    check_paraphrases(items, source)
    return items
