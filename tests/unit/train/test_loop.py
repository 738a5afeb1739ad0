"""The training loop, on tiny encoders."""

import math

import pytest
import torch

from contrapose.errors import ConfigError
from contrapose.settings.recipes import Recipe
from contrapose.tables import HISTORY, write_table
from contrapose.train import loop
from tests.unit.train import trainings
from tests.unit.train.trainings import DEV, broken_off, equal_weights, same


def recipe(**changes):
    return Recipe(**{"batch_size": 6, "max_length": 8, "learning_rate": 1e-3, "dev_every": 3, **changes})


def trained(folder, settings, **given):
    return trainings.trained(folder, settings, given.pop("pairs", same()), DEV, **given)


def test_the_history_has_every_step(tiny_encoder, tmp_path):
    _, history = trained(tiny_encoder("bert"), recipe(epochs=2))
    write_table(history, tmp_path / "history.parquet", HISTORY)
    assert history.step.tolist() == [1, 2, 3, 4, 5, 6, 7, 8]
    assert history.epoch.tolist() == [0] * 4 + [1] * 4
    assert history.sentences.tolist() == [12, 24, 36, 40, 52, 64, 76, 80]  # 6, 6, 6, 2 pairs
    assert history.tokens.tolist() == [5 * sentences for sentences in history.sentences]
    assert history.learning_rate.tolist() == pytest.approx([1e-3 * (8 - step) / 8 for step in range(8)])
    assert history.dev_score.notna().tolist() == [False, False, True, False, False, True, False, True]


def test_steps_say_how_long_training_is_whatever_the_number_of_pairs(tiny_encoder):
    _, history = trained(tiny_encoder("bert"), recipe(steps=6, warmup=0.3, dev_every="epoch"))
    assert history.epoch.tolist() == [0, 0, 0, 0, 1, 1]  # 20 pairs, 4 batches of 6
    # Two steps of warmup, then down to 0 after the last of the six.
    assert history.learning_rate.tolist() == pytest.approx([0, 5e-4, 1e-3, 7.5e-4, 5e-4, 2.5e-4])
    assert history.dev_score.notna().tolist() == [False] * 3 + [True, False, True]
    with pytest.raises(ValueError, match="steps is 6 and epochs is 2"):
        recipe(steps=6, epochs=2)


@pytest.mark.parametrize("settings", [recipe(dev_every=99), recipe(dev_every="epoch")])
def test_a_dev_score_that_would_be_the_only_one_is_not_computed(settings, tiny_encoder, caplog, monkeypatch):
    caplog.set_level("INFO")
    monkeypatch.setattr(loop, "dev_scorer", lambda *_: pytest.fail("a dev score was wanted"))
    encoder, history = trained(tiny_encoder("bert"), settings)
    assert history.dev_score.isna().all()
    assert not history.best.any()
    assert "the weights of the last step are kept" in caplog.text
    assert not encoder.training


@pytest.mark.parametrize(
    ("scores", "best", "kept"),
    [((-0.1, 0.3, 0.2, 0.3), [True, True, False, False], 1), ([math.nan] * 4, [False] * 4, 3)],
)
def test_the_best_weights_are_put_back_and_the_last_ones_stay_without_a_score(
    scores, best, kept, tiny_encoder, monkeypatch, caplog
):
    turn, at_step = iter(scores), []

    def note(training, encoder, score, select=loop.Training.select):
        select(training, encoder, score)
        at_step.append({name: each.clone() for name, each in encoder.state_dict().items()})

    monkeypatch.setattr(loop, "dev_scorer", lambda *_: lambda: next(turn))
    monkeypatch.setattr(loop.Training, "select", note)
    encoder, history = trained(tiny_encoder("bert"), recipe(dev_every=1))
    assert history.best.tolist() == best
    assert all(torch.equal(each, at_step[kept][name]) for name, each in encoder.state_dict().items())
    assert not encoder.training
    assert ("the weights of the last step are kept" in caplog.text) == (kept == 3)


@pytest.mark.parametrize("model_type", ["bert", "roberta"])
def test_equal_runs_give_equal_results_and_another_seed_gives_others(model_type, tiny_encoder, monkeypatch):
    settings, found = recipe(dropout=0.1, mlp="always", epochs=2), []
    for number, seed in enumerate((42, 42, 43)):
        torch.manual_seed(number)  # what happened before must not matter
        found.append(trained(tiny_encoder(model_type), settings, seed=seed))
        # As on a GPU, where reading the loss of each step would make it wait.
        monkeypatch.setattr(loop, "LOSSES_AT_ONCE", {"cpu": 50})
    (one, history), (two, again), (other, _) = found
    assert equal_weights(one, two)
    assert history.equals(again)
    assert not equal_weights(one, other)


def test_bf16_trains_and_evaluates_in_float32(tiny_encoder):
    encoder, history = trained(tiny_encoder("bert"), recipe(precision="bf16", dropout=0.0))
    _, exact = trained(tiny_encoder("bert"), recipe(dropout=0.0))
    assert 0 < abs(history.loss[0] - exact.loss[0]) < 0.1
    assert {each.dtype for each in encoder.parameters()} == {torch.float32}


MISSING = "cuda" if not torch.cuda.is_available() else "mps"


@pytest.mark.parametrize(
    ("changes", "device", "message"),
    [
        ({"learning_rate": 1e30}, "cpu", r"the loss is nan at step \d of 4 .*Lower the recipe's"),
        ({"precision": "fp16"}, "cpu", "fp16 needs a GPU"),
        ({"max_length": 32}, "cpu", "max_length is 32, the encoder takes 16"),
        ({}, MISSING, f"device is '{MISSING}', which this machine does not have"),
    ],
)
def test_what_cannot_be_trained_is_refused(changes, device, message, tiny_encoder):
    with pytest.raises(ConfigError, match=message):
        trained(tiny_encoder("bert"), recipe(**changes), device=device)


def test_a_checkpoint_of_other_settings_is_not_used(tiny_encoder, tmp_path, caplog):
    with broken_off(after=2):
        trained(tiny_encoder("bert"), recipe(), state=tmp_path)
    _, history = trained(tiny_encoder("bert"), recipe(temperature=0.1), state=tmp_path)
    assert "belongs to a training with other data or settings" in caplog.text
    assert history.equals(trained(tiny_encoder("bert"), recipe(temperature=0.1))[1])
