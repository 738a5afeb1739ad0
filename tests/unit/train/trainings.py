"""What tests of trainings share: short texts that the tiny encoders read, and ways to train on them."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch

from contrapose.models.checkpoint import copied
from contrapose.models.sentence_encoder import SentenceEncoder, new_encoder
from contrapose.models.used_words import UsedWords
from contrapose.pairs.pair_rows import as_pairs
from contrapose.settings.catalogs import Prompts
from contrapose.train import loop
from contrapose.train.contrastive import train_encoder
from contrapose.train.loop import RunOptions
from contrapose.train.recipe import Recipe

WORDS = ["cat", "dog", "bird", "mat", "park", "tree", "big", "small", "red", "quick"]
TEXTS = pd.Series([f"the {one} {two}" for one in WORDS for two in WORDS[:2]])  # 20
IDS = TEXTS.index.astype(str).to_series()
DEV = pd.DataFrame(
    {"sentence1": TEXTS[:8].tolist(), "sentence2": TEXTS[8:16].tolist(), "score": np.arange(8.0) * 5 % 8}
)
# Six of different lengths, and gold scores for them and their reverse.
SIX = pd.Series(["a cat sat", "the dog ran away", "big bird", "a small tree", "the mat", "quick cat flew"])
SIX_DEV = pd.DataFrame({"sentence1": SIX, "sentence2": SIX[::-1].array, "score": [1.0, 3, 2, 5, 4, 0]})
LONGER = SIX + " on a mat"
LABELS = pd.Series([0.9, 0.1, 0.5, 0, 0.9, 0.5])
LABELLED = as_pairs(IDS[:6], SIX, LONGER[::-1].array, label=LABELS)
WEIGHTED = LABELLED.assign(weight=pd.Series([0.2, 0.9, 0, 1, 0.5, 0.7], dtype="float32"))
# Five hard negatives of six rows.
RAGGED = pd.Series([["big bird"], [], ["the mat", "a cat"], [], ["the dog ran away"], ["quick cat"]])


def tokenising(tokenizer: Any, prompts: Prompts | None = None) -> Any:
    """Stand for an encoder where its tokenizer and prompts alone matter."""
    return SimpleNamespace(
        tokenizer=tokenizer, prompts=prompts or Prompts(), skipped=lambda prompt: 0, max_length=16
    )


def same(texts: pd.Series = TEXTS) -> pd.DataFrame:
    """Return a PAIRS table of sentences with themselves."""
    return as_pairs(IDS[: len(texts)], texts, texts)


def trained(
    folder: Path,
    recipe: Recipe,
    pairs: pd.DataFrame,
    dev: pd.DataFrame = DEV,
    *,
    seed: int = 42,
    teachers: Sequence[SentenceEncoder] = (),
    guide: SentenceEncoder | None = None,
    **around: Any,
) -> tuple[SentenceEncoder, pd.DataFrame]:
    """Train a new encoder on the CPU."""
    encoder = new_encoder(folder, recipe, seed)
    history, _ = train_encoder(
        encoder, pairs, dev, recipe, seed, RunOptions(**{"device": "cpu", **around}), teachers, guide
    )
    return encoder, history


def equal_weights(one: torch.nn.Module, other: torch.nn.Module | dict[str, torch.Tensor]) -> bool:
    weights = other if isinstance(other, dict) else other.state_dict()
    return all(torch.equal(each, weights[name]) for name, each in one.state_dict().items())


def whole(encoder: SentenceEncoder, tensors: dict[str, torch.Tensor], rest: str = "words") -> dict:
    """Return tensors that are named as an encoder's weights, with a row for each word of the vocabulary.

    In a training, only its words have rows.  `rest`: the others get their embeddings of before ("words"), or
    zeros.
    """
    words = encoder.model.get_input_embeddings()
    if not isinstance(words, UsedWords):
        return tensors
    name = next(name for name, each in encoder.named_modules() if each is words) + ".weight"
    full = words.every.clone() if rest == "words" else torch.zeros_like(words.every)
    full[words.places >= 0] = tensors[name]
    return {**tensors, name: full}


def weights_at_dev_scores(
    patch: pytest.MonkeyPatch, scores: Iterable[float]
) -> list[dict[str, torch.Tensor]]:
    """Let dev scores be these; return a list that gets the weights that each was given for."""
    turn, weights = iter(scores), []

    def note(
        training: Any, encoder: SentenceEncoder, score: float, select: Any = loop.Training.select
    ) -> None:
        select(training, encoder, score)
        weights.append(copied(whole(encoder, encoder.state_dict()).items()))

    patch.setattr(loop, "dev_scorer", lambda *_: lambda: next(turn))
    patch.setattr(loop.Training, "select", note)
    return weights
