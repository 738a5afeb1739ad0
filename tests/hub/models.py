"""Miniatures of models of the hub: the mini world's weights in the files and with the names of real ones."""

import json
import shutil
from pathlib import Path

import torch
from safetensors.torch import save_file
from tokenizers import Tokenizer, decoders, pre_tokenizers, processors
from tokenizers import models as tokenizers
from torch import Tensor
from transformers import (
    AutoModel,
    AutoModelForPreTraining,
    PreTrainedTokenizerFast,
    T5Config,
    T5ForConditionalGeneration,
)

RESOURCES = Path(__file__).parents[2] / "resources/mini"
# What the hub's folder of a role is made of here.
SIMCSE = {
    **{"scorer": "encoders/roberta-large", "sup-simcse-roberta-base": "encoders/roberta-base"},
    **{f"unsup-simcse-roberta-{size}": f"encoders/roberta-{size}" for size in ("base", "large")},
}
BERTS = ("unsup-simcse-bert-base", "sup-simcse-bert-base", "rankcse-teacher-ja", "bert-base-nli")
# Without the head of language models, as sentence encoders are.
BARE = {**SIMCSE, **dict.fromkeys(BERTS, "encoders/bert-base"), "roberta-base-nli": "encoders/roberta-base"}
MADE_OF = {**BARE, "gpt2": "language_models/gpt2-articles", "gpt2-xl": "language_models/gpt2"}
RINNA = {"japanese-roberta-base": "encoders/japanese-roberta-base"}
RINNA["japanese-gpt2-medium"] = "language_models/japanese-gpt2"
PICKLES = ("chinese-roberta-wwm-ext", "chinese-roberta-wwm-ext-large")  # without other weights
BODIES = {"bert": "BertModel", "roberta": "RobertaModel"}
HEADS = {"bert": "BertForMaskedLM", "roberta": "RobertaForMaskedLM", "gpt2": "GPT2LMHeadModel"}


SPECIAL = ["<pad>", "</s>", "<unk>"]
WORDS = ["▁true", "▁false", "▁the", "▁sentence", "▁Sentence", "ing", "▁con", '"', '▁"', "▁", "?", '",', '▁",']
LETTERS = [chr(code) for code in range(33, 127) if chr(code) not in '"?']


def write_t5(place: Path) -> Path:
    """Write a T5 with random weights, and a tokenizer of its kind: word pieces, a space before each text."""
    vocabulary = [(token, 0.0) for token in SPECIAL]
    vocabulary += [(token, -float(at + 2)) for at, token in enumerate([*WORDS, *LETTERS])]
    tokens = Tokenizer(tokenizers.Unigram(vocabulary, unk_id=2))
    spaces = pre_tokenizers.Metaspace("▁", prepend_scheme="always")
    tokens.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), spaces])
    tokens.decoder = decoders.Metaspace("▁", prepend_scheme="always")
    tokens.post_processor = processors.TemplateProcessing("$A </s>", special_tokens=[("</s>", 1)])
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=tokens, pad_token="<pad>", eos_token="</s>", unk_token="<unk>", model_max_length=512
    )
    config = T5Config(
        vocab_size=len(vocabulary), d_model=16, d_kv=8, d_ff=32, num_layers=1, num_heads=2, pad_token_id=0,
        eos_token_id=1, decoder_start_token_id=0, architectures=["T5ForConditionalGeneration"],
    )  # fmt: skip
    torch.manual_seed(0)
    T5ForConditionalGeneration(config).save_pretrained(place)
    tokenizer.save_pretrained(place)
    return place


def write_model(place: Path, role: str) -> None:
    """Write the files of the model that plays a role; nobody may ask for a pickle that is not alone."""
    (place / "pytorch_model.bin").write_bytes(b"a pickle")
    if role in RINNA:  # in the form of its own releases
        shutil.copytree(RESOURCES / RINNA[role], place, dirs_exist_ok=True)
        return
    if role == "nli-synthesizer":
        (write_t5(place) / "generation_config.json").unlink()
        return
    source = RESOURCES / MADE_OF.get(role, f"encoders/{role}")
    weights_alone = shutil.ignore_patterns("*.safetensors", "modules.json", "1_Pooling")
    shutil.copytree(source, place, ignore=weights_alone, dirs_exist_ok=True)
    config = json.loads((source / "config.json").read_text())
    kind, bare = config["model_type"], role in BARE
    config["architectures"] = [(BODIES if bare else HEADS)[kind]]
    (place / "config.json").write_text(json.dumps(config, indent=2))
    if role in SIMCSE:
        _without_tokenizer_json(place)
    weights = {name: tensor.clone() for name, tensor in _released_weights(source, kind, bare).items()}
    if role in PICKLES:
        torch.save(weights, place / "pytorch_model.bin")
    else:
        save_file(weights, place / "model.safetensors", {"format": "pt"})


def _without_tokenizer_json(place: Path) -> None:
    """Put the vocabulary into the files of SimCSE's checkpoints."""
    Tokenizer.from_file(str(place / "tokenizer.json")).model.save(str(place))
    (place / "tokenizer.json").unlink()
    limit = json.loads((place / "tokenizer_config.json").read_text())["model_max_length"]
    special = {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>", "sep_token": "</s>"}
    special |= {"pad_token": "<pad>", "cls_token": "<s>"}
    marks = {"single_word": False, "lstrip": True, "rstrip": False, "normalized": False}
    tokens = json.dumps({**special, "mask_token": {"content": "<mask>", **marks}})
    (place / "special_tokens_map.json").write_text(tokens)
    settings = {"model_max_length": limit, "add_prefix_space": False, "mask_token": "<mask>"}
    (place / "tokenizer_config.json").write_text(json.dumps(settings | special))


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
