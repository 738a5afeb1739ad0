"""When two texts count as the same: one rule for corpora, pairs, batches, test sets and answers.

Texts are compared by what these functions return; the text itself is never changed.
"""

import re
import unicodedata

# What is not seen: soft hyphens, joiners, marks of direction, variation selectors, byte order marks.
INVISIBLE = str.maketrans(
    "",
    "",
    "\u00ad\u034f\u061c\u180e\u200b\u200c\u200d\u200e\u200f\u2060\u2061\u2062\u2063\u2064\ufe0e\ufe0f\ufeff",
)
MARKS = re.compile(r"[\W_]+")
LETTERS = "LMN"  # Unicode's categories of letters, marks on letters, and numbers


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
    if folded.isascii():
        return MARKS.sub("", folded) or text
    folded = unicodedata.normalize("NFKC", folded)
    return "".join(each for each in folded if unicodedata.category(each)[0] in LETTERS) or text
