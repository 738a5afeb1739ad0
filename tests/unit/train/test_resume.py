import pandas as pd
import pytest

from contrapose.models import checkpoint
from contrapose.models.checkpoint import Checkpoints, CheckpointWriter
from contrapose.models.classifier import Examples, fine_tune, new_classifier
from contrapose.models.sentence_encoder import load_encoder
from contrapose.settings.catalogs import ContinuedEncoder
from contrapose.settings.recipes import ContrastiveTensionRecipe, FlowRecipe
from contrapose.train.continued import continue_training
from contrapose.train.flow import fit_flow
from contrapose.train.loop import RunOptions
from contrapose.train.recipe import Recipe
from contrapose.train.tension import train_contrastive_tension
from tests.unit.models.test_classifier import HELD_OUT, RECIPE, SEEN, WRONG
from tests.unit.train.test_tsdae import PAIRS, TSDAE
from tests.unit.train.trainings import (
    DEV,
    LABELLED,
    LONGER,
    SIX,
    TEXTS,
    WEIGHTED,
    equal_weights,
    same,
    trained,
)

ENDS_EARLY = RECIPE.model_copy(update={"early_stopping_patience": 2})
STEPS = {"batch_size": 6, "max_length": 8, "learning_rate": 1e-3, "epochs": 2, "dev_every": 3}


def on_pairs(folder, checkpoints, pairs=LABELLED, dev_table=DEV, seed=42, **settings):
    recipe = Recipe(**{**STEPS, **settings})
    return trained(folder, recipe, pairs, dev_table, seed=seed, checkpoints=checkpoints)


def contrastive_tension(folder, checkpoints, steps=6, seed=42):
    recipe = ContrastiveTensionRecipe(
        kind="contrastive_tension", max_length=8, learning_rate=1e-3, dev_every=2, steps=steps
    )
    encoder = load_encoder(folder, pooling=recipe.pooling)
    options = RunOptions("cpu", checkpoints=checkpoints)
    return encoder, train_contrastive_tension(encoder, TEXTS, DEV, recipe, seed, options)[0]


def classifier(folder, checkpoints, padding="masked", **changes):
    given = {"seen": SEEN, "held_out": WRONG, "recipe": ENDS_EARLY, "seed": 42, "dropout": "first_epoch"}
    model = new_classifier(folder, 2, 42, 16, padding)
    losses = fine_tune(model, *{**given, **changes}.values(), checkpoints)
    return model, pd.DataFrame({"loss": losses, "step": range(8, 8 * len(losses) + 1, 8)})


def continued(folder, checkpoints, texts=(*SIX, *LONGER), steps=9, seed=1):
    spec = ContinuedEncoder(kind="mlm_pretraining", of="mine", corpus="all", steps=steps, batch=8, seed=seed)
    encoder = load_encoder(folder)
    _, loss = continue_training(encoder, (str(folder), None), list(texts), spec, checkpoints)
    return encoder, pd.DataFrame({"loss": [loss], "step": [steps]})


def flow(folder, checkpoints, texts=(*SIX, *LONGER), epochs=3, seed=42):
    recipe = FlowRecipe(kind="flow", max_length=8, batch_size=4, width=8, epochs=epochs)
    encoder = load_encoder(folder, pooling=recipe.pooling)
    return encoder, fit_flow(encoder, list(texts), recipe, seed, checkpoints)


EARLY = {
    "dev": "pairs",
    "dev_every": "epoch",
    "early_stopping_patience": 2,
    "epochs": 8,
    "warmup_ratio": 0.25,
}
KINDS = {
    "dropout and an MLP": (on_pairs, {"pairs": same(), "dropout": 0.1, "mlp": "always"}),
    "ends early": (on_pairs, {"pairs": same(), "dev_table": same()[:9], "learning_rate": 3e-2, **EARLY}),
    "queue": (
        on_pairs,
        {
            "pairs": same(),
            "momentum_queue_size": 9,
            "repetition": 0.9,
            "token_shuffling": True,
            "feature_cutoff": 0.2,
        },
    ),
    "tsdae": (on_pairs, {"pairs": PAIRS, **TSDAE}),
    "contrastive tension": (contrastive_tension, {}),
    "classifier that ends early": (classifier, {}),
    "masked language modelling": (continued, {}),
    "flow": (flow, {}),
}


def saving(steps, killed_after):
    """Return a `save` that notes the steps that were done, and breaks the training off after one."""

    def save(writer, progress, *state, save=CheckpointWriter.save):
        save(writer, progress, *state)
        steps.append(progress.step)
        if progress.step == killed_after:
            raise KeyboardInterrupt

    return save


@pytest.mark.parametrize("kind", KINDS)
def test_a_killed_training_goes_on_to_the_same_bytes(kind, tiny_encoder, tmp_path, monkeypatch):
    train, settings = KINDS[kind]
    whole, history = train(tiny_encoder(), None, **settings)

    last = history.step.iloc[-1]
    assert "early" not in kind or last < 32
    for killed_after in (last // 3, last // 3 + 3, last):  # a third is the end of an epoch for some
        steps, checkpoints = [], Checkpoints(tmp_path / str(killed_after), 0)

        with monkeypatch.context() as patch:
            patch.setattr(CheckpointWriter, "save", saving(steps, killed_after))
            with pytest.raises(KeyboardInterrupt):
                train(tiny_encoder(), checkpoints, **settings)
            resumed, rest = train(tiny_encoder(), checkpoints, **settings)
        assert steps == list(range(1, last + 1))  # none twice
        pd.testing.assert_frame_equal(rest, history)
        assert equal_weights(resumed, whole)


CHANGES = {
    on_pairs: [
        *({"pairs": WEIGHTED}, {"pairs": LABELLED.assign(label=0.5)}, {"max_grad_norm": 0.1}),
        *({"seed": 43}, {"dev_table": DEV[::-1]}),
    ],
    contrastive_tension: [{"steps": 7}, {"seed": 43}],
    classifier: [
        *({"seed": 43}, {"dropout": "every_epoch"}, {"padding": "least"}, {"held_out": HELD_OUT}),
        *({"seen": Examples(SEEN.texts, 1 - SEEN.labels)}, {"recipe": RECIPE}),
    ],
    continued: [{"seed": 2}, {"steps": 8}, {"texts": SIX}],
    flow: [{"seed": 43}, {"epochs": 2}, {"texts": SIX}],
}


@pytest.mark.parametrize("train", CHANGES)
def test_a_checkpoint_of_other_data_or_settings_is_not_used(train, tiny_encoder, tmp_path, monkeypatch):
    def note(state, identity, *_):
        identities.append(identity)
        raise KeyboardInterrupt

    identities, settings = [], {"loss": "cosine_similarity"} if train is on_pairs else {}
    monkeypatch.setattr(checkpoint, "resumed", note)
    for change in ({}, {}, *CHANGES[train]):
        with pytest.raises(KeyboardInterrupt):
            train(tiny_encoder(), Checkpoints(tmp_path), **settings, **change)
    assert identities[0] == identities[1]
    assert len(set(identities)) == 1 + len(CHANGES[train])
