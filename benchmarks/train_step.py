"""Steps of contrastive training: our loop and the trainer of sentence-transformers."""

from pathlib import Path

import numpy as np
import pandas as pd
import torch
from datasets import Dataset
from sentence_transformers import (
    SentenceTransformer,
    SentenceTransformerTrainer,
    SentenceTransformerTrainingArguments,
)
from sentence_transformers.losses import MultipleNegativesRankingLoss
from sentence_transformers.models import Dense, Pooling, Transformer
from sentence_transformers.sampler import DefaultBatchSampler
from torch.utils.data import SequentialSampler
from transformers import PrinterCallback

from benchmarks.compare import Item, Way, agreed
from benchmarks.mini_text import mini_sentences
from contrapose.config import Recipe
from contrapose.pairs.rows import as_pairs
from contrapose.seeds import generator
from contrapose.train.encoder import SentenceEncoder, new_encoder
from contrapose.train.loop import Surroundings, train_encoder

ENCODER = Path(__file__).parents[1] / "resources" / "mini" / "encoders" / "bert-base"
STEPS = 10
SEED = 42
RECIPE = Recipe(batch_size=64, learning_rate=3e-4, dev_every=STEPS)  # the mini world's learning rate
ALLOWED = 1e-4  # of losses of 4 to 9 nats: float32 after 10 steps of AdamW
# Our loop scores its dev set after the last step at the latest: 4 short texts, beside 1280 of the steps.
DEV = pd.DataFrame({"sentence1": ["a dog", "a cat"], "sentence2": ["a dog", "a mill"], "score": [5.0, 0.0]})


class _NotedLoss(MultipleNegativesRankingLoss):
    """The loss of the peer, which also writes down what it returned."""

    def __init__(self, model: SentenceTransformer) -> None:
        super().__init__(model, scale=1 / RECIPE.temperature)
        self.noted: list[float] = []

    def forward(self, *arguments: object, **named: object) -> torch.Tensor:
        loss = super().forward(*arguments, **named)
        self.noted.append(float(loss.detach()))  # our loop notes every loss too
        return loss


def item(folder: Path) -> Item:
    """Return the item; the pairs are sentences that follow each other."""
    texts = pd.Series(mini_sentences(folder, 2 * STEPS * RECIPE.batch_size))
    anchor, positive = texts[::2].reset_index(drop=True), texts[1::2].reset_index(drop=True)
    pairs = as_pairs(anchor.index.astype(str).to_series(), anchor, positive)
    order = generator("order", SEED, 0).permutation(len(pairs))  # of our first epoch
    rows = Dataset.from_pandas(pairs.loc[order, ["anchor", "positive"]], preserve_index=False)
    plain = RECIPE.model_copy(update={"dropout": 0.0})

    def ours(encoder: SentenceEncoder, recipe: Recipe = RECIPE) -> pd.DataFrame:
        return train_encoder(encoder, pairs, DEV, recipe, SEED, Surroundings("cpu"))

    def check() -> str:
        history = ours(new_encoder(ENCODER, plain, SEED), plain)
        peer = _trainer(rows, plain, folder)
        peer.train()
        furthest = np.abs(history.loss - peer.loss.noted).max()
        return agreed(float(furthest), ALLOWED, f"without dropout, the losses of {STEPS} steps")

    return Item(
        work=f"{STEPS} steps of in-batch InfoNCE, {RECIPE.batch_size} pairs of up to {RECIPE.max_length} "
        "tokens, the mini world's bert-base (2 layers of 128), [CLS] and MLP, AdamW",
        ours=Way(ours, lambda: new_encoder(ENCODER, RECIPE, SEED)),
        peers={
            "sentence-transformers trainer": Way(
                lambda peer: peer.train(), lambda: _trainer(rows, RECIPE, folder)
            )
        },
        check=check,
        differs="we tokenise all texts once before the first step and encode both sides of the pairs in one "
        "call, the peer tokenises batch by batch and encodes each side in a call; our time holds a dev score "
        "of 4 texts and a copy of the weights, its trainer is made outside the time; its model computes "
        "BERT's own pooler too, which nothing uses. An encoder this small shows the cost of a loop rather "
        "than that of a large encoder.",
    )


def _trainer(rows: Dataset, recipe: Recipe, folder: Path) -> SentenceTransformerTrainer:
    """Build the peer's trainer with our weights and settings; it takes the rows in their order."""
    dense = new_encoder(ENCODER, recipe, SEED).head[0].linear
    dropout = (
        {}
        if recipe.dropout is None
        else dict.fromkeys(("hidden_dropout_prob", "attention_probs_dropout_prob"), recipe.dropout)
    )
    # The folder holds float16, which transformers would train in.
    word = Transformer(
        str(ENCODER),
        max_seq_length=recipe.max_length,
        model_kwargs={"dtype": torch.float32},
        config_kwargs=dropout,
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
        num_train_epochs=recipe.epochs,
        per_device_train_batch_size=recipe.batch_size,
        learning_rate=recipe.learning_rate,
        lr_scheduler_type=recipe.schedule,
        weight_decay=recipe.weight_decay,
        max_grad_norm=recipe.clip,
        optim="adamw_torch",
        seed=SEED,
        batch_sampler=lambda dataset, **named: DefaultBatchSampler(SequentialSampler(dataset), **named),
        use_cpu=True,
        save_strategy="no",
        logging_strategy="no",
        report_to="none",
        disable_tqdm=True,
    )
    trainer = SentenceTransformerTrainer(model, arguments, train_dataset=rows, loss=_NotedLoss(model))
    trainer.remove_callback(PrinterCallback)  # which prints, as there is no progress bar
    return trainer
