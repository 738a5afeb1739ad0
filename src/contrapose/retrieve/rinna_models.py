"""Models with rinna's sentencepiece vocabulary as ordinary folders, which every library loads as they are.

rinna/japanese-roberta-base and rinna/japanese-gpt2-medium require a slow tokenizer with lower case switched
on by hand, "[CLS]" put in front by hand, and position ids from 0, where RoBERTa counts from padding_idx + 1
(their model cards).  Here all of that is written into the files, once.  (The T5Tokenizer of
transformers 5, which their folders name, has another unknown token, no lower case, and </s> at the end.)
"""

import json
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from safetensors.torch import load_file, save_file
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, processors
from torch import Tensor
from transformers import PreTrainedTokenizerFast

from contrapose.base.errors import ConfigError
from contrapose.models.folders import CONFIG, WEIGHTS, model_folder

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

VOCABULARY = "spiece.model"
TOKENIZER_CONFIG = "tokenizer_config.json"
SPECIAL = ("bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token")
POSITIONS = "embeddings.position_embeddings.weight"  # RoBERTa's table, after the prefix of the model
# Field numbers of sentencepiece_model.proto, whose own reader needs a library that we do without.
PIECES, TRAINER, NORMALIZER = 1, 2, 3
TEXT, SCORE, KIND = 1, 2, 3  # of a piece
NORMAL, UNKNOWN, CONTROL, USER_DEFINED = 1, 2, 3, 4  # its kinds
MODEL_TYPE, BYTE_FALLBACK = 3, 35  # of the trainer's settings
UNIGRAM = 1  # model type
CHARSMAP, DUMMY_PREFIX, REMOVE_EXTRA_BLANKS = 2, 3, 4  # of the normalizer's
BLANK = "\u2581"  # stands for a blank in pieces


def write_rinna_encoder(source: str | Path, folder: Path, revision: str | None = None) -> None:
    """Convert a RoBERTa of rinna's form to a folder that works as its card requires without manual steps.

    Parameters
    ----------
    source : folder, or name on the hub if there is a revision
        With `spiece.model`, a `tokenizer_config.json` that names special tokens, and safetensors weights.
    folder : Path
        Gets the weights with a table of positions that begins with padding_idx + 1 rows of zeros, which are
        never read, so that the first token still has the first row of the source; and a fast tokenizer:
        [CLS] a [SEP], or [CLS] a [SEP] b [SEP].

    Raises
    ------
    ConfigError, BackendError
        As for `contrapose.models.folders.model_folder`; or it is not a RoBERTa, or lacks such a vocabulary.
    """
    original = model_folder(source, revision)
    config = _config(original, "roberta")
    shift = config["pad_token_id"] + 1
    tokenizer = rinna_encoder_tokenizer(original, config["max_position_embeddings"])
    weights = {
        name: torch.cat([tensor.new_zeros(shift, tensor.shape[1]), tensor])
        if name.endswith(POSITIONS)
        else tensor
        for name, tensor in _weights(original).items()
    }
    grown = config | {"max_position_embeddings": config["max_position_embeddings"] + shift}
    _write(folder, grown, weights, tokenizer)


def write_rinna_language_model(source: str | Path, folder: Path, revision: str | None = None) -> None:
    """Convert a GPT-2 of rinna's form to a folder with a fast tokenizer; the weights are not changed.

    Parameters and errors as for `write_rinna_encoder`.  Texts get no special tokens, as in GPT-2.
    """
    original = model_folder(source, revision, "language model")
    config = _config(original, "gpt2")
    _write(folder, config, _weights(original), rinna_tokenizer(original, config["n_positions"]))


def rinna_encoder_tokenizer(folder: Path, max_length: int) -> PreTrainedTokenizerFast:
    """Return the tokenizer of a folder that puts [CLS] before a text, and [SEP] after it and a second one.
    Raises ConfigError as `rinna_tokenizer` does, or if the folder names no such tokens.
    """
    tokenizer = rinna_tokenizer(folder, max_length)
    start, end = tokenizer.cls_token, tokenizer.sep_token
    if start is None or end is None:
        raise ConfigError(
            f"'{folder / TOKENIZER_CONFIG}' names no cls_token or no sep_token, but an encoder needs "
            "both. Add them."
        )
    tokenizer.backend_tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{start} $A {end}",
        pair=f"{start} $A {end} $B {end}",
        special_tokens=[(token, tokenizer.convert_tokens_to_ids(token)) for token in (start, end)],
    )
    return tokenizer


def rinna_tokenizer(folder: Path, max_length: int) -> PreTrainedTokenizerFast:
    """Return a fast tokenizer that splits lower-cased text as the sentencepiece model of a folder does.

    Raises ConfigError if the folder has no such vocabulary, or one of another kind.
    """
    file = folder / VOCABULARY
    if not file.is_file():
        raise ConfigError(
            f"'{folder}' has no {VOCABULARY}, which is the vocabulary of rinna's models. Put the file there."
        )
    names = json.loads((folder / TOKENIZER_CONFIG).read_text(encoding="utf-8"))
    special = {role: _text(names[role]) for role in SPECIAL if names.get(role)}
    fields = list(_fields(file.read_bytes()))
    trainer, normalizer = (dict(_fields(dict(fields).get(part, b""))) for part in (TRAINER, NORMALIZER))
    pieces = [dict(_fields(value)) for field, value in fields if field == PIECES]
    vocabulary = [(piece[TEXT].decode(), struct.unpack("<f", piece[SCORE])[0]) for piece in pieces]
    kinds = [piece.get(KIND, NORMAL) for piece in pieces]
    symbols = {
        text for (text, _), kind in zip(vocabulary, kinds, strict=True) if kind in (CONTROL, USER_DEFINED)
    }
    strange = sorted(symbols - set(special.values()))
    if trainer.get(MODEL_TYPE, UNIGRAM) != UNIGRAM or strange:
        fault = f"has symbols of its own ({', '.join(strange)})" if strange else "is not of the unigram type"
        raise ConfigError(
            f"The vocabulary '{file}' {fault}, but only vocabularies like those of rinna are supported."
        )
    fallback = bool(trainer.get(BYTE_FALLBACK, 0))
    tokenizer = Tokenizer(models.Unigram(vocabulary, unk_id=kinds.index(UNKNOWN), byte_fallback=fallback))
    tokenizer.normalizer = _normalizer(normalizer)
    tokenizer.decoder = decoders.Metaspace()
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        model_max_length=max_length,
        model_input_names=["input_ids", "attention_mask"],  # the models were trained with one token type
        **special,
    )


def _normalizer(settings: dict[int, Any]) -> normalizers.Normalizer:
    """Return a normalizer that lower-cases and then normalizes as sentencepiece does, with its own table.

    The library looks up each grapheme, or else each character, in that table; sentencepiece looks for the
    longest match.  What is left in parts, such as a half-width kana and its voicing mark, is therefore
    composed afterwards.  One difference remains: a combining accent after a full-width letter is lost.
    """
    steps: list[normalizers.Normalizer] = [normalizers.Lowercase()]
    if settings.get(CHARSMAP):
        steps += [normalizers.Precompiled(settings[CHARSMAP]), normalizers.NFC()]
    if settings.get(REMOVE_EXTRA_BLANKS, 1):
        steps += [normalizers.Replace(Regex("^ +| +$"), ""), normalizers.Replace(Regex(" +"), " ")]
    steps.append(normalizers.Replace(" ", BLANK))
    if settings.get(DUMMY_PREFIX, 1):
        steps.append(normalizers.Prepend(BLANK))
    return normalizers.Sequence(steps)


def _fields(data: bytes) -> Iterator[tuple[int, Any]]:
    """Yield number and value (an integer or bytes) of each field of a message in protobuf's wire format."""
    at = 0

    def varint() -> int:
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(data):
        number, wire = divmod(varint(), 8)
        if wire == 0:
            yield number, varint()
            continue
        length = {1: 8, 5: 4}.get(wire) or varint()
        yield number, data[at : at + length]
        at += length


def _text(token: str | dict[str, str]) -> str:
    """Return a special token of a configuration, which may be written with its options."""
    return str(token["content"] if isinstance(token, dict) else token)


def _config(folder: Path, kind: str) -> dict[str, Any]:
    """Return the configuration of a model, without entries that name classes other than those of its type."""
    config = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
    if config.get("model_type") != kind:
        raise ConfigError(
            f"'{folder}' is of type {config.get('model_type')}, but models of rinna are of type "
            f"{kind}. Remove kind: rinna."
        )
    return {key: value for key, value in config.items() if key not in ("auto_map", "tokenizer_class")}


def _weights(folder: Path) -> dict[str, Tensor]:
    """Return every tensor of a folder but the position ids, which older versions of transformers saved."""
    files = sorted(folder.glob("*.safetensors"))
    tensors = {name: tensor for file in files for name, tensor in load_file(file).items()}
    return {name: tensor for name, tensor in tensors.items() if not name.endswith("position_ids")}


def _write(
    folder: Path, config: dict[str, Any], weights: dict[str, Tensor], tokenizer: "PreTrainedTokenizerBase"
) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / CONFIG).write_text(json.dumps(config, indent=2, sort_keys=True) + "\n", encoding="utf-8")
    save_file(weights, folder / WEIGHTS, metadata={"format": "pt"})
    tokenizer.save_pretrained(folder)
