"""The training loop, on tiny encoders."""

import hashlib
import math

import numpy as np
import pandas as pd
import pytest
import torch

from contrapose.errors import ConfigError, TableError
from contrapose.pairs.rows import as_pairs
from contrapose.settings.recipes import Recipe
from contrapose.tables import HISTORY, write_table
from contrapose.train import loop
from contrapose.train.checkpoint import Checkpoints
from contrapose.train.encoder import new_encoder
from contrapose.train.loop import Surroundings, train_encoder

CPU = Surroundings(device="cpu")
WORDS = ["cat", "dog", "bird", "mat", "park", "tree", "big", "small", "red", "quick"]
TEXTS = pd.Series([f"the {one} {two}" for one in WORDS for two in WORDS[:2]])  # 20
DEV = pd.DataFrame(
    {"sentence1": TEXTS[:8].tolist(), "sentence2": TEXTS[8:16].tolist(), "score": np.arange(8.0) * 5 % 8}
)


def pairs(n=20, slots=1):
    per_slot = [
        as_pairs(TEXTS[:n].index.astype(str).to_series(), TEXTS[:n], TEXTS[:n] + " sat" * slot, slot=slot)
        for slot in range(slots)
    ]
    return pd.concat(per_slot, ignore_index=True)


def recipe(**changes):
    return Recipe(**{"batch_size": 6, "max_length": 8, "learning_rate": 1e-3, "dev_every": 3, **changes})


def trained(folder, settings, table=None, seed=42, surroundings=CPU):
    encoder = new_encoder(folder, settings, seed)
    table = pairs() if table is None else table
    history, _ = train_encoder(encoder, table, DEV, settings, seed, surroundings)
    return encoder, history


def scores_in_turn(monkeypatch, *scores):
    turn = iter(scores)
    monkeypatch.setattr(loop, "dev_scorer", lambda *_: lambda: next(turn))


def weights_digest(folder):
    return hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest()


def test_the_history_has_every_step(tiny_encoder, tmp_path):
    _, history = trained(tiny_encoder("bert"), recipe(epochs=2))
    write_table(history, tmp_path / "history.parquet", HISTORY)
    assert history.step.tolist() == [1, 2, 3, 4, 5, 6, 7, 8]
    assert history.epoch.tolist() == [0] * 4 + [1] * 4
    assert history.sentences.tolist() == [12, 24, 36, 40, 52, 64, 76, 80]  # 6, 6, 6, 2 pairs
    assert history.tokens.tolist() == [5 * sentences for sentences in history.sentences]
    assert history.learning_rate.tolist() == pytest.approx([1e-3 * (8 - step) / 8 for step in range(8)])
    assert history.dev_score.notna().tolist() == [False, False, True, False, False, True, False, True]


def test_the_last_step_is_scored_once(tiny_encoder):
    _, history = trained(tiny_encoder("bert"), recipe(dev_every=4))
    assert history.dev_score.notna().tolist() == [False, False, False, True]


def test_a_score_must_be_strictly_greater_to_be_the_best(tiny_encoder, monkeypatch):
    scores_in_turn(monkeypatch, -0.2, 0.3, 0.3, 0.1)
    _, history = trained(tiny_encoder("bert"), recipe(dev_every=1))
    assert history.best.tolist() == [True, True, False, False]


def test_the_best_weights_are_put_back(tiny_encoder, monkeypatch):
    scores_in_turn(monkeypatch, 0.1, 0.3, 0.2, 0.3)
    at_step = []

    def note(training, encoder, score, select=loop.Training.select):
        select(training, encoder, score)
        at_step.append({name: each.clone() for name, each in encoder.state_dict().items()})

    monkeypatch.setattr(loop.Training, "select", note)
    encoder, _ = trained(tiny_encoder("bert"), recipe(dev_every=1))
    assert all(torch.equal(each, at_step[1][name]) for name, each in encoder.state_dict().items())
    assert not encoder.training


def test_without_any_score_the_last_weights_stay(tiny_encoder, monkeypatch, caplog):
    scores_in_turn(monkeypatch, math.nan, math.nan)
    _, history = trained(tiny_encoder("bert"), recipe(dev_every=2))
    assert history.dev_score.isna().all()
    assert not history.best.any()
    assert "the weights of the last step are kept" in caplog.text


@pytest.mark.parametrize("model_type", ["bert", "roberta"])
def test_equal_runs_give_equal_bytes_and_another_seed_gives_others(model_type, tiny_encoder, tmp_path):
    settings = recipe(epochs=2, dropout=0.1, mlp="always")
    for name, seed in (("one", 42), ("two", 42), ("other", 43)):
        torch.manual_seed(len(name))  # what happened before must not matter
        encoder, history = trained(tiny_encoder(model_type), settings, seed=seed)
        encoder.save(tmp_path / name)
        write_table(history, tmp_path / name / "history.parquet", HISTORY)
    one, two, other = (
        [(tmp_path / name / file).read_bytes() for file in ("model.safetensors", "history.parquet")]
        for name in ("one", "two", "other")
    )
    assert one == two
    assert one[0] != other[0]


def test_losses_read_many_at_once_are_the_same(tiny_encoder, monkeypatch):
    # As on a GPU, where reading each would make it wait.
    _, one_by_one = trained(tiny_encoder("bert"), recipe(epochs=2))
    monkeypatch.setattr(loop, "LOSSES_AT_ONCE", {"cpu": 50})
    _, together = trained(tiny_encoder("bert"), recipe(epochs=2))
    assert together.equals(one_by_one)


def test_training_brings_pairs_together(tiny_encoder):
    settings = recipe(epochs=8, dropout=0.0, learning_rate=1e-2)
    _, history = trained(tiny_encoder("bert"), settings, pairs(slots=2))
    assert history.loss[:4].mean() > 2 * history.loss[-4:].mean()


def test_hard_negatives_make_the_loss_larger(tiny_encoder):
    table = pairs()
    with_negatives = table.assign(negative=TEXTS[::-1].tolist())
    _, plain = trained(tiny_encoder("bert"), recipe(dropout=0.0), table)
    _, harder = trained(tiny_encoder("bert"), recipe(dropout=0.0), with_negatives)
    assert harder.loss[0] > plain.loss[0]
    assert harder.sentences[0] == 18


def test_bf16_trains_and_evaluates_in_float32(tiny_encoder):
    encoder, history = trained(tiny_encoder("bert"), recipe(precision="bf16", dropout=0.0))
    _, exact = trained(tiny_encoder("bert"), recipe(dropout=0.0))
    assert 0 < abs(history.loss[0] - exact.loss[0]) < 0.1
    assert {each.dtype for each in encoder.parameters()} == {torch.float32}


def test_a_loss_that_is_not_finite_stops_with_the_step(tiny_encoder):
    with pytest.raises(ConfigError, match=r"the loss is nan at step \d of 4 .*Lower the recipe's"):
        trained(tiny_encoder("bert"), recipe(learning_rate=1e30))


def test_fp16_needs_a_gpu(tiny_encoder):
    with pytest.raises(ConfigError, match="fp16 needs a GPU"):
        trained(tiny_encoder("bert"), recipe(precision="fp16"))


def test_texts_longer_than_the_encoder_takes_are_refused(tiny_encoder):
    with pytest.raises(ConfigError, match="max_length is 32, the encoder takes 16"):
        trained(tiny_encoder("bert"), recipe(max_length=32))


def test_a_device_that_is_not_there_is_an_error(tiny_encoder):
    missing = "cuda" if not torch.cuda.is_available() else "mps"
    with pytest.raises(ConfigError, match=f"device is '{missing}', which this machine lacks"):
        trained(tiny_encoder("bert"), recipe(), surroundings=Surroundings(device=missing))


def test_no_pairs_are_an_error(tiny_encoder):
    with pytest.raises(TableError, match="the table is empty"):
        trained(tiny_encoder("bert"), recipe(), pairs().head(0))


def interrupted(folder, settings, state, after, monkeypatch):
    """Train with a checkpoint at every step until `after` steps are done; then break off."""

    def stop(training, *rest, step=loop.Training.step):
        if training.progress.step >= after:
            raise KeyboardInterrupt
        step(training, *rest)

    surroundings = Surroundings("cpu", checkpoints=Checkpoints(state, 0))
    with monkeypatch.context() as patch:
        patch.setattr(loop.Training, "step", stop)
        with pytest.raises(KeyboardInterrupt):
            trained(folder, settings, surroundings=surroundings)


def test_a_checkpoint_of_other_settings_is_not_used(tiny_encoder, tmp_path, monkeypatch, caplog):
    interrupted(tiny_encoder("bert"), recipe(), tmp_path, 2, monkeypatch)
    surroundings = Surroundings("cpu", checkpoints=Checkpoints(tmp_path, 1000))
    _, history = trained(tiny_encoder("bert"), recipe(temperature=0.1), surroundings=surroundings)
    assert "belongs to a training with other data or settings" in caplog.text
    assert history.equals(trained(tiny_encoder("bert"), recipe(temperature=0.1))[1])


def test_a_torn_checkpoint_is_not_used(tiny_encoder, tmp_path, monkeypatch, caplog):
    interrupted(tiny_encoder("bert"), recipe(), tmp_path, 2, monkeypatch)
    checkpoint = tmp_path / "checkpoint.safetensors"
    checkpoint.write_bytes(checkpoint.read_bytes()[:1000])
    surroundings = Surroundings("cpu", checkpoints=Checkpoints(tmp_path, 1000))
    _, history = trained(tiny_encoder("bert"), recipe(), surroundings=surroundings)
    assert "is not usable" in caplog.text
    assert history.equals(trained(tiny_encoder("bert"), recipe())[1])
