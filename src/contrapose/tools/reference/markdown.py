"""Parts of Markdown that several pages share."""

import re
from collections.abc import Iterable, Sequence


def begun(text: str) -> str:
    """Return a text with a capital in front, unless its first word is a name with other signs."""
    return text[0].upper() + text[1:] if text.split(" ")[0].strip(",;:").isalpha() else text


def rows(header: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table; `|` is escaped in its cells."""
    escaped = [[cell.replace("|", "\\|") for cell in line] for line in lines]
    return "\n".join(f"| {' | '.join(line)} |" for line in [header, ["---"] * len(header), *escaped])


def one_blank_line(text: str) -> str:
    """Return a page with one blank line between its parts, and one line break at its end."""
    return re.sub(r"\n{3,}", "\n\n", text).rstrip() + "\n"
