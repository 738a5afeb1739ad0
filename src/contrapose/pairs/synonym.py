"""Pairs of a sentence with itself with a word replaced by a synonym."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Annotated, Literal

import numpy as np
import pandas as pd
from pydantic import Field

from contrapose.jobs.inputs import Pairs, Sentences
from contrapose.jobs.step import InputFiles, Rows
from contrapose.pairs.parts_of_speech import (
    BE,
    DO,
    HAVE,
    NOT,
    RewrittenPairs,
    Tags,
    Token,
    joined,
    replaced,
    rewritten_pairs,
)
from contrapose.settings.plan import Paths
from contrapose.tables import SYNONYMS

KEPT = {*BE, *DO, *HAVE, *NOT}
Synonyms = Annotated[pd.DataFrame, Rows(SYNONYMS)]


class SynonymPairs(RewrittenPairs):
    """The positive has a synonym from WordNet in place of a word. SimCSE, Table 1."""

    kind: Literal["synonym"]
    words: int = Field(
        1, ge=1, description="This many words of a sentence are replaced, if so many have synonyms."
    )

    def inputs(self, paths: Paths) -> dict[str, InputFiles]:
        return {**super().inputs(paths), "synonyms": paths.grammar(self.corpus, self.grammar, "synonyms")}


def build(spec: SynonymPairs, sentences: Sentences, tags: Tags, synonyms: Synonyms) -> Pairs:
    """Pair each sentence with itself with some words replaced: see `rewritten_pairs`.  SimCSE, Table 1.

    The paper replaces one word at random, by nlpaug (whose SynonymAug takes WordNet's words of the same part
    of speech); its code is not public (princeton-nlp/SimCSE, issue 219).  Ours: a word counts only if
    WordNet has it as it stands, so that no base form takes the place of an inflected one; names, auxiliary
    verbs and `not` stay.  Each such word and each of its synonyms is equally likely.
    """
    rows = zip(synonyms.word, synonyms.tag, synonyms.synonyms, strict=True)
    known = {(word, tag): others for word, tag, others in rows}
    rewrite = partial(_rewritten, known=known, words=spec.words)
    return rewritten_pairs(spec, sentences, tags, rewrite, "have no word with a synonym")


def _rewritten(tokens: Sequence[Token], random: np.random.Generator, known: Mapping, words: int) -> list[str]:
    places = [
        at
        for at, token in enumerate(tokens)
        if (token.text, token.tag) in known and token.text.lower() not in KEPT
    ]
    for at in random.permutation(places)[:words].tolist():
        tokens = replaced(tokens, at, random.choice(known[tokens[at].text, tokens[at].tag]))
    return [joined(tokens)] if places else []
