"""The wording of human and of machine texts, and the labels of the most and least human-like ones.

RISE, Tables 1 and 5.  Its open points are under `deviations` in config/studies/rise/study.yaml.
"""

import logging
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Annotated

import numpy as np
import pandas as pd

from contrapose.base.errors import OutdatedError, counted
from contrapose.base.seeds import generator
from contrapose.base.tasks import TASKS
from contrapose.jobs.inputs import Detections, Pairs
from contrapose.jobs.step import Outputs, planned
from contrapose.pairs.dino import levels
from contrapose.score.bleu import ORDERS, smoothed_bleus
from contrapose.score.detection import HumanTexts
from contrapose.settings.plan import Plan
from contrapose.settings.refs import language_of
from contrapose.settings.spec import Language
from contrapose.tables import BENCHMARK, DECILES, LINGUISTICS, SENTENCES, read_table
from contrapose.text.languages import counted_words

HUMAN_PAIRS = (
    10_000  # or sentences; at most, drawn by seed: as many as the paper has source sentences of each set
)
PARTS = 10  # RISE compares the tenths of highest and lowest p(human)
RANDOM = "random"  # level of the pairs whose text was not written for their sentence
LEVELS = ("1", "0.5", "0", RANDOM)
POSITIVE = 0.8  # of a gold scale: 4 of STS-B's 5, label 1 (our choice)
DISTINCT_ORDERS = 3
ZIPF_RANKS = (10, 1000)  # inclusive: the commonest words and those that occur once or twice left out

logger = logging.getLogger(__name__)


class WordingMeasures(HumanTexts):
    """What the wording of human and machine texts depends on, beside them."""

    language: Language = "english"


@planned
def plan(project: Plan, pairs: str, detector: str) -> WordingMeasures:
    """Return the human texts beside a pair set, and the language whose words are counted."""
    spec = project.pairs(pairs)
    return WordingMeasures(**dict(HumanTexts.beside(project, spec)), language=language_of(project, spec))


def build(
    spec: WordingMeasures, pairs: Pairs, detections: Detections, human: list[str]
) -> Annotated[tuple, Outputs(linguistics=LINGUISTICS, deciles=DECILES)]:
    """Measure the wording of human and machine texts, and count the labels in each tenth of p(human)."""
    texts = human_texts(human[0], spec)
    return (linguistics(pairs, detections, texts, spec.language), deciles(pairs, detections))


def linguistics(
    pairs: pd.DataFrame, detections: pd.DataFrame, human: pd.DataFrame, language: Language = "english"
) -> pd.DataFrame:
    """Measure the wording of human sentences, and of the machine texts of highest and lowest p(human).

    Words are lower-cased tokens, NLTK's for English, else those of `language`.  Mean over texts: BLEU-1 to
    BLEU-4 of each with its partner as reference, `bleu` their mean; the Jaccard index of their sets of words.
    Of all texts of a group together: Distinct-1 to Distinct-3, distinct n-grams over all n-grams, `distinct`
    their mean; `zipf`, the absolute slope of a line fitted to log frequency over log rank, and
    `zipf_10_1000`, that of these ranks alone.

    `pairs`: of kind dino.  A machine text is the positive of a pair that is not random, its partner the
        anchor; each such pair counts once, whatever its labels.
    `human`: text, partner and positive.  A human text is the second sentence of a gold pair, as in
        detection, its partner the first.  Over all pairs of the training parts BLEU and Jaccard are then
        within 0.15 of those printed for STS-B and MRPC (x100).  A sentence of a corpus has no partner, None.

    Groups that have no texts are left out, and BLEU and Jaccard of texts that have no partner, and measures
    that a group is too small for.
    """
    cut = counted_words(language)
    detected = by_logit(pairs, detections)  # the most human-like texts first
    written = detected[detected.level != RANDOM].drop_duplicates(["anchor", "positive"])
    machine = pd.DataFrame({"text": written.positive, "partner": written.anchor})
    size = max(1, len(machine) // PARTS)
    groups = {
        ("human", "all"): human,
        ("human", "positive"): human[human.positive],
        ("top", "source"): machine.head(size),
        ("bottom", "source"): machine.tail(size),
    }
    for group, partner in [key for key, texts in groups.items() if texts.empty]:
        logger.warning("no %s texts with partner %s, so this group is skipped", group, partner)
        del groups[group, partner]
    equal = min(map(len, groups.values()), default=0)
    rows = []
    for (group, partner), texts in groups.items():
        tokens = [cut(text.lower()) for text in texts.text]
        by_text = pd.DataFrame(index=texts.index)
        if texts.partner.notna().all():
            by_text = overlaps(tokens, [cut(text.lower()) for text in texts.partner])
        drawn = generator("score", "linguistics", group, partner).permutation(len(texts))[:equal]
        for amount, chosen in (("all", np.arange(len(texts))), ("equal", np.sort(drawn))):
            measured = by_text.iloc[chosen].mean().to_dict()
            measured |= vocabulary([tokens[at] for at in chosen])
            about = {"group": group, "texts": amount, "partner": partner, "n": len(chosen)}
            rows += [{**about, "measure": name, "value": value} for name, value in measured.items()]
    table = pd.DataFrame(rows, columns=LINGUISTICS.columns)
    return table.dropna(subset="value").reset_index(drop=True)


def human_texts(path: str, which: HumanTexts) -> pd.DataFrame:
    """Read human texts of a BENCHMARK or SENTENCES file as text, partner and positive: see `linguistics`."""
    if which.tasks:
        return human_pairs(read_table(path, BENCHMARK), which)
    texts = _at_most(read_table(path, SENTENCES, ["text"]), "sentences")
    return texts.assign(partner=None, positive=False)


def human_pairs(benchmarks: pd.DataFrame, human: HumanTexts) -> pd.DataFrame:
    """Return text, partner and whether their gold pair is positive, of some sets and a split."""
    pairs = benchmarks[benchmarks.task.isin(human.tasks) & (benchmarks.split == human.split)]
    pairs = _at_most(pairs, "gold pairs")
    ends = {name: task.low + POSITIVE * (task.high - task.low) for name, task in TASKS.items()}
    least = pairs.task.map(ends).astype(float)
    return pd.DataFrame(
        {"text": pairs.sentence2, "partner": pairs.sentence1, "positive": pairs.score >= least}
    ).reset_index(drop=True)


def _at_most(table: pd.DataFrame, what: str) -> pd.DataFrame:
    if len(table) <= HUMAN_PAIRS:
        return table
    logger.info("%d of %d %s", HUMAN_PAIRS, len(table), what)
    drawn = generator("score", "linguistics").permutation(len(table))[:HUMAN_PAIRS]
    return table.iloc[np.sort(drawn)].reset_index(drop=True)


def by_logit(pairs: pd.DataFrame, detections: pd.DataFrame) -> pd.DataFrame:
    """Return the pairs with logit and level, the highest logit first; ids break ties."""
    detected = pairs.merge(detections[["id", "logit"]], on="id", how="left")
    if missing := detected.id[detected.logit.isna()].tolist():
        raise OutdatedError(
            "detections", f"it lacks the judgements of {counted(len(missing), 'pair')}, first '{missing[0]}'"
        )
    detected["level"] = levels(detected.id)
    return detected.sort_values(["logit", "id"], ascending=[False, True], ignore_index=True)


def overlaps(texts: Sequence[Sequence[str]], partners: Sequence[Sequence[str]]) -> pd.DataFrame:
    """Return BLEU-1 to BLEU-4, their mean, and the Jaccard index of each text with its partner, as tokens.

    The text is the hypothesis of BLEU; smoothing method 1.
    """
    names = [f"bleu{order}" for order in range(1, ORDERS + 1)]
    scores = [smoothed_bleus(text, [partner]) for text, partner in zip(texts, partners, strict=True)]
    table = pd.DataFrame(scores, columns=names)
    equal = [jaccard(set(text), set(other)) for text, other in zip(texts, partners, strict=True)]
    return table.assign(bleu=table.mean(axis="columns"), jaccard=equal)


def jaccard(one: set[str], other: set[str]) -> float:
    """Return the share of the words of two texts that both have; 0 without words."""
    return len(one & other) / max(1, len(one | other))


def vocabulary(texts: Sequence[Sequence[str]]) -> dict[str, float]:
    """Return Distinct-1 to Distinct-3, their mean and the Zipf exponents of a group of texts.

    N-grams do not cross text boundaries.  NaN without n-grams, or with fewer than two ranks.
    """
    measures: dict[str, float] = {}
    for order in range(1, DISTINCT_ORDERS + 1):
        ngrams = list(chain.from_iterable(_ngrams(text, order) for text in texts))
        measures[f"distinct{order}"] = len(set(ngrams)) / len(ngrams) if ngrams else np.nan
    measures["distinct"] = float(np.mean(list(measures.values())))
    counts = np.sort(list(Counter(chain.from_iterable(texts)).values()))[::-1]
    ranks = np.arange(1, len(counts) + 1)
    first, last = ZIPF_RANKS
    measures["zipf"] = _exponent(ranks, counts)
    measures[f"zipf_{first}_{last}"] = _exponent(ranks[first - 1 : last], counts[first - 1 : last])
    return measures


def _ngrams(text: Sequence[str], order: int) -> Iterator[tuple[str, ...]]:
    return zip(*(text[start:] for start in range(order)), strict=False)


def _exponent(ranks: np.ndarray, counts: np.ndarray) -> float:
    if len(ranks) < 2:
        return np.nan
    x, y = np.log(ranks), np.log(counts)
    centred = x - x.mean()
    return float(-(centred @ y) / (centred @ centred))


def deciles(pairs: pd.DataFrame, detections: pd.DataFrame) -> pd.DataFrame:
    """Count the labels in each tenth of all pairs by p(human), random pairs apart: DECILES.

    Shows whether texts taken for a machine's are just those meant to be dissimilar.  A row for each tenth and
    each level that any pair has.  The first deciles are not smaller than the last; fewer than ten pairs have
    fewer deciles.
    """
    detected = by_logit(pairs, detections)
    detected["tenth"] = np.arange(len(detected)) * PARTS // max(1, len(detected)) + 1
    known = [level for level in LEVELS if (detected.level == level).any()]
    rows = []
    for number, rows_of in detected.groupby("tenth"):
        for level in known:
            n = int((rows_of.level == level).sum())
            about = {"tenth": number, "level": level, "logit": rows_of.logit.mean()}
            rows.append({**about, "share": n / len(rows_of), "n": n})
    return pd.DataFrame(rows, columns=DECILES.columns)
