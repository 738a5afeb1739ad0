"""Finding the phrases of a dictionary, against phrases and against sentences."""

from pathlib import Path

import pyarrow.parquet as pq

from benchmarks.curves.laws import LINEAR
from benchmarks.curves.measure import Curve, Work
from benchmarks.matching import AT_ONCE, ours, write_files
from contrapose.tables import PHRASES, read_table, write_table

MOST_SENTENCES, MOST_PHRASES = 160_000, 1_000_000
SENTENCES, KNOWN = 20_000, 100_000  # while the other grows


def matching(folder: Path, sentences: int, phrases: int) -> Work:
    """Return the reading of the first phrases and the finding of all in the first sentences."""
    whole, some = folder / "whole", folder / f"{sentences}-{phrases}"
    if not whole.exists():
        whole.mkdir()
        write_files(whole, MOST_SENTENCES, MOST_PHRASES)
    if not some.exists():
        some.mkdir()
        texts = pq.read_table(whole / "sentences.parquet").slice(0, sentences)
        pq.write_table(texts, some / "sentences.parquet", row_group_size=AT_ONCE)
        known = read_table(whole / "phrases.parquet", PHRASES).head(phrases)
        write_table(known, some / "phrases.parquet", PHRASES)
    return lambda: sum(map(len, ours(some)))


def _by_phrases(x: int, folder: Path) -> Work:
    return matching(folder, SENTENCES, x)


def _by_sentences(x: int, folder: Path) -> Work:
    return matching(folder, x, KNOWN)


CURVES = {
    "match_by_phrases": Curve(
        work=f"all matches in {SENTENCES} sentences of 25 words, with reading of both",
        x="phrases of 1 to 6 words",
        steps=(10_000, 30_000, 100_000, 300_000, MOST_PHRASES),
        prepare=_by_phrases,
        laws={"cpu": LINEAR, "megabytes": LINEAR},
    ),
    "match_by_sentences": Curve(
        work=f"all matches of {KNOWN} phrases, with reading of both",
        x="sentences of 25 words",
        steps=(10_000, 20_000, 40_000, 80_000, MOST_SENTENCES),
        prepare=_by_sentences,
        laws={"cpu": LINEAR, "megabytes": LINEAR},
    ),
}
