"""What tests of trainings share: short texts that the tiny encoders read, and ways to train on them."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch

from contrapose.encoders.encoder import SentenceEncoder, new_encoder
from contrapose.pairs.rows import as_pairs
from contrapose.settings.recipes import Recipe
from contrapose.train import loop
from contrapose.train.checkpoint import Checkpoints
from contrapose.train.loop import RunOptions, train_encoder

WORDS = ["cat", "dog", "bird", "mat", "park", "tree", "big", "small", "red", "quick"]
TEXTS = pd.Series([f"the {one} {two}" for one in WORDS for two in WORDS[:2]])  # 20
IDS = TEXTS.index.astype(str).to_series()
DEV = pd.DataFrame(
    {"sentence1": TEXTS[:8].tolist(), "sentence2": TEXTS[8:16].tolist(), "score": np.arange(8.0) * 5 % 8}
)
# Six of different lengths, and gold scores for them and their reverse.
SIX = pd.Series(["a cat sat", "the dog ran away", "big bird", "a small tree", "the mat", "quick cat flew"])
SIX_DEV = pd.DataFrame({"sentence1": SIX, "sentence2": SIX[::-1].array, "score": [1.0, 3, 2, 5, 4, 0]})


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
    state: Path | None = None,
    teacher: SentenceEncoder | None = None,
    **around: Any,
) -> tuple[SentenceEncoder, pd.DataFrame]:
    """Train a new encoder on the CPU, with a checkpoint at every step if there is a folder for it."""
    encoder = new_encoder(folder, recipe, seed)
    options = RunOptions(**{"device": "cpu", "checkpoints": state and Checkpoints(state, 0), **around})
    history, _ = train_encoder(encoder, pairs, dev, recipe, seed, options, teacher)
    return encoder, history


def one_step(
    folder: Path, recipe: Recipe, pairs: pd.DataFrame, recompute: bool = False
) -> tuple[pd.DataFrame, dict[str, int], dict[str, torch.Tensor]]:
    """Train one step in float64; return the history, the counts of texts, and the gradients."""
    encoder, found = new_encoder(folder, recipe, 42).double(), {}

    def note(_: object) -> None:
        found.update({name: each.grad.clone() for name, each in encoder.named_parameters()})

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loop, "sum_gradients", note)
        options = RunOptions("cpu", recompute=recompute)
        history, counts = train_encoder(encoder, pairs, SIX_DEV, recipe, 42, options)
    return history, counts, found


def assert_gradients(found: dict[str, torch.Tensor], module: torch.nn.Module, atol: float = 1e-9) -> None:
    """Compare gradients with those of a module, which has had its backward pass."""
    assert any(each.abs().max() > 1e-3 for each in found.values())
    for name, each in module.named_parameters():
        assert torch.allclose(found[name], each.grad, atol=atol), name


def equal_weights(one: torch.nn.Module, other: torch.nn.Module) -> bool:
    weights = other.state_dict()
    return all(torch.equal(each, weights[name]) for name, each in one.state_dict().items())


@contextmanager
def broken_off(after: int, kind: type = loop.Training, step: str = "step") -> Iterator[None]:
    """Break trainings off when so many steps are done and the next is to begin, or when all are."""

    run_steps: Callable[..., None] = getattr(kind, step)

    def stop(training: Any, *rest: Any) -> None:
        if training.progress.step >= after:
            raise KeyboardInterrupt
        run_steps(training, *rest)

    def finish(_: object) -> None:
        raise KeyboardInterrupt  # after the last step, before its result is given

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kind, step, stop)
        if kind is loop.Training:
            patch.setattr(kind, "finished", finish)
        with pytest.raises(KeyboardInterrupt):
            yield
