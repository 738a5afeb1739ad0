"""Steps of contrastive training on whole sentences: the lengths of a batch differ more."""

from pathlib import Path

from benchmarks.compare import Item
from benchmarks.train_step import training_item

STEPS = 2
MAX_LENGTH = 128  # tokens; hardly a sentence of Wikipedia is longer


def item(folder: Path) -> Item:
    """Return the item."""
    return training_item(folder, STEPS, MAX_LENGTH)
