"""When two texts count as the same: one rule for corpora, pairs, batches, test sets and answers.

Texts are compared by what these functions return; the text itself is never changed.
"""

import unicodedata

# What is not seen: soft hyphens, joiners, marks of direction, variation selectors, byte order marks.
INVISIBLE = str.maketrans(
    "",
    "",
    "\u00ad\u034f\u061c\u180e\u200b\u200c\u200d\u200e\u200f\u2060\u2061\u2062\u2063\u2064\ufe0e\ufe0f\ufeff",
)


def equal_text(text: str) -> str:
    """Return what texts have in common that look the same.

    The text in Unicode's form NFKC, in which composed and full-width characters are the plain ones, without
    invisible characters, and with one space for any white space, no-break spaces included.
    """
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text.translate(INVISIBLE))
    return " ".join(text.split())


def equal_words(text: str) -> str:
    """Return what texts have in common that say the same words: `equal_text` without case, spaces and marks.

    So tokenised and raw text agree.  A text of marks alone is `equal_text`.
    """
    text = equal_text(text)
    folded = text.casefold()
    if not folded.isascii():
        folded = unicodedata.normalize("NFKC", folded)
    return folded.translate(WORDS) or text


class _Words(dict[int, int | None]):
    """What `str.translate` makes of characters: letters, marks on letters and numbers stay."""

    def __missing__(self, code: int) -> int | None:
        stays = unicodedata.category(chr(code))[0] in "LMN"
        return self.setdefault(code, code if stays else None)


WORDS = _Words()
