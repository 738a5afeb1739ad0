"""Sentences whose words have tags, as the step before strategies of English sentences finds them."""

import pandas as pd

from contrapose.score.grammar import INFLECTED, tagged_words
from contrapose.tables import TAGS
from tests.tables import sentences

BASES = {
    **{"sleeps": "sleep", "slept": "sleep", "goes": "go", "lost": "lose", "has": "have", "had": "have"},
    **{"does": "do", "did": "do", "lives": "live", "came": "come", "left": "leave", "said": "say"},
    **{"knows": "know", "gives": "give"},
}


class Given:
    """A tagger that knows the answer."""

    def __init__(self, tags: str) -> None:
        self.tags = tags.split()

    def tag(self, tokens: list[str]) -> list[tuple[str, str]]:
        return list(zip(tokens, self.tags, strict=True))


def tagged(rows: dict[str, str]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return SENTENCES and TAGS of {text: tags of its words}."""
    found = sentences(*rows)
    return found, pd.DataFrame(
        [(each, *_row(text, tags)) for each, text, tags in zip(found.id, rows, rows.values(), strict=True)],
        columns=TAGS.columns,
    )


def _row(text: str, tags: str) -> list[str]:
    words, own = tagged_words(Given(tags), text)
    low = [word.lower() for word in words]
    bases = [BASES.get(word, word) if tag in INFLECTED else word for word, tag in zip(low, own, strict=True)]
    return [" ".join(each) for each in (words, own, bases)]
