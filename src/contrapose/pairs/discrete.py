"""Pairs of a sentence with itself with marks, modal words or two negations, and its negation."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Literal

import numpy as np
from pydantic import Field

from contrapose.jobs.inputs import Pairs, Sentences
from contrapose.pairs.parts_of_speech import (
    BE,
    RewrittenPairs,
    Tags,
    Token,
    is_auxiliary,
    is_mark,
    joined,
    main_verb,
    negated,
    opens_clause,
    prefixed,
    replaced,
    rewritten_pairs,
)
from contrapose.settings.plan import Plan

# The words of Zhudongsheng75/SDA, augmentation_tools/{PI,MV,DN,NEG}.py.
MARKS = (",", ".", ";", "!")
MODALS = ("must", "have to", "have no choice but", "cannot but", "can't avoid to", "can't help but", "should",
          "need to", "ought to")  # fmt: skip
DEGREES = ("extremely", "quite", "very", "particularly", "especially", "absolutely", "totally", "really",
           "remarkably")  # fmt: skip
DENIALS = ("It isn't that", "The fact is not that", "It is not true that", "It is not the truth that",
           "Not that", "There is no way that", "There is no chance that", "It is impossible that",
           "It can't be that")  # fmt: skip
HAVE_FORMS = {"VBZ": "has", "VBD": "had", "VBP": "have"}
ADJECTIVES = ("JJ", "JJR", "JJS")

Way = Callable[[Sequence[Token], np.random.Generator], str]  # of changing a sentence; empty if it cannot


class DiscretePairs(RewrittenPairs):
    """The positive has a few more words or marks and the same meaning. The negation is the hard negative.
    SDA.
    """

    kind: Literal["discrete"]
    change: Literal["punctuation", "modality", "double_negation"] = Field(
        "punctuation",
        description="This is the change that makes the positive. With `punctuation`, marks are inserted "
        "at the border of a clause. With `modality`, a modal verb or adverbs of degree are "
        "inserted. With `double_negation`, the sentence is negated and the negation is "
        "denied.",
    )
    negated: bool = Field(True, description="If true, the negation of the sentence is a hard negative.")

    def sides(self, project: Plan) -> int:
        return 2 + self.negated


def build(spec: DiscretePairs, sentences: Sentences, tags: Tags) -> Pairs:
    """Pair each sentence with itself after a small change: see `rewritten_pairs`.  SDA, section 3.

    Zhu et al. 2022 (arXiv 2210.03963).  `punctuation` puts quotes around the subject or a comma after it, or
    a comma before a subordinate clause; where there is neither, quotes around the sentence or another mark at
    its end.  `modality` puts an expression like `must` before the main verb, or an adverb like `very` before
    every adjective.  `double_negation` puts an expression like `It is not true that` before the negation; the
    authors' code negates two verbs where there are two.  As there, each choice is equally likely.
    """
    rewrite = partial(_rewritten, spec=spec)
    return rewritten_pairs(spec, sentences, tags, rewrite, f"cannot be changed ({spec.change})")


def _rewritten(tokens: Sequence[Token], random: np.random.Generator, spec: DiscretePairs) -> list[str]:
    ways = {"punctuation": _punctuated, "modality": _modal, "double_negation": _doubly_negated}
    positive = ways[spec.change](tokens, random) if tokens else ""
    if not positive:
        return []
    opposite = negated(tokens)
    negative = joined(opposite) if opposite else prefixed(random.choice(DENIALS), tokens)
    return [positive, negative] if spec.negated else [positive]


def _punctuated(tokens: Sequence[Token], random: np.random.Generator) -> str:
    return _either(_marked_subject, _marked_clause, tokens, random) or _marked_end(tokens, random)


def _marked_subject(tokens: Sequence[Token], random: np.random.Generator) -> str:
    """Put quotes around what is before the main verb, or after the last mark there, or a comma after it."""
    verb = main_verb(tokens) or 0
    start = max((at + 1 for at in range(verb) if is_mark(tokens[at])), default=0)
    if start >= verb or not tokens[verb - 1].space:  # it's
        return ""
    if random.random() < 0.5:
        tokens = _put(tokens, start, before="'")
        return joined(_put(tokens, verb - 1, after="'"))
    return joined(_put(tokens, verb - 1, after=","))


def _marked_clause(tokens: Sequence[Token], random: np.random.Generator) -> str:
    """Put a comma before the first subordinate clause that has none; before `in` of `in which`."""
    openers = (at for at in range(1, len(tokens)) if opens_clause(tokens[at]))
    places = (at - (tokens[at - 1].tag == "IN") for at in openers)
    at = next((at for at in places if at and not is_mark(tokens[at - 1])), 0)
    return joined(_put(tokens, at - 1, after=",")) if at else ""


def _marked_end(tokens: Sequence[Token], random: np.random.Generator) -> str:
    if random.random() < 0.5:
        return f"'{joined(tokens)}'"
    last = tokens[-1].text
    mark = random.choice([each for each in MARKS if each != last])
    return joined(replaced(tokens, len(tokens) - 1, mark if last in MARKS else last + mark))


def _modal(tokens: Sequence[Token], random: np.random.Generator) -> str:
    return _either(_with_modal, _with_degree, tokens, random)


def _either(one: Way, other: Way, tokens: Sequence[Token], random: np.random.Generator) -> str:
    """Change a sentence in one of two ways; if that leaves it as it is, in the other."""
    first, second = (one, other) if random.random() < 0.5 else (other, one)
    return first(tokens, random) or second(tokens, random)


def _with_modal(tokens: Sequence[Token], random: np.random.Generator) -> str:
    """Put a modal expression before the main verb; other auxiliaries than `be` have no place for one."""
    verb = main_verb(tokens) or 0
    word = tokens[verb]
    is_form_of_be = word.text.lower() in BE
    if verb == 0 or word.tag not in HAVE_FORMS or (is_auxiliary(tokens, verb) and not is_form_of_be):
        return ""
    words = random.choice(MODALS).replace("have", HAVE_FORMS[word.tag])
    return joined(replaced(tokens, verb, f"{words} {'be' if is_form_of_be else word.base}"))


def _with_degree(tokens: Sequence[Token], random: np.random.Generator) -> str:
    word, places = random.choice(DEGREES), [at for at, each in enumerate(tokens) if each.tag in ADJECTIVES]
    if places[:1] == [0]:
        tokens = replaced(tokens, 0, f"{word} {tokens[0].text.lower()}")
    for at in filter(None, places):
        tokens = _put(tokens, at, before=f"{word} ")
    return joined(tokens) if places else ""


def _doubly_negated(tokens: Sequence[Token], random: np.random.Generator) -> str:
    return prefixed(random.choice(DENIALS), opposite) if (opposite := negated(tokens)) else ""


def _put(tokens: Sequence[Token], at: int, before: str = "", after: str = "") -> list[Token]:
    return [*tokens[:at], tokens[at]._replace(text=before + tokens[at].text + after), *tokens[at + 1 :]]
