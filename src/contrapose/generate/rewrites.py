"""Sentences in which phrases of a dictionary are replaced.  PPDB-CSE, section 3.2 and figure 1."""

import logging
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from heapq import heappop, heappush
from itertools import groupby, pairwise
from math import prod
from pathlib import Path
from typing import Annotated, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from tqdm import tqdm

from contrapose.generate.phrases import phrase_matches, read_phrases
from contrapose.generate.shard_rows import read_shard
from contrapose.jobs.status import Status
from contrapose.jobs.step import Shard, into, planned
from contrapose.settings.corpora import Substitution
from contrapose.settings.plan import Plan
from contrapose.settings.spec import part_of
from contrapose.tables import REWRITES, ROWS_PER_GROUP, RULES, TableWriter, open_table
from contrapose.text.languages import detokeniser, tokeniser

logger = logging.getLogger(__name__)

SENTENCES_AT_ONCE = 10_000  # matched together; with fewer, the vocabulary is hashed too often
RULES_AT_ONCE = 2**16  # read together: some MB
BETWEEN = " + "  # joins several phrases


class Rewrite(NamedTuple):
    """What a phrase may be replaced by; p(target | phrase), rounded to float32."""

    target: str
    probability: float
    relation: str


class Edit(NamedTuple):
    """A rule at one place of a sentence."""

    probability: float
    position: int  # of the first word that is replaced, from 0
    words: int  # number of words replaced
    target: list[str]  # with the casing of its place
    relation: str


class RewriteCandidate(NamedTuple):
    """A row of REWRITES, but for its sentence and number."""

    text: str  # first, so that candidates are in the order of their texts
    position: int
    source: str
    target: str
    probability: float
    relation: str


@planned
def plan(project: Plan, rewrites: str, **shard: str) -> Substitution:
    """Return how words are substituted by a dictionary; all shards do it alike."""
    return part_of(project.entry("rewrites", rewrites), Substitution)


def build(
    spec: Substitution,
    files: list[str],
    shard: Shard,
    writer: Annotated[TableWriter, into("rewrites", REWRITES)],
) -> None:
    """Rewrite the sentences of one shard of a corpus; the file says how many, and with which dictionary."""
    corpus, phrases, rules = files
    sentences = read_shard(corpus, *shard)
    with writer:
        counts = rewrite_sentences(sentences, phrases, rules, spec, writer)
        name = Path(phrases).parent.name
        notes = [] if counts["with_phrases"] else [f"no phrase of '{name}' occurs in any sentence"]
        writer.add_provenance(**Status(counts=counts, notes=notes).metadata())


def rewrite_sentences(
    sentences: pd.DataFrame, phrases: str | Path, rules: str | Path, spec: Substitution, rewrites: TableWriter
) -> dict[str, int]:
    """Replace phrases in sentences by what a dictionary has for them.

    Words are compared in lower case, as dictionaries are written.  The replacement of a phrase that begins
    with a capital begins with one, too; else it is as in the dictionary: no word is written in capitals
    because another was, as an acronym says nothing about the words that it stands for.  The words are then
    joined by the language's detokeniser.

    Memory beside the phrases (`read_phrases`): the words of all sentences, about 250 bytes for 25 of them,
    and 300 bytes for each rule of a phrase that occurs.

    The rewrites of a sentence do not depend on the others, so `sentences` may be a shard.  Written are by
    sentence, in the given order, the `max_candidates` likeliest candidates with probability >=
    `floor`.  So the candidates above a higher threshold are the first of these.

    Returns counts: `sentences`; `with_phrases`, `with_candidates` and `capped`: of these those with a phrase,
    with a candidate, and with more than `max_candidates`; `candidates` that were written.
    """
    cut = tokeniser(spec.language)
    blocks = []
    starts = range(0, len(sentences), SENTENCES_AT_ONCE)
    for start in tqdm(starts, desc="words", unit=f" x {SENTENCES_AT_ONCE} sentences", mininterval=5, delay=5):
        texts = sentences.text.iloc[start : start + SENTENCES_AT_ONCE]
        blocks.append(pa.array([cut(text) for text in texts], pa.list_(pa.string())))
    known = read_phrases(phrases, map(lowered, blocks))
    occurring = {row for words in blocks for row in phrase_matches(lowered(words), known).phrase.unique()}
    by_phrase = rules_of(rules, occurring, spec.floor)
    names = ("sentences", "with_phrases", "with_candidates", "capped", "candidates")
    counts = Counter(dict.fromkeys(names, 0))
    with tqdm(total=len(sentences), desc="rewrites", unit=" sentences", mininterval=5, delay=5) as progress:
        for start, words in zip(starts, blocks, strict=True):
            matches = phrase_matches(lowered(words), known)
            some = sentences.iloc[start : start + len(words)]
            for frame in _rewritten(some, words.to_pylist(), matches, by_phrase, spec, counts):
                rewrites.write(frame)
                progress.update(counts["sentences"] - progress.n)
    logger.info("%s", ", ".join(f"{what}: {number}" for what, number in counts.items()))
    return dict(counts)


def lowered(sentences: pa.ListArray) -> pa.ListArray:
    """Return lists of words in lower case, by the same function as for dictionaries."""
    words = sentences.values.dictionary_encode()
    lower = pa.array([word.lower() for word in words.dictionary.to_pylist()], pa.string())
    return pa.ListArray.from_arrays(sentences.offsets, lower.take(words.indices))


def rules_of(path: str | Path, phrases: set[int], floor: float) -> dict[int, list[Rewrite]]:
    """Read the rules of some phrases (rows of PHRASES) whose probability, as float32, is at least `floor`."""
    wanted = pa.array(sorted(phrases), pa.int32())
    rules: dict[int, list[Rewrite]] = {}
    with open_table(path, RULES) as file:
        for batch in file.iter_batches(RULES_AT_ONCE):
            likely = pc.greater_equal(batch["probability"], pa.scalar(np.float32(floor)))
            ours = pc.is_in(batch["phrase"], value_set=wanted)
            for row in batch.filter(pc.and_(likely, ours)).to_pylist():
                rules.setdefault(row.pop("phrase"), []).append(Rewrite(**row))
    return rules


def _rewritten(
    sentences: pd.DataFrame,
    words: list[list[str]],
    matches: pd.DataFrame,
    rules: dict[int, list[Rewrite]],
    spec: Substitution,
    counts: Counter[str],
) -> Iterator[pd.DataFrame]:
    """Yield the REWRITES of a block of sentences in pieces."""
    join = detokeniser(spec.language)
    places = list(zip(matches.position, matches.words, matches.phrase, strict=True))
    ends = np.searchsorted(matches.sentence, np.arange(len(words) + 1))
    rows: list[tuple] = []
    for at, (name, text) in enumerate(zip(sentences.id, sentences.text, strict=True)):
        phrases = places[ends[at] : ends[at + 1]]
        edits = _edits(words[at], phrases, rules)
        chosen, more = candidates(text, words[at], edits, spec, join)
        rows += [(name, number, *each) for number, each in enumerate(chosen)]
        counts.update(sentences=1, with_phrases=bool(phrases), with_candidates=bool(chosen), capped=more)
        counts.update(candidates=len(chosen))
        if len(rows) >= ROWS_PER_GROUP or at == len(words) - 1:
            yield pd.DataFrame(rows, columns=["sentence_id", "number", *RewriteCandidate._fields])
            rows = []


def _edits(
    words: list[str], places: list[tuple[int, int, int]], rules: dict[int, list[Rewrite]]
) -> list[Edit]:
    """Return the edits of a sentence by rules at the places (position, words, phrase) of their phrases."""
    edits = []
    for position, length, phrase in places:
        capital = words[position][:1].isupper()
        for rule in rules.get(phrase, ()):
            target = rule.target[:1].upper() + rule.target[1:] if capital else rule.target
            edits.append(Edit(rule.probability, position, length, target.split(" "), rule.relation))
    return edits


def candidates(
    text: str,
    words: list[str],
    edits: Sequence[Edit],
    spec: Substitution,
    join: Callable[[Sequence[str]], str],
) -> tuple[list[RewriteCandidate], bool]:
    """Return the likeliest candidates of a sentence, of all its possible edits, and whether there are more.

    Their texts are distinct and differ from that of the sentence.  The likeliest comes first; ties are in
    the order of their texts.
    """
    kept: list[RewriteCandidate] = []
    known = {text, join(words)}
    ordered = sorted(edits, key=lambda edit: (-edit.probability, edit[1:]))
    for probability, together in groupby(
        likeliest(ordered, spec.substitutions, spec.floor), key=lambda each: each[0]
    ):
        for each in sorted(_candidate(words, chosen, probability, join) for _, chosen in together):
            if each.text not in known:
                if len(kept) == spec.max_candidates:
                    return kept, True
                known.add(each.text)
                kept.append(each)
    return kept, False


def likeliest(edits: Sequence[Edit], most: int, floor: float) -> Iterator[tuple[float, list[Edit]]]:
    """Yield all sets of 1 to `most` edits that do not overlap, by decreasing product of their probabilities.

    The edits come by decreasing probability.  Products are at least `floor`, rounded to float32, as in a
    table.
    """

    def product(chosen: tuple[int, ...]) -> float:
        return float(np.float32(prod(edits[at].probability for at in chosen)))

    # A set is followed by those that have one more edit, or the next edit instead of the last: neither is
    # likelier, and each set is reached in exactly one way.
    waiting: list[tuple[float, tuple[int, ...]]] = [(-product((0,)), (0,))] if edits else []
    while waiting:
        negative, chosen = heappop(waiting)
        following = chosen[-1] + 1
        nexts: list[tuple[int, ...]] = [(*chosen[:-1], following)]
        if _apart([edits[at] for at in chosen]):
            yield -negative, [edits[at] for at in chosen]
            if len(chosen) < most:
                nexts.append((*chosen, following))
        for each in nexts if following < len(edits) else ():
            if (probability := product(each)) >= np.float32(floor):
                heappush(waiting, (-probability, each))


def _apart(edits: list[Edit]) -> bool:
    by_place = sorted(edits, key=lambda edit: edit.position)
    return all(one.position + one.words <= other.position for one, other in pairwise(by_place))


def _candidate(
    words: list[str], edits: list[Edit], probability: float, join: Callable[[Sequence[str]], str]
) -> RewriteCandidate:
    by_place = sorted(edits, key=lambda edit: edit.position)
    written, end = [], 0
    for edit in by_place:
        written += words[end : edit.position] + edit.target
        end = edit.position + edit.words
    return RewriteCandidate(
        text=join(written + words[end:]),
        position=by_place[0].position,
        source=BETWEEN.join(" ".join(words[each.position : each.position + each.words]) for each in by_place),
        target=BETWEEN.join(" ".join(each.target) for each in by_place),
        probability=probability,
        relation=BETWEEN.join(each.relation for each in by_place if each.relation),
    )
