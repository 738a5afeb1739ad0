"""Pairs of a sentence with its translation into another language and back."""

import logging
from typing import Literal

from pydantic import Field

from contrapose.generate.parsing import compared
from contrapose.jobs.inputs import Pairs, Paraphrases, Sentences
from contrapose.jobs.status import with_status
from contrapose.jobs.step import InputFiles
from contrapose.pairs.pair_rows import FEWEST, as_pairs, sampled, too_few
from contrapose.pairs.strategy import Material, SentencePairs
from contrapose.settings.plan import Paths, Plan
from contrapose.settings.refs import BackTranslatorName, as_number

logger = logging.getLogger(__name__)


class BacktranslationPairs(SentencePairs):
    """The positive is the sentence, translated into another language and back. Wieting & Gimpel 2018."""

    kind: Literal["backtranslation"]
    translator: BackTranslatorName = Field(
        description="This names an entry of the catalog's `back_translators`."
    )

    def inputs(self, paths: Paths) -> dict[str, InputFiles]:
        return {
            **super().inputs(paths),
            "backtranslations": paths.backtranslations(self.corpus, self.translator),
        }

    def material(self, project: Plan) -> Material:
        base = super().material(project)
        who = project.entry("back_translators", self.translator).player(project)
        return base._replace(amount=f"{base.amount} and their back-translations by {who}")

    def back_translated(self, project: Plan) -> list[tuple[str, str]]:
        """Corpus and translator, unless models on this machine translate."""
        spec = project.entry("back_translators", self.translator)
        return [(self.corpus, self.translator)] if spec.asks else []


def build(spec: BacktranslationPairs, sentences: Sentences, backtranslations: Paraphrases) -> Pairs:
    """Pair each sentence with its back-translation, as ParaNMT does (Wieting & Gimpel 2018).

    Back-translation follows Sennrich et al. 2016, but both directions are machine translation.  Sentences
    without one, or with one that differs only in case, white space, quotes or outer punctuation, are dropped,
    and the status says how many.  If fewer than wanted are left, the result is `no_pairs`.
    """
    texts = backtranslations.set_index("sentence_id").text.reindex(sentences.id).fillna("")
    joined = sentences.assign(positive=texts.array)
    returned = joined.positive.map(compared)
    missing = returned == ""
    same = ~missing & (returned == joined.text.map(compared))
    kept = joined[~missing & ~same]
    dropped = (
        (
            f"of {len(sentences)} sentences, {missing.sum()} without a back-translation and {same.sum()} "
            "with an unchanged one are dropped"
        )
        if len(kept) < len(sentences)
        else ""
    )
    logger.info("%s", dropped or "no sentence is dropped")
    if len(kept) < (wanted := as_number(spec.size) or FEWEST):
        return too_few(spec.kind, dropped, len(kept), wanted)
    chosen = sampled(kept, spec.size, spec.seed, "sentences")
    pairs = as_pairs(chosen.id, chosen.text, chosen.positive)
    return with_status(pairs, skipped=[dropped] if dropped else [])
