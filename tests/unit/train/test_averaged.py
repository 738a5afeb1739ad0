"""Averages of weights: against sums by hand, and as folders that others load."""

from types import SimpleNamespace

import numpy as np
import pytest
from huggingface_hub import ModelCard
from safetensors.torch import load_file

from contrapose.base.errors import ConfigError, UnavailableError
from contrapose.jobs.fingerprint import canonical
from contrapose.jobs.status import REASON
from contrapose.models.export import save_encoder
from contrapose.models.folders import WEIGHTS
from contrapose.models.heads import Dense
from contrapose.models.sentence_encoder import load_encoder, new_encoder
from contrapose.settings.recipes import AveragedRecipe
from contrapose.train import averaged, training
from contrapose.train.averaged import AveragedTrainings, average, build
from contrapose.train.recipe import Recipe
from tests.unit.train.test_card import FACTS


def averaging(folders, base, alpha=1.0):
    """Return what a job with these trained encoders writes: a function of a folder, and the history."""
    runs = [f"p/r/seed{number}" for number in range(len(folders))]
    recipe = AveragedRecipe(kind="weight_average", recipe="r", alpha=alpha, encoder="bert-base")
    spec = AveragedTrainings(recipe=recipe, seed=0, runs=runs)
    job = SimpleNamespace(
        resources=SimpleNamespace(card=FACTS.model_dump_json(), encoder=str(base)),
        rule="train_averaged",
        wildcards={"pairs": "p", "recipe": "soup", "seed": "42"},
        params=SimpleNamespace(settings=canonical(spec), code="c"),
    )
    finish = training._finish(spec, job)
    return build(spec, list(map(str, folders)), averaged._untrained(spec, job), finish)


@pytest.fixture
def trained(tiny_encoder, tmp_path):
    """Three encoder folders with mean pooling, as different as encoders of other seeds."""
    folders = [tmp_path / f"trained-{number}" for number in range(3)]
    for number, folder in enumerate(folders):
        save_encoder(load_encoder(tiny_encoder("bert", number), pooling="mean"), folder)
    return folders


def test_a_soup_has_the_mean_of_all_weights_and_the_same_bytes_again(trained, tiny_encoder, tmp_path):
    for name in ("soup", "again"):
        save, history = averaging(trained, tiny_encoder("bert"))
        save(tmp_path / name)
    assert history.empty
    soup = load_file(tmp_path / "soup" / WEIGHTS)
    states = [load_file(folder / WEIGHTS) for folder in trained]
    assert {*soup} == {*states[0]}
    for name, tensor in soup.items():
        # No vector needs BERT's own pooling layer: it stays that of the first.
        some = states[:1] if name.startswith("pooler.") else states
        mean = np.mean([state[name].numpy().astype(np.float64) for state in some], axis=0)
        assert np.abs(tensor.numpy() - mean).max() <= 1e-7 * np.abs(mean).max()
    files = [
        {path.name: path.read_bytes() for path in (tmp_path / name).glob("*.*")} for name in ("soup", "again")
    ]
    assert files[0] == files[1]
    card = ModelCard.load(tmp_path / "soup/README.md").text
    assert "| average of the weights of | p/r/seed0, p/r/seed1, p/r/seed2 |\n" in card
    assert "optimiser steps" not in card


@pytest.mark.parametrize("alpha", [0.0, 0.25, 1.0])
def test_alpha_is_the_share_of_what_was_trained(trained, tiny_encoder, tmp_path, alpha):
    base = tiny_encoder("bert", 5)
    averaging(trained[:1], base, alpha)[0](tmp_path / "between")
    between, tuned, before = (load_file(each / WEIGHTS) for each in (tmp_path / "between", trained[0], base))
    for name, tensor in between.items():
        share = 1.0 if name.startswith("pooler.") else alpha
        expected = share * tuned[name].double() + (1 - share) * before[name].double()
        assert tensor.equal(expected.float())  # at 0 and 1 exactly one of the two
    assert load_encoder(tmp_path / "between").pooler == "mean"


def test_heads_are_averaged_too(tiny_encoder):
    encoders = [load_encoder(tiny_encoder("bert", number), pooling="mean") for number in range(2)]
    for number, encoder in enumerate(encoders):
        encoder.head.append(Dense(16, 8, "Tanh"))
        encoder.head[0].linear.weight.data.fill_(number)
    assert (average(zip((0.25, 0.75), encoders, strict=True)).head[0].linear.weight == 0.75).all()


def test_encoders_that_differ_are_refused(tiny_encoder):
    recipe = Recipe(mlp="always", max_length=12)
    with_head = new_encoder(tiny_encoder("bert"), recipe, 1).eval()
    plain, other = (load_encoder(tiny_encoder(kind)) for kind in ("bert", "roberta"))
    by_first = load_encoder(tiny_encoder("bert"), pooling="cls_before_pooler")
    renamed = load_encoder(tiny_encoder("bert"))
    renamed.tokenizer.get_vocab = lambda: {}
    for two, says in (
        (with_head, r"differ in head\.0\.linear\.bias"),
        (other, "differ in model.embeddings"),
        (by_first, "differ in pooling mean and cls_before_pooler"),
        (renamed, "differ in vocabulary"),
    ):
        with pytest.raises(ConfigError, match=says):
            average([(0.5, plain), (0.5, two)])


def test_the_average_with_a_training_that_was_left_out_is_left_out(trained, tiny_encoder, tmp_path):
    (tmp_path / "none").mkdir()
    (tmp_path / "none" / REASON).write_text("too few pairs\n")
    with pytest.raises(UnavailableError, match="too few pairs"):
        averaging([*trained, tmp_path / "none"], tiny_encoder("bert"))
