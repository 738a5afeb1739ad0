"""Fine-tuning of a classifier."""

import os
import shutil
import signal

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import AutoModel, AutoTokenizer

from contrapose.errors import ConfigError, StoppedError
from contrapose.seeds import generator
from contrapose.settings.recipes import Recipe
from contrapose.train import classifier as classifiers
from contrapose.train.checkpoint import FILE, Checkpoints
from contrapose.train.classifier import Examples, fine_tune, held_out_loss, new_classifier, outputs_of

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


TAUGHT, HELD_OUT = animals(256, "taught"), animals(64, "held out")
RECIPE = Recipe(batch_size=32, learning_rate=1e-2, epochs=4, warmup=0.1)


def tuned(folder, recipe=RECIPE, padding="masked", dropout="every_epoch", seed=42, checkpoints=None):
    classifier = new_classifier(folder, 2, seed, 16, padding)
    return classifier, fine_tune(classifier, TAUGHT, HELD_OUT, recipe, seed, dropout, checkpoints)


@pytest.mark.parametrize("model_type", ["bert", "roberta"])
def test_separable_texts_are_separated_and_the_best_epoch_is_kept(model_type, tiny_encoder):
    # Bytes, of which RoBERTa reads 16, are harder to learn from than words.
    recipe = RECIPE.model_copy(update={"epochs": 4 if model_type == "bert" else 8})
    classifier, losses = tuned(tiny_encoder(model_type), recipe)
    outputs = outputs_of(classifier, HELD_OUT.texts, 7)
    right = (outputs.argmax(axis=1) == HELD_OUT.labels).mean()
    assert right > (0.95 if model_type == "bert" else 0.6)
    assert len(losses) == recipe.epochs
    assert held_out_loss(classifier, HELD_OUT, 32) == pytest.approx(min(losses), rel=1e-6)
    by_hand = np.log(np.exp(outputs).sum(axis=1)) - outputs[np.arange(64), HELD_OUT.labels]
    assert by_hand.mean() == pytest.approx(min(losses), rel=1e-5)


def test_a_later_epoch_that_is_worse_is_not_kept(tiny_encoder):
    wrong = Examples(HELD_OUT.texts, 1 - HELD_OUT.labels)  # the better it learns, the worse it gets
    classifier = new_classifier(tiny_encoder(), 2, 42, 16)
    losses = fine_tune(classifier, TAUGHT, wrong, RECIPE, 42)
    assert np.argmin(losses) == 0
    assert held_out_loss(classifier, wrong, 32) == pytest.approx(losses[0], rel=1e-6)


def test_outputs_are_those_of_each_text_alone_unless_padding_is_attended(tiny_encoder):
    masked, attended = (new_classifier(tiny_encoder(), 2, 42, 16, each) for each in ("masked", "attended"))
    alone = [plain(masked, text) for text in HELD_OUT.texts]
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


def plain(classifier, *text):
    with torch.no_grad():
        return classifier.eval().model(**classifier.tokenizer(*text, return_tensors="pt")).logits[0].numpy()


def test_pairs_of_texts_are_one_input_in_two_segments_and_numbers_are_learnt_too(tiny_encoder):
    pairs = [(text, text.replace("dog", "cat")) for text in (each[:30] for each in TAUGHT.texts)]
    gold = Examples(pairs, np.array([float(first == second) for first, second in pairs]))
    classifier = new_classifier(tiny_encoder(), 1, 42, 16)
    before = outputs_of(classifier, pairs, 16)
    alone = [plain(classifier, *pair) for pair in pairs[:20] if len(" ".join(pair).split()) <= 13]
    fitting = [number for number in range(20) if len(" ".join(pairs[number]).split()) <= 13]
    assert len(fitting) > 5
    assert np.abs(before[fitting] - alone).max() < 1e-5
    assert held_out_loss(classifier, gold, 16) == pytest.approx(((before[:, 0] - gold.labels) ** 2).mean())
    losses = fine_tune(classifier, gold, gold, RECIPE, 42)
    assert min(losses) < 0.7 * gold.labels.var()


def test_equal_runs_give_equal_bytes_and_each_switch_another_result(tiny_encoder):
    recipe = RECIPE.model_copy(update={"epochs": 2})

    def outputs(**changes):
        return outputs_of(tuned(tiny_encoder(), **{"recipe": recipe, **changes})[0], HELD_OUT.texts, 32)

    usual = outputs()
    assert outputs().tobytes() == usual.tobytes()
    for change in ({"dropout": "first_epoch"}, {"padding": "attended"}, {"seed": 43}):
        assert np.abs(outputs(**change) - usual).max() > 1e-3, change


def test_dropout_of_the_first_epoch_alone_is_the_same_for_one_epoch(tiny_encoder):
    recipe = RECIPE.model_copy(update={"epochs": 1})
    one, other = (tuned(tiny_encoder(), recipe, dropout=each)[1] for each in ("every_epoch", "first_epoch"))
    assert one == other


def test_new_layers_follow_from_the_seed_and_all_others_are_those_of_the_folder(tiny_encoder):
    folder = tiny_encoder("bert")
    states = [new_classifier(folder, 2, seed, 16).model.state_dict() for seed in (1, 1, 2)]
    differing = {name for name in states[0] if not states[0][name].equal(states[2][name])}
    assert differing == {"classifier.weight"}  # its bias is 0; the tiny folder has a pooler
    assert all(states[0][name].equal(states[1][name]) for name in states[0])
    own = AutoModel.from_pretrained(folder).state_dict()
    assert all(states[0][f"bert.{name}"].equal(each) for name, each in own.items())


def test_only_what_stands_on_an_encoder_may_be_missing(tiny_encoder, tmp_path):
    folder = shutil.copytree(tiny_encoder("bert"), tmp_path / "folder")
    weights = load_file(folder / "model.safetensors")
    without_pooler = {name: each for name, each in weights.items() if "pooler" not in name}
    assert len(without_pooler) == len(weights) - 2
    save_file(without_pooler, folder / "model.safetensors", {"format": "pt"})
    new_classifier(folder, 2, 1, 16)
    lacking = next(name for name in without_pooler if "attention" in name)
    del without_pooler[lacking]
    save_file(without_pooler, folder / "model.safetensors", {"format": "pt"})
    with pytest.raises(ConfigError, match="lack 1 tensors"):
        new_classifier(folder, 2, 1, 16)


def test_a_loss_that_is_not_finite_stops_the_training(tiny_encoder):
    with pytest.raises(ConfigError, match="held-out loss is nan after epoch 1"):
        tuned(tiny_encoder(), RECIPE.model_copy(update={"learning_rate": 1e30}))


def test_texts_are_cut_at_the_limit_of_the_model(tiny_encoder):
    folder = tiny_encoder("bert")
    assert new_classifier(folder, 2, 1, 128).max_length == 16
    assert new_classifier(folder, 2, 1, 8).max_length == 8
    assert AutoTokenizer.from_pretrained(folder).model_max_length == 16


STEPS = 8  # of an epoch


def bytes_of(classifier) -> bytes:
    return b"".join(each.numpy().tobytes() for each in classifier.state_dict().values())


def broken_off(folder, checkpoints, after, monkeypatch, **changes):
    """Fine-tune until `after` steps are done and the next is to begin."""

    def breaking(training, *batch, step=classifiers._FineTuning._step):
        if training.progress.step == after:
            raise KeyboardInterrupt
        step(training, *batch)

    with monkeypatch.context() as patch:
        patch.setattr(classifiers._FineTuning, "_step", breaking)
        with pytest.raises(KeyboardInterrupt):
            tuned(folder, checkpoints=checkpoints, **changes)


def steps_noted(monkeypatch) -> list[int]:
    """Return a list that gets the number of every step that is done from now on."""
    done = []

    def noting(training, *batch, step=classifiers._FineTuning._step):
        step(training, *batch)
        done.append(training.progress.step)

    monkeypatch.setattr(classifiers._FineTuning, "_step", noting)
    return done


@pytest.mark.parametrize("after", [1, STEPS, STEPS + 3])
def test_a_training_that_is_broken_off_goes_on_to_the_same_bytes(after, tiny_encoder, tmp_path, monkeypatch):
    folder, checkpoints = tiny_encoder("bert"), Checkpoints(tmp_path, 0)
    whole, losses = tuned(folder, dropout="first_epoch")
    broken_off(folder, checkpoints, after, monkeypatch, dropout="first_epoch")
    done = steps_noted(monkeypatch)
    again, others = tuned(folder, dropout="first_epoch", checkpoints=checkpoints)
    assert done == list(range(after + 1, 4 * STEPS + 1))
    assert others == losses
    assert bytes_of(again) == bytes_of(whole)


def test_a_training_that_is_asked_to_end_saves_first_and_goes_on_to_the_same_bytes(
    tiny_encoder, tmp_path, monkeypatch
):
    folder, checkpoints = tiny_encoder("bert"), Checkpoints(tmp_path, 1000)

    def asked(training, *batch, step=classifiers._FineTuning._step):
        step(training, *batch)
        if training.progress.step == 11:
            os.kill(os.getpid(), signal.SIGTERM)

    with monkeypatch.context() as patch:
        patch.setattr(classifiers._FineTuning, "_step", asked)
        with pytest.raises(StoppedError, match="stopped after step 11 of 32"):
            tuned(folder, checkpoints=checkpoints)
    done = steps_noted(monkeypatch)
    again, losses = tuned(folder, checkpoints=checkpoints)
    assert done[0] == 12
    whole, others = tuned(folder)
    assert losses == others
    assert bytes_of(again) == bytes_of(whole)


def test_a_training_that_has_given_up_goes_on_with_nothing(tiny_encoder, tmp_path, monkeypatch):
    wrong = Examples(HELD_OUT.texts, 1 - HELD_OUT.labels)  # worse with every epoch
    recipe = RECIPE.model_copy(update={"patience": 2})
    done = steps_noted(monkeypatch)
    results = []
    for _ in range(2):
        classifier = new_classifier(tiny_encoder("bert"), 2, 42, 16)
        losses = fine_tune(classifier, TAUGHT, wrong, recipe, 42, checkpoints=Checkpoints(tmp_path, 0))
        results.append((losses, bytes_of(classifier)))
    assert len(results[0][0]) == 3
    assert len(done) == 3 * STEPS  # of both together
    assert results[0] == results[1]


@pytest.mark.parametrize(
    "change",
    [
        {"seed": 43},
        {"dropout": "first_epoch"},
        {"padding": "least"},
        {"recipe": RECIPE.model_copy(update={"learning_rate": 1e-3})},
    ],
    ids=["seed", "dropout", "padding", "recipe"],
)
def test_a_checkpoint_of_other_settings_is_not_used(change, tiny_encoder, tmp_path, monkeypatch, caplog):
    folder, checkpoints = tiny_encoder("bert"), Checkpoints(tmp_path, 0)
    broken_off(folder, checkpoints, 2, monkeypatch)
    done = steps_noted(monkeypatch)
    tuned(folder, checkpoints=checkpoints, **change)
    assert "belongs to a training with other data or settings" in caplog.text
    assert done[0] == 1


@pytest.mark.parametrize("which", ["taught", "held out"])
def test_a_checkpoint_of_other_labels_is_not_used(which, tiny_encoder, tmp_path, monkeypatch):
    checkpoints = Checkpoints(tmp_path, 0)
    broken_off(tiny_encoder("bert"), checkpoints, 2, monkeypatch)
    assert (tmp_path / FILE).is_file()
    done = steps_noted(monkeypatch)
    given = {"taught": TAUGHT, "held out": HELD_OUT}
    given[which] = Examples(given[which].texts, 1 - given[which].labels)
    classifier = new_classifier(tiny_encoder("bert"), 2, 42, 16)
    fine_tune(classifier, *given.values(), RECIPE, 42, checkpoints=checkpoints)
    assert done[0] == 1
