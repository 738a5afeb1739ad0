import shutil

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from contrapose.base.errors import ConfigError
from contrapose.base.seeds import generator
from contrapose.models.classifier import Examples, fine_tune, held_out_loss, new_classifier, outputs_of
from contrapose.train.recipe import Recipe
from tests.unit.train.trainings import equal_weights

OTHERS = ["a", "the", "sat", "ran", "on", "in", "mat", "park", "big", "red"]


def animals(count: int, name: str) -> Examples:
    """Texts of 3 to 9 words with a cat (class 0) or a dog (class 1) at any place."""
    draws = generator("test", name)
    labels = draws.integers(0, 2, count)
    texts = []
    for label in labels:
        words = list(draws.choice(OTHERS, draws.integers(2, 9)))
        words.insert(draws.integers(0, len(words) + 1), ["cat", "dog"][label])
        texts.append(" ".join(words))
    return Examples(texts, labels)


SEEN, HELD_OUT = animals(256, "trained on"), animals(64, "held out")
WRONG = Examples(HELD_OUT.texts, 1 - HELD_OUT.labels)  # the better it learns, the worse it gets
RECIPE = Recipe(batch_size=32, learning_rate=1e-2, epochs=4, warmup_ratio=0.1)


def tuned(folder, recipe=RECIPE, padding="masked", dropout="every_epoch", seed=42):
    classifier = new_classifier(folder, 2, seed, 16, padding)
    return classifier, fine_tune(classifier, SEEN, HELD_OUT, recipe, seed, dropout)


def test_outputs_are_those_of_each_text_alone_unless_padding_is_attended(tiny_encoder):
    masked, attended = (new_classifier(tiny_encoder(), 2, 42, 16, each) for each in ("masked", "attended"))
    with torch.no_grad():
        each = [masked.tokenizer(text, return_tensors="pt") for text in HELD_OUT.texts]
        alone = [masked.eval().model(**tokens).logits[0].numpy() for tokens in each]
    assert np.abs(outputs_of(masked, HELD_OUT.texts, 5) - alone).max() < 1e-5
    assert np.abs(outputs_of(attended, HELD_OUT.texts, 1) - alone).max() < 1e-5
    short, long = sorted(HELD_OUT.texts, key=lambda text: len(text.split()))[:: len(HELD_OUT.texts) - 1]
    padded = masked.tokenizer([short, long], padding=True, return_tensors="pt")
    padded["attention_mask"][:] = 1
    with torch.no_grad():
        expected = attended.eval().model(**padded).logits.numpy()
    found = outputs_of(attended, [short, long], 2)
    assert np.abs(found - expected).max() < 1e-5
    assert np.abs(found[0] - outputs_of(attended, [short], 2)[0]).max() > 1e-3


def test_equal_runs_give_equal_bytes_and_each_switch_another_result(tiny_encoder):
    recipe = RECIPE.model_copy(update={"epochs": 2})
    usual, losses = tuned(tiny_encoder(), recipe)
    again, _ = tuned(tiny_encoder(), recipe)
    assert equal_weights(again, usual)
    for change in ({"dropout": "first_epoch"}, {"padding": "attended"}, {"seed": 43}):
        other, found = tuned(tiny_encoder(), recipe, **change)
        assert not equal_weights(other, usual), change
        assert (found[0] == losses[0]) == ("dropout" in change)  # the dropout of the first epoch is the same


def test_only_what_stands_on_an_encoder_may_be_missing(tiny_encoder, tmp_path):
    folder = shutil.copytree(tiny_encoder("bert"), tmp_path / "folder")
    weights = load_file(folder / "model.safetensors")
    kept = {name: each for name, each in weights.items() if "pooler" not in name}
    assert len(kept) == len(weights) - 2
    save_file(kept, folder / "model.safetensors", {"format": "pt"})
    assert [new_classifier(folder, 2, 1, most).max_length for most in (8, 128)] == [8, 16]
    del kept[next(name for name in kept if "attention" in name)]
    save_file(kept, folder / "model.safetensors", {"format": "pt"})
    with pytest.raises(ConfigError, match="lack 1 tensors"):
        new_classifier(folder, 2, 1, 16)


def test_the_epoch_of_the_lowest_loss_is_kept_and_patience_ends_the_training(tiny_encoder):
    classifier = new_classifier(tiny_encoder("bert"), 2, 42, 16)
    losses = fine_tune(classifier, SEEN, WRONG, RECIPE.model_copy(update={"early_stopping_patience": 2}), 42)
    assert (len(losses), np.argmin(losses)) == (3, 0)
    assert held_out_loss(classifier, WRONG, 32) == pytest.approx(losses[0], rel=1e-6)
