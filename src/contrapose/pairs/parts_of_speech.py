"""Helpers of strategies that change English sentences by the parts of speech of their words.

Which verb is that of the main clause is told from tags alone, where the papers use spaCy's parser.
"""

import logging
from collections.abc import Callable, Iterator, Sequence
from typing import Annotated, NamedTuple

import numpy as np
import pandas as pd
from pydantic import Field

from contrapose.base.errors import ConfigError
from contrapose.base.seeds import generator
from contrapose.jobs.inputs import Slots
from contrapose.jobs.status import with_status
from contrapose.jobs.step import InputFiles, Rows
from contrapose.pairs.pair_rows import FEWEST, as_pairs, no_pairs, sampled, too_few
from contrapose.pairs.strategy import SentencePairs
from contrapose.pairs.word_pairs import is_unspaced
from contrapose.settings.plan import Paths, Plan
from contrapose.settings.refs import GrammarName, as_number, language_of
from contrapose.tables import TAGS

logger = logging.getLogger(__name__)

Tags = Annotated[pd.DataFrame, Rows(TAGS)]

NOT = ("not", "n't", "n\u2019t")
SHORTENED = {"ca": "can", "wo": "will", "sha": "shall", "ai": "is"}  # before n't
BE = ("am", "is", "are", "was", "were")
HAVE, DO = ("have", "has", "had"), ("do", "does", "did")
FINITE = ("MD", "VBD", "VBP", "VBZ")
NAMES = ("NNP", "NNPS")
CLAUSE_TAGS = ("WDT", "WP", "WP$", "WRB")
CONJUNCTIONS = ("although", "because", "if", "that", "though", "unless", "until", "whereas", "whether",
                "while")  # fmt: skip


class Token(NamedTuple):
    """A word or punctuation mark of a sentence."""

    text: str
    space: str  # after it
    tag: str  # of the Penn Treebank
    base: str  # of a verb in the third person or past tense; else the word in lower case


# A sentence and random numbers -> its positive and perhaps hard negatives; none if it cannot be changed,
# whatever the numbers.
Rewrite = Callable[[Sequence[Token], np.random.Generator], list[str]]


class EnglishPairs(SentencePairs):
    """Base of pairs made of English sentences by the parts of speech of their words."""

    grammar: GrammarName = Field("english", description="This names an entry of the catalog's `grammars`.")

    def inputs(self, paths: Paths) -> dict[str, InputFiles]:
        return {**super().inputs(paths), "tags": paths.grammar(self.corpus, self.grammar, "tags")}

    def jobs(self, paths: Paths) -> list[str]:
        return [paths.grammar(self.corpus, self.grammar)]

    def check(self, project: Plan) -> None:
        if (language := language_of(project, self)) != "english":
            raise ConfigError(
                f"pairs: kind {self.kind} changes English sentences by rules, but those of the corpus "
                f"'{self.corpus}' are {language.title()}. Name an English corpus, or use another "
                "kind, such as deletion."
            )


class RewrittenPairs(EnglishPairs):
    """Base of those whose sentences are changed at random."""

    slots: Slots = 1


def rewritten_pairs(
    spec: RewrittenPairs, sentences: pd.DataFrame, tags: pd.DataFrame, rewrite: Rewrite, lack: str
) -> pd.DataFrame:
    """Pair each sentence with what `rewrite` makes of it, in every slot with other random numbers.

    These depend only on the kind, the draw, the sentence's id and the slot: a sentence has the same positives
    in every corpus and sample.

    Returns a PAIRS table, slot by slot, within a slot in the order of the sentences or of the sample.
    Sentences that cannot be changed, because they `lack` something, are left out, and the status says how
    many.  If fewer than wanted are left, the result is `no_pairs`.
    """
    if why := not_english(spec, sentences):
        return no_pairs(why)
    rewritten = [
        [rewrite(tokens, generator(spec.kind, spec.seed, each, slot)) for slot in range(spec.slots)]
        for each, tokens in zip(sentences.id, tokens_of(sentences, tags), strict=True)
    ]
    changed = sentences.assign(texts=pd.Series(rewritten, sentences.index, dtype=object))
    changed = changed[[all(texts) for texts in rewritten]]
    lacking = len(rewritten) - len(changed)
    skipped = f"{lacking} of {len(rewritten)} sentences {lack}" if lacking else ""
    logger.info("skipped: %s", skipped or "no sentence")
    if len(changed) < (wanted := as_number(spec.size) or FEWEST):
        return too_few(spec.kind, skipped, len(changed), wanted)
    changed = sampled(changed, spec.size, spec.seed, "sentences")
    slots = [changed.texts.str[slot] for slot in range(spec.slots)]
    parts = [
        as_pairs(changed.id, changed.text, texts.str[0], slot=slot, negatives=texts.str[1:])
        for slot, texts in enumerate(slots)
    ]
    pairs = pd.concat(parts, ignore_index=True)
    return with_status(pairs, skipped=[skipped] if skipped else [])


def not_english(spec: EnglishPairs, sentences: pd.DataFrame) -> str:
    """Return that most sentences are in a script without spaces; empty if they are not."""
    if is_unspaced(sentences):
        return f"pairs of kind {spec.kind}: most sentences of the corpus '{spec.corpus}' are not English"
    return ""


def tokens_of(sentences: pd.DataFrame, tags: pd.DataFrame) -> Iterator[list[Token]]:
    """Yield the tokens of each sentence; TAGS may be of more sentences, in any order."""
    rows = tags.set_index("id").loc[sentences.id]
    for text, *columns in zip(sentences.text, rows.words, rows.tags, rows.bases, strict=True):
        yield _tokens(text, *(each.split(" ") if each else [] for each in columns))


def _tokens(text: str, words: list[str], tags: list[str], bases: list[str]) -> list[Token]:
    starts, end = [], 0
    for word in words:
        starts.append(text.index(word, end))
        end = starts[-1] + len(word)
    nexts = zip(starts, words, [*starts, len(text)][1:], strict=True)
    spaces = [text[start + len(word) : following] for start, word, following in nexts]
    return [Token(*each) for each in zip(words, spaces, tags, bases, strict=True)]


def joined(tokens: Sequence[Token]) -> str:
    """Return the sentence of some tokens."""
    return "".join(token.text + token.space for token in tokens).strip()


def replaced(tokens: Sequence[Token], at: int, text: str, like: Token | None = None) -> list[Token]:
    """Return tokens with another text at one place, with a capital letter if that, or `like`, has one."""
    new = text[:1].upper() + text[1:] if (like or tokens[at]).text[0].isupper() else text
    return [*tokens[:at], tokens[at]._replace(text=new), *tokens[at + 1 :]]


def prefixed(words: str, tokens: Sequence[Token]) -> str:
    """Return a sentence after some words, without its capital letter unless that is of a name or `I`."""
    text = joined(tokens)
    if tokens and tokens[0].tag not in NAMES and tokens[0].text != "I":
        text = text[0].lower() + text[1:]
    return f"{words} {text}".strip()


def is_mark(token: Token) -> bool:
    """Return whether a token is a punctuation mark or another sign."""
    return not any(map(str.isalnum, token.text))


def main_verb(tokens: Sequence[Token]) -> int | None:
    """Return the place of the finite verb of the main clause, auxiliary or not; None if there is no verb.

    The first finite verb that is not the next one after a word that opens a subordinate clause (`who`,
    `because`); a question may begin with such a word.  If all verbs are such, the first.
    """
    verbs, opened = [], 0
    is_question = bool(tokens) and tokens[-1].text == "?"
    for at, token in enumerate(tokens):
        if opens_clause(token):
            opened += not (is_question and at == 0)
        elif token.tag in FINITE:
            if not opened:
                return at
            opened -= 1
            verbs.append(at)
    return verbs[0] if verbs else None


def opens_clause(token: Token) -> bool:
    """Return whether a subordinate clause begins with a word, or just after it."""
    return token.tag in CLAUSE_TAGS or (token.tag == "IN" and token.text.lower() in CONJUNCTIONS)


def is_auxiliary(tokens: Sequence[Token], at: int) -> bool:
    """Return whether a finite verb is negated by `not` after it, as all forms of `be` are.

    `have` and `do` do if the next word but adverbs and pronouns is a participle, or a base form; at the start
    of a question that may come later.
    """
    word, wanted = tokens[at].text.lower(), ("VB", "VBN", "VBD")
    if tokens[at].tag == "MD" or word in BE or not word[0].isalpha():  # 's, 've
        return True
    others = (each.tag for each in tokens[at + 1 :])
    next_tag = next((tag for tag in others if tag in wanted or (at and tag not in ("RB", "PRP"))), "")
    return (word in HAVE and next_tag in ("VBN", "VBD")) or (word in DO and next_tag == "VB")


def negated(tokens: Sequence[Token]) -> list[Token] | None:
    """Return a sentence without its first `not`, or else with one; None if it has no finite verb either.

    `not` follows an auxiliary, another verb becomes `do not`, `does not` or `did not` and its base form.
    """
    place = next((at for at, token in enumerate(tokens) if token.text.lower() in NOT), None)
    if place is not None:
        return _without(tokens, place)
    if (verb := main_verb(tokens)) is None:
        return None
    word = tokens[verb]
    if is_auxiliary(tokens, verb):
        return replaced(tokens, verb, f"{word.text} not")
    do = {"VBZ": "does", "VBD": "did", "VBP": "do"}[word.tag]
    return replaced(tokens, verb, f"{do} not {word.base}")


def _without(tokens: Sequence[Token], at: int) -> list[Token]:
    """Return a sentence without its `not` at a place; `can't` becomes `can`."""
    rest = list(tokens[at + 1 :])
    if at == 0:
        return replaced(rest, 0, rest[0].text, like=tokens[0]) if rest else []
    last = tokens[at - 1]
    if is_mark(last):
        return [*tokens[:at], *rest]
    left = replaced(
        tokens[:at], at - 1, last.text if last.space else SHORTENED.get(last.text.lower(), last.text)
    )
    return [*left[:-1], left[-1]._replace(space=tokens[at].space), *rest]
