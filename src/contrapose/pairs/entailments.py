"""Pairs of a sentence with what a model wrote that it entails, and what contradicts it as hard negative."""

import logging
from typing import Annotated, Any, ClassVar, Literal

import pandas as pd
from pydantic import Field

from contrapose.jobs.inputs import Pairs, Sentences
from contrapose.jobs.status import with_status
from contrapose.jobs.step import InputFiles, Rows
from contrapose.pairs.pair_rows import FEWEST, as_pairs, in_lists, sampled, too_few
from contrapose.pairs.strategy import SentencePairs
from contrapose.settings.plan import Paths, Plan
from contrapose.settings.refs import LanguageModelName, as_number
from contrapose.tables import ENTAILMENTS

logger = logging.getLogger(__name__)

Probability = Annotated[float, Field(ge=0, le=1)]


class EntailmentPairs(SentencePairs):
    """An encoder-decoder writes an entailment, and a contradiction as hard negative. GenSE, section 3.

    Chen et al. 2022; the thresholds are those of their code (MatthewCYM/GenSE, `filter_data.py`).
    """

    kind: Literal["entailments"]
    besides: ClassVar[str] = ", an entailment and a contradiction of each"
    writer: LanguageModelName = Field(
        description="This is the catalog's name of GenSE's model, mattymchen/nli-synthesizer-t5-base."
    )
    entailment: Probability = Field(
        0.9, description="The sentence entails its positive with at least this probability."
    )
    contradiction: Probability = Field(
        0.9, description="The sentence contradicts its negative with at least this probability."
    )
    words: int = Field(8, ge=1, description="A sentence has at least this many words.")
    written_words: int = Field(
        5, ge=1, description="The two written texts have at least this many words each."
    )

    def inputs(self, paths: Paths) -> dict[str, InputFiles]:
        return {**super().inputs(paths), "entailments": paths.entailments(self.corpus, self.writer)}

    def sides(self, project: Plan) -> int:
        return 3


def build(
    spec: EntailmentPairs, sentences: Sentences, entailments: Annotated[pd.DataFrame, Rows(ENTAILMENTS)]
) -> Pairs:
    """Pair each sentence with its entailment; its contradiction is a hard negative.

    Both must be likely for the model that wrote them and long enough, and neither may hold the sentence or be
    held by it, last characters aside.  Other sentences are dropped, and the status says why.  If fewer than
    wanted are left, the result is `no_pairs`.
    """
    joined = sentences.merge(entailments, left_on="id", right_on="sentence_id")
    reasons = pd.Series([_refusal(spec, row) for row in joined.itertuples()], joined.index, dtype="str")
    kept, refused = joined[reasons == ""], reasons[reasons != ""].value_counts()
    counts = ", ".join(f"{count} {reason}" for reason, count in refused.items())
    dropped = f"of {len(joined)} sentences, {counts} are dropped" if counts else ""
    logger.info("%s", dropped or "no sentence is dropped")
    if len(kept) < (wanted := as_number(spec.size) or FEWEST):
        return too_few(spec.kind, dropped, len(kept), wanted)
    chosen = sampled(kept, spec.size, spec.seed, "sentences")
    hard = in_lists(chosen.contradiction)
    pairs = as_pairs(chosen.id, chosen.text, chosen.entailment, negatives=hard)
    return with_status(pairs, skipped=[dropped] if dropped else [])


def _refusal(spec: EntailmentPairs, row: Any) -> str:
    others = (row.entailment, row.contradiction)
    if row.p_entailment < spec.entailment or row.p_contradiction < spec.contradiction:
        return "with a text of low probability"
    if len(row.text.split()) < spec.words or min(len(each.split()) for each in others) < spec.written_words:
        return "with too few words"
    if any(row.text[:-1] in each or each[:-1] in row.text for each in others):
        return "with a text that repeats it"
    return ""
