"""Texts of DINO, beside a plain way: one prompt at a time, the whole text read for each token."""

from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest
import torch
from transformers import (
    AutoConfig,
    AutoModelForCausalLM,
    GPT2Config,
    GPT2Tokenizer,
    TopKLogitsWarper,
    TopPLogitsWarper,
)  # fmt: skip
from transformers.convert_slow_tokenizer import bytes_to_unicode

from contrapose.base.errors import ConfigError
from contrapose.base.seeds import uniforms
from contrapose.generate import dino_texts as dino
from contrapose.generate.decoding import token_bytes
from contrapose.generate.dino_texts import dino_texts, outcome
from contrapose.jobs.state import remove_state
from contrapose.models.perplexity import CausalLM
from contrapose.settings.corpora import DinoTexts
from contrapose.settings.instructions import Instructions
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
GROUPED = {"intermediate_size": 32, "num_key_value_heads": 1}
KINDS = {
    "gpt2": {},
    "gpt_neox": {"intermediate_size": 32},
    "llama": GROUPED,
    "bloom": {},  # takes no positions: its mask decides
    "qwen2": GROUPED,
    "mistral": {**GROUPED, "sliding_window": 9},
    "gemma": {**GROUPED, "head_dim": 8},
}
LABELS = [
    {"label": 1, "relation": "the same"},
    {"label": 0.5, "relation": "alike", "counters": [1]},
    {"label": 0, "relation": "something else", "counters": [1, 0.5]},
]
INSTRUCTIONS = Instructions(frame='{relation}: "{sentence}" "', labels=LABELS)
SPEC = DinoTexts(corpus="x", entries=3, max_tokens=12, top_k=30, seed=7, decay=30)
TEXTS = ["a cat", 'he said "no" {sentence}', "x", "word " * 20, "grass is green"]
SENTENCES = pd.DataFrame({"id": ["s1", "s2", "s3", "s4", "s5"], "text": TEXTS})


def language_model(kind: str = "gpt2", **settings: float) -> CausalLM:
    torch.manual_seed(0)
    config = AutoConfig.for_model(kind, **SHAPE, **settings)
    merges = [(letter, '"') for letter in LETTERS]
    # No start token, as Qwen's tokenizers: the method has none.
    tokenizer = GPT2Tokenizer(vocab=VOCABULARY, merges=merges, bos_token=None, eos_token=END)
    return CausalLM(AutoModelForCausalLM.from_config(config).eval(), tokenizer)


def texts_of(lm: CausalLM, folder: Path, *shard: int, spec: DinoTexts = SPEC) -> pd.DataFrame:
    return dino_texts(lm, SENTENCES, INSTRUCTIONS, spec, folder, *shard)


def in_shards(lm: CausalLM, folder: Path, shards: int) -> pd.DataFrame:
    parts = [texts_of(lm, folder, at, shards) for at in range(shards)]
    return pd.concat([part for part in parts if len(part)], ignore_index=True)  # a few sentences only


class Blocks(list):
    """The ids of each block of sentences that was written; beyond `most` the job is killed."""

    most = 99


@pytest.fixture
def blocks(monkeypatch) -> Blocks:
    write, written = dino.Writer.block, Blocks()

    def block(self, sentences):
        if len(written) == written.most:
            raise KeyboardInterrupt
        written.append([sentence.id for sentence in sentences])
        return write(self, sentences)

    monkeypatch.setattr(dino.Writer, "block", block)
    return written


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
    lm = language_model(kind, **KINDS[kind])
    table = texts_of(lm, tmp_path)
    checked_arrays(table, "memory", SYNTHETIC)
    assert len(table) == 5 * 3 * 3
    text_of = dict(zip(SENTENCES.id, SENTENCES.text, strict=True))
    # Of GPT-2 all texts, of others one for each sentence and label.
    compared = (table.sentence_id != "s4") & ((table.entry == 0) | (kind == "gpt2"))
    for row in table[compared].itertuples():
        text, refused = plain_text(lm, row.sentence_id, text_of[row.sentence_id], row.label, row.entry)
        assert row.refused == refused
        # What a line break ends is refused in either way, with less or more behind it.
        assert row.text == text if refused != dino.LINE_BREAK else row.text.startswith(text.split("\n")[0])
    assert set(table.refused[table.sentence_id == "s4"]) == {dino.TOO_LONG}
    lengths = table.text[table.refused == ""].str.len()
    assert len(lengths) > 9
    assert lengths.nunique() > 4  # texts leave the block at different times


def test_shards_have_the_same_texts_and_a_killed_job_goes_on_to_them(tmp_path, monkeypatch, blocks):
    lm = language_model()
    monkeypatch.setattr(dino, "MOST_SENTENCES", 2)
    whole = texts_of(lm, tmp_path / "whole")
    for shards in (2, 7):
        pd.testing.assert_frame_equal(in_shards(lm, tmp_path / str(shards), shards), whole)

    blocks.clear()
    blocks.most = 1
    with pytest.raises(KeyboardInterrupt):
        texts_of(lm, tmp_path / "killed")
    blocks.most = 99
    pd.testing.assert_frame_equal(texts_of(lm, tmp_path / "killed"), whole)
    assert [id for block in blocks for id in block] == list(SENTENCES.id)  # none of them twice
    other = SPEC.model_copy(update={"seed": 8})
    assert not texts_of(lm, tmp_path / "killed", spec=other).equals(whole)
    remove_state(tmp_path / "killed")
    assert not (tmp_path / "killed").exists()


def test_a_model_without_keys_and_values_of_each_token_is_refused(tmp_path):
    with pytest.raises(ConfigError, match="mamba does not cache the keys and values"):
        texts_of(language_model("mamba", state_size=4), tmp_path)


def test_a_block_is_what_fits_into_memory_at_the_length_of_its_longest_prompt():
    lengths = [10, 40, 10, 10, 95, 0, 0]
    sentences = [dino.SourceText(str(at), "", [[7] * length]) for at, length in enumerate(lengths)]
    blocks = dino.in_blocks([[each] for each in sentences], 10, dino.Memory(1000, 16, token=10))
    assert [[each.id for each in block] for block in blocks] == [["0", "1"], ["2", "3"], ["4"], ["5", "6"]]
    # Blocks are joined, never cut: two and two of 40 + 10 tokens and 20 bytes take 4 x 520 bytes.
    joined = dino.in_blocks(blocks, 10, dino.Memory(2080, 16, token=10, fixed=20))
    assert [len(block) for block in joined] == [4, 1, 2]
    assert [len(block) for block in dino.in_blocks(blocks, 10, dino.Memory(2079, 16, 10, 20))] == [2, 2, 1, 2]
    assert [len(block) for block in dino.in_blocks(blocks, 10, dino.Memory(9e9, 3, 10, 20))] == [2, 3, 2]
    gpt2_xl = SimpleNamespace(config=GPT2Config(n_layer=48, n_embd=1600, n_head=25), dtype=torch.float32)
    assert token_bytes(gpt2_xl) == 614_400


def test_a_gpu_writes_for_as_many_sentences_as_its_free_memory_takes(tmp_path, monkeypatch, blocks):
    lm = language_model()
    monkeypatch.setattr(dino, "BLOCK_BYTES", 1)  # a sentence in each block, as of gpt2-xl
    whole = texts_of(lm, tmp_path / "cpu")
    monkeypatch.setattr(dino, "free_bytes", lambda device: 10**9)
    blocks.clear()
    pd.testing.assert_frame_equal(texts_of(lm, tmp_path / "gpu"), whole)
    pd.testing.assert_frame_equal(in_shards(lm, tmp_path / "shards", 2), whole)
    assert [len(block) for block in blocks] == [5, 2, 3]
