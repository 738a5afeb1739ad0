"""Phrases of a dictionary in sentences: ours and pyahocorasick, both from the same two Parquet files."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import ahocorasick
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from benchmarks.compare import Item, UnequalError, Way
from benchmarks.memory import peak_megabytes
from contrapose.generate.phrases import phrase_matches, read_phrases
from contrapose.tables import PHRASES, write_table

SENTENCES, PHRASES_KNOWN = 80_000, 500_000
AT_ONCE = 20_000  # sentences
VOCABULARY = 150_000
LENGTHS = {1: 0.05, 2: 0.25, 3: 0.3, 4: 0.2, 5: 0.12, 6: 0.08}  # words of a phrase: their shares
SYLLABLES = np.array([f"{consonant}{vowel}" for consonant in "bcdfghjklmnpqrstvwxz" for vowel in "aeiou"])


def item(folder: Path) -> Item:
    """Return the item; sentences and phrases are in files below `folder`."""
    write_files(folder, SENTENCES, PHRASES_KNOWN)

    def check() -> str:
        found = 0
        for our, their in zip(ours(folder), positions(folder, by_automaton(folder)), strict=True):
            if not our[their.columns].equals(their):
                raise UnequalError("the matches are not the same")
            found += len(our)
        return f"the same {found} matches. {alone(folder)}"

    return Item(
        work=f"all matches of {PHRASES_KNOWN} phrases of 1 to 6 words in {SENTENCES} sentences of 25 words "
        "on average, with reading of both",
        ours=Way(lambda _: sum(map(len, ours(folder)))),
        peers={"pyahocorasick": Way(lambda _: sum(map(len, by_automaton(folder))))},
        check=check,
        differs="We go through the sentences twice, first to see which phrases may occur. The peer searches "
        "texts and tells the character at which a phrase ends, we tell its first word and its length.",
    )


def ours(folder: Path) -> Iterator[pd.DataFrame]:
    """Give the matches of one batch of sentences after the other."""
    phrases = read_phrases(folder / "phrases.parquet", batches(folder))
    for sentences in batches(folder):
        yield phrase_matches(sentences, phrases)


def by_automaton(folder: Path) -> Iterator[list[list[tuple[int, int]]]]:
    """Give for one batch after the other the matches of its sentences, (end, row).

    Its other kind of automaton, over numbers of words, took four times as long.
    """
    automaton = ahocorasick.Automaton(ahocorasick.STORE_INTS)
    with pq.ParquetFile(folder / "phrases.parquet", pre_buffer=False) as file:
        rows = (text for batch in file.iter_batches() for text in batch.column(0).to_pylist())
        for row, phrase in enumerate(rows):
            automaton.add_word(f" {phrase} ", row)
    automaton.make_automaton()
    for sentences in batches(folder):
        yield [list(automaton.iter(f" {text} ")) for text in pc.binary_join(sentences, " ").to_pylist()]


def batches(folder: Path) -> Iterator[pa.ListArray]:
    """Give the sentences as lists of words."""
    with pq.ParquetFile(folder / "sentences.parquet", pre_buffer=False) as file:
        yield from (batch.column(0) for batch in file.iter_batches(AT_ONCE))


def positions(folder: Path, found: Iterator[list[list[tuple[int, int]]]]) -> Iterator[pd.DataFrame]:
    """Give the peer's matches as ours are: sentence, position and row, in our order."""
    phrases = pq.read_table(folder / "phrases.parquet").column(0).combine_chunks()
    lengths = pc.add(pc.count_substring(phrases, " "), 1).to_numpy()
    for sentences, matches in zip(batches(folder), found, strict=True):
        rows = []
        texts = pc.binary_join(sentences, " ").to_pylist()
        for sentence, (text, ends) in enumerate(zip(texts, matches, strict=True)):
            # A match ends at the blank behind it: as many blanks of the text, and as words, are before.
            words = np.cumsum(np.frombuffer(f"{text} ".encode(), np.uint8) == ord(" "))
            rows += [(sentence, words[end - 1] - lengths[row], lengths[row], row) for end, row in ends]
        names = ["sentence", "position", "words", "phrase"]
        table = pd.DataFrame(rows, columns=names).sort_values(names[:3], ignore_index=True)
        yield table.astype(
            {"sentence": np.int64, "position": np.int64, "words": np.int16, "phrase": np.int32}
        )


def write_files(folder: Path, sentences: int, phrases: int) -> None:
    """Write `sentences.parquet` and `phrases.parquet`, with words by Zipf's law.

    Half of the phrases are drawn from the sentences, as a dictionary has the frequent ones, and half from as
    many others, most of which do not occur.
    """
    random = np.random.default_rng(0)
    weights = 1 / (np.arange(VOCABULARY) + 2.7)  # Zipf's law in Mandelbrot's form
    lengths = random.integers(6, 45, 2 * sentences)  # words, 25 on average
    drawn = random.choice(VOCABULARY, lengths.sum(), p=weights / weights.sum())
    words = pa.array([_word(number) for number in range(VOCABULARY)]).take(pa.array(drawn))
    lists = pa.ListArray.from_arrays(np.append(0, np.cumsum(lengths)).astype(np.int32), words)
    pq.write_table(
        pa.table({"words": lists[:sentences]}), folder / "sentences.parquet", row_group_size=AT_ONCE
    )
    parts = []
    for length, share in LENGTHS.items():
        wanted = round(share * phrases)
        starts = random.integers(0, len(words) - length, 6 * wanted)
        drawn = pc.binary_join_element_wise(*(words.take(pa.array(starts + n)) for n in range(length)), " ")
        parts.append(pc.unique(drawn)[:wanted])
    dictionary = pa.concat_arrays(parts)
    if len(dictionary) < phrases:
        raise ValueError(f"the text holds {len(dictionary)} distinct phrases, wanted are {phrases}")
    shuffled = dictionary.take(pa.array(random.permutation(phrases)))
    write_table(pd.DataFrame({"phrase": shuffled.to_pandas()}), folder / "phrases.parquet", PHRASES)


def _word(number: int) -> str:
    """Return a word of syllables; frequent ones are shorter."""
    return SYLLABLES[number % 100] + (_word(number // 100 - 1) if number >= 100 else "")


def alone(folder: Path) -> str:
    """Say what each way takes in a process of its own."""
    words = []
    for way in WAYS:
        command = [sys.executable, "-m", "benchmarks.matching", way, str(folder)]
        took = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        words.append(
            f"{way} alone: {took['cpu']:.1f} s of CPU, {took['megabytes']:.0f} MB at most "
            f"({took['imports']:.0f} MB by imports)"
        )
    return "; ".join(words)


WAYS = {"ours": ours, "pyahocorasick": by_automaton}

if __name__ == "__main__":
    imports, cpu = peak_megabytes(), time.process_time()
    found = sum(map(len, WAYS[sys.argv[1]](Path(sys.argv[2]))))
    took = {"cpu": time.process_time() - cpu, "megabytes": peak_megabytes(), "imports": imports}
    print(json.dumps(took))
