"""Folders of encoders as people have them: what they can declare, for tiny models with random weights."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
import transformers
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers import AutoModel, PreTrainedTokenizerFast

from tests.conftest import WORDS

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "</s>"]
UPPER = ["The", "CAT"]  # as a cased tokenizer knows them
WIDTH = 16
SIZES = {
    "vocab_size": len(SPECIAL) + len(UPPER) + len(WORDS),
    "hidden_size": WIDTH,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 32,
    "max_position_embeddings": 40,
    "pad_token_id": 0,
    "initializer_range": 0.2,
}
TYPES: dict[str, dict[str, Any]] = {
    "Bert": {},
    "Roberta": {},
    "MPNet": {},
    "DistilBert": {"dim": WIDTH, "hidden_dim": 32, "n_layers": 2, "n_heads": 2},
    "ModernBert": {"global_attn_every_n_layers": 2, "local_attention": 4},
    "XLNet": {"d_model": WIDTH, "n_layer": 2, "n_head": 2, "d_inner": 32},
    "Qwen3": {"num_key_value_heads": 1, "head_dim": 8},
}
DEBERTA = {"relative_attention": True, "pos_att_type": ["p2c", "c2p"], "position_buckets": 8}
OTHER_TYPES: dict[str, dict[str, Any]] = {
    "XLMRoberta": {},
    "Camembert": {},
    "Electra": {"embedding_size": WIDTH},
    "DebertaV2": {**DEBERTA, "norm_rel_ebd": "layer_norm", "share_att_key": True},
    "Llama": {"num_key_value_heads": 1, "head_dim": 8},
    "GPT2": {"resid_pdrop": 0.0, "embd_pdrop": 0.0, "attn_pdrop": 0.0},  # no place for dropout
}
DECODERS = ("Qwen3", "Llama", "GPT2")
FORMER, PRESENT = "sentence_transformers.models", "sentence_transformers.sentence_transformer.modules"


def folder_of(kind: str, path: Path, own_limit: int = 32, pad: str | None = "[PAD]") -> Path:
    """Write a folder of `transformers` alone."""
    words = {word: at for at, word in enumerate([*SPECIAL, *UPPER, *WORDS])}
    tokenizer = Tokenizer(models.WordLevel(words, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    # As the tokenizers of these models: XLNet has [CLS] at the end, in a segment of its own.
    forms = {"XLNet": "$A [SEP] [CLS]:2", **dict.fromkeys(DECODERS, "$A </s>")}
    form = forms.get(kind, "[CLS] $A [SEP]")
    names = {"cls_token": "[CLS]", "sep_token": "[SEP]", "mask_token": "[MASK]"}
    names = {"eos_token": "</s>"} if kind in DECODERS else names
    numbers = [(name, SPECIAL.index(name)) for name in names.values() if name in form]
    tokenizer.post_processor = processors.TemplateProcessing(single=form, special_tokens=numbers)
    left = {"padding_side": "left"} if kind in ("XLNet", "Qwen3") else {}
    inputs = ["input_ids", "token_type_ids", "attention_mask"]
    types = {"model_input_names": inputs} if kind in ("Bert", "XLNet") else {}
    named = {**names, "unk_token": "[UNK]", "pad_token": pad, "model_max_length": own_limit}
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, **named, **left, **types).save_pretrained(path)
    with torch.random.fork_rng():
        torch.manual_seed(0)
        sizes = {
            name: size for name, size in SIZES.items() if kind != "XLNet" or name != "max_position_embeddings"
        }
        config = getattr(transformers, f"{kind}Config")(**sizes, **(TYPES | OTHER_TYPES)[kind])
        AutoModel.from_config(config).save_pretrained(path)
    return path


def in_modules(
    folder: Path,
    *modules: tuple[str, dict[str, Any]],
    below: str = "",
    package: str = FORMER,
    transformer: dict[str, Any] | None = None,
    whole: dict[str, Any] | None = None,
) -> Path:
    """Turn such a folder into one of sentence-transformers, with modules behind the transformer.

    `below`: a folder inside, into which the transformer moves.
    """
    if below:
        files = list(folder.iterdir())
        (folder / below).mkdir()
        for file in files:
            file.rename(folder / below / file.name)
    entries = [{"idx": 0, "name": "0", "path": below, "type": f"{FORMER}.Transformer"}]
    for number, (kind, settings) in enumerate(modules, 1):
        path = folder / f"{number}_{kind}"
        path.mkdir()
        entries.append({"idx": number, "name": str(number), "path": path.name, "type": _type(kind, package)})
        write(path / "config.json", settings)
        if kind in WEIGHTS:
            with torch.random.fork_rng():
                torch.manual_seed(number)
                save_file(WEIGHTS[kind](settings), path / "model.safetensors")
    write(folder / "modules.json", entries)
    if transformer is not None:
        write(folder / below / "sentence_bert_config.json", transformer)
    if whole is not None:
        write(folder / "config_sentence_transformers.json", whole)
    return folder


def _type(kind: str, package: str) -> str:
    """The class of a module; version 6 has two packages of them."""
    base = package == PRESENT and kind in ("Dense", "Normalize")
    names = {"WeightedLayerPooling": "weighted_layer_pooling", "LayerNorm": "layer_norm"}
    module = f".{names.get(kind, kind.lower())}" if package == PRESENT else ""
    return f"{'sentence_transformers.base.modules' if base else package}{module}.{kind}"


def _dense(settings: dict[str, Any]) -> dict[str, torch.Tensor]:
    size = (settings["out_features"], settings["in_features"])
    weights = {"linear.weight": torch.randn(size)}
    weights |= {"linear.bias": torch.randn(size[0])} if settings.get("bias", True) else {}
    separate = settings.get("use_residual") and size[0] != size[1]
    return weights | ({"residual.weight": torch.randn(size)} if separate else {})


WEIGHTS: dict[str, Callable[[dict[str, Any]], dict[str, torch.Tensor]]] = {
    "Dense": _dense,
    "LayerNorm": lambda settings: {
        "norm.weight": torch.randn(settings["dimension"]),
        "norm.bias": torch.randn(settings["dimension"]),
    },
    "WeightedLayerPooling": lambda settings: {"layer_weights": torch.tensor([1.0, 2.0])},
}


def pooling(
    *modes: str, width: int = WIDTH, former: bool = True, **others: Any
) -> tuple[str, dict[str, Any]]:
    """Return a Pooling module by the former keys, or by the present one."""
    if not former:
        named = modes[0] if len(modes) == 1 else list(modes)
        return "Pooling", {"embedding_dimension": width, "pooling_mode": named, **others}
    keys = {
        "cls": "cls_token", "max": "max_tokens", "mean": "mean_tokens", "weightedmean": "weightedmean_tokens",
        "mean_sqrt_len_tokens": "mean_sqrt_len_tokens", "lasttoken": "lasttoken",
    }  # fmt: skip
    flags = {f"pooling_mode_{key}": mode in modes for mode, key in keys.items()}
    return "Pooling", {"word_embedding_dimension": width, **flags, **others}


def dense(inputs: int, outputs: int, activation: str = "activation.Tanh", **others: Any) -> tuple[str, dict]:
    """Return a Dense module."""
    sizes = {"in_features": inputs, "out_features": outputs}
    return "Dense", {**sizes, "activation_function": f"torch.nn.modules.{activation}", **others}


def write(path: Path, content: object) -> None:
    path.write_text(json.dumps(content), encoding="utf-8")


def changed(path: Path, **values: object) -> None:
    """Change keys of a JSON file."""
    write(path, {**json.loads(path.read_text()), **values})


def without(folder: Path, name: str) -> None:
    """Leave a tensor out of the weights."""
    weights = load_file(folder / "model.safetensors")
    del weights[name]
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
