"""What a folder declares is what is evaluated, trained and saved: against sentence-transformers."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from peft import LoraConfig
from sentence_transformers import SentenceTransformer

from contrapose.base.errors import ConfigError
from contrapose.models.embeddings import embeddings
from contrapose.models.export import save_encoder
from contrapose.models.sentence_encoder import load_encoder, new_encoder
from contrapose.train.contrastive import train_encoder
from contrapose.train.loop import RunOptions
from contrapose.train.recipe import Recipe
from tests.unit.models.layouts import PRESENT, TYPES, WIDTH, changed, dense, folder_of, in_modules, pooling
from tests.unit.train.trainings import same

TEXTS = ["The CAT sat on the mat", "a dog", "the big red dog ran quick quick away in a park " * 3]
# Nothing is learnt with it: in float32 no weight changes by what a comparison could see.
STANDING = {"learning_rate": 1e-12, "batch_size": 4, "max_length": 8, "pooling": "own", "dropout": 0.0}
NORMALIZE = ("Normalize", {})
WEIGHED = {"embedding_dimension": WIDTH, "num_hidden_layers": 2, "layer_start": 1}
PROMPTS = {"query": "the big ", "document": "a red ", "topic": "small "}

# What folders declare: the modules behind the transformer, and the other files.
LAYOUTS = {
    "nothing": None,
    "mean, normalised": ((pooling("mean"), NORMALIZE), {}),
    "first token, normalised": ((pooling("cls"), NORMALIZE), {"package": PRESENT}),
    "last token": ((pooling("lasttoken", former=False),), {}),
    "largest": ((pooling("max"),), {"transformer": {"max_seq_length": 7, "do_lower_case": False}}),
    "weighted mean": ((pooling("weightedmean"), NORMALIZE), {}),
    "root of the length": ((pooling("mean_sqrt_len_tokens", former=False),), {"below": "0_Transformer"}),
    "two side by side": (
        (pooling("cls", "mean"), dense(2 * WIDTH, 8, "linear.Identity", bias=False), NORMALIZE),
        {"package": PRESENT},
    ),
    "two in another order": ((pooling("mean", "cls", former=False), NORMALIZE), {}),
    "layers": ((("WeightedLayerPooling", WEIGHED), pooling("mean")), {}),
    "two dense layers": (
        (pooling("mean"), dense(WIDTH, 24, "activation.GELU"), dense(24, 6, use_residual=True), NORMALIZE),
        {"package": PRESENT},
    ),
    "norm and dropout": (
        (pooling("cls"), ("LayerNorm", {"dimension": WIDTH}), ("Dropout", {"dropout": 0.5})), {},
    ),
    "lower case": ((pooling("mean"),), {"transformer": {"max_seq_length": 20, "do_lower_case": True}}),
    "cut": (
        (pooling("mean"), NORMALIZE),
        {"whole": {"truncate_dim": 5, "similarity_fn_name": "dot", "prompts": {}}},
    ),
    "prompt": (
        (pooling("mean"),),
        {"whole": {"prompts": PROMPTS, "default_prompt_name": "topic", "model_type": "SentenceTransformer"}},
    ),
    "prompt left out": (
        (pooling("mean", include_prompt=False), NORMALIZE),
        {
            "whole": {"prompts": PROMPTS, "default_prompt_name": "query"},
            "transformer": {"max_seq_length": None},
        },
    ),
    "prompt left out of the first": (
        (pooling("cls", "weightedmean", include_prompt=False),),
        {"whole": {"prompts": PROMPTS, "default_prompt_name": "query"}},
    ),
    "prompts by name alone": (
        (pooling("mean"),), {"whole": {"prompts": PROMPTS, "default_prompt_name": None}},
    ),
}  # fmt: skip


def made(kind, name, path):
    """Return a folder of a kind of model in a layout."""
    folder = folder_of(kind, path)
    if LAYOUTS[name] is None:
        return folder
    modules, others = LAYOUTS[name]
    if name == "layers":
        changed(folder / "config.json", output_hidden_states=True)
    return in_modules(folder, *modules, **others)


# All layouts for a model that runs without padding and for a decoder; for others each fourth, in turn.
CASES = [
    (kind, name)
    for (one, kind), (two, name) in product(enumerate(TYPES), enumerate(LAYOUTS))
    if kind in ("Bert", "Qwen3") or one % 4 == two % 4
]


@pytest.mark.parametrize(("kind", "name"), CASES)
def test_a_training_that_learns_nothing_saves_the_vectors_of_the_folder(kind, name, tmp_path, caplog, capfd):
    folder = made(kind, name, tmp_path / "folder")
    theirs = SentenceTransformer(str(folder), device="cpu")
    expected = theirs.encode(TEXTS)
    assert np.abs(embeddings(load_encoder(folder), TEXTS) - expected).max() < 1e-5
    encoder = new_encoder(folder, Recipe(**STANDING), 42)
    train_encoder(encoder, same(), None, Recipe(**STANDING), 42, RunOptions("cpu"))
    save_encoder(encoder, tmp_path / "saved")
    assert np.abs(embeddings(load_encoder(tmp_path / "saved"), TEXTS) - expected).max() < 1e-5
    capfd.readouterr()
    again = SentenceTransformer(str(tmp_path / "saved"), device="cpu")
    assert "LOAD REPORT" not in capfd.readouterr().err + caplog.text
    assert np.abs(again.encode(TEXTS) - expected).max() < 1e-5
    assert np.abs(again.encode_document(TEXTS) - theirs.encode_document(TEXTS)).max() < 1e-5
    declared = ("max_seq_length", "prompts", "default_prompt_name", "truncate_dim", "similarity_fn_name")
    for what in declared:
        assert getattr(again, what) == getattr(theirs, what), what
    kinds = [type(module).__name__ for module in theirs]
    assert [type(module).__name__ for module in again] == kinds
    assert again.tokenizer.padding_side == theirs.tokenizer.padding_side


@pytest.mark.parametrize("kind", ["Bert", "Qwen3"])
def test_what_stands_behind_the_pooling_is_trained_and_a_prompt_left_out_moves_nothing(kind, tmp_path):
    recipe = Recipe(**{**STANDING, "learning_rate": 1e-2, "max_length": 16})
    folder = made(kind, "two dense layers", tmp_path / "folder")
    encoder = new_encoder(folder, recipe, 42)
    before = encoder.head[0].linear.weight.detach().clone()
    train_encoder(encoder, same(), None, recipe, 42, RunOptions("cpu"))
    assert (encoder.head[0].linear.weight - before).abs().max() > 1e-3
    save_encoder(encoder, tmp_path / "saved")
    theirs = SentenceTransformer(str(tmp_path / "saved"), device="cpu").encode(TEXTS)
    assert np.abs(embeddings(encoder, TEXTS) - theirs).max() < 1e-5


def test_an_adapter_of_theirs_is_trained_and_saved_like_any_other_encoder(tmp_path):
    base = made("Bert", "first token, normalised", tmp_path / "base")
    theirs = SentenceTransformer(str(base), device="cpu")
    theirs.add_adapter(LoraConfig(r=2, target_modules=["query", "value"], init_lora_weights=False))
    theirs[0].auto_model.peft_config["default"].base_model_name_or_path = str(base)
    theirs.save(str(tmp_path / "adapter"))
    expected = theirs.encode(TEXTS)
    assert np.abs(expected - embeddings(load_encoder(base), TEXTS)).max() > 1e-3
    for rate, least, most in ((1e-12, 0, 1e-5), (1e-2, 1e-3, 9)):
        recipe = Recipe(**{**STANDING, "learning_rate": rate})
        encoder = new_encoder(tmp_path / "adapter", recipe, 42)
        train_encoder(encoder, same(), None, recipe, 42, RunOptions("cpu"))
        save_encoder(encoder, tmp_path / "saved")
        again = SentenceTransformer(str(tmp_path / "saved"), device="cpu").encode(TEXTS)
        assert least <= np.abs(again - expected).max() < most


def test_another_pooling_takes_the_place_of_the_own_one_but_for_the_norm(tmp_path):
    folder = made("Bert", "two dense layers", tmp_path / "folder")
    plain = made("Bert", "nothing", tmp_path / "plain")
    first = embeddings(load_encoder(plain, pooling="cls_before_pooler"), TEXTS)
    expected = first / np.linalg.norm(first, axis=1, keepdims=True)
    by_first = load_encoder(folder, pooling="cls_before_pooler")
    trained = new_encoder(folder, Recipe(pooling="cls"), 42).eval()  # its MLP is for training alone
    for encoder in (by_first, trained):
        assert np.abs(embeddings(encoder, TEXTS) - expected).max() < 1e-6
    same_pooling = load_encoder(folder, pooling="mean")
    assert np.abs(embeddings(same_pooling, TEXTS) - embeddings(load_encoder(folder), TEXTS)).max() == 0


def test_texts_of_trainings_are_cut_at_the_limit_of_the_folder(tmp_path):
    folder = made("Bert", "largest", tmp_path / "folder")
    encoder = new_encoder(folder, Recipe(**STANDING), 42)
    assert (encoder.max_length, encoder.positions) == (7, 40)
    long = pd.Series(["the big red dog ran quick away", "a cat"] * 4)
    _, counts = train_encoder(encoder, same(long), None, Recipe(**STANDING), 42, RunOptions("cpu"))
    assert (counts["texts"], counts["cut"]) == (2, 1)
    with pytest.raises(ConfigError, match="max_length is 41, but the encoder takes at most 40 tokens"):
        encoder.check(41)
