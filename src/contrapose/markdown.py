"""Tables and lists in Markdown."""

from collections.abc import Sequence

import pandas as pd

# Columns of words, not of numbers.
LABELS = (
    *("group", "model", "baseline", "label", "relation", "text", "llm"),
    *("claim", "verdict", "one by one", "paper's numbers"),
)


def markdown_table(table: pd.DataFrame) -> str:
    """Write a table of texts in Markdown; the first column holds names."""
    words = {*LABELS, *table.columns[:1]}
    lines = [list(table.columns), [":--" if name in words else "--:" for name in table.columns]]
    lines += table.astype(str).to_numpy().tolist()
    return "\n".join(f"| {' | '.join(_escaped(cell) for cell in line)} |" for line in lines)


def bullets(lines: Sequence[str]) -> str:
    """Write lines as a Markdown list."""
    return "\n".join(f"- {_one_line(line)}" for line in lines)


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _escaped(text: str) -> str:
    return _one_line(text).replace("|", "\\|")
