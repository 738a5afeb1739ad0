"""The mini world's Japanese models, in the form of rinna's: trained as ordinary ones, saved as released.

That form: a sentencepiece vocabulary of lower-cased text, and RoBERTa's positions from 0.
"""

import hashlib
import json
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from safetensors.torch import load_file, save_file
from sentencepiece import SentencePieceTrainer

from contrapose.models.folders import CONFIG, WEIGHTS
from contrapose.retrieve.rinna_models import (
    POSITIONS,
    TOKENIZER_CONFIG,
    VOCABULARY,
    rinna_encoder_tokenizer,
    rinna_tokenizer,
)
from contrapose.settings.catalogs import SmallEncoder, SmallLanguageModel
from contrapose.train.pretraining import pretrain_encoder
from contrapose.train.small_language_models import Document, train_language_model

# Names, and by their order ids, as in rinna's vocabulary (google_sp.vocab of japanese-pretrained-models).
SPECIAL = {
    "unk_token": "<unk>",
    "bos_token": "<s>",
    "eos_token": "</s>",
    "pad_token": "[PAD]",
    "cls_token": "[CLS]",
    "sep_token": "[SEP]",
    "mask_token": "[MASK]",
}
READ = 20_000  # texts that the vocabulary is made from; more change little


def pretrain_rinna_encoder(texts: Sequence[str], spec: SmallEncoder, folder: Path) -> None:
    """Pre-train a RoBERTa and save it in rinna's form.

    Parameters as for `pretrain_encoder`.  `folder` gets `spiece.model` and a `tokenizer_config.json` that
    names its special tokens, in the place of `tokenizer.json`.
    """
    with _released(texts, spec.vocabulary, folder) as (vocabulary, ordinary):
        pretrain_encoder(texts, spec, ordinary, rinna_encoder_tokenizer(vocabulary, spec.positions))


def train_rinna_language_model(texts: Sequence[str], spec: SmallLanguageModel, folder: Path) -> None:
    """Train a GPT-2 on texts, each as a document, and save it in rinna's form, as the encoder is."""
    documents = [Document("", text) for text in texts]
    with _released(texts, spec.vocabulary, folder) as (vocabulary, ordinary):
        train_language_model(documents, spec, ordinary, rinna_tokenizer(vocabulary, spec.positions))


@contextmanager
def _released(texts: Sequence[str], size: int, folder: Path) -> Iterator[tuple[Path, Path]]:
    """Yield folders with a vocabulary, and for an ordinary model, which `folder` then gets as released."""
    with TemporaryDirectory() as temporary:
        vocabulary, ordinary = Path(temporary) / "vocabulary", Path(temporary) / "ordinary"
        _write_vocabulary(texts[:READ], size, vocabulary)
        yield vocabulary, ordinary
        shutil.copytree(vocabulary, folder, dirs_exist_ok=True)
        _write_from_position_0(ordinary, folder)


def _write_vocabulary(texts: Sequence[str], size: int, folder: Path) -> None:
    model = BytesIO()
    SentencePieceTrainer.train(
        sentence_iterator=(text.lower() for text in texts),
        model_writer=model,
        model_type="unigram",
        vocab_size=size,
        character_coverage=1.0,
        unk_id=0,
        bos_id=1,
        eos_id=2,
        pad_id=3,
        pad_piece=SPECIAL["pad_token"],
        user_defined_symbols=[SPECIAL[role] for role in ("cls_token", "sep_token", "mask_token")],
        num_threads=1,  # else the order of sums, and with it the vocabulary, is another one each time
        minloglevel=2,
    )
    folder.mkdir()
    (folder / VOCABULARY).write_bytes(model.getvalue())
    names: dict[str, Any] = SPECIAL | {
        "do_lower_case": True,
        "extra_ids": 0,
        "tokenizer_class": "T5Tokenizer",
    }
    (folder / TOKENIZER_CONFIG).write_text(json.dumps(names, indent=2) + "\n")


def _write_from_position_0(ordinary: Path, folder: Path) -> None:
    """Write config, weights and recipe of an ordinary folder, without the rows that RoBERTa never reads."""
    config = json.loads((ordinary / CONFIG).read_text())
    weights = load_file(ordinary / WEIGHTS)
    if POSITIONS in weights:
        unused = config["pad_token_id"] + 1
        weights[POSITIONS] = weights[POSITIONS][unused:].clone()
        config["max_position_embeddings"] -= unused
    (folder / CONFIG).write_text(json.dumps(config, indent=2, sort_keys=True) + "\n")
    save_file(weights, folder / WEIGHTS, metadata={"format": "pt"})
    recipe = json.loads((ordinary / "recipe.json").read_text())
    recipe["sha256"] = hashlib.sha256((folder / WEIGHTS).read_bytes()).hexdigest()
    (folder / "recipe.json").write_text(json.dumps(recipe, indent=2) + "\n")
