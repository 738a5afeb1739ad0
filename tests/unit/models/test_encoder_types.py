"""Encoders of today: types beside BERT and RoBERTa, last-token pooling, prompts, LoRA."""

import json
import shutil
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import torch
from peft import PeftModel
from sentence_transformers import SentenceTransformer
from transformers import AutoModel

from contrapose.base.errors import ConfigError
from contrapose.models.cosines import paired_cosines
from contrapose.models.embeddings import embeddings
from contrapose.models.export import save_encoder
from contrapose.models.poolers import pooled
from contrapose.models.pooling import POOLINGS
from contrapose.models.sentence_encoder import encoder_of, load_encoder, new_encoder
from contrapose.models.tokens import tokenised
from contrapose.settings.catalogs import Prompts
from contrapose.settings.encoders import EncoderSettings
from contrapose.settings.recipes import LoRA
from contrapose.train.recipe import Recipe
from tests.conftest import WORDS
from tests.unit.models import layouts
from tests.unit.models.layouts import DECODERS
from tests.unit.models.peers import TEXTS, saved
from tests.unit.train.trainings import same, trained

TYPES = (
    *("Bert", "Roberta", "XLMRoberta", "Camembert", "MPNet", "DistilBert", "ModernBert", "Qwen3", "Llama"),
    *("DebertaV2", "Electra"),  # with padding; test_layouts.py has XLNet
)
# 150 texts of 1 to 40 words, some of which are cut: several pieces, with and without texts of one length.
DRAWS = np.random.default_rng(0)
MANY = [" ".join(DRAWS.choice(WORDS, size=n)) for n in DRAWS.integers(1, 41, size=150)]
# Least cosine of a vector in bf16 with that in float32: docs/dev/performance.md, "Types of encoders".
BF16 = 0.999
PROMPTS = Prompts(query="the big ", document="a red ")


@pytest.fixture(scope="session")
def folder_of(tmp_path_factory):
    """Give a function type -> folder of a tiny model with random weights, made once."""
    return cache(lambda kind, **settings: layouts.folder_of(kind, tmp_path_factory.mktemp(kind), **settings))


@pytest.mark.parametrize("kind", TYPES)
def test_sentence_transformers_gives_the_vectors_of_a_saved_folder(kind, folder_of, tmp_path):
    for pooler in ("lasttoken", "mean") if kind in DECODERS else ("cls_before_pooler", "mean", "lasttoken"):
        encoder = new_encoder(folder_of(kind), Recipe(pooling=pooler), 42, prompts=PROMPTS)
        again, theirs = saved(encoder, tmp_path / pooler, MANY)
        assert (again.pooler, again.prompts) == (pooler, PROMPTS)
        if kind in DECODERS:
            theirs.tokenizer.padding_side = "left"
            assert np.abs(theirs.encode(TEXTS) - embeddings(encoder, TEXTS)).max() < 2e-6
        given = theirs.encode([PROMPTS.document + text for text in TEXTS], prompt="")
        assert np.abs(theirs.encode_document(TEXTS) - given).max() < 2e-6


@pytest.mark.parametrize("kind", TYPES)
def test_vectors_in_bf16_are_near_those_of_sentence_transformers_in_float32(kind, folder_of, tmp_path):
    """On a processor without bf16, PyTorch emulates it."""
    for pooler in ("lasttoken", "mean") if kind in DECODERS else ("cls_before_pooler", "mean", "lasttoken"):
        encoder, theirs = saved(new_encoder(folder_of(kind), Recipe(pooling=pooler), 42), tmp_path / pooler)
        job = EncoderSettings(precision="bf16")
        ours = embeddings(encoder_of(job, str(tmp_path / pooler), "cpu"), MANY)
        cosines = paired_cosines(ours, theirs.encode(MANY))
        assert cosines.min() > BF16
        assert np.abs(ours - embeddings(encoder, MANY)).max() > 1e-4  # it is another precision


@pytest.mark.parametrize("kind", TYPES)
def test_a_sentence_has_the_vector_that_it_has_alone_and_training_moves_it(kind, folder_of):
    pooler = "lasttoken" if kind in DECODERS else "avg_first_last"
    encoder = new_encoder(folder_of(kind), Recipe(pooling=pooler), 42)
    together = embeddings(encoder, TEXTS)
    model = AutoModel.from_pretrained(folder_of(kind), dtype=torch.float32).eval()
    for text, vector in zip(TEXTS, together, strict=True):
        given = encoder.tokenizer(text, return_tensors="pt")["input_ids"]
        with torch.no_grad():
            states = model(input_ids=given, output_hidden_states=True).hidden_states
        assert (
            np.abs(pooled(POOLINGS[pooler], states, torch.ones_like(given))[0].numpy() - vector).max() < 1e-5
        )
    recipe = Recipe(pooling=pooler, dropout=0.1, learning_rate=1e-2, batch_size=4)
    moved, _ = trained(folder_of(kind), recipe, same())
    assert np.abs(embeddings(moved, TEXTS) - together).max() > 1e-3


@pytest.mark.parametrize(
    ("kind", "dropout", "expected", "note"),
    [
        (
            "ModernBert",
            None,
            0.1,
            "trained with a dropout of 0.1, because the encoder itself has a dropout of 0",
        ),
        ("Qwen3", None, 0.3, "trained with a dropout of 0.3, because the encoder itself has a dropout of 0"),
        ("Llama", 0.0, 0.0, ""),
        ("ModernBert", 0.2, 0.2, ""),
        ("MPNet", None, 0.1, ""),
        ("GPT2", None, 0.0, "trained without dropout, because the encoder has no place for it"),
    ],
)
def test_an_encoder_without_dropout_gets_one_and_a_note(kind, dropout, expected, note, folder_of, caplog):
    encoder = new_encoder(folder_of(kind), Recipe(pooling="lasttoken", dropout=dropout), 42)
    assert encoder.note.startswith(note)
    assert bool(encoder.note) == bool(note) == ("trained with" in caplog.text)
    assert getattr(encoder.model.config, "attention_dropout", 0.1 if kind == "MPNet" else 0.0) == expected
    batch = tokenised(TEXTS[:1] * 2, encoder.tokenizer, 32)
    one, two = encoder(batch)
    assert torch.allclose(one, two, atol=1e-5) == (not expected)


@pytest.mark.parametrize("kind", [*TYPES, "bert", "roberta"])
def test_columns_of_embeddings_are_cut_off(kind, folder_of, tiny_encoder):
    folder = tiny_encoder(kind) if kind.islower() else folder_of(kind)
    encoder = new_encoder(folder, Recipe(pooling="mean", dropout=0.0), 42).eval()
    batch = tokenised(["the big dog", "a red cat", "the big dog", "a cat"], encoder.tokenizer, 16)
    columns = np.ones((4, 16), bool)
    with torch.no_grad():
        plain = encoder(batch)
        assert torch.equal(encoder(replace(batch, columns=columns)), plain)
        columns[:2] = False  # so nothing is left of the first two
        found = encoder(replace(batch, columns=columns))
    assert kind == "roberta" or torch.allclose(found[0], found[1], atol=1e-6)  # both of as many tokens
    assert not torch.allclose(found[0], plain[0], atol=1e-3)
    assert torch.allclose(found[2:], plain[2:], atol=1e-5)


def test_a_decoder_without_a_padding_token_is_refused(folder_of):
    with pytest.raises(ConfigError, match="type qwen3 has no padding token"):
        load_encoder(folder_of("Qwen3", pad=None), pooling="lasttoken")
    with pytest.raises(
        ConfigError,
        match=(
            r"no \[CLS\] token, which pooling 'cls_before_pooler' "
            r"needs\. Use mean, or lasttoken for a decoder"
        ),
    ):
        load_encoder(folder_of("Qwen3"), pooling="cls_before_pooler")


def test_the_prompts_that_a_folder_declares(tiny_encoder, tmp_path):
    folder = shutil.copytree(tiny_encoder("bert"), tmp_path / "folder")
    file = folder / "config_sentence_transformers.json"
    for prompts, default, expected in (
        ({"q": "a "}, None, Prompts()),
        ({"q": "a "}, "q", Prompts(query="a ", document="a ")),
        ({"q": "a ", "passage": "the "}, "q", Prompts(query="a ", document="the ")),
        # Version 6 saves both names with every folder.
        ({"query": "a ", "document": "", "passage": "the "}, "query", Prompts(query="a ", document="the ")),
        ({"query": "a ", "document": ""}, "query", Prompts(query="a ")),
        ({"q": "a ", "query": "", "document": ""}, "q", Prompts(query="a ", document="a ")),
    ):
        file.write_text(json.dumps({"prompts": prompts, "default_prompt_name": default}))
        assert load_encoder(folder).prompts == new_encoder(folder, Recipe(), 1).prompts == expected
    file.write_text(json.dumps({"prompts": {}, "default_prompt_name": "q"}))
    with pytest.raises(ConfigError, match=r"default_prompt_name is 'q', but the prompts are \[\]"):
        load_encoder(folder)


@pytest.mark.parametrize("kind", ["bert", "Qwen3"])
def test_lora_trains_its_matrices_alone_and_is_saved_merged_or_alone(kind, folder_of, tiny_encoder, tmp_path):
    folder = tiny_encoder("bert") if kind == "bert" else folder_of(kind)
    pooler = "mean" if kind == "bert" else "lasttoken"
    vectors = {}
    for save in ("merged", "adapter"):
        recipe = Recipe(
            pooling=pooler, lora=LoRA(rank=2, save=save), learning_rate=1e-2, batch_size=4, max_length=16
        )
        before = embeddings(new_encoder(folder, recipe, 42), TEXTS)
        assert np.abs(before - embeddings(load_encoder(folder, pooling=pooler), TEXTS)).max() < 1e-5
        encoder, _ = trained(folder, recipe, same())
        moved = {name for name, each in encoder.model.named_parameters() if each.requires_grad}
        assert moved
        assert all("lora_" in name for name in moved)
        vectors[save] = embeddings(encoder, TEXTS)
        save_encoder(encoder, tmp_path / save)
        assert np.abs(vectors[save] - before).max() > 1e-3
        again = load_encoder(tmp_path / save)
        assert np.abs(embeddings(again, TEXTS) - vectors[save]).max() < 1e-5
        theirs = SentenceTransformer(str(tmp_path / save), device="cpu").encode(TEXTS)
        assert np.abs(theirs - embeddings(again, TEXTS)).max() < 2e-6
    assert np.abs(vectors["merged"] - vectors["adapter"]).max() == 0
    assert not (tmp_path / "adapter/model.safetensors").exists()
    base = AutoModel.from_pretrained(folder, dtype=torch.float32)
    merged = PeftModel.from_pretrained(base, str(tmp_path / "adapter")).merge_and_unload().state_dict()
    weights = AutoModel.from_pretrained(tmp_path / "merged", dtype=torch.float32).state_dict()
    assert max((merged[name] - weights[name]).abs().max() for name in weights if "pooler" not in name) < 1e-6


def test_an_adapter_without_its_base_or_with_another_one_is_refused(folder_of, tiny_encoder, tmp_path):
    recipe = Recipe(pooling="mean", lora=LoRA(save="adapter"), max_length=16)
    save_encoder(new_encoder(tiny_encoder("bert"), recipe, 42), tmp_path / "adapter")
    file = tmp_path / "adapter/adapter_config.json"
    content = json.loads(file.read_text())
    file.write_text(json.dumps({**content, "base_model_name_or_path": "someone/base"}))
    with pytest.raises(
        ConfigError, match=r"adapter of 'someone/base'\. This is not a folder on this machine"
    ):
        load_encoder(tmp_path / "adapter")
    file.write_text(json.dumps({**content, "base_model_name_or_path": str(folder_of("Qwen3"))}))
    with pytest.raises(ConfigError, match="the adapter does not fit its model"):
        load_encoder(tmp_path / "adapter")
    shutil.copytree(tiny_encoder("bert"), tmp_path / "base")
    file.write_text(json.dumps({**content, "base_model_name_or_path": "../base"}))
    assert embeddings(load_encoder(tmp_path / "adapter"), TEXTS).shape == (3, 16)
    with pytest.raises(ConfigError, match=r"lora\.targets \['q_proj'\] matches no layer of a bert model"):
        new_encoder(tiny_encoder("bert"), Recipe(lora=LoRA(targets=["q_proj"])), 42)
