"""Texts of DINO, beside a plain way: one prompt at a time, the whole text read for each token."""

from types import SimpleNamespace

import pandas as pd
import pytest
import torch
from transformers import (
    BloomConfig,
    GemmaConfig,
    GPT2Config,
    GPT2Tokenizer,
    GPTNeoXConfig,
    LlamaConfig,
    MambaConfig,
    MistralConfig,
    Qwen2Config,
    TopKLogitsWarper,
    TopPLogitsWarper,
)
from transformers.convert_slow_tokenizer import bytes_to_unicode
from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING

from contrapose.errors import ConfigError
from contrapose.generate import dino_texts as dino
from contrapose.generate.decoding import token_bytes
from contrapose.generate.dino_texts import dino_texts, outcome
from contrapose.score.perplexity import CausalLM
from contrapose.seeds import uniforms
from contrapose.settings.corpora import DinoTexts
from contrapose.settings.instructions import Instructions
from contrapose.state import remove_state
from contrapose.tables import SYNTHETIC, checked_arrays

END = "<|endoftext|>"
LETTERS = "abcdefghijklmnopqrstuvwxyz."
# Single bytes, and letters together with a quotation mark: a random model soon comes to an end.
TOKENS = [*bytes_to_unicode().values(), END, *(f'{letter}"' for letter in LETTERS), *"ĊĠ"]
VOCABULARY = {token: at for at, token in enumerate(dict.fromkeys(TOKENS))}
SHAPE = {
    "vocab_size": len(VOCABULARY) + 3,  # more than the tokenizer knows
    "max_position_embeddings": 90,
    "hidden_size": 16,
    "num_attention_heads": 2,
    "num_hidden_layers": 2,
    "initializer_range": 0.3,  # large, so that a wrong mask or position shows
    "bos_token_id": VOCABULARY[END],
    "eos_token_id": VOCABULARY[END],
}
KINDS = {
    "gpt2": GPT2Config(**SHAPE),
    "gpt_neox": GPTNeoXConfig(**SHAPE, intermediate_size=32),
    "llama": LlamaConfig(**SHAPE, intermediate_size=32, num_key_value_heads=1),
    "bloom": BloomConfig(**SHAPE),  # takes no positions: its mask decides
    "qwen2": Qwen2Config(**SHAPE, intermediate_size=32, num_key_value_heads=1),
    "mistral": MistralConfig(**SHAPE, intermediate_size=32, num_key_value_heads=1, sliding_window=9),
    "gemma": GemmaConfig(**SHAPE, intermediate_size=32, num_key_value_heads=1, head_dim=8),
}
INSTRUCTIONS = Instructions.model_validate(
    {
        "frame": '{relation}: "{sentence}" "',
        "labels": [
            {"label": 1, "relation": "the same"},
            {"label": 0.5, "relation": "alike", "counters": [1]},
            {"label": 0, "relation": "something else", "counters": [1, 0.5]},
        ],
    }
)
SPEC = DinoTexts(corpus="x", entries=3, max_tokens=12, top_k=30, seed=7, decay=30)
SENTENCES = pd.DataFrame(
    {
        "id": ["s1", "s2", "s3", "s4", "s5"],
        "text": ["a cat", 'he said "no" {sentence}', "x", "word " * 20, "grass is green"],
    }
)


def language_model(kind: str) -> CausalLM:
    torch.manual_seed(0)
    config = KINDS[kind]
    merges = [(letter, '"') for letter in LETTERS]
    # No start token, as Qwen's tokenizers: the method has none.
    tokenizer = GPT2Tokenizer(vocab=VOCABULARY, merges=merges, bos_token=None, eos_token=END)
    return CausalLM(MODEL_FOR_CAUSAL_LM_MAPPING[type(config)](config).eval(), tokenizer)


def plain_text(lm: CausalLM, sentence_id: str, sentence: str, label: float, entry: int) -> tuple[str, str]:
    """Write one text the plain way: always `max_tokens`, then cut."""
    asked = {each.label: each for each in INSTRUCTIONS.labels}
    told = [asked[one].relation for one in (label, *asked[label].counters)]
    prompts = [lm.tokenizer(f'{relation}: "{sentence}" "')["input_ids"] for relation in told]
    draws = uniforms([("dino", 7, sentence_id, f"{label:g}", entry)], 12)[0]
    tokens: list[int] = []
    for draw in draws:
        distributions = []
        for prompt in prompts:
            with torch.no_grad():
                scores = lm.model(torch.tensor([prompt + tokens])).logits[0, -1].double()
            scores[VOCABULARY[END]] = -torch.inf
            scores[len(VOCABULARY) :] = -torch.inf
            distributions.append(scores.softmax(-1))
        p, *counters = distributions
        worst = torch.stack([p, *counters]).amax(0) - p
        scores = (p * (-30 * worst).exp().clamp(min=0.01)).log()[None]
        left = TopPLogitsWarper(0.9)(None, TopKLogitsWarper(30)(None, scores))[0].softmax(-1)
        shares, order = left.sort(descending=True)
        tokens.append(int(order[(shares.cumsum(0) <= draw).sum()]))
    return outcome(lm.tokenizer.decode(tokens))


@pytest.mark.parametrize("kind", KINDS)
def test_many_texts_at_once_are_the_texts_of_the_plain_way(kind, tmp_path):
    lm = language_model(kind)
    table = dino_texts(lm, SENTENCES, INSTRUCTIONS, SPEC, tmp_path)
    checked_arrays(table, "memory", SYNTHETIC)
    assert len(table) == 5 * 3 * 3
    text_of = dict(zip(SENTENCES.id, SENTENCES.text, strict=True))
    for row in table[table.sentence_id != "s4"].itertuples():
        text, refused = plain_text(lm, row.sentence_id, text_of[row.sentence_id], row.label, row.entry)
        assert row.refused == refused
        # What a line break ends is refused in either way, with less or more behind it.
        assert row.text == text if refused != dino.LINE_BREAK else row.text.startswith(text.split("\n")[0])
    assert set(table.refused[table.sentence_id == "s4"]) == {dino.TOO_LONG}
    lengths = table.text[table.refused == ""].str.len()
    assert len(lengths) > 9
    assert lengths.nunique() > 4  # texts leave the block at different times


def test_shards_have_the_same_texts_and_a_killed_job_goes_on_to_them(tmp_path, monkeypatch):
    lm = language_model("gpt2")
    monkeypatch.setattr(dino, "MOST_SENTENCES", 2)
    whole = dino_texts(lm, SENTENCES, INSTRUCTIONS, SPEC, tmp_path / "whole")
    for shards in (2, 7):
        folder = tmp_path / str(shards)
        parts = [dino_texts(lm, SENTENCES, INSTRUCTIONS, SPEC, folder, at, shards) for at in range(shards)]
        parts = [part for part in parts if len(part)]  # there are fewer than seven sentences
        pd.testing.assert_frame_equal(pd.concat(parts, ignore_index=True), whole)

    write, written = dino.Writer.block, []

    def killed_at_the_second(self, sentences):
        if len(written) == 1:
            raise KeyboardInterrupt
        written.append(sentences)
        return write(self, sentences)

    monkeypatch.setattr(dino.Writer, "block", killed_at_the_second)
    with pytest.raises(KeyboardInterrupt):
        dino_texts(lm, SENTENCES, INSTRUCTIONS, SPEC, tmp_path / "killed")
    monkeypatch.setattr(dino.Writer, "block", lambda self, block: written.append(block) or write(self, block))
    again = dino_texts(lm, SENTENCES, INSTRUCTIONS, SPEC, tmp_path / "killed")
    pd.testing.assert_frame_equal(again, whole)
    ids = [sentence.id for block in written for sentence in block]
    assert ids == list(SENTENCES.id)  # none of them twice

    other = SPEC.model_copy(update={"seed": 8})
    assert not dino_texts(lm, SENTENCES, INSTRUCTIONS, other, tmp_path / "killed").equals(whole)
    remove_state(tmp_path / "killed")
    assert not (tmp_path / "killed").exists()


def test_a_text_ends_at_its_quotation_mark_and_nothing_is_stripped():
    assert outcome(' a cat."\nmore "text"') == (" a cat.", "")
    assert outcome("a cat") == ("a cat", dino.NO_END)
    assert outcome('" and more') == ("", dino.EMPTY)
    assert outcome('a\ncat"') == ("a\ncat", dino.LINE_BREAK)


def test_a_model_without_keys_and_values_of_each_token_is_refused(tmp_path):
    lm = language_model("gpt2")
    mamba = MODEL_FOR_CAUSAL_LM_MAPPING[MambaConfig](MambaConfig(**SHAPE, state_size=4))
    with pytest.raises(ConfigError, match="mamba does not cache the keys and values"):
        dino_texts(CausalLM(mamba, lm.tokenizer), SENTENCES, INSTRUCTIONS, SPEC, tmp_path)


def test_a_block_is_what_fits_into_memory_at_the_length_of_its_longest_prompt():
    lengths = [10, 40, 10, 10, 95, 0, 0]
    sentences = [dino.Sentence(str(at), "", [[7] * length]) for at, length in enumerate(lengths)]
    blocks = dino.in_blocks([[each] for each in sentences], 10, dino.Memory(1000, 16, token=10))
    assert [[each.id for each in block] for block in blocks] == [["0", "1"], ["2", "3"], ["4"], ["5", "6"]]
    # Blocks are joined, never cut: two and two of 40 + 10 tokens and 20 bytes take 4 x 520 bytes.
    joined = dino.in_blocks(blocks, 10, dino.Memory(2080, 16, token=10, fixed=20))
    assert [len(block) for block in joined] == [4, 1, 2]
    assert [len(block) for block in dino.in_blocks(blocks, 10, dino.Memory(2079, 16, 10, 20))] == [2, 2, 1, 2]
    assert [len(block) for block in dino.in_blocks(blocks, 10, dino.Memory(9e9, 3, 10, 20))] == [2, 3, 2]
    gpt2_xl = SimpleNamespace(config=GPT2Config(n_layer=48, n_embd=1600, n_head=25), dtype=torch.float32)
    assert token_bytes(gpt2_xl) == 614_400


def test_a_gpu_writes_for_as_many_sentences_at_once_as_its_free_memory_takes(tmp_path, monkeypatch):
    lm = language_model("gpt2")
    monkeypatch.setattr(dino, "BLOCK_BYTES", 1)  # a sentence in each block, as of gpt2-xl
    whole = dino_texts(lm, SENTENCES, INSTRUCTIONS, SPEC, tmp_path / "cpu")
    blocks, write = [], dino.Writer.block
    monkeypatch.setattr(
        dino.Writer, "block", lambda self, block: blocks.append(len(block)) or write(self, block)
    )
    monkeypatch.setattr(dino, "free_bytes", lambda device: 10**9)
    pd.testing.assert_frame_equal(dino_texts(lm, SENTENCES, INSTRUCTIONS, SPEC, tmp_path / "gpu"), whole)
    parts = [dino_texts(lm, SENTENCES, INSTRUCTIONS, SPEC, tmp_path / "s", shard, 2) for shard in (0, 1)]
    pd.testing.assert_frame_equal(pd.concat(parts, ignore_index=True), whole)
    assert blocks == [5, 2, 3]


def test_a_model_in_bf16_writes_and_its_blocks_hold_twice_as_much(tmp_path):
    lm = language_model("gpt2")
    exact = dino_texts(lm, SENTENCES, INSTRUCTIONS, SPEC, tmp_path)
    whole = token_bytes(lm.model)
    lm.model.to(torch.bfloat16)
    found = dino_texts(lm, SENTENCES, INSTRUCTIONS, SPEC, tmp_path)
    assert token_bytes(lm.model) == whole / 2
    assert found.refused.eq("").sum() > 9
    first = [texts.text.str[:1] for texts in (exact, found)]
    assert (first[0] == first[1]).mean() > 0.7  # rounding moves a few draws
