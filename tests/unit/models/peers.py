"""What tests of encoders share: a folder that sentence-transformers reads too."""

from pathlib import Path

import numpy as np
from sentence_transformers import SentenceTransformer

from contrapose.models.embeddings import embeddings
from contrapose.models.export import save_encoder
from contrapose.models.sentence_encoder import SentenceEncoder, load_encoder

TEXTS = ["the cat sat on the mat", "a dog", "the big red dog ran quick quick away in a park"]
EQUAL = 1e-5  # of numbers in float32, which other batches round otherwise


def saved(
    encoder: SentenceEncoder, folder: Path, texts: list[str] = TEXTS
) -> tuple[SentenceEncoder, SentenceTransformer]:
    """Save an encoder, and load it here and with sentence-transformers, both with the same vectors."""
    save_encoder(encoder, folder)
    ours = embeddings(encoder, texts)
    again = load_encoder(folder)
    assert np.abs(embeddings(again, texts) - ours).max() == 0
    # A flow's class is none of its own, so version 6 asks for trust: it imports what is installed.
    theirs = SentenceTransformer(str(folder), device="cpu", trust_remote_code=True)
    assert np.abs(theirs.encode(texts) - ours).max() < EQUAL
    return again, theirs
