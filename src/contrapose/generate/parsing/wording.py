"""Words that distinguish a paraphrase from talk about paraphrases.

Every pattern counts only where the source does not match it too: a sentence about language models may be
rephrased into one.  English only, like the thesis's prompts.
"""

import re
from collections.abc import Sequence

# The model invents the next turn of a conversation (seen in real Falcon answers).
ROLE_TURN = re.compile(
    r"(?:^|[.!?][\"'”’]?)[^\S\n]*(?:\#{1,6}\s{0,9}|\*\*)?(?:user|assistant|human|system)(?:\*\*)?\s*:",
    re.I | re.M,
)

# A remark before or after the items.  Used only where no marker tells items from remarks.
TALK = re.compile(
    r"^(?:sure|certainly|of course|absolutely|okay|ok)\b(?! enough)|\bhere (?:are|is)\b|\bhere's\b|"
    r"\b(?:hope (?:this|these|that)|let me know|feel free|paraphras|rephras|these (?:are|sentences)|"
    r"note that)",
    re.I,
)

# A pattern for two words looks for the first one once, from the beginning of a line or question (`(?>...)`).
# Looked for from each place where the first one stands, megabytes of it would take hours.

# How an item refuses, asks back or offers help (wordings of real Falcon answers, and their variants), in
# lower case.  A pattern is tried only where one of the words before it occurs: in most items none does.
TALKING = tuple(
    (word, re.compile(pattern, re.M))
    for words, pattern in (
        ("as a", r"\bas an? (?:ai\b|(?:large )?(?:artificial|language))"),
        ("an ai|model", r"\bi(?:'m| am) (?:just )?an? (?:ai\b|language model)"),
        ("model", r"\b(?:ai|language) (?:language )?model\b"),
        (
            "program|my training|my cap",
            r"\bnot programmed\b|\bmy (?:programming|training data|capabilities)\b",
        ),
        ("sorry", r"\bi(?:'m| am) (?:very |so |really )?sorry\b|^sorry\b"),
        ("apolog", r"\bi apologi[sz]e\b|^(?:my )?apologies\b"),
        (
            "n't |not |unable",
            r"\bi (?:cannot|can't|can not|could not|couldn't|am unable to|am not able to|don't|do not) "
            r"(?:\w+ )?(?:provide|answer|assist|help|fulfil|comply|generate|offer|disclose|share|"
            r"have (?:access|(?:any |enough |more )?(?:information|context))|"
            r"understand (?:your|the) (?:request|question))",
        ),
        ("unable", r"\bi'm unable to (?:provide|answer|assist|help|fulfil|complete|comply|generate)"),
        (
            "assist you|help you|do for you",
            r"\b(?:how|what) (?:can|may|could|else can) (?:i|we) (?:help|assist|do for) you\b|"
            r"\b(?:assist|help) you (?:with|better|find|in|further|today|by|get)\b|"
            r"\bi (?:would|will|'d|'ll|can|could|may)(?: be (?:happy|glad|able) to)? (?:help|assist) you\b",
        ),
        ("anything else", r"^(?>.*?\banything else\b).*\b(?:i|you)\b"),
        ("so i can|so that i can", r"\bso (?:that )?i can (?:better )?(?:help|assist)\b"),
        ("would you like ", r"\bwould you like (?:me )?to\b"),
        (
            "happy to|glad to",
            r"\bi(?:'d| would|'ll| will| am|'m) (?:be )?(?:happy|glad) to (?:help|assist|provide|do)\b",
        ),
        (
            "information|details",
            # Unless it is the speaker of the source who asks: "I want a loan, can you provide more details?"
            r"^(?!.*\b(?:i|i'm|my)\b).*\bprovide (?:me with )?(?:some |any )?(?:more|additional|further) "
            r"(?:information|details)\b",
        ),
        (
            "context|details",
            r"\b(?:more|additional|further|enough) (?:context|details about your)\b|\bexplain the context\b",
        ),
        ("clarify", r"\bclarify (?:your|what|the (?:sentence|question))\b"),
        (
            "sentence|text|input",
            r"\bprovide (?:me with )?(?:the|a|your) (?:full |complete |original )?"
            r"(?:sentence|text|context|input)\b",
        ),
        ("sentence", r"\b(?:full|complete|original|given|source|above|following|this|your|the) sentences?\b"),
        (
            "version|variation",
            r"\b(?:this|these|other|more|different|alternative|(?:in)?formal|casual) (?:\w+ )?"
            r"(?:version|variation)s?\b",
        ),
        ("meaning", r"\b(?:keep|retain|preserv|maintain|original|same)\w* (?:the )?(?:\w+ )?meaning\b"),
        ("here are|here is", r"\bhere (?:are|is) (?:some|the|my|your|a few|four|five|4|5|other|more)\b"),
        ("hope ", r"\bhope (?:this|these|that|it) (?:help|work|meet|is|are|suit)"),
        ("let me know if you", r"\blet me know if you\b"),
        ("feel free", r"\bfeel free to\b"),
        ("have you ", r"\bhave you (?:\w+ )?(?:tried|considered|checked)\b"),
        (
            " your ",
            r"\b(?:to|in|near|from|at|is|of) your (?:\w+ )?"
            r"(?:location|position|area|address|account|balance|worth|wallet|name)\b",
        ),
        ("none|n/a|above|etc", r"^(?:none|n/a|etc|(?:same as|see) above)\W*$"),
        (
            "semantic|lexical",
            r"\b(?:semantically|lexically) (?:\w+ ){0,4}(?:similar|divergent)\b|"
            r"^(?>.*?\bgenerate ).*\b(?:semantic|lexical)",
        ),
        ("phras|reword", r"\b(?:paraphras|rephras|reword(?:ed|ing)\b)"),
        (
            "please ",
            r"(?:^|\?)(?>[^?\n]*?\bplease (?:let me know|provide|specify|clarify|confirm)\b)[^?\n]*"
            r"\b(?:you|your)\b",
        ),
        (
            "you ",
            r"you (?:(?<=\bcan you )|(?<=\bcould you )|(?<=\bwould you ))(?:please |kindly )?"
            r"(?:provide|specify|confirm|clarify|tell|share|give)\b[^?\n]*\byour?\b",
        ),
    )
    for word in words.split("|")
)

# An item that flips the person: `my bank` becomes `your bank`, `I need` becomes `do you need`.
OURS = re.compile(r"\b(?:my|our)\s+((?:\w+\W+){0,2}\w+)")
YOURS = re.compile(r"your\s+((?:\w+\W+){0,2}\w+)")
QUESTION = re.compile(r"(?:who|whose|what|when|where|which|why|how)\b")
DIGITS = re.compile(r"\d+")
WORD = re.compile(r"\w+")
FIRST_PERSON = re.compile(r"\b(?:i|i'm|i've|i'd|i'll|im|my|me|mine|we|us|our|ours|myself)\b")
SECOND_PERSON = re.compile(r"\b(?:you|your|yours|you're|yourself)\b")
ASKS_BACK = re.compile(
    r"you(?:(?<=\bdo you) (?:want|need|wish|plan|prefer|intend)|(?<=\bwhat do you) mean|(?<=\bwhy do you)|"
    r"(?<=\bare you) (?:interested|looking|trying|considering|sure|referring|able to (?!\w+ (?:me|us)\b))|"
    r"(?<=\bhave you) (?:\w+ )?(?:tried|considered|already|been|checked))\b"
)

LABEL = re.compile(
    r"^[(\[*_]{0,9}[^:]{0,60}?\b(?:paraphrased?|version|rephras\w+|similar\w*|divergen\w*|scale|level|formal|"
    r"informal|casual|option|alternative|sentence|original|rewritten|score|synonym\w*)\b"
    r"[^:]{0,60}?[)\]*_]{0,9}\s*:|"
    r"\b(?:similarity|divergence|distance|scores?|rating|scale)(?: \w+)?\s*[:=]\s*[\d.]|"  # after the item
    r"^\([^()]*\)\W*$",  # nothing but a remark
    re.I,
)
# What tells whether brackets hold a word about the item: `(informal)`.
BRACKETED = re.compile(r"[()\[\]]|\b(?:similar\w*|divergen\w*|scale|formal|informal|casual)\b", re.I)
SHORT_LABEL = re.compile(r"^[*_(\[]*[^\W\d_](?:[\w /-]{0,30}[)\]*_]*:[*_]*| ?\w{0,20} ?\w{0,20} [-–—]) ")
MARKUP = re.compile(
    r"\*\*|__|~~|`|</?[a-z][a-z0-9]*/?>|&\#?\w+;|^\#+\s|(?<!\w)([*_])[^\s*_](?:[^*_\n]*[^\s*_])?\1(?!\w)|\\[a-z(\[\"']|"
    r"->|=>|→|⇒|\s[/|]\s|<[|｜/]|\[e~\[|【|citeturn\d",
    re.M,
)
PLACEHOLDER = re.compile(r"\[[^\[\]]*\]|<[^<>]*>|_{3,}|\bx_i\b|\{[^{}]*\}")
MARKS = re.compile(r"[*_`<>&#\[{:=(\\~→⇒/|【]|citeturn")  # markup, blanks and labels hold one of these
# After the end of a sentence: another item, or, up to the end of the line, a remark in brackets.
TRAILING = re.compile(r"[.!?…][\"'”’)]* (?:[-–—*•] |[2-6][.):] |\d[\d.,/%]*$|(?:or|OR):? )", re.M)
REMARK = re.compile(r"[.!?…][\"'”’)]* [(\[][^()\[\]\n]*[)\]]")
TO_LAST_WORD = re.compile(r".*\w")


def adds(pattern: re.Pattern[str], items: Sequence[str], source: str) -> bool:
    """Return whether an item matches a pattern that the source does not match anywhere."""
    return bool(pattern.search("\n".join(items))) and not pattern.search(source)


def trails_off(items: Sequence[str], source: str) -> bool:
    """Return whether an item, unlike the source, goes on after its end, or leaves it open: `...`."""
    return any(map(_trails_off, items)) and not any(map(_trails_off, source.split("\n")))


def _trails_off(line: str) -> bool:
    words = TO_LAST_WORD.match(line)
    at = words.end() if words else 0  # after the last word
    is_open = line.find("...", at) >= 0 or line.find("…", at) >= 0
    return is_open or bool(TRAILING.search(line)) or any(one.end() >= at for one in REMARK.finditer(line))


def is_labelled(items: Sequence[str], source: str) -> bool:
    """Return whether an item carries a label of its own, such as `Most similar:` or `(formal)`."""
    if any(map(_has_label, items)) and not _has_label(source):
        return True
    if ":" in source:
        return False
    labels = [item for item in items if SHORT_LABEL.match(item)]
    return len(labels) > 1 or any(item.endswith(":") for item in items)


def _has_label(text: str) -> bool:
    return bool(LABEL.search(text)) or _has_bracketed_word(text)


def _has_bracketed_word(text: str) -> bool:
    opened = worded = False
    for found in BRACKETED.finditer(text):
        if worded and found[0] in ")]":
            return True
        if found[0] in "()":
            opened, worded = found[0] == "(", False
        elif found[0] == "[":
            opened = True
        elif found[0] != "]":
            worded = opened
    return False


def talks_back(items: Sequence[str], source: str) -> bool:
    """Return whether an item speaks to the person who asked instead of rephrasing the source.

    By its words, or by its person: `my` and `I` of the source have become `your` and `you`, or a plain
    statement has become a question to the reader.
    """
    text, source = ("\n".join(items).lower().replace("’", "'"), source.lower().replace("’", "'"))
    if _talking(text) and not _talking(source):
        return True
    if not source:
        return False
    asks = source.rstrip().endswith("?")
    if asks or QUESTION.match(source):
        statements = [line for line in items if not line.endswith("?")]
        if set(DIGITS.findall("\n".join(statements))) - set(DIGITS.findall(source)):
            return True  # an answer: a number that was asked for
    if "you" not in text:
        return False
    if _nouns(YOURS, text) & _nouns(OURS, source) - _nouns(YOURS, source):
        return True
    if SECOND_PERSON.search(source):
        return False
    if FIRST_PERSON.search(source):
        return bool(ASKS_BACK.search(text))
    return not asks and any(SECOND_PERSON.search(line) for line in text.split("\n") if line.endswith("?"))


def _talking(text: str) -> bool:
    likely = [pattern for word, pattern in TALKING if word in text]
    return any(pattern.search(text) for pattern in likely)


def _nouns(owner: re.Pattern[str], text: str) -> set[str]:
    """Return the words right after `my` or `your`; short ones are articles and prepositions."""
    return {word for words in owner.findall(text) for word in WORD.findall(words) if len(word) > 3}
