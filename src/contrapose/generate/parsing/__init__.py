"""Parse an answer into five paraphrases, or a reason for refusing it.

When in doubt, an answer is refused: another try costs a fraction of a cent, a wrong pair poisons training.
Lines are judged by position and marker; words decide only whether an item is a paraphrase at all.
"""

from contrapose.generate.parsing.items import OPENING, added, objection, unwrapped
from contrapose.generate.parsing.lists import listed
from contrapose.generate.parsing.refusals import Refusal
from contrapose.generate.parsing.text import STRAIGHT, compared, said


def five_paraphrases(answer: str | None, finish_reason: str | None, source: str) -> list[str] | Refusal:
    """Return the five paraphrases of an answer, in its order, or the reason for refusing it.

    They are on one line each, without marker and outer quotes, pairwise different and different from the
    `source`, the sentence to be paraphrased, after NFKC, casefold and removal of outer punctuation.
    `finish_reason` is as the server gave it; `length` is never accepted.
    """
    text = said(answer, finish_reason, source)
    if isinstance(text, Refusal):
        return text
    items = listed(text, source)
    items = items if isinstance(items, Refusal) else unwrapped(items, source)
    return items if isinstance(items, Refusal) else (objection(items, source) or items)
