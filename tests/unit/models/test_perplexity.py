"""Perplexity, beside texts scored one by one with a whole row of logits each."""

import math
from pathlib import Path

import numpy as np
import pytest
import torch
import transformers as hf
from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING

from contrapose.base.errors import ConfigError
from contrapose.models.perplexity import CausalLM, load_causal_lm, perplexities, token_trees
from tests.unit.score.byte_models import END, VOCABULARY, byte_tokenizer

POSITIONS = 40
SHAPE = {
    "vocab_size": 2100,  # more than two blocks of the vocabulary; the tokenizer knows the first 257
    "initializer_range": 0.3,  # large, so that a wrong mask or position shows
    **{"max_position_embeddings": POSITIONS, "bos_token_id": 256, "eos_token_id": 256},
    **{"hidden_size": 16, "num_attention_heads": 2, "num_hidden_layers": 2},
}
GROUPED = {**SHAPE, "intermediate_size": 32, "num_key_value_heads": 1}
IN_TREES = {
    "gpt2": hf.GPT2Config(**SHAPE),
    "gpt_neox": hf.GPTNeoXConfig(**SHAPE, intermediate_size=32),
    "llama": hf.LlamaConfig(**SHAPE, intermediate_size=32, num_key_value_heads=1),
    "opt": hf.OPTConfig(**SHAPE, ffn_dim=32, word_embed_proj_dim=8, init_std=0.3),
    "qwen2": hf.Qwen2Config(**GROUPED),
    "qwen3": hf.Qwen3Config(**GROUPED, head_dim=8),
    "mistral": hf.MistralConfig(**GROUPED),
    "gemma": hf.GemmaConfig(**GROUPED, head_dim=8),
    "gemma2": hf.Gemma2Config(**GROUPED, head_dim=8, final_logit_softcapping=2.0),
    "gemma3_text": hf.Gemma3TextConfig(**GROUPED, head_dim=8),
}
WINDOWED = {  # of 12 tokens: some of the texts are longer
    "windowed mistral": hf.MistralConfig(**GROUPED, sliding_window=12),
    "windowed qwen2": hf.Qwen2Config(
        **GROUPED, use_sliding_window=True, sliding_window=12, max_window_layers=0
    ),
    "windowed gemma3": hf.Gemma3TextConfig(**GROUPED, head_dim=8, sliding_window=12),
}
IN_ROWS = {
    "bloom": hf.BloomConfig(**SHAPE),  # ALiBi: a mask is no longer the place for positions
    "mamba": hf.MambaConfig(**SHAPE, state_size=4),  # recurrence: a token sees all before it in its row
}
TEXTS = [
    *("the cat sat on a mat", "the cat sat on a red mat", "the dog sat on a mat", "the cat sat", "a"),
    *("the cat sat on a mat", "猫が座る", "an owl flew away over the old grey park"),
]


def language_model(config: object) -> CausalLM:
    torch.manual_seed(0)
    model = MODEL_FOR_CAUSAL_LM_MAPPING[type(config)](config).eval()
    return CausalLM(model, byte_tokenizer())


def one_by_one(lm: CausalLM, text: str) -> float:
    ids = [VOCABULARY[END], *lm.tokenizer(text, add_special_tokens=False)["input_ids"]]
    with torch.no_grad():
        logits = lm.model(torch.tensor([ids[:-1]])).logits[0]
    nats = -logits.double().log_softmax(-1)[range(len(ids) - 1), ids[1:]]
    return math.exp(nats.mean())


@pytest.mark.parametrize("kind", [*IN_TREES, *IN_ROWS, *WINDOWED])
@pytest.mark.parametrize("batch_tokens", [1, 30, 512])
def test_every_kind_of_model_gives_what_it_gives_to_each_text_alone(kind: str, batch_tokens: int):
    lm = language_model((IN_TREES | IN_ROWS | WINDOWED)[kind])
    expected = [one_by_one(lm, text) for text in TEXTS]
    np.testing.assert_allclose(perplexities(lm, TEXTS, batch_tokens), expected, rtol=1e-5)
    assert len(set(np.round(expected, 3))) == len(set(TEXTS))  # the models tell the texts apart


def test_a_start_token_that_the_tokenizer_adds_by_itself_is_not_scored():
    lm = language_model(IN_TREES["gpt2"])

    class Adding:
        bos_token_id = lm.start

        def __call__(self, texts, add_special_tokens=True, **options):
            found = lm.tokenizer(texts, add_special_tokens=False, **options)["input_ids"]
            return {"input_ids": [[lm.start] * add_special_tokens + ids for ids in found]}

    texts = ["the cat sat", "a dog"]
    assert perplexities(CausalLM(lm.model, Adding()), texts).tolist() == perplexities(lm, texts).tolist()


def test_a_tree_holds_a_common_beginning_once_and_is_no_larger_than_asked_unless_one_text_is():
    texts = [(1,), (1, 2), (1, 2, 3, 4, 5), (6, 7), (6, 8)]
    trees = token_trees(texts, root=0, max_nodes=4)
    assert [tree.texts for tree in trees] == [texts[:2], texts[2:3], texts[3:]]
    (tree,) = token_trees([(1, 2), (1, 2, 3), (1, 4), (5,)], root=0, max_nodes=9)
    assert tree.tokens == [0, 1, 2, 3, 4, 5]
    assert tree.parents == [0, 0, 1, 2, 1, 0]
    assert tree.depths == [0, 1, 2, 3, 2, 1]
    assert tree.ends == [2, 3, 4, 5]
    lineages = [[0], [0, 1], [0, 1, 2], [0, 1, 2, 3], [0, 1, 4], [0, 5]]
    assert [list(np.flatnonzero(row)) for row in tree.lineage()] == lineages


def test_a_text_as_long_as_the_model_takes_is_scored_and_a_longer_or_empty_one_skipped_and_counted(caplog):
    lm, longest = language_model(IN_TREES["gpt2"]), "xy" * (POSITIONS // 2)
    assert perplexities(lm, [longest], 1)[0] == pytest.approx(one_by_one(lm, longest), rel=1e-5)
    found = perplexities(lm, ["", "a", longest + "x", ""])
    np.testing.assert_allclose(found, [np.nan, one_by_one(lm, "a"), np.nan, np.nan], rtol=1e-5)
    assert "3 of 4 texts have no perplexity, because they have no tokens or more" in caplog.text


def test_a_folder_gives_the_model_in_float32_and_the_same_perplexities(tmp_path: Path):
    lm = language_model(IN_TREES["gpt2"])
    lm.model.half().save_pretrained(tmp_path)
    lm.tokenizer.save_pretrained(tmp_path)
    loaded = load_causal_lm(tmp_path, device="cpu")
    assert loaded.model.dtype == torch.float32
    assert not loaded.model.training
    lm.model.float()
    np.testing.assert_allclose(perplexities(loaded, TEXTS), perplexities(lm, TEXTS), rtol=1e-6)


def test_a_model_that_looks_ahead_is_refused(tmp_path: Path):
    sizes = {"hidden_size": 8, "num_attention_heads": 1, "num_hidden_layers": 1, "intermediate_size": 8}
    hf.BertForMaskedLM(hf.BertConfig(vocab_size=6, **sizes)).save_pretrained(tmp_path)
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a"]
    hf.BertTokenizer(vocab={token: at for at, token in enumerate(special)}).save_pretrained(tmp_path)
    with pytest.raises(ConfigError, match=r"language model '.*' is of type bert, which does not predict"):
        load_causal_lm(tmp_path)
