import json
import shutil

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from contrapose.base.errors import BackendError, ConfigError
from contrapose.models.embeddings import embeddings
from contrapose.models.export import save_encoder
from contrapose.models.heads import fresh_mlp
from contrapose.models.pooling import POOLINGS
from contrapose.models.sentence_encoder import load_encoder, new_encoder
from contrapose.train.recipe import Recipe
from tests.unit.models.layouts import without
from tests.unit.models.peers import TEXTS, saved


@pytest.fixture
def folder(tiny_encoder, tmp_path):
    return shutil.copytree(tiny_encoder("bert"), tmp_path / "folder")


@pytest.mark.parametrize(
    ("model_type", "recipe"),
    [
        *((kind, {"mlp": mlp}) for kind in ("bert", "roberta") for mlp in ("train_only", "always")),
        *(("bert", {"pooling": pooler}) for pooler in POOLINGS if pooler != "cls"),
    ],
)
def test_sentence_transformers_gives_the_same_vectors(model_type, recipe, tiny_encoder, tmp_path):
    encoder = new_encoder(tiny_encoder(model_type), Recipe(**recipe), 42)
    again, theirs = saved(encoder, tmp_path / "saved")
    assert theirs.max_seq_length == encoder.max_length == 16
    assert again.pooler.removesuffix("_before_pooler") == encoder.pooler.removesuffix("_before_pooler")


def test_an_encoder_with_the_words_of_unidic_is_read_like_another(folder):
    """As cl-nagoya/unsup-simcse-ja-base: transformers cuts the text with fugashi and unidic_lite."""
    vocabulary = [*("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"), "猫", "が", "鳴く", "走る"]
    (folder / "vocab.txt").write_text("\n".join(vocabulary), encoding="utf-8")
    (folder / "tokenizer.json").unlink()
    names = {"tokenizer_class": "BertJapaneseTokenizer", "model_max_length": 16}
    kinds = {"word_tokenizer_type": "mecab", "subword_tokenizer_type": "wordpiece"}
    (folder / "tokenizer_config.json").write_text(
        json.dumps({**names, **kinds, "mecab_kwargs": {"mecab_dic": "unidic_lite"}})
    )
    encoder = load_encoder(folder, pooling="cls_before_pooler")
    assert encoder.tokenizer("猫が走る")["input_ids"] == [2, 5, 6, 8, 3]
    assert embeddings(encoder, ["猫が鳴く", "猫が走る"]).shape[0] == 2


def test_equal_encoders_are_saved_as_equal_bytes(tiny_encoder, tmp_path):
    one, two = (new_encoder(tiny_encoder("bert"), Recipe(mlp="always"), 42) for _ in range(2))
    two.tokenizer(TEXTS, padding=True, truncation=True, max_length=5)  # must not show
    save_encoder(one, tmp_path / "one")
    save_encoder(two, tmp_path / "two")
    assert (tmp_path / "one" / "2_Dense" / "model.safetensors").is_file()
    for path in (path for path in (tmp_path / "one").rglob("*.*") if path.is_file()):
        content = path.read_bytes()
        assert content == (tmp_path / "two" / path.relative_to(tmp_path / "one")).read_bytes()
        assert str(tmp_path).encode() not in content


def test_the_dropout_of_the_recipe_is_hidden_and_attention_dropout(tiny_encoder):
    for recipe, p in ((Recipe(dropout=0.25), 0.25), (Recipe(), 0.1)):
        config = new_encoder(tiny_encoder("roberta"), recipe, 42).model.config
        assert (config.hidden_dropout_prob, config.attention_probs_dropout_prob) == (p, p)


def test_a_plain_folder_is_pooled_by_the_mean_and_gives_cls_and_its_dense_layer_if_asked(folder):
    encoder = load_encoder(folder)
    assert (encoder.pooler, len(encoder.head)) == ("mean", 0)  # as in sentence-transformers
    encoder = load_encoder(folder, pooling="cls_before_pooler")
    weights = load_file(folder / "model.safetensors")
    dense, bias = (weights[f"pooler.dense.{name}"].numpy() for name in ("weight", "bias"))
    expected = np.tanh(embeddings(encoder, TEXTS) @ dense.T + bias)
    assert np.abs(embeddings(load_encoder(folder, pooling="cls"), TEXTS) - expected).max() < 1e-6
    without(folder, "pooler.dense.weight")
    with pytest.raises(ConfigError, match=r"no dense layer for .CLS.*Set pooling to cls_before_pooler"):
        load_encoder(folder, pooling="cls")


def test_a_hub_encoder_is_a_fetched_folder_or_says_what_to_do(monkeypatch, tiny_encoder):
    asked = []

    def fetch(model, revision, **patterns):
        asked.append((model, revision, "*.bin" in patterns["allow_patterns"]))
        if model != "some/encoder":
            raise RuntimeError("no connection")  # what breaks off is an error of a library below the client
        return str(tiny_encoder("bert"))

    monkeypatch.setattr("huggingface_hub.snapshot_download", fetch)
    assert load_encoder("some/encoder", "86b5e09").max_length == 16
    assert asked == [("some/encoder", "86b5e09", False)]
    message = r"and could not be downloaded \(RuntimeError: no connection\)\. Check the name and the revision"
    with pytest.raises(BackendError, match=message):
        load_encoder("bert-base-uncased", "86b5e09")


def test_a_fresh_mlp_has_normal_weights_by_the_seed_alone():
    torch.manual_seed(1)
    one = fresh_mlp(64, 0.02, 42)
    torch.manual_seed(2)
    two, other = fresh_mlp(64, 0.02, 42), fresh_mlp(64, 0.02, 43)
    assert torch.equal(one.linear.weight, two.linear.weight)
    assert not torch.equal(one.linear.weight, other.linear.weight)
    assert one.linear.weight.std().item() == pytest.approx(0.02, rel=0.05)
    assert one.linear.bias.abs().max() == 0
