"""Paraphrase dictionaries as tables: phrases in one, their replacements in another."""

import logging
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import IO, Annotated

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from pandas.util import hash_array
from tqdm import tqdm

from contrapose.base.errors import TableError
from contrapose.jobs.step import DataFolder, Outputs, into, planned
from contrapose.retrieve.data_files import matching
from contrapose.retrieve.dictionary_lines import UNUSABLE, DictionaryFiles, DictionaryRule, rules_of
from contrapose.settings.plan import Plan
from contrapose.tables import DICTIONARY_LINES, PHRASES, RULES, TableWriter

logger = logging.getLogger(__name__)

RULES_AT_ONCE = 2**17  # held as Python objects: about 60 MB
BUCKETS = 256  # 400,000 rules each, of 100 million
RULES_SORTED = 2**17  # at once, or more: a bucket of a small dictionary has only a handful
SHOWN = 200  # bytes of the first unusable line of a kind

CLIPPED, REPEATED = "probability above 1, read as 1", "repeated phrase and paraphrase"

SPILLED = pa.schema(
    [
        ("phrase", pa.string()),
        ("target", pa.string()),
        ("probability", pa.float32()),
        ("relation", pa.string()),
    ]
)


@planned
def plan(project: Plan, dictionary: str) -> DictionaryFiles:
    """Return the files of a dictionary, without the note, which changes no entry."""
    return project.source("dictionaries", dictionary).model_copy(update={"note": ""})


def build(
    spec: DictionaryFiles,
    data: DataFolder,
    phrases: Annotated[TableWriter, into("phrases", PHRASES)],
    rules: Annotated[TableWriter, into("rules", RULES)],
) -> Annotated[tuple, Outputs(lines=DICTIONARY_LINES)]:
    """Read the files of a dictionary and write its phrases and rules, of any size."""
    files = [path for paths in matching(spec.files, data).values() for path in paths]
    with phrases, rules:
        return (convert_dictionary(files, spec, phrases, rules),)


class Spill:
    """A file of rules, in buckets by a hash of their phrase."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._chunks: list[list[int]] = [[] for _ in range(BUCKETS)]  # where the chunks of each begin
        self.rules = 0
        self._options = pa.ipc.IpcWriteOptions(compression="lz4")

    def add(self, rules: pa.RecordBatch) -> None:
        """Put rules, with the columns of SPILLED, into their buckets."""
        hashes = hash_array(rules["phrase"].to_numpy(zero_copy_only=False), categorize=False)
        buckets = hashes % np.uint64(BUCKETS)
        order = np.argsort(buckets, kind="stable")
        ends = np.cumsum(np.bincount(buckets.astype(np.int64), minlength=BUCKETS))
        ordered = rules.take(order)
        self.rules += len(rules)
        for bucket, (start, end) in enumerate(pairwise([0, *ends])):
            if end > start:
                self._chunks[bucket].append(self._file.tell())
                with pa.ipc.new_stream(self._file, SPILLED, options=self._options) as stream:
                    stream.write(ordered.slice(start, end - start))

    def buckets(self) -> Iterator[pa.Table]:
        """Yield the rules with a column `bucket`, in whole buckets, as many as are sorted at once."""
        tables: list[pa.Table] = []
        for bucket, chunks in enumerate(self._chunks):
            for place in chunks:
                self._file.seek(place)
                rules = pa.ipc.open_stream(self._file).read_all()
                tables.append(rules.append_column("bucket", pa.array(np.full(len(rules), bucket, np.int16))))
            if sum(map(len, tables)) >= RULES_SORTED:
                yield pa.concat_tables(tables)
                tables = []
        if tables:
            yield pa.concat_tables(tables)


def convert_dictionary(
    files: Iterable[Path], source: DictionaryFiles, phrases: TableWriter, rules: TableWriter
) -> pd.DataFrame:
    """Convert a paraphrase dictionary of any size to tables.  PPDB-CSE, section 3.2.

    All probabilities are kept, since the threshold depends on the use of the rules.  So are phrases of any
    length (the paper's dictionaries have none above 6 and 7 words).  A pair that occurs several times, as in
    PPDB with several left-hand sides, gets the highest of its probabilities, and the relation of that line
    (the first by name in a tie).  A probability above 1, which PPDB's smoothing can give, is set to 1.

    Memory is 0.2 GB, plus about 0.4 kB for each rule that is sorted at once: 130,000, or the largest of 256
    buckets (measured: 0.3 GB for 6 million lines, 0.37 GB for 12 million).  While it runs, it also needs 35
    bytes per rule on disk, in the folder of the tables.

    The tables are sorted by a hash of the phrase, then by phrase and target, so the order of lines does not
    matter.  Returns numbers of lines, rules and phrases, and of unused lines, with the first as an example.
    Raises TableError if a file cannot be read, none of its lines gives a rule, or a line of CSV is wrong.
    """
    counted = Counted()
    # An unnamed file: even a kill leaves nothing behind.
    with tempfile.TemporaryFile(dir=Path(phrases.path).parent) as file:
        spill = Spill(file)
        for batch in _rule_batches(list(files), source, counted):
            spill.add(batch)
        with tqdm(total=spill.rules, desc="sorting", unit=" rules", mininterval=5, delay=5) as progress:
            for some in spill.buckets():
                _write_rules(some, phrases, rules, counted)
                progress.update(len(some))
    if not counted.numbers["rules"]:
        shown = "; ".join(f"{what}: {example}" for what, example in counted.examples.items())
        raise TableError(
            f"{', '.join(source.files)}: the files contain no rule of kind {source.kind}. "
            f"{shown or 'They are empty'}. Correct the kind of the dictionary in the catalog file, or "
            "download the files again."
        )
    for what, number, example in counted.rows():
        logger.info("%s: %d%s", what, number, example and f"; the first: {example}")
    return pd.DataFrame(counted.rows(), columns=DICTIONARY_LINES.columns)


class Counted:
    """How often each kind of line was found, with the first one as an example."""

    def __init__(self) -> None:
        self.numbers: Counter[str] = Counter()
        self.examples: dict[str, str] = {}

    def add(self, what: str, where: str, line: bytes) -> None:
        """Count a line that is unusual."""
        self.numbers[what] += 1
        if what not in self.examples:
            self.examples[what] = f"{where}: {line[:SHOWN].decode(errors='replace').strip()}"

    def rows(self) -> list[tuple[str, int, str]]:
        """Return the rows of DICTIONARY_LINES."""
        wanted = ("lines", "rules", "phrases", *UNUSABLE, CLIPPED, REPEATED)
        return [(what, self.numbers[what], self.examples.get(what, "")) for what in wanted]


def _rule_batches(files: list[Path], source: DictionaryFiles, counted: Counted) -> Iterator[pa.RecordBatch]:
    """Read files line by line into batches with the columns of SPILLED."""
    size = sum(path.stat().st_size for path in files)
    rules: list[DictionaryRule] = []
    with tqdm(total=size, desc="dictionary", unit="B", unit_scale=True, mininterval=5, delay=5) as progress:
        for path in files:
            for where, line, rule in rules_of(path, source, progress):
                counted.numbers["lines"] += 1
                if isinstance(rule, str):
                    counted.add(rule, where, line)
                    continue
                if rule.probability > 1:
                    counted.add(CLIPPED, where, line)
                rules.append(rule)
                if len(rules) == RULES_AT_ONCE:
                    yield _batch(rules)
                    rules = []
        yield _batch(rules)


def _batch(rules: list[DictionaryRule]) -> pa.RecordBatch:
    phrases, targets, probabilities, relations = zip(*rules, strict=True) if rules else ([], [], [], [])
    # In (0, 1]: a probability too small for float32 becomes its smallest normal number.
    clipped = np.clip(np.array(probabilities), np.finfo(np.float32).tiny, 1).astype(np.float32)
    return pa.record_batch([phrases, targets, clipped, relations], schema=SPILLED)


def _write_rules(some: pa.Table, phrases: TableWriter, rules: TableWriter, counted: Counted) -> None:
    """Append the contents of some buckets to the tables, each pair once."""
    keys = [(name, "ascending") for name in ("bucket", "phrase", "target", "probability", "relation")]
    keys[3] = ("probability", "descending")
    ordered = some.sort_by(keys)
    new_phrase = _differs(ordered["phrase"])
    new_rule = new_phrase | _differs(ordered["target"])
    rows = counted.numbers["phrases"] - 1 + np.cumsum(new_phrase)
    kept = ordered.select(RULES.columns).filter(pa.array(new_rule)).to_pandas()
    phrases.write(ordered.select(PHRASES.columns).filter(pa.array(new_phrase)).to_pandas())
    rules.write(kept.assign(phrase=rows[new_rule].astype(np.int32)))
    counted.numbers["phrases"] += int(new_phrase.sum())
    counted.numbers["rules"] += len(kept)
    counted.numbers[REPEATED] += len(ordered) - len(kept)


def _differs(column: pa.ChunkedArray) -> np.ndarray:
    """Return which values differ from the one before; the first always does."""
    values = column.combine_chunks()
    return np.append(True, pc.not_equal(values[1:], values[:-1]).to_numpy(zero_copy_only=False))
