"""What a dictionary offers for sentences, and what choosing the most fluent candidate keeps of it."""

import logging
from collections.abc import Callable, Iterable
from typing import Annotated

import numpy as np
import pandas as pd
from pydantic import Field

from contrapose.base.errors import ConfigError
from contrapose.generate.rewrite_candidates import COLUMNS, most_fluent, scored_candidates
from contrapose.jobs.step import Rows, planned
from contrapose.score.bleu import bleu
from contrapose.settings.plan import Plan
from contrapose.settings.spec import Language, Spec
from contrapose.tables import REWRITE_STATISTICS, SENTENCES
from contrapose.text.languages import tokeniser

logger = logging.getLogger(__name__)

SUMS = ["number", "chance", "probability", "nats", "choices", "refused"]  # over candidates, over sentences
Measures = list[tuple[str, str, float, int]]  # rows of REWRITE_STATISTICS


class RewriteStatistics(Spec):
    """What is counted of candidates, beside them, their perplexities and the corpus."""

    threshold: float = Field(gt=0, le=1, description="Least p(d|s) of a candidate")
    max_candidates: int = Field(ge=1, description="Candidates of a sentence that are made")
    language: Language


@planned
def plan(project: Plan, rewrites: str, threshold: str) -> RewriteStatistics:
    """Return the threshold of a path; raise ConfigError if it is not written in its shortest form."""
    spec, number = project.entry("rewrites", rewrites), float(threshold)
    if threshold != f"{number:g}":
        raise ConfigError(f"threshold '{threshold}': only the shortest form is allowed. Write '{number:g}'.")
    return RewriteStatistics(threshold=number, max_candidates=spec.max_candidates, language=spec.language)


def build(
    spec: RewriteStatistics,
    sentences: Annotated[pd.DataFrame, Rows(SENTENCES, ["id", "text"])],
    rewrites: list[str],
    perplexities: list[str],
) -> Annotated[pd.DataFrame, Rows(REWRITE_STATISTICS)]:
    """Count what a paraphrase dictionary offers, and what the choice by perplexity keeps of it."""
    candidates = scored_candidates(rewrites, perplexities, spec.threshold)
    return rewrite_statistics(sentences, candidates, tokeniser(spec.language), spec.max_candidates)


def rewrite_statistics(
    sentences: pd.DataFrame,
    candidates: Iterable[pd.DataFrame],
    words: Callable[[str], list[str]],
    max_candidates: int,
) -> pd.DataFrame:
    """Count candidates, and compare those that are kept with all that were made.

    Over all sentences: `candidates`, how many each has; `any`, the share that has one; `capped`, the share
    that has as many as are made at most, so that others may be lost.  Over the candidates offered and those
    kept: the mean probability, and the perplexity, a geometric mean, as single ones run into the thousands.
    `bleu`: of each sentence that has a candidate, with the one kept as reference; unsmoothed, mean.

    By the dictionary's relation between a phrase and its replacement: its share among candidates
    (`offered`), among those kept (`kept`), and what a choice without perplexity would keep (`chance`): the
    mean over sentences of its share among their candidates.  Kept below chance is what perplexity refuses.
    `refused`: of the sentences that are offered it and another relation, the share that keeps another one.

    `sentences` are all that were examined, `candidates` from `scored_candidates`.  Without candidates, only
    the measures that count sentences are returned.
    """
    offered, kept, capped = _counted(candidates, max_candidates)
    count, chosen = len(sentences), len(kept)
    logger.info("%d of %d sentences reach the limit of %d candidates", capped, count, max_candidates)
    numbers = {"candidates": int(offered.number.sum()), "any": chosen, "capped": capped}
    measures = [(measure, "", number / count, count) for measure, number in numbers.items()]
    if chosen:
        measures += _means(offered, kept) + _shares(offered, kept)
        texts = sentences.set_index("id").text.reindex(kept.sentence_id)
        scores = [bleu(words(text), [words(other)]) for text, other in zip(texts, kept.text, strict=True)]
        measures.append(("bleu", "", float(np.mean(scores)), chosen))
    return pd.DataFrame(measures, columns=REWRITE_STATISTICS.columns)


def _counted(
    candidates: Iterable[pd.DataFrame], max_candidates: int
) -> tuple[pd.DataFrame, pd.DataFrame, int]:
    """Return sums over candidates by relation, the candidates kept, and how many sentences reach the cap."""
    sums = [pd.DataFrame(columns=SUMS, dtype=float)]
    kept, capped = [pd.DataFrame(columns=[*COLUMNS, "perplexity"])], 0
    for block in candidates:
        chosen = most_fluent(block)
        measured = pd.DataFrame(
            {
                "relation": block.relation,
                "number": 1.0,
                "chance": 1 / block.groupby("sentence_id").number.transform("size"),
                "probability": block.probability.astype(float),
                "nats": np.log(block.perplexity),
            }
        )
        sums += [measured.groupby("relation").sum(), _refusals(block, chosen)]
        capped += int((block.number == max_candidates - 1).sum())  # counts from 0, the likeliest first
        kept.append(chosen)
    return pd.concat(sums).groupby(level=0).sum(), pd.concat(kept, ignore_index=True), capped


def _refusals(candidates: pd.DataFrame, kept: pd.DataFrame) -> pd.DataFrame:
    """Count by relation the sentences that are also offered another one, and those that keep another one."""
    offers = candidates.drop_duplicates(["sentence_id", "relation"])
    offers = offers[offers.groupby("sentence_id").relation.transform("size") > 1]
    is_refused = offers.sentence_id.map(kept.set_index("sentence_id").relation) != offers.relation
    counts = pd.DataFrame({"relation": offers.relation, "choices": 1.0, "refused": is_refused.astype(float)})
    return counts.groupby("relation").sum()


def _means(offered: pd.DataFrame, kept: pd.DataFrame) -> Measures:
    total, chosen = int(offered.number.sum()), len(kept)
    return [
        ("probability_offered", "", offered.probability.sum() / total, total),
        ("probability_kept", "", kept.probability.astype(float).mean(), chosen),
        ("perplexity_offered", "", np.exp(offered.nats.sum() / total), total),
        ("perplexity_kept", "", np.exp(np.log(kept.perplexity.astype(float)).mean()), chosen),
    ]


def _shares(offered: pd.DataFrame, kept: pd.DataFrame) -> Measures:
    total, chosen, counts = int(offered.number.sum()), len(kept), kept.relation.value_counts()
    rows: Measures = []
    for relation, sums in offered.iterrows():
        count, choices = int(counts.get(relation, 0)), int(sums.choices)
        rows += [
            ("offered", relation, sums.number / total, int(sums.number)),
            ("chance", relation, sums.chance / chosen, chosen),
            ("kept", relation, count / chosen, count),
        ]
        if choices:
            rows.append(("refused", relation, sums.refused / choices, choices))
    return rows
