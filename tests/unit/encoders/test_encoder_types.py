"""Encoders of today: types beside BERT and RoBERTa, last-token pooling, prompts, LoRA."""

import json
import re
import shutil

import numpy as np
import pandas as pd
import pytest
import torch
import transformers
from peft import PeftModel
from sentence_transformers import SentenceTransformer
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers import AutoModel, PreTrainedTokenizerFast

from contrapose.encoders.embeddings import embeddings
from contrapose.encoders.encoder import load_encoder, new_encoder
from contrapose.errors import ConfigError
from contrapose.settings.recipes import LoRA, Recipe
from contrapose.settings.worlds import Prompts
from contrapose.train.batches import tokenised_pairs
from contrapose.train.loop import train_encoder
from tests.checkout import HOME
from tests.conftest import WORDS
from tests.unit.train.trainings import DEV, same, trained

TEXTS = ["the cat sat on the mat", "a dog", "the big red dog ran quick quick away in a park"]
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "</s>"]
SIZES = {
    "vocab_size": len(SPECIAL) + len(WORDS),
    "hidden_size": 16,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 32,
    "max_position_embeddings": 40,
    "pad_token_id": 0,
    "initializer_range": 0.2,
}
DECODER = {"num_key_value_heads": 1, "head_dim": 8}
DEBERTA = {"relative_attention": True, "pos_att_type": ["p2c", "c2p"], "position_buckets": 8}
TYPES = {
    "ModernBert": {"global_attn_every_n_layers": 2, "local_attention": 4},
    "XLMRoberta": {},
    "DebertaV2": {**DEBERTA, "norm_rel_ebd": "layer_norm", "share_att_key": True},
    "MPNet": {},
    "Qwen3": DECODER,
    "Llama": DECODER,
}
DECODERS = ("Qwen3", "Llama")
PROMPTS = Prompts(query="the big ", document="a red ")


@pytest.fixture(scope="module")
def folder_of(tmp_path_factory):
    """Give a function type -> folder of a tiny model with random weights."""
    return lambda kind, **changes: _folder(tmp_path_factory.mktemp(kind), kind, **changes)


def _folder(path, kind, pad="[PAD]"):
    words = Tokenizer(models.WordLevel({w: i for i, w in enumerate([*SPECIAL, *WORDS])}, unk_token="[UNK]"))
    words.pre_tokenizer = pre_tokenizers.Whitespace()
    if kind in DECODERS:
        form, names = "$A </s>", {"eos_token": "</s>"}
    else:
        form, names = "[CLS] $A [SEP]", {"cls_token": "[CLS]", "sep_token": "[SEP]", "mask_token": "[MASK]"}
    numbers = [(name, SPECIAL.index(name)) for name in names.values() if name in form]
    words.post_processor = processors.TemplateProcessing(single=form, special_tokens=numbers)
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=words,
        unk_token="[UNK]",
        pad_token=pad,
        model_max_length=32,
        **names,
    )
    tokenizer.save_pretrained(path)
    with torch.random.fork_rng():
        torch.manual_seed(0)
        config = getattr(transformers, f"{kind}Config")(**SIZES, **TYPES[kind])
        AutoModel.from_config(config).save_pretrained(path)
    return path


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("prompts", [None, PROMPTS])
def test_sentence_transformers_gives_the_vectors_of_a_saved_folder(kind, prompts, folder_of, tmp_path):
    for pooler in ("last", "avg") if kind in DECODERS else ("cls_before_pooler", "avg", "last"):
        encoder = new_encoder(folder_of(kind), Recipe(pooler=pooler), 42, prompts=prompts)
        encoder.save(tmp_path / pooler)
        ours = embeddings(encoder, TEXTS)
        theirs = SentenceTransformer(str(tmp_path / pooler), device="cpu")
        for side in ("right", "left") if kind in DECODERS else ("right",):
            theirs.tokenizer.padding_side = side
            assert difference(theirs.encode(TEXTS), ours) < 1e-6
        again = load_encoder(tmp_path / pooler)
        assert (again.pooler, again.prompts) == (pooler, prompts or Prompts())
        assert np.abs(embeddings(again, TEXTS) - ours).max() == 0
        if prompts:
            given = theirs.encode([prompts.document + text for text in TEXTS], prompt="")
            assert difference(theirs.encode_document(TEXTS), given) < 1e-6


def difference(one, two):
    """Return the largest difference between unit vectors, row by row."""
    one, two = (each / np.linalg.norm(each, axis=1, keepdims=True) for each in (one, two))
    return np.abs(one - two).max()


@pytest.mark.parametrize("kind", TYPES)
def test_a_sentence_has_the_vector_that_it_has_alone_and_training_moves_it(kind, folder_of):
    pooler = "last" if kind in DECODERS else "avg"
    encoder = new_encoder(folder_of(kind), Recipe(pooler=pooler), 42)
    together = embeddings(encoder, TEXTS)
    model = AutoModel.from_pretrained(folder_of(kind), dtype=torch.float32).eval()
    for text, vector in zip(TEXTS, together, strict=True):
        given = encoder.tokenizer(text, return_tensors="pt")["input_ids"]
        with torch.no_grad():
            states = model(input_ids=given).last_hidden_state[0]
        alone = states[-1] if pooler == "last" else states.mean(dim=0)
        assert np.abs(alone.numpy() - vector).max() < 1e-5
    recipe = Recipe(pooler=pooler, dropout=0.1, learning_rate=1e-2, batch_size=4)
    moved, _ = trained(folder_of(kind), recipe, same())
    assert np.abs(embeddings(moved, TEXTS) - together).max() > 1e-3


def test_an_encoder_without_dropout_is_trained_with_a_warning(folder_of, caplog):
    new_encoder(folder_of("Qwen3"), Recipe(pooler="last"), 42)
    assert "the encoder has no dropout: equal texts get equal vectors" in caplog.text
    caplog.clear()
    for kind, recipe in (("Qwen3", Recipe(pooler="last", dropout=0.1)), ("MPNet", Recipe())):
        new_encoder(folder_of(kind), recipe, 42)
    assert "no dropout" not in caplog.text


def test_a_decoder_without_a_padding_token_is_refused(folder_of):
    with pytest.raises(ConfigError, match="type qwen3 has no padding token"):
        load_encoder(folder_of("Qwen3", pad=None), pooling="last")
    with pytest.raises(
        ConfigError, match=r"no \[CLS\] token for pooling 'cls_before_pooler'. Use avg, or last"
    ):
        load_encoder(folder_of("Qwen3"))


def test_prompts_stand_before_the_side_that_they_are_for(tiny_encoder):
    pairs = same(pd.Series(["a cat", "a dog"])).assign(negatives=[["the mat"], []])
    tokenizer = load_encoder(tiny_encoder("bert")).tokenizer
    found = tokenised_pairs(pairs, tokenizer, 16, prompts=PROMPTS)
    plain = [tokenizer.decode(found.tokens.take(np.array([at])).ids[1:-1]) for at in range(len(found.tokens))]
    rows = [[plain[at] for at in row if at >= 0] for row in found.slots[0].texts]
    assert rows == [["the big a cat", "a red a cat", "a red the mat"], ["the big a dog", "a red a dog"]]
    assert list(found.texts) == ["a cat", "a dog", "a cat", "a dog", "the mat"]  # as a teacher reads them


def test_queries_have_a_length_of_their_own(tiny_encoder):
    pairs = same(pd.Series(["a cat sat on the mat", "a dog"])).assign(negatives=[["a big red cat sat"], []])
    tokenizer = load_encoder(tiny_encoder("bert")).tokenizer
    found = tokenised_pairs(pairs, tokenizer, 7, 5)
    plain = [tokenizer.decode(found.tokens.take(np.array([at])).ids[1:-1]) for at in range(len(found.tokens))]
    rows = [[plain[at] for at in row if at >= 0] for row in found.slots[0].texts]
    assert rows == [["a cat sat", "a cat sat on the", "a big red cat sat"], ["a dog", "a dog"]]
    assert found.tokens.cut == 2
    assert list(found.texts) == ["a cat sat on the mat", "a dog"] * 2 + ["a big red cat sat"]


def test_a_prompt_as_long_as_a_text_may_be_is_refused(tiny_encoder):
    encoder = new_encoder(tiny_encoder("bert"), Recipe(), 42, prompts=Prompts(document="the cat " * 4))
    with pytest.raises(
        ConfigError, match=r"max_length is 10, but the prompt 'the cat .* alone has 10 tokens"
    ):
        train_encoder(encoder, same(), DEV, Recipe(max_length=10), 42)
    encoder = new_encoder(tiny_encoder("bert"), Recipe(), 42, prompts=Prompts(query="the cat"))
    with pytest.raises(ConfigError, match=r"query_length is 4, but the prompt 'the cat' alone has 4 tokens"):
        train_encoder(encoder, same(), DEV, Recipe(max_length=10, query_length=4), 42)
    with pytest.raises(ConfigError, match="query_length is 17, the encoder takes 16 at most"):
        train_encoder(encoder, same(), DEV, Recipe(max_length=10, query_length=17), 42)


def test_the_prompts_that_a_folder_declares(tiny_encoder, tmp_path):
    folder = shutil.copytree(tiny_encoder("bert"), tmp_path / "folder")
    file = folder / "config_sentence_transformers.json"
    for told, expected in (
        ({"prompts": {"q": "a "}, "default_prompt_name": None}, Prompts()),
        ({"prompts": {"q": "a "}, "default_prompt_name": "q"}, Prompts(query="a ", document="a ")),
        (
            {"prompts": {"q": "a ", "passage": "the "}, "default_prompt_name": "q"},
            Prompts(query="a ", document="the "),
        ),
    ):
        file.write_text(json.dumps(told))
        assert load_encoder(folder).prompts == new_encoder(folder, Recipe(), 1).prompts == expected
    file.write_text(json.dumps({"prompts": {}, "default_prompt_name": "q"}))
    with pytest.raises(ConfigError, match=r"default_prompt_name is 'q', prompts are \[\]"):
        load_encoder(folder)


@pytest.mark.parametrize("kind", ["bert", "Qwen3"])
def test_lora_trains_its_matrices_alone_and_is_saved_merged_or_alone(kind, folder_of, tiny_encoder, tmp_path):
    folder = tiny_encoder("bert") if kind == "bert" else folder_of(kind)
    pooler = "avg" if kind == "bert" else "last"
    vectors = {}
    for save in ("merged", "adapter"):
        recipe = Recipe(
            pooler=pooler, lora=LoRA(rank=2, save=save), learning_rate=1e-2, batch_size=4, max_length=16
        )
        before = embeddings(new_encoder(folder, recipe, 42), TEXTS)
        assert np.abs(before - embeddings(load_encoder(folder, pooling=pooler), TEXTS)).max() < 1e-5
        encoder, _ = trained(folder, recipe, same())
        moved = {name for name, each in encoder.model.named_parameters() if each.requires_grad}
        assert moved
        assert all("lora_" in name for name in moved)
        vectors[save] = embeddings(encoder, TEXTS)
        encoder.save(tmp_path / save)
        assert np.abs(vectors[save] - before).max() > 1e-3
        assert np.abs(embeddings(load_encoder(tmp_path / save), TEXTS) - vectors[save]).max() < 1e-5
        theirs = SentenceTransformer(str(tmp_path / save), device="cpu")
        assert difference(theirs.encode(TEXTS), embeddings(load_encoder(tmp_path / save), TEXTS)) < 1e-6
    assert np.abs(vectors["merged"] - vectors["adapter"]).max() == 0
    assert not (tmp_path / "adapter/model.safetensors").exists()
    base = AutoModel.from_pretrained(folder, dtype=torch.float32)
    merged = PeftModel.from_pretrained(base, str(tmp_path / "adapter")).merge_and_unload().state_dict()
    saved = AutoModel.from_pretrained(tmp_path / "merged", dtype=torch.float32).state_dict()
    assert max((merged[name] - saved[name]).abs().max() for name in saved if "pooler" not in name) < 1e-6


def test_an_adapter_without_its_base_or_with_another_one_is_refused(folder_of, tiny_encoder, tmp_path):
    recipe = Recipe(pooler="avg", lora=LoRA(save="adapter"), max_length=16)
    new_encoder(tiny_encoder("bert"), recipe, 42).save(tmp_path / "adapter")
    file = tmp_path / "adapter/adapter_config.json"
    content = json.loads(file.read_text())
    file.write_text(json.dumps({**content, "base_model_name_or_path": "someone/base"}))
    with pytest.raises(ConfigError, match="adapter of 'someone/base', which is not a folder here"):
        load_encoder(tmp_path / "adapter")
    file.write_text(json.dumps({**content, "base_model_name_or_path": str(folder_of("Qwen3"))}))
    with pytest.raises(ConfigError, match="the adapter does not fit its model"):
        load_encoder(tmp_path / "adapter")
    shutil.copytree(tiny_encoder("bert"), tmp_path / "base")
    file.write_text(json.dumps({**content, "base_model_name_or_path": "../base"}))
    assert embeddings(load_encoder(tmp_path / "adapter"), TEXTS).shape == (3, 16)
    with pytest.raises(ConfigError, match=r"lora.targets \['q_proj'\] fits no layer of a bert model.*query"):
        new_encoder(tiny_encoder("bert"), Recipe(lora=LoRA(targets=["q_proj"])), 42)


def test_the_page_says_which_type_runs_without_padding(folder_of, tiny_encoder):
    page = (HOME / "docs/performance.md").read_text()
    rows = dict(re.findall(r"^\| ([\w, -]+) \| (no padding|padded)", page, re.MULTILINE))
    told = {name.strip(): path for names, path in rows.items() for name in names.split(",")}
    names = {"ModernBert": "ModernBERT", "XLMRoberta": "XLM-RoBERTa", "DebertaV2": "DeBERTa-v3"}
    for kind in TYPES:
        flat = load_encoder(folder_of(kind), pooling="avg").flat
        assert told[names.get(kind, kind)] == ("no padding" if flat else "padded")
    for kind, name in (("bert", "BERT"), ("roberta", "RoBERTa")):
        assert load_encoder(tiny_encoder(kind)).flat
        assert told[name] == "no padding"
