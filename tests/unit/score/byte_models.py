"""Tiny language models with random weights that read single bytes."""

import torch
from transformers import GPT2Config, GPT2LMHeadModel, GPT2Tokenizer
from transformers.convert_slow_tokenizer import bytes_to_unicode

from contrapose.models.perplexity import CausalLM

END = "<|endoftext|>"
VOCABULARY = {token: at for at, token in enumerate([*bytes_to_unicode().values(), END])}


def byte_tokenizer() -> GPT2Tokenizer:
    return GPT2Tokenizer(vocab=VOCABULARY, merges=[], bos_token=END, eos_token=END)


def language_model(seed: int = 0) -> CausalLM:
    torch.manual_seed(seed)
    sizes = {"vocab_size": 257, "n_positions": 64, "n_embd": 16, "n_layer": 1, "n_head": 2}
    config = GPT2Config(**sizes, initializer_range=0.3, bos_token_id=256, eos_token_id=256)
    return CausalLM(GPT2LMHeadModel(config).eval(), byte_tokenizer())
