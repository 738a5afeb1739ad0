import math

import pytest
import torch
from pydantic import ValidationError

from contrapose.base.errors import ConfigError
from contrapose.tables import HISTORY, write_table
from contrapose.train import loop
from contrapose.train.recipe import Recipe
from tests.unit.train import trainings
from tests.unit.train.trainings import DEV, equal_weights, same, weights_at_dev_scores


def recipe(**changes):
    return Recipe(**{"batch_size": 6, "max_length": 8, "learning_rate": 1e-3, "dev_every": 3, **changes})


def trained(folder, settings, **given):
    return trainings.trained(folder, settings, given.pop("pairs", same()), **given)


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
    _, history = trained(tiny_encoder("bert"), recipe(steps=6, warmup_ratio=0.3, dev_every="epoch"))
    assert history.epoch.tolist() == [0, 0, 0, 0, 1, 1]  # 20 pairs, 4 batches of 6
    # Two steps of warmup, then down to 0 after the last of the six.
    assert history.learning_rate.tolist() == pytest.approx([0, 5e-4, 1e-3, 7.5e-4, 5e-4, 2.5e-4])
    assert history.dev_score.notna().tolist() == [False] * 3 + [True, False, True]


@pytest.mark.parametrize("settings", [recipe(dev_every=99), recipe(dev_every="epoch"), recipe(dev=None)])
def test_a_dev_score_that_would_be_the_only_one_is_not_computed(settings, tiny_encoder, caplog, monkeypatch):
    caplog.set_level("INFO")
    monkeypatch.setattr(loop, "dev_scorer", lambda *_: pytest.fail("a dev score was wanted"))
    encoder, history = trained(tiny_encoder("bert"), settings, dev=settings.dev and DEV)
    assert history.dev_score.isna().all()
    assert not history.best.any()
    assert "the weights of the last step are kept" in caplog.text
    assert not encoder.training


@pytest.mark.parametrize(
    ("scores", "best", "kept"),
    [((-0.1, 0.3, 0.2, 0.3), [True, True, False, False], 1), ([math.nan] * 4, [False] * 4, 3)],
)
def test_the_best_weights_are_put_back_or_the_last_ones_kept(
    scores, best, kept, tiny_encoder, monkeypatch, caplog
):
    weights = weights_at_dev_scores(monkeypatch, scores)
    encoder, history = trained(tiny_encoder("bert"), recipe(dev_every=1))
    assert history.best.tolist() == best
    assert equal_weights(encoder, weights[kept])
    assert not encoder.training
    assert ("the weights of the last step are kept" in caplog.text) == (kept == 3)


@pytest.mark.parametrize("model_type", ["bert", "roberta"])
def test_equal_runs_give_equal_results_and_another_seed_gives_others(model_type, tiny_encoder, monkeypatch):
    settings, runs = recipe(dropout=0.1, mlp="always", epochs=2), []
    for number, seed in enumerate((42, 42, 43)):
        torch.manual_seed(number)  # what happened before must not matter
        runs.append(trained(tiny_encoder(model_type), settings, seed=seed))
        # As on a GPU, where reading the loss of each step would make it wait.
        monkeypatch.setattr(loop, "LOSSES_AT_ONCE", {"cpu": 50})
    assert trained(tiny_encoder(model_type), recipe(dev=None), dev=None)[1].loss.notna().all()
    (one, history), (two, again), (other, _) = runs
    assert equal_weights(one, two)
    assert history.equals(again)
    assert not equal_weights(one, other)


MISSING = "cuda" if not torch.cuda.is_available() else "mps"


@pytest.mark.parametrize(
    ("changes", "device", "message"),
    [
        (
            {"learning_rate": 1e30},
            "cpu",
            r"^recipe: the loss is nan at step 2 of 4 \(learning rate 7\.5e\+29, precision float32\)\. Lower "
            r"the learning_rate of the recipe\.$",
        ),
        ({"precision": "fp16"}, "cpu", "fp16, which needs a GPU"),
        ({"max_length": 32}, "cpu", "max_length is 32, but the encoder takes at most 16 tokens"),
        ({"matryoshka": [4096]}, "cpu", r"matryoshka is \[4096\], but the vectors have 16 dimensions"),
        ({}, MISSING, f"device is '{MISSING}', which this machine does not have"),
    ],
)
def test_what_cannot_be_trained_is_refused(changes, device, message, tiny_encoder):
    with pytest.raises(ConfigError, match=message):
        trained(tiny_encoder("bert"), recipe(**changes), device=device)


VECTORS = {"loss": "vector_distillation"}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"steps": 6, "epochs": 2}, "steps is 6 and epochs is 2"),
        (
            {"loss": "tsdae", "lora": {}},
            "lora has no effect with loss tsdae. Remove it. Keys for this",
        ),
        ({"loss": "tsdae", "matryoshka": [4]}, "matryoshka has no effect with loss tsdae. Remove it. Keys"),
        (
            {"loss": "cosine_similarity", "temperature": 0.1},
            "temperature has no effect with loss cosine_similarity. Remove it. Keys",
        ),
        (
            {"loss": "cosent", "view_weight": 0.5},
            "view_weight has no effect with loss cosent. Remove it",
        ),
        ({"matryoshka": []}, "at least 1"),
        ({"matryoshka": [0]}, "greater than or equal to 1"),
        ({"matryoshka": [4], "consistency": 1.0}, "rank whole vectors"),
        (
            {"dev": None, "early_stopping_patience": 3},
            "early_stopping_patience counts dev scores, but dev is null",
        ),
        (
            {"loss": "cosine_distillation"},
            r"loss cosine_distillation distils a teacher, but teacher is not set\. Name an",
        ),
        ({"teacher": "any"}, "set both teacher and distillation"),
        ({"distillation": 1.0}, "set both teacher and distillation"),
        ({**VECTORS, "teacher": ["a", "b"], "teacher_weights": [1.0]}, "1 teacher_weights for 2 teachers"),
        (
            {**VECTORS, "teacher": "any", "matryoshka": [8]},
            "no effect with loss vector_distillation. Remove it. Keys",
        ),
    ],
)
def test_a_recipe_that_contradicts_itself_is_refused(changes, message):
    with pytest.raises(ValidationError, match=message):
        recipe(**changes)
