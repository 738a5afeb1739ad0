"""Where in the journals the answer to a request is: 16 bytes per answer."""

import logging
import os
from bisect import bisect_left
from collections.abc import Iterator

import numpy as np

LINE_START = b'\n{"key":"'  # of an answer, with the end of the line before it
MARKED_START, MARK_PASSED = b"\n\xef\xbb\xbf", b"   \n"  # editors put this mark of UTF-8 before a text
SHORT_HEX = 16  # digits of the key in the index: 64 bits; the whole key is at the place
OFFSET_BITS = 44  # of a place: 16 TiB per file, the file's number above
CHUNK_BYTES = 1 << 22  # read at once; much more than a line

logger = logging.getLogger(__name__)


def place_of(file: int, offset: int) -> int:
    """Return the place of a byte in a file of this number."""
    return file << OFFSET_BITS | offset


def file_and_offset(place: int) -> tuple[int, int]:
    """Return the number of the file and the byte in it."""
    return place >> OFFSET_BITS, place & ((1 << OFFSET_BITS) - 1)


class JournalIndex:
    """Where records stand, by key; of several for one key, the one known first comes first."""

    def __init__(self) -> None:
        self._keys = self._places = np.empty(0, np.uint64)  # (N,) sorted by key
        self._recent: dict[int, int] = {}

    def __len__(self) -> int:
        return len(self._keys) + len(self._recent)

    def load(self, keys: list[np.ndarray], places: list[np.ndarray]) -> None:
        """Add many at once: short keys and their places, arrays of uint64 of shape (n,) each.

        Those in earlier arrays count as known first.
        """
        joined = np.concatenate([self._keys, *keys])
        order = np.argsort(joined, kind="stable")
        self._keys, self._places = joined[order], np.concatenate([self._places, *places])[order]

    def put(self, short: int, place: int) -> None:
        """Add one; of several added for one key, the first counts."""
        self._recent.setdefault(short, place)

    def find(self, key: str) -> Iterator[int]:
        """Yield the places that may hold a key."""
        short = int(key[:SHORT_HEX], 16)
        keys = self._keys.data  # for one key, bisect on it takes a third of the time of searchsorted
        at = bisect_left(keys, short)
        while at < len(keys) and keys[at] == short:
            yield int(self._places[at])
            at += 1
        if short in self._recent:
            yield self._recent[short]


def answers(file: int, start: int, name: object) -> tuple[list[int], list[int], int]:
    """Find the answers in a journal, an open file, from the `start` of a line on.

    Returns their short keys, the offsets of their lines, and the end of the last whole line: an unfinished
    one is left out.  `name` is for messages.
    """
    keys: list[int] = []
    offsets: list[int] = []
    size = CHUNK_BYTES
    while chunk := os.pread(file, size, start):
        end = chunk.rfind(b"\n") + 1
        if not end:
            if len(chunk) < size:
                break
            size *= 2  # for a line that is longer than this
            continue
        text, at = (b"\n" + chunk).replace(MARKED_START, MARK_PASSED), 0
        while (at := text.find(LINE_START, at, end + 1)) >= 0:
            begin = at + len(LINE_START)
            try:
                keys.append(int(text[begin : begin + SHORT_HEX], 16))
                offsets.append(start + at)
            except ValueError:
                logger.warning(
                    "%s: the stored answer at byte %d is damaged and is not used. If the run needs it, it is "
                    "requested and paid for again. No action is needed",
                    name,
                    start + at,
                )
            at = begin
        start += end
    return keys, offsets, start
