"""Bootstrap of two correlations: ours and a loop over scipy."""

from pathlib import Path

import numpy as np
from scipy.stats import pearsonr, spearmanr

from benchmarks.compare import Item, Way, agreed
from contrapose.evaluate.bootstrap import resampled_correlations

PAIRS = 1000
RESAMPLES = 1000
ALLOWED = 1e-12


def item(folder: Path) -> Item:
    """Return the item; `folder` is not used."""
    data = np.random.default_rng(0)
    gold = np.round(5 * data.random(PAIRS), 1)  # ties, as in the gold scores of STS
    values = gold / 5 + data.normal(0, 0.3, PAIRS)

    def ours(_: None) -> dict[str, np.ndarray]:
        return resampled_correlations(values, gold, RESAMPLES, np.random.default_rng(1))

    def theirs(_: None) -> dict[str, np.ndarray]:
        rng = np.random.default_rng(1)
        found: dict[str, list[float]] = {"spearman": [], "pearson": []}
        for _round in range(RESAMPLES):
            drawn = rng.integers(0, PAIRS, PAIRS)
            found["spearman"].append(spearmanr(values[drawn], gold[drawn]).statistic)
            found["pearson"].append(pearsonr(values[drawn], gold[drawn]).statistic)
        return {metric: np.array(each) for metric, each in found.items()}

    def check() -> str:
        our, their = ours(None), theirs(None)
        furthest = max(float(np.abs(our[metric] - their[metric]).max()) for metric in their)
        return agreed(furthest, ALLOWED, "correlations")

    return Item(
        work=f"Spearman and Pearson of {RESAMPLES} resamples of {PAIRS} pairs",
        ours=Way(ours),
        peers={"scipy loop": Way(theirs)},
        check=check,
        differs="scipy computes a p-value with each correlation.",
    )
