"""Scores of five paraphrases: near in meaning, far in wording.  Thesis, section 3.2."""

import logging
from typing import Annotated

import pandas as pd
from pydantic import Field

from contrapose.base.errors import TableError
from contrapose.jobs.step import Outputs, Rows, planned
from contrapose.score.bleu import bleu, has_common
from contrapose.score.scored_texts import Texts
from contrapose.settings.plan import Plan
from contrapose.settings.refs import language_of
from contrapose.settings.spec import Language, Spec
from contrapose.tables import SENTENCE_SCORES, SIMILARITIES, SLOT_SCORES
from contrapose.text.languages import Tokeniser, counted_words
from contrapose.text.words import words

logger = logging.getLogger(__name__)


class ParaphraseScoring(Spec):
    """What scores of paraphrases depend on, beside texts and similarities."""

    language: Language = Field("english", description="Decides how texts are cut into words")


@planned
def plan(project: Plan, corpus: str = "", pairs: str = "", **others: str) -> ParaphraseScoring:
    """Return the language of a corpus or pair set, whose words BLEU counts."""
    spec = project.corpus(corpus) if corpus else project.pairs(pairs)
    return ParaphraseScoring(language=language_of(project, spec))


def build(
    spec: ParaphraseScoring, texts: Texts, similarities: Annotated[pd.DataFrame, Rows(SIMILARITIES)]
) -> Annotated[tuple, Outputs(sentences=SENTENCE_SCORES, slots=SLOT_SCORES)]:
    """Score the paraphrases of every sentence: similarity, BLEU and the thesis's total."""
    cut = counted_words(spec.language)
    slots = slot_scores(texts, similarities, cut)
    return (sentence_scores(texts, slots, cut), slots)


def slot_scores(pairs: pd.DataFrame, similarities: pd.DataFrame, cut: Tokeniser = words) -> pd.DataFrame:
    """Score each paraphrase by itself, in the order of the pairs.

    BLEU has this one paraphrase as its only reference; `cut` gives the words, by default NLTK's, case kept.
    Raises TableError if a pair has no cosine.
    """
    keys = ["sentence_id", "slot"]
    scored = pairs.rename(columns={"id": "sentence_id"}).merge(similarities, on=keys, how="left")
    missing = scored[scored.cosine.isna()]
    if len(missing):
        raise TableError(
            f"similarities: {len(missing)} of {len(scored)} paraphrases have no cosine. The first "
            f"belongs to sentence '{missing.sentence_id.iloc[0]}'. Build the scores of the "
            "paraphrases again."
        )
    scored["similarity"] = (scored.cosine + 1) / 2  # the thesis's [0, 1], section 3.2
    scored["bleu"] = [
        bleu(cut(sentence), [cut(paraphrase)])
        for sentence, paraphrase in zip(scored.anchor, scored.positive, strict=True)
    ]
    return scored[SLOT_SCORES.columns]


def sentence_scores(pairs: pd.DataFrame, slots: pd.DataFrame, cut: Tokeniser = words) -> pd.DataFrame:
    """Score the paraphrases of each sentence together: similarity, BLEU and S = (similarity + 1 - BLEU) / 2.

    Takes PAIRS and their SLOT_SCORES and gives SENTENCE_SCORES in the order of the sentences.
    """
    means = slots.groupby("sentence_id")[["cosine", "similarity", "bleu"]].mean()
    means = means.rename(columns={"bleu": "bleu_single"})
    rows = []
    for id, texts in pairs.groupby("id", sort=False):
        sentence, paraphrases = str(texts.anchor.iloc[0]), list(texts.positive)
        tokens, references = cut(sentence), [cut(paraphrase) for paraphrase in paraphrases]
        scores = {"bleu": bleu(tokens, references), "bleu_characters": bleu(sentence, paraphrases)}
        rows.append({"sentence_id": id, **scores, "common_4gram": has_common(tokens, references)})
    table = pd.DataFrame(rows).merge(means, left_on="sentence_id", right_index=True)
    table["total"] = (table.similarity + 1 - table.bleu) / 2
    alone = int((~table.common_4gram).sum())
    logger.info("%d of %d sentences share no 4-gram with a paraphrase, so their BLEU is 0", alone, len(table))
    return table[SENTENCE_SCORES.columns]
