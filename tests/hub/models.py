"""Miniatures of models of the hub: the mini world's weights in the files and with the names of real ones."""

import json
import shutil
from pathlib import Path

import torch
from safetensors.torch import save_file
from tokenizers import Tokenizer
from torch import Tensor
from transformers import AutoModel, AutoModelForPreTraining

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
    weights = {name: tensor.clone() for name, tensor in _released_weights(source, kind, released).items()}
    save_file(weights, place / "model.safetensors", {"format": "pt"})


def _write_tokenizer(place: Path, source: Path, kind: str, released: bool) -> None:
    """Write the vocabulary in the files of its kind; SimCSE's checkpoints have no `tokenizer.json`."""
    Tokenizer.from_file(str(source / "tokenizer.json")).model.save(str(place))
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


def _released_weights(source: Path, kind: str, bare: bool) -> dict[str, Tensor]:
    """Return weights under the names of the released files: with heads, buffers and TensorFlow's names."""
    model = AutoModel.from_pretrained(source, dtype=torch.float32)
    config, found = model.config, model.state_dict()
    if kind == "gpt2":
        mask = torch.ones(config.n_positions, config.n_positions).tril()[None, None]
        return found | {f"h.{layer}.attn.bias": mask for layer in range(config.n_layer)}
    found["pooler.dense.weight"] = torch.eye(config.hidden_size)
    found["pooler.dense.bias"] = torch.zeros(config.hidden_size)
    if kind == "roberta":
        found["embeddings.position_ids"] = torch.arange(config.max_position_embeddings)[None]
    if bare:
        return found
    whole = AutoModelForPreTraining.from_pretrained(source, dtype=torch.float32).state_dict()
    heads = {name: tensor for name, tensor in whole.items() if name.startswith(("cls.", "lm_head."))}
    found = {f"{kind}.{name}": tensor for name, tensor in found.items()}
    found |= {name: tensor for name, tensor in heads.items() if "decoder" not in name}  # the embeddings again
    if kind == "bert":
        for new, old in {"LayerNorm.weight": "LayerNorm.gamma", "LayerNorm.bias": "LayerNorm.beta"}.items():
            found = {name.replace(new, old): tensor for name, tensor in found.items()}
    return found
