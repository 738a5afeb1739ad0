"""Words that tell a paraphrase from talk about paraphrases.

Every pattern counts only where the source does not match it too: a sentence about language models may be
rephrased into one.  English, as the thesis's prompts are.
"""

import re
from collections.abc import Sequence

# The model invents the next turn of a conversation (seen in real Falcon answers).
ROLE_TURN = re.compile(r"^\s*(?:\#+\s*|\*\*)?(?:user|assistant|human|system)(?:\*\*)?\s*:", re.I | re.M)

# A remark before or behind the items.  Used only where no marker tells items from remarks.
TALK = re.compile(
    r"^(?:sure|certainly|of course|absolutely|okay|ok)\b(?! enough)|\bhere (?:are|is)\b|\bhere's\b|"
    r"\b(?:hope (?:this|these|that)|let me know|feel free|paraphras|rephras|these (?:are|sentences)|"
    r"note that)",
    re.I,
)

# An item that refuses, asks back or offers help (wordings of real Falcon answers, and their variants).
TALKING = re.compile(
    r"\b(?:"  # one look at each word, not at each letter
    + "|".join(
        (
            r"as an? (?:ai\b|(?:large )?(?:artificial|language))",
            r"i(?:'m| am) (?:just )?an? (?:ai\b|language model)",
            r"(?:ai|language) (?:language )?model\b",
            r"not programmed\b|my (?:programming|training data|capabilities)\b",
            r"i(?:'m| am) (?:very |so |really )?sorry\b|^sorry\b",
            r"i apologi[sz]e\b|^(?:my )?apologies\b",
            r"i (?:cannot|can't|can not|could not|couldn't|am unable to|am not able to|don't|do not) "
            r"(?:\w+ )?(?:provide|answer|assist|help|fulfil|complete|comply|generate|offer|disclose|share|"
            r"have (?:access|(?:any |enough |more )?(?:information|context))|"
            r"understand (?:your|the) (?:request|question))",
            r"i'm unable to (?:provide|answer|assist|help|fulfil|complete|comply|generate)",
            r"(?:how|what) (?:can|may|could|else can) (?:i|we) (?:help|assist|do for) you\b",
            r"anything else\b.*\b(?:i|you)\b",
            r"(?:assist|help) you (?:with|better|find|in|further|today|by|get)\b",
            r"so (?:that )?i can (?:better )?(?:help|assist)\b|would you like (?:me )?to\b",
            r"i (?:would|will|'d|'ll|can|could|may)(?: be (?:happy|glad|able) to)? (?:help|assist) you\b",
            r"i(?:'d| would|'ll| will| am|'m) (?:be )?(?:happy|glad) to (?:help|assist|provide|do)\b",
            r"provide (?:me with )?(?:some |any )?(?:more|additional|further) (?:information|details)\b",
            r"(?:more|additional|further|enough) (?:context|details about your)\b|explain the context\b",
            r"clarify (?:your|what|the (?:sentence|question))\b",
            r"provide (?:me with )?(?:the|a|your) (?:full |complete |original )?"
            r"(?:sentence|text|context|input)\b",
            r"(?:full|complete|original|given|source|above|following) sentences?\b",
            r"paraphras|rephras|reword(?:ed|ing)\b",
            r"please (?:let me know|provide|specify|clarify|confirm)\b[^?\n]*\b(?:you|your)\b",
            r"(?:can|could|would) you (?:please |kindly )?"
            r"(?:provide|specify|confirm|clarify|tell|share|give)\b[^?\n]*\byour?\b",
        )
    )
    + ")",
    re.I | re.M,
)
# Every pattern above holds one of these, so that most items need no more than five quick looks.
TALKING_HINTS = (
    "you", "i ", "i'", "sorry", "apolog", "model", "phras", "program", "context", "sentence", "text", "input",
    "my ", "reword", "provide",
)  # fmt: skip

# An item that flips the person: `my bank` becomes `your bank`, `I need` becomes `do you need`.
OWN = re.compile(r"\b(?:my|our)\s+((?:\w+\W+){0,2}\w+)", re.I)
YOURS = re.compile(r"\byour\s+((?:\w+\W+){0,2}\w+)", re.I)
WORD = re.compile(r"\w+")
FIRST_PERSON = re.compile(r"\b(?:i|i'm|i've|i'd|i'll|im|my|me|mine|we|us|our|ours|myself)\b", re.I)
SECOND_PERSON = re.compile(r"\b(?:you|your|yours|you're|yourself)\b", re.I)
ASKS_BACK = re.compile(
    r"\b(?:do you (?:want|need|wish|plan|prefer|intend)|"
    r"are you (?:interested|looking|trying|considering|able)|"
    r"have you (?:\w+ )?(?:tried|considered|already|been|checked)|"
    r"why do you|what do you (?:mean|want|need))\b",
    re.I,
)

LABEL = re.compile(
    r"^[(\[*_]*[^:]{0,60}?\b(?:paraphrased?|version|rephras\w+|similar\w*|divergen\w*|scale|level|formal|"
    r"informal|casual|option|alternative|sentence|original|rewritten|score|synonym\w*)\b"
    r"[^:]{0,60}?[)\]*_]*\s*:|"
    r"[(\[][^()]*\b(?:similar\w*|divergen\w*|scale|formal|informal|casual)\b[^()]*[)\]]",
    re.I,
)
MAY_LABEL = re.compile(r"[:(\[]")
SHORT_LABEL = re.compile(r"^[*_(\[]*[^\W\d_][\w /-]{0,30}[)\]*_]*:[*_]*\s")

META = {
    "markup": re.compile(r"\*\*|__|```|</?[a-z][a-z0-9]*>|&(?:amp|lt|gt|quot|nbsp);|^#+\s", re.M),
    "placeholder": re.compile(r"\[[^\]]*\]|<[^>]*>|_{3,}|\bx_i\b|\{[^}]*\}"),
}


def is_meta(items: Sequence[str], source: str, kind: str) -> bool:
    """Return whether an item holds markup or a blank to fill in that the source does not hold."""
    return bool(META[kind].search("\n".join(items))) and not META[kind].search(source)


def is_labelled(items: Sequence[str], source: str) -> bool:
    """Return whether an item carries a label of its own, such as `Most similar:` or `(formal)`."""
    if not LABEL.search(source) and any(LABEL.search(item) for item in items if MAY_LABEL.search(item)):
        return True
    return ":" not in source and all(SHORT_LABEL.match(item) for item in items)


def talks_back(items: Sequence[str], source: str) -> bool:
    """Return whether an item speaks to the person who asked instead of rephrasing the source.

    By its words, or by its person: `my` and `I` of the source have become `your` and `you`, or a plain
    statement has become a question to somebody.
    """
    text, source = "\n".join(items).replace("’", "'"), source.replace("’", "'")
    lower = text.lower()
    if any(hint in lower for hint in TALKING_HINTS) and TALKING.search(text) and not TALKING.search(source):
        return True
    if "you" not in lower or not source or SECOND_PERSON.search(source):
        return False
    if FIRST_PERSON.search(source):
        return bool(ASKS_BACK.search(text)) or bool(_nouns(YOURS, text) & _nouns(OWN, source))
    asking = [item for item in items if item.endswith("?")]
    return not source.rstrip().endswith("?") and any(SECOND_PERSON.search(item) for item in asking)


def _nouns(owner: re.Pattern[str], text: str) -> set[str]:
    """Return the words right behind `my` or `your`; short ones are articles and prepositions."""
    return {word.lower() for words in owner.findall(text) for word in WORD.findall(words) if len(word) > 3}
