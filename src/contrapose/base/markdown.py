"""Tables and lists in Markdown."""

import re
from collections.abc import Sequence

import pandas as pd

# Columns of words, not of numbers.
LABELS = (
    "group", "model", "baseline", "label", "relation", "text", "llm", "score", "anchor", "positive",
    "negative", "sentence 1", "sentence 2", "set", "claim", "verdict", "one by one", "paper's numbers",
)  # fmt: skip


def markdown_table(table: pd.DataFrame) -> str:
    """Write a table of texts in Markdown; the first column holds names."""
    words = {*LABELS, *table.columns[:1]}
    lines = [list(table.columns), [":--" if name in words else "--:" for name in table.columns]]
    lines += table.astype(str).to_numpy().tolist()
    return "\n".join(f"| {' | '.join(_escaped(cell) for cell in line)} |" for line in lines)


def padded(text: str) -> str:
    """Align the columns of the table in a Markdown text, for readers of its source."""
    lines = {line: re.split(r" ?(?<!\\)\| ?", line)[1:-1] for line in text.splitlines() if line[:1] == "|"}
    columns = list(zip(*lines.values(), strict=True))
    widths = [max(map(len, column)) for column in columns]

    def aligned(cells: Sequence[str]) -> str:
        with_widths = zip(cells, columns, widths, strict=True)
        texts = (cell.ljust(n) if ":--" in column else cell.rjust(n) for cell, column, n in with_widths)
        return f"| {' | '.join(texts)} |"

    return "\n".join(aligned(lines[line]) if line in lines else line for line in text.splitlines())


def bullets(lines: Sequence[str]) -> str:
    """Write lines as a Markdown list."""
    return "\n".join(f"- {_one_line(line)}" for line in lines)


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _escaped(text: str) -> str:
    return _one_line(text).replace("|", "\\|")
