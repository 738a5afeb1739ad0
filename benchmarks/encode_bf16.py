"""Vectors of sentences in bf16, beside each peer at its best."""

from pathlib import Path

from benchmarks.compare import Item
from benchmarks.encode import encoding_item


def item(folder: Path) -> Item:
    """Return the item."""
    return encoding_item(folder, "bf16")
