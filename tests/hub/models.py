"""Miniatures of models of the hub: the mini world's weights in the files and with the names of real ones."""

import json
import shutil
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

RESOURCES = Path(__file__).parents[2] / "resources/mini"
# What the hub's folder of a role is made of here.
MADE_OF = {"scorer": "encoders/roberta-large"}
MADE_OF |= {"gpt2": "language_models/gpt2-articles", "gpt2-xl": "language_models/gpt2"}
# Keys of config.json that the real ones had when they were published; today's transformers write more.
CONFIG_KEYS = """
    attention_probs_dropout_prob bos_token_id eos_token_id hidden_act hidden_dropout_prob hidden_size
    initializer_range intermediate_size layer_norm_eps max_position_embeddings model_type num_attention_heads
    num_hidden_layers pad_token_id type_vocab_size vocab_size activation_function attn_pdrop embd_pdrop
    resid_pdrop layer_norm_epsilon n_embd n_head n_layer n_positions
"""
HEADS = {"bert": "BertForMaskedLM", "roberta": "RobertaForMaskedLM", "gpt2": "GPT2LMHeadModel"}


def write_model(place: Path, role: str) -> None:
    """Write the files of the model that plays a role, and a pickle beside them that nobody may ask for."""
    source = RESOURCES / MADE_OF.get(role, f"encoders/{role}")
    config = json.loads((source / "config.json").read_text())
    kind = config["model_type"]
    released = role == "scorer"
    config = {key: config[key] for key in CONFIG_KEYS.split() if config.get(key) is not None}
    config["architectures"] = ["RobertaModel" if released else HEADS[kind]]
    (place / "config.json").write_text(json.dumps(config, indent=2))
    (place / "README.md").write_text("---\nlanguage: en\n---\n")
    (place / "pytorch_model.bin").write_bytes(b"a pickle")
    _write_tokenizer(place, source, kind, released)
    weights = {name: tensor.float() for name, tensor in load_file(source / "model.safetensors").items()}
    save_file(_renamed(weights, kind, released), place / "model.safetensors", {"format": "pt"})


def _write_tokenizer(place: Path, source: Path, kind: str, released: bool) -> None:
    """Write the vocabulary in the files of its kind; SimCSE's checkpoints have no `tokenizer.json`."""
    model = json.loads((source / "tokenizer.json").read_text())["model"]
    if kind == "bert":
        words = sorted(model["vocab"], key=model["vocab"].__getitem__)
        (place / "vocab.txt").write_text("".join(f"{word}\n" for word in words), encoding="utf-8")
    else:
        (place / "vocab.json").write_text(json.dumps(model["vocab"], ensure_ascii=False), encoding="utf-8")
        lines = ["#version: 0.2", *(" ".join(pair) for pair in model["merges"])]
        (place / "merges.txt").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    limit = json.loads((source / "tokenizer_config.json").read_text())["model_max_length"]
    settings: dict[str, object] = {"model_max_length": limit}
    if kind == "bert":
        settings["do_lower_case"] = True
    if released:
        special = {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>", "sep_token": "</s>"}
        special |= {"pad_token": "<pad>", "cls_token": "<s>"}
        marks = {"single_word": False, "lstrip": True, "rstrip": False, "normalized": False}
        tokens = json.dumps({**special, "mask_token": {"content": "<mask>", **marks}})
        (place / "special_tokens_map.json").write_text(tokens)
        settings |= {**special, "add_prefix_space": False, "mask_token": "<mask>"}
    else:
        shutil.copy(source / "tokenizer.json", place)
    (place / "tokenizer_config.json").write_text(json.dumps(settings))


def _renamed(weights: dict[str, Tensor], kind: str, released: bool) -> dict[str, Tensor]:
    """Return weights under the names of the released files: with heads, buffers and TensorFlow's names."""
    if kind == "gpt2":
        found = {name.removeprefix("transformer."): tensor for name, tensor in weights.items()}
        positions = len(found["wpe.weight"])
        mask = torch.ones(positions, positions).tril()[None, None]
        attention = [name for name in found if "c_attn.weight" in name]
        masks = {name.replace("c_attn.weight", "bias"): mask.clone() for name in attention}
        return {name: tensor.contiguous() for name, tensor in {**found, **masks}.items()}
    words = weights["embeddings.word_embeddings.weight"]
    hidden = words.shape[1]
    dense, bias = torch.eye(hidden), torch.zeros(hidden)
    positions = torch.arange(len(weights["embeddings.position_embeddings.weight"]))[None]
    pooler = {"pooler.dense.weight": dense.clone(), "pooler.dense.bias": bias.clone()}
    found = {**weights, **pooler}
    if kind == "roberta":
        found["embeddings.position_ids"] = positions
    if released:
        return found
    if kind == "roberta":
        head = {"dense.weight": dense, "dense.bias": bias, "bias": torch.zeros(len(words))}
        head |= {"layer_norm.weight": bias + 1, "layer_norm.bias": bias}
        heads = {f"lm_head.{name}": tensor.clone() for name, tensor in head.items()}
    else:
        for new, old in {"LayerNorm.weight": "LayerNorm.gamma", "LayerNorm.bias": "LayerNorm.beta"}.items():
            found = {name.replace(new, old): tensor for name, tensor in found.items()}
        head = {"predictions.bias": torch.zeros(len(words)), "predictions.transform.dense.weight": dense}
        head |= {"predictions.transform.dense.bias": bias, "predictions.transform.LayerNorm.gamma": bias + 1}
        head |= {"predictions.transform.LayerNorm.beta": bias.clone()}
        head |= {"seq_relationship.weight": torch.zeros(2, hidden), "seq_relationship.bias": torch.zeros(2)}
        heads = {f"cls.{name}": tensor for name, tensor in head.items()}
    return {f"{kind}.{name}": tensor for name, tensor in found.items()} | heads
