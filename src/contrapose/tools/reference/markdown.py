"""Parts of Markdown that several pages share."""

import re
from collections.abc import Iterable, Sequence

# Words of this project, as patterns, with what they mean.
WORDS = {
    "[Rr]oles?": "A *role* is the name under which settings mention a model, such as `bert-base`. The "
    "catalog says which model it stands for.",
    "slots?": "A *slot* is one version of a pair set, counted from 0. With five slots, each sentence has "
    "five positives. Each epoch trains on the next slot, and after the last slot on the first one again.",
    "views?": "A *view* is a positive with its hard negatives. If an anchor has several views, all of them "
    "are trained in the same step, and their losses are added.",
    "suites?": "A *suite* is a group of test sets that are read together.",
    "text form": "The *form* of a text is `raw`, as released, or `senteval`, tokenised by Moses.",
    "probes?": "A *probe* is a list of sentence pairs that measures length bias.",
    "draw": "A *draw* is one attempt to sample a sentence for a corpus.",
    "shards?": "A *shard* is the part of a stage that one job computes.",
    "identifiers?": "An *identifier* is a classifier that detects machine texts.",
}


def begun(text: str) -> str:
    """Return a text with a capital in front, unless its first word is a name with other signs."""
    return text[0].upper() + text[1:] if text.split(" ")[0].strip(",;:").isalpha() else text


def rows(header: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table; `|` is escaped in its cells."""
    escaped = [[cell.replace("|", "\\|") for cell in line] for line in lines]
    return "\n".join(f"| {' | '.join(line)} |" for line in [header, ["---"] * len(header), *escaped])


def glossary(text: str, without: Sequence[str] = ()) -> str:
    """Return a list that explains the project's own words that a page has; empty if it has none.

    `without`: patterns of words that mean something else there.
    """
    told = {pattern: meaning for pattern, meaning in WORDS.items() if pattern not in without}
    said = [meaning for pattern, meaning in told.items() if re.search(rf"\b{pattern}\b", text)]
    return "\n".join(["\nWords of this page:\n", *(f"- {meaning}" for meaning in said), ""]) if said else ""


def one_blank_line(text: str) -> str:
    """Return a page with one blank line between its parts, and one line break at its end."""
    return re.sub(r"\n{3,}", "\n\n", text).rstrip() + "\n"
