"""Alignment and uniformity: ours and the public code."""

from pathlib import Path

import numpy as np
import torch

from benchmarks.compare import Item, Way, agreed
from contrapose.evaluate.geometry import alignment, uniformity

SENTENCES = 6_000  # STS-B's dev and test sets hold 5,758
DIMENSIONS = 768
BATCH = 64  # of the per-batch code
ALLOWED = 1e-6


def item(folder: Path) -> Item:
    """Return the item; `folder` is not used."""
    draws = np.random.default_rng(0)
    centre = draws.normal(size=DIMENSIONS)  # encoders' vectors share a direction
    vectors = (draws.normal(size=(SENTENCES, DIMENSIONS)) + centre).astype(np.float32)
    near = vectors + draws.normal(0, 0.3, vectors.shape).astype(np.float32)
    normalised, partners = (torch.nn.functional.normalize(torch.from_numpy(each)) for each in (vectors, near))

    def ours(_: None) -> tuple[float, float]:
        return alignment(vectors, near), uniformity(vectors)

    def whole(_: None) -> tuple[float, float]:
        aligned = (normalised - partners).norm(p=2, dim=1).pow(2).mean()
        return float(aligned), float(torch.pdist(normalised, p=2).pow(2).mul(-2).exp().mean().log())

    def in_batches(_: None) -> tuple[float, float]:
        parts = list(zip(normalised.split(BATCH), partners.split(BATCH), strict=True))
        aligned = [(one - other).norm(p=2, dim=1).pow(2).mean() for one, other in parts]
        spread = [torch.pdist(one, p=2).pow(2).mul(-2).exp().mean().log() for one, _ in parts]
        return float(torch.stack(aligned).mean()), float(torch.stack(spread).mean())

    def check() -> str:
        furthest = max(abs(a - b) for a, b in zip(ours(None), whole(None), strict=True))
        batched = abs(in_batches(None)[1] - ours(None)[1])
        return (
            f"{agreed(furthest, ALLOWED, 'both')}; the mean over batches is {batched:.1e} off in uniformity"
        )

    return Item(
        work=f"alignment and uniformity of {SENTENCES} vectors of {DIMENSIONS} numbers",
        ours=Way(ours),
        peers={"public code, all pairs": Way(whole), "public code, batch by batch": Way(in_batches)},
        check=check,
        differs=f"the public code takes float32 and a matrix of all pairs at once, "
        f"{SENTENCES * (SENTENCES - 1) * 2 // 10**6} MB here and in proportion to the square of the "
        "sentences, we float64 in strips of 16 MB at any number; batch by batch it sees one pair in "
        f"{SENTENCES // BATCH} only, and the mean of logarithms is not the logarithm of the mean.",
    )
