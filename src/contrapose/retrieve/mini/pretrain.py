"""Pre-train the mini world's encoders: a real architecture, made small, by masked language modelling.

Run once (`python -m contrapose.retrieve.mini.pretrain --role bert-base --folder ...`); the results are
checked in below `resources/mini/encoders/`.  The sentences come from a world of another seed than any
study uses, in all its styles, as a published encoder has read more than one encyclopedia.
"""

import argparse
import hashlib
import json
import logging
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from pydantic import BaseModel, ConfigDict, Field
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from torch import Tensor, nn
from transformers import (
    BertConfig,
    BertForMaskedLM,
    BertTokenizerFast,
    PreTrainedTokenizerFast,
    RobertaConfig,
    RobertaForMaskedLM,
    RobertaTokenizerFast,
)

from contrapose.retrieve.mini.chinese import lexicon as chinese
from contrapose.retrieve.mini.chinese import wording as chinese_wording
from contrapose.retrieve.mini.facts import (
    Fact,
    Meaning,
    chance,
    change_detail,
    change_relation,
    choice,
    draw_fact,
    negate,
)
from contrapose.retrieve.mini.styles import STYLES, styled
from contrapose.retrieve.mini.wording import Wording, untokenised
from contrapose.seeds import derived_seed, generator

logger = logging.getLogger(__name__)

WORLD_SEED = 1987  # far from 2023, the default world's: the encoders have not read the studies' articles
MASKED_SHARE, MASK_TOKEN_SHARE, RANDOM_TOKEN_SHARE = 0.15, 0.8, 0.1  # BERT, section 3.1
IGNORED = -100
POST_RATE = 0.1  # ours; of Chinese texts with the marks and letters of web pages around them


class MiniEncoder(BaseModel):
    """Recipe of one small pre-trained encoder."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    architecture: Literal["bert", "roberta"]
    language: Literal["english", "chinese"] = "english"
    layers: int = Field(default=2, ge=1)
    hidden: int = Field(default=128, ge=8)
    heads: int = Field(default=2, ge=1)
    vocabulary: int = Field(
        default=2000, ge=300, description="Size of the subword vocabulary, special tokens included"
    )
    positions: int = Field(default=128, ge=16, description="Longest input in tokens")
    texts: int = Field(default=60_000, ge=100)
    steps: int = Field(default=5000, ge=1)
    batch: int = Field(default=32, ge=1)
    learning_rate: float = Field(default=1e-3, gt=0, description="Peak, after 5 % warm-up; then linear to 0")
    seed: int = 1


CHINESE = MiniEncoder(architecture="bert", language="chinese", vocabulary=1080, steps=4500)
MINI_ENCODERS = {
    "bert-base": MiniEncoder(architecture="bert", steps=9000),
    "roberta-base": MiniEncoder(architecture="roberta", vocabulary=2400, steps=9000),
    "roberta-large": MiniEncoder(architecture="roberta", vocabulary=2400, layers=3, hidden=192, heads=3),
    "bert-base-chinese": CHINESE,
    # As the published ones are, these two are BERT models in spite of their names.
    "chinese-roberta-wwm-ext": CHINESE.model_copy(update={"seed": 2, "steps": 4000}),
    "chinese-roberta-wwm-ext-large": CHINESE.model_copy(
        update={"seed": 2, "layers": 3, "hidden": 192, "heads": 3, "steps": 2500}
    ),
}


def pretraining_texts(count: int, language: str = "english", seed: int = WORLD_SEED) -> list[str]:
    """Return `count` short texts of a world: one sentence, or two neighbours that speak of the same things.

    Half of the English ones are cased prose, half are in the benchmarks' styles; the Chinese ones are in any
    style.  Neighbours share an entity or tell of one event with another detail, in other words, as the
    sentences of a document do; that is what a masked language model can learn synonyms from.
    """
    rng = generator("mini", seed, "pretraining texts")
    text = {"english": _english_text, "chinese": _chinese_text}[language]
    return [text(rng) for _ in range(count)]


def _english_text(rng: np.random.Generator) -> str:
    fact = _drawn_fact(rng)
    style = "news" if chance(rng, 0.5) else choice(rng, tuple(STYLES))
    sentences = [styled(style, meaning, Wording(rng)) for meaning in _neighbours(rng, fact)]
    return " ".join(untokenised(text) if style == "news" else text.lower() for text in sentences)


def _chinese_text(rng: np.random.Generator) -> str:
    style = choice(rng, tuple(chinese_wording.STYLES))
    meanings = _neighbours(rng, _drawn_fact(rng))
    text = "".join(chinese_wording.styled(style, meaning, Wording(rng)) for meaning in meanings)
    return choice(rng, chinese.POSTS).format(text) if chance(rng, POST_RATE) else text


def _drawn_fact(rng: np.random.Generator) -> Fact:
    return negate(rng, draw_fact(rng)) if chance(rng, 0.1) else draw_fact(rng)


def _neighbours(rng: np.random.Generator, fact: Fact) -> list[Meaning]:
    """Return what one sentence says or two neighbours do, the first of them `fact`."""
    if chance(rng, 0.3):
        return [(fact, draw_fact(rng))]
    if chance(rng, 0.4):
        return [(fact,)]
    other = change_detail(rng, fact) if chance(rng, 0.5) else change_relation(rng, fact)
    return [(fact,), (other,)]


def pretrain_encoder(texts: Sequence[str], spec: MiniEncoder, folder: Path) -> Path:
    """Train tokenizer and encoder by masked language modelling and save them as a transformers folder.

    Parameters
    ----------
    texts : sequence of str
        About 100 bytes of memory each as text, twice that as token ids.
    spec : MiniEncoder
    folder : Path
        Gets config, tokenizer and `model.safetensors` (float16, no pooler) and `recipe.json`.

    Returns
    -------
    Path
        `folder`.  The weights are a function of the arguments on one machine with one thread; other
        machines round differently.
    """
    # Without the language, which came later and must not change the seeds of the encoders made before.
    recipe = spec.model_dump_json(exclude={"language"})
    torch.manual_seed(derived_seed("mini", "encoder", recipe) % 2**63)
    tokenizer = _tokenizer(texts, spec)
    model = _masked_model(spec, tokenizer)
    encoded = tokenizer(list(texts), truncation=True, max_length=spec.positions)["input_ids"]
    started = time.perf_counter()
    losses = _train(model, tokenizer, encoded, spec)
    seconds = time.perf_counter() - started
    folder.mkdir(parents=True, exist_ok=True)
    encoder = model.bert if spec.architecture == "bert" else model.roberta
    encoder.half().save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    made = spec.model_dump() | {
        "final_loss": round(float(np.mean(losses[-100:])), 4),  # nats per masked token
        "seconds": round(seconds),
        "threads": torch.get_num_threads(),
        "torch": torch.__version__,
        "sha256": hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest(),
    }
    (folder / "recipe.json").write_text(json.dumps(made, indent=2) + "\n")
    return folder


def _tokenizer(texts: Sequence[str], spec: MiniEncoder) -> PreTrainedTokenizerFast:
    return _wordpiece(texts, spec) if spec.architecture == "bert" else _byte_level(texts, spec)


def _wordpiece(texts: Sequence[str], spec: MiniEncoder) -> PreTrainedTokenizerFast:
    vocabulary = _wordpiece_vocabulary(texts, spec.vocabulary)
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    ends = [(token, vocabulary[token]) for token in ("[CLS]", "[SEP]")]
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=ends
    )
    tokenizer.decoder = decoders.WordPiece()
    return BertTokenizerFast(tokenizer_object=tokenizer, model_max_length=spec.positions)


def _wordpiece_vocabulary(texts: Sequence[str], size: int) -> dict[str, int]:
    """Return a WordPiece vocabulary: every letter at both places of a word, then the commonest pieces.

    The library's own WordPiece trainer numbers its letters by a random hash and so gives another
    vocabulary each time; its BPE trainer with a given alphabet does not, so pieces are cut with that.
    """
    normalizer, splitter = normalizers.BertNormalizer(lowercase=True), pre_tokenizers.BertPreTokenizer()
    words: Counter[str] = Counter()
    for text in texts:
        words.update(word for word, _ in splitter.pre_tokenize_str(normalizer.normalize_str(text)))
    letters = sorted({letter for word in words for letter in word})
    pieces = Tokenizer(models.BPE())
    pieces.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    trainer = trainers.BpeTrainer(vocab_size=size, initial_alphabet=letters, show_progress=False)
    pieces.train_from_iterator((word for word in sorted(words) for _ in range(words[word])), trainer)
    counts: Counter[str] = Counter()
    for word in sorted(words):
        first, *rest = pieces.encode(word).tokens
        counts.update({first: words[word]})
        counts.update({f"##{piece}": words[word] for piece in rest})
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    # The normalizer sets Chinese characters apart, so they never continue a word.
    alphabet = [*letters, *(f"##{letter}" for letter in letters if not "\u4e00" <= letter <= "\u9fff")]
    common = sorted(counts.keys() - set(alphabet), key=lambda piece: (-counts[piece], piece))
    return {token: number for number, token in enumerate([*special, *alphabet, *common][:size])}


def _byte_level(texts: Sequence[str], spec: MiniEncoder) -> PreTrainedTokenizerFast:
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=spec.vocabulary,
        special_tokens=special,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0))
    return RobertaTokenizerFast(tokenizer_object=tokenizer, model_max_length=spec.positions)


def _masked_model(spec: MiniEncoder, tokenizer: PreTrainedTokenizerFast) -> Any:
    shape = {
        "vocab_size": len(tokenizer),
        "num_hidden_layers": spec.layers,
        "hidden_size": spec.hidden,
        "num_attention_heads": spec.heads,
        "intermediate_size": 4 * spec.hidden,
        "pad_token_id": tokenizer.pad_token_id,
    }
    if spec.architecture == "bert":
        return BertForMaskedLM(BertConfig(max_position_embeddings=spec.positions, **shape))
    ends = {"bos_token_id": tokenizer.bos_token_id, "eos_token_id": tokenizer.eos_token_id}
    # RoBERTa counts positions from pad_token_id + 1, so two rows of the table are never used.
    return RobertaForMaskedLM(
        RobertaConfig(max_position_embeddings=spec.positions + 2, type_vocab_size=1, **shape, **ends)
    )


def _train(
    model: Any, tokenizer: PreTrainedTokenizerFast, encoded: list[list[int]], spec: MiniEncoder
) -> list[float]:
    """Train in place; return the loss of every step in nats per masked token."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=spec.learning_rate, weight_decay=0.01)
    warm_up = max(1, spec.steps // 20)

    def schedule(step: int) -> float:
        return min((step + 1) / warm_up, max(0.0, (spec.steps - step) / (spec.steps - warm_up)))

    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, schedule)
    losses: list[float] = []
    model.train()
    for step, rows in enumerate(_batches(encoded, spec)):
        losses.append(_step(model, optimizer, _masked(rows, tokenizer)))
        scheduler.step()
        if step % 200 == 0:
            logger.info("step %d of %d, loss %.3f", step, spec.steps, float(np.mean(losses[-200:])))
    return losses


def _batches(encoded: list[list[int]], spec: MiniEncoder) -> Iterator[list[list[int]]]:
    """Yield `steps` batches; the rows of a batch have similar lengths, for the sake of speed."""
    rng = generator("mini", "encoder batches", spec.seed)
    chunk = 20 * spec.batch
    done = 0
    while True:
        order = rng.permutation(len(encoded))
        for start in range(0, len(order), chunk):
            rows = sorted((encoded[i] for i in order[start : start + chunk]), key=len)
            starts = np.arange(0, len(rows), spec.batch)
            for begin in rng.permutation(starts):
                if done == spec.steps:
                    return
                done += 1
                yield rows[begin : begin + spec.batch]


def _masked(rows: list[list[int]], tokenizer: PreTrainedTokenizerFast) -> tuple[Tensor, Tensor, Tensor]:
    """Return ids with some masked, attention mask, and labels, each of shape (B, T)."""
    longest = max(map(len, rows))
    pad = tokenizer.pad_token_id
    ids = torch.tensor([row + [pad] * (longest - len(row)) for row in rows])  # (B, T)
    attention = (ids != pad).long()
    special = torch.isin(ids, torch.tensor(tokenizer.all_special_ids))
    chosen = (torch.rand(ids.shape) < MASKED_SHARE) & ~special
    labels = torch.where(chosen, ids, IGNORED)
    fate = torch.rand(ids.shape)
    ids = torch.where(chosen & (fate < MASK_TOKEN_SHARE), tokenizer.mask_token_id, ids)
    to_random = chosen & (fate >= MASK_TOKEN_SHARE) & (fate < MASK_TOKEN_SHARE + RANDOM_TOKEN_SHARE)
    return torch.where(to_random, torch.randint(len(tokenizer), ids.shape), ids), attention, labels


def _step(model: Any, optimizer: torch.optim.Optimizer, batch: tuple[Tensor, Tensor, Tensor]) -> float:
    ids, attention, labels = batch
    hidden = model.base_model(input_ids=ids, attention_mask=attention).last_hidden_state  # (B, T, D)
    head = model.cls if hasattr(model, "cls") else model.lm_head
    chosen = labels != IGNORED
    loss = nn.functional.cross_entropy(
        head(hidden[chosen]), labels[chosen]
    )  # only masked positions are scored
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    return float(loss.detach())


def main() -> None:
    """Make one of `MINI_ENCODERS` with one thread."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--role", choices=sorted(MINI_ENCODERS), required=True)
    parser.add_argument("--folder", type=Path, required=True)
    arguments = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    torch.set_num_threads(1)
    spec = MINI_ENCODERS[arguments.role]
    pretrain_encoder(pretraining_texts(spec.texts, spec.language), spec, arguments.folder)


if __name__ == "__main__":
    main()
