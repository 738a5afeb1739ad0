"""Parse an answer that is about no sentence."""

from contrapose.generate.parsing.items import check_paraphrases, unwrapped
from contrapose.generate.parsing.lists import of_any_length
from contrapose.generate.parsing.refusals import Refusal, Refused, refuse_if
from contrapose.generate.parsing.text import parser


@parser
def some_sentences(text: str, source: str) -> list[str]:
    """Return the sentences of an answer, without those that a paraphrase could not be.

    Refused if that leaves fewer than half of them.
    """
    items = of_any_length(text)
    kept = [clean for item in items if (clean := _clean(item))]
    refuse_if(2 * len(kept) < len(items), Refusal.TALKING)
    return kept


def _clean(item: str) -> str:
    try:
        items = unwrapped([item], "")
        check_paraphrases(items, "")
    except Refused:
        return ""
    return items[0]
