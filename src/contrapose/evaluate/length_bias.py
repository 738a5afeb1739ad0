"""Length bias: whether length without meaning changes the cosine of two sentences.  EdaCSE, Table 1."""

import logging
from itertools import product
from typing import Annotated

import numpy as np
import pandas as pd
from pydantic import Field

from contrapose.base.seeds import generator, uniforms
from contrapose.evaluate.evaluation import RunEncoder, RunSettings, run_settings
from contrapose.evaluate.influence import interval, mean
from contrapose.jobs.step import Rows, planned
from contrapose.models.cosines import paired_cosines
from contrapose.pairs.punctuation import MARKS, inserted
from contrapose.settings.plan import Plan
from contrapose.settings.recipes import LengthProbe
from contrapose.tables import BENCHMARK, LENGTH_BIAS

logger = logging.getLogger(__name__)

ADDED = ("filler", "marks")
ORIGINAL = ("shorter", "longer")
MOST = 2.0  # largest ratio of the longer to the shorter length, so that at most half of a text is added
# Of a pair: its two sentences, then each with something added.
TEXTS = (*ORIGINAL, *(f"{side}_{added}" for side, added in product(ORIGINAL, ADDED)))


class LengthBias(RunSettings):
    """What the length bias of one encoder depends on, beside its folder and the benchmarks."""

    probe: str = Field(description="Its name")
    pairs: LengthProbe


@planned
def plan(project: Plan, probe: str, run: str) -> LengthBias:
    """Return a probe of the length bias, and the encoder of a run."""
    return run_settings(LengthBias, project, run, probe=probe, pairs=project.entry("probes", probe))


def build(
    spec: LengthBias, benchmarks: Annotated[pd.DataFrame, Rows(BENCHMARK)], encoder: RunEncoder
) -> Annotated[pd.DataFrame, Rows(LENGTH_BIAS)]:
    """Measure the length bias of one encoder: one of a run, or a pretrained one."""
    from contrapose.models.embeddings import embeddings

    pairs = probe_pairs(benchmarks, spec.pairs)
    texts = [text for column in TEXTS for text in pairs[column]]
    return length_bias(pairs, embeddings(encoder, texts), spec)


def probe_pairs(benchmarks: pd.DataFrame, probe: LengthProbe) -> pd.DataFrame:
    """Draw pairs of different length from test splits, and lengthen their sentences.

    The shorter sentence is lengthened to the length of the longer one, the longer one by the same ratio, so
    the added text has the same share of both.  Pairs where that share exceeds one half are left out.

    Positive pairs have a gold score of `positive` or more, negative ones of `negative` or less.  The added
    text has no meaning: a filler repeated in front of the sentence, as in PrdSimCSE, or EdaCSE's six English
    punctuation marks, each at a random gap.  Words are separated by white space; gaps are between words, and
    a mark is a word, as in SentEval's texts.  Lengths in characters are code points; gaps are between
    characters as a reader perceives them.

    Returns the positive pairs first, each kind in the order of the benchmarks: `label` and the texts of
    `TEXTS`, the two sentences, and each with something added.  Fewer pairs of a label than wanted if there
    are no more; equal pairs count once.
    """
    of_tasks = benchmarks.task.isin(probe.tasks) & (benchmarks.form == probe.form)
    rows = benchmarks[of_tasks & (benchmarks.split == "test")]
    rows = rows.drop_duplicates(["sentence1", "sentence2"]).reset_index(drop=True)  # STS-B repeats STS12-16
    lengths = np.array([[_length(text, probe) for text in rows[side]] for side in ("sentence1", "sentence2")])
    low, high = lengths.min(axis=0), lengths.max(axis=0)  # (n,)
    differing = (high - low >= probe.difference) & (high <= MOST * low)
    labelled = {"positive": rows.score >= probe.positive, "negative": rows.score <= probe.negative}
    parts = []
    for label, chosen in labelled.items():
        usable = np.flatnonzero(chosen & differing)
        drawn = generator("length_bias", label, probe.seed).permutation(usable)[: probe.pairs]
        logger.info("%s: %d pairs are drawn from %d", label, len(drawn), len(usable))
        parts += [_texts(rows.loc[at], label, probe) for at in np.sort(drawn)]
    return pd.DataFrame(parts, columns=["label", *TEXTS])


def _length(text: str, probe: LengthProbe) -> int:
    return len(text.split()) if probe.unit == "words" else len(text)


def _texts(row: pd.Series, label: str, probe: LengthProbe) -> dict[str, str]:
    texts = sorted((row.sentence1, row.sentence2), key=lambda text: _length(text, probe))
    low, high = (_length(text, probe) for text in texts)
    cells = {"label": label}
    for side, text, length in zip(ORIGINAL, texts, (low, high), strict=True):
        by = round(length * (high - low) / low)
        key = ("length_bias", probe.seed, row.task, row.subset, int(row.row), side)
        words = [probe.filler] * by + text.split()
        filled = " ".join(words) if probe.unit == "words" else probe.filler * by + text
        cells |= {side: text, f"{side}_filler": filled}
        cells[f"{side}_marks"] = with_marks(text, by, probe, key)
    return cells


def with_marks(text: str, by: int, probe: LengthProbe, key: tuple[str | int, ...]) -> str:
    """Return a text with `by` marks added, each of six kinds at a random gap; `key` seeds the draws."""
    numbers = uniforms([key], 2 * by)[0]
    marks = [MARKS["english"][int(number * len(MARKS["english"]))] for number in numbers[::2]]
    places = numbers[1::2].tolist()
    if probe.unit == "characters":
        return inserted(text, marks, places)
    words = text.split()
    gaps = [int(place * (len(words) + 1)) for place in places]
    # Starting at the last gap, so that earlier gaps do not move.
    for gap, mark in sorted(zip(gaps, marks, strict=True), key=lambda each: -each[0]):
        words.insert(gap, mark)
    return " ".join(words)


def length_bias(pairs: pd.DataFrame, vectors: np.ndarray, job: LengthBias) -> pd.DataFrame:
    """Compare the cosines of pairs before and after lengthening, with 95 % intervals over pairs.

    `equalised`: the shorter sentence is lengthened, so both are equally long.  `diverged`, the control: the
    longer one is lengthened by the same ratio, so lengths are further apart.  The added text itself changes a
    cosine, mostly lowers it, and equally in both cases: to an encoder that averages words it is the same
    share of a sentence.  `bias` is the change from diverged to equalised: above 0 if equal length has an
    effect beyond that of the added text.

    `pairs` are n from `probe_pairs`; `vectors`, of shape (6n, D), those of the texts, column by column of
    `TEXTS`.  A label without pairs has no value.
    """
    of = dict(zip(TEXTS, np.split(vectors, len(TEXTS)), strict=True))  # (n, D) each
    original = paired_cosines(of["shorter"], of["longer"])
    rows = []
    for label in ("positive", "negative"):
        chosen = (pairs.label == label).to_numpy()
        for added in ADDED:
            equal = paired_cosines(of[f"shorter_{added}"], of["longer"])
            apart = paired_cosines(of["shorter"], of[f"longer_{added}"])
            compared = {"equalised": (original, equal), "diverged": (original, apart), "bias": (apart, equal)}
            changes = np.stack([after - before for before, after in compared.values()], axis=1)  # (n, 3)
            intervals = map(_interval, changes[chosen].T)
            for (comparison, (before, after)), (low, high) in zip(compared.items(), intervals, strict=True):
                about = {"run": job.run, "probe": job.probe, "label": label, "added": added}
                values = {"before": _mean(before[chosen]), "after": _mean(after[chosen])}
                values["change"] = _mean((after - before)[chosen])
                values |= {"n": chosen.sum(), "ci_low": low, "ci_high": high}
                rows.append({**about, "comparison": comparison, **values})
    return pd.DataFrame(rows, columns=LENGTH_BIAS.columns)


def _mean(values: np.ndarray) -> float:
    return float(values.mean()) if len(values) else np.nan


def _interval(changes: np.ndarray) -> tuple[float, float]:
    return interval(mean(changes).influence, float(changes.mean())) if len(changes) > 1 else (np.nan, np.nan)
