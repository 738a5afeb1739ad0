"""Parse an answer whose texts need not be about its sentence: sentences, or a triplet in JSON."""

import json

from contrapose.generate.parsing.items import clean
from contrapose.generate.parsing.lists import of_any_length
from contrapose.generate.parsing.refusals import Refusal, Refused, refuse_if
from contrapose.generate.parsing.text import compared, parser

# Of an anchor, its positive and its hard negative: for retrieval, and for similarity.  Wang et al. 2024,
# appendix C.
TRIPLET_KEYS = (("user_query", "positive_document", "hard_negative_document"), ("S1", "S2", "S3"))


@parser
def some_sentences(text: str, source: str) -> list[str]:
    """Return the sentences of an answer, without those that a paraphrase could not be.

    Refused if that leaves fewer than half of them.
    """
    items = of_any_length(text)
    kept = [text for item in items if (text := clean(item, ""))]
    refuse_if(2 * len(kept) < len(items), Refusal.TALKING)
    return kept


@parser
def json_triplet(text: str, source: str) -> list[str]:
    """Return anchor, positive and hard negative of the JSON object in an answer, whatever is around it.

    It has the keys of one of TRIPLET_KEYS and no others.  Its texts differ, and white space in them becomes a
    blank.
    """
    try:
        value = json.loads(text[text.find("{") : text.rfind("}") + 1], strict=False)
    except (ValueError, RecursionError):
        raise Refused(Refusal.JSON) from None
    keys = next((keys for keys in TRIPLET_KEYS if isinstance(value, dict) and {*value} == {*keys}), ())
    refuse_if(not keys or not all(isinstance(value[key], str) for key in keys), Refusal.JSON)
    items = [" ".join(value[key].split()) for key in keys]
    folded = {compared(item) for item in items}
    refuse_if("" in folded, Refusal.BLANK)
    refuse_if(len(folded) < len(items), Refusal.DUPLICATE)
    return items
