"""Steps of contrastive training in bf16, beside each peer in bf16."""

from pathlib import Path

from benchmarks.compare import Item
from benchmarks.train_step import MAX_LENGTH, STEPS, training_item


def item(folder: Path) -> Item:
    """Return the item."""
    return training_item(folder, STEPS, MAX_LENGTH, "bf16")
