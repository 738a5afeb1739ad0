"""Pairs of a sentence with one of the candidates that a dictionary gives for it."""

import logging
from collections.abc import Iterable
from typing import Annotated, Literal

import numpy as np
import pandas as pd
from pydantic import Field

from contrapose.base.seeds import uniforms
from contrapose.generate.rewrite_candidates import most_fluent, most_likely, scored_candidates
from contrapose.jobs.inputs import Pairs
from contrapose.jobs.status import read_status
from contrapose.jobs.step import InputFiles, Rows
from contrapose.pairs.pair_rows import as_pairs, no_pairs
from contrapose.pairs.strategy import HeldOutPairs, Material
from contrapose.settings.plan import Paths, Plan
from contrapose.settings.refs import RewritesName, Size, as_number
from contrapose.tables import SENTENCES

logger = logging.getLogger(__name__)

NONE = pd.DataFrame(columns=["sentence_id", "text"], dtype=str)  # no candidate
Texts = Annotated[pd.DataFrame, Rows(SENTENCES, ["id", "text"])]


class DictionaryPairs(HeldOutPairs):
    """The positive is the most fluent of the candidates that a dictionary gives. PPDB-CSE, section 3.2.

    Ours: where `rewrites` have no language model, it is the one of highest probability.
    """

    kind: Literal["dictionary"]
    rewrites: RewritesName = Field(description="This names an entry under `rewrites`.")
    threshold: float = Field(
        0.4,
        gt=0,
        le=1,
        description="A rule of the dictionary is used only if the phrase d replaces s with at least "
        "this probability p(d|s). The paper calls it theta.",
    )
    size: Size | None = Field(
        None,
        description="The pair set has this many pairs: a number, or the name of a size of the catalog. "
        "Sentences without a candidate do not count. With null, it has all pairs.",
    )
    choice: Literal["fluent", "random"] = Field(
        "fluent",
        description="With `fluent`, the candidate of lowest perplexity is the positive, or that of "
        "highest p(d|s) if `lm` is null. With `random`, it is any candidate. This is our "
        "own control.",
    )
    seed: int = Field(1, ge=0, description="This seed makes the choice if `choice` is `random`.")

    def inputs(self, paths: Paths) -> dict[str, InputFiles]:
        spec = paths.project.entry("rewrites", self.rewrites)
        return {
            "sentences": paths.corpus(spec.corpus),
            "rewrites": paths.rewrites("generate", self.rewrites),
            "perplexities": [] if spec.lm is None else paths.rewrites("score", self.rewrites),
        }

    def check(self, project: Plan) -> None:
        super().check(project)
        project.entry("rewrites", self.rewrites).check_threshold(self.threshold, self.rewrites, "pairs")

    def material(self, project: Plan) -> Material:
        amount = "every pair" if self.size is None else f"{project.size(self.size)} pairs"
        note = project.entry("rewrites", self.rewrites).note(project, self.rewrites)
        return Material(self.rewrites, amount, note)

    def rows(self, project: Plan) -> float | None:
        """`size` decides; without one it is unknown how many sentences have a candidate."""
        return None if self.size is None else project.size(self.size)


def build(spec: DictionaryPairs, sentences: Texts, rewrites: list[str], perplexities: list[str]) -> Pairs:
    """Pair each sentence with one of the candidates in these files: see `dictionary_pairs`."""
    pairs = dictionary_pairs(sentences, scored_candidates(rewrites, perplexities, spec.threshold), spec)
    notes = [read_status(path).notes for path in rewrites]  # that no phrase of the dictionary occurs
    return no_pairs(f"pairs: {notes[0][0]}") if pairs.empty and all(notes) else pairs


def dictionary_pairs(
    sentences: pd.DataFrame, candidates: Iterable[pd.DataFrame], spec: DictionaryPairs
) -> pd.DataFrame:
    """Pair each sentence with its most fluent candidate, or with any of them.  PPDB-CSE, section 3.2.

    Without perplexities (ours) the most probable candidate is used; ties go to the first by text.

    Sentences without a candidate are skipped (our choice), so sizes count pairs: in the order of the
    sentences, the first pairs are for dev only, and the next ones become the pair set.  If there are fewer
    pairs than wanted, the result is `no_pairs`: in a search over thresholds the cell stays empty, and no
    training starts.

    Memory: two texts for each sentence of the corpus that has a candidate; other candidates are streamed.
    """
    chosen = pd.concat([NONE, *(_chosen(each, spec) for each in candidates)])
    joined = sentences.merge(chosen, left_on="id", right_on="sentence_id", suffixes=("", "_rewrite"))
    has_candidate = (
        f"{len(joined)} of {len(sentences)} sentences have a candidate of probability {spec.threshold:g} or "
        "more"
    )
    logger.info("%s", has_candidate)
    held_out, is_dev = as_number(spec.held_out) or 0, spec.part == "dev"
    skipped, count = (0, held_out) if is_dev else (held_out, as_number(spec.size))
    wanted = skipped + (count or 0)
    if len(joined) < max(wanted, skipped + 1):
        return no_pairs(
            f"pairs: {has_candidate}, but the pair set needs {count or 'some'} pairs after the first "
            f"{skipped}. Lower the threshold, raise the size of the corpus, or lower the sizes of the "
            "pair set (sizes of the catalog)"
        )
    rows = joined.iloc[skipped : None if count is None else wanted]
    return as_pairs(id=rows.id, anchor=rows.text, positive=rows.text_rewrite)


def _chosen(candidates: pd.DataFrame, spec: DictionaryPairs) -> pd.DataFrame:
    if spec.choice == "random":
        return drawn(candidates, spec.seed)[list(NONE)]
    chosen = most_fluent(candidates) if "perplexity" in candidates else most_likely(candidates)
    return chosen[list(NONE)]


def drawn(candidates: pd.DataFrame, draw: int) -> pd.DataFrame:
    """Return one random candidate of each sentence, drawn by the sentence's id."""
    groups = candidates.groupby("sentence_id", sort=False)
    counts = groups.size()
    keys = (("pairs", "dictionary", draw, name) for name in counts.index)
    places = pd.Series(np.floor(uniforms(keys, 1)[:, 0] * counts), counts.index)
    return candidates[groups.cumcount() == candidates.sentence_id.map(places)]
