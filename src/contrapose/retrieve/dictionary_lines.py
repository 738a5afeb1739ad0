"""Lines of paraphrase dictionaries: PPDB, EhiMerPPDB, pairs of words, CSV."""

import gzip
import math
import re
import zlib
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Literal, NamedTuple

from pydantic import Field, model_validator
from tqdm import tqdm

from contrapose.base.errors import AGAIN, TableError, shown
from contrapose.retrieve.data_files import BELOW, missing_file
from contrapose.retrieve.lines import Line, number_in
from contrapose.retrieve.user_tables import user_rows, with_points
from contrapose.settings.plan import Plan
from contrapose.settings.spec import Language, Noted, PathText

SEPARATOR = b" ||| "
GZIP = b"\x1f\x8b"  # RFC 1952, section 2.3.1
LINES_BETWEEN = 10_000  # lines between two updates of the progress bar
PROBABILITY = "probability"
CSV_HEADER = ["phrase", "target", PROBABILITY]
CSV_ADVICE = f"Correct the first line, which must name the columns {', '.join(CSV_HEADER)}."

# -log p(paraphrase | phrase), natural.  PPDB 2.0 calls the phrase e1 and the paraphrase e2, in the order of
# its fields.  PPDB 1.0 has the names of the grammar extractor Thrax, which made it: f is the source of a
# rule, e its target.
PROBABILITY_FEATURES = (b" -logp(e2|e1)=", b" p(e|f)=")
NON_TERMINAL = re.compile(rb"\[[^\s\]]+,\d+\]")  # [NP,1], [VP/PP,2]

# PPDB splits words like the Penn Treebank, corpora are split like Moses: `do n't` here, `don 't` there.
CONTRACTION = re.compile(rb"(?<=\S) +n't(?!\S)")
PENN_MARK = re.compile(rb"(?<!\S)(?:-[lr][rsc]b-|``|'')(?!\S)", re.I)
MOSES_MARKS = {
    **{b"-lrb-": b"(", b"-rrb-": b")", b"-lsb-": b"[", b"-rsb-": b"]", b"-lcb-": b"{", b"-rcb-": b"}"},
    **{b"``": b'"', b"''": b'"'},
}

# Reasons why a line gives no rule.
BROKEN = "not in the expected format"
SYNTACTIC = "with non-terminals"
EMPTY = "empty phrase or paraphrase"
FRAGMENT = "n't without the word before it"
SAME = "phrase and paraphrase equal"
UNUSABLE = (BROKEN, SYNTACTIC, EMPTY, FRAGMENT, SAME)


class DictionaryFiles(Noted):
    """A paraphrase dictionary is in its distribution files, gzipped or plain, or in a file of your own."""

    kind: Literal["ppdb", "ehimerppdb", "word_pairs", "csv"] = Field(
        description="This is the format. `ppdb` is PPDB 2.0 or 1.0, `ehimerppdb` is version 1.0 or 2.0, "
        "and `word_pairs` has two words per line. `csv` is a file of your own in UTF-8, "
        "with the header `phrase,target,probability`."
    )
    files: list[PathText] = Field(
        min_length=1,
        description=f"These are files {BELOW}. They may contain `*`. While one is missing, methods that "
        "need the dictionary are skipped.",
    )
    probability: float | None = Field(
        None,
        gt=0,
        le=1,
        description="Every rule has this probability in a file without probabilities. Such files are of "
        "kind `word_pairs`, or of kind `csv` with the header `phrase,target`.",
    )
    language: Language | None = Field(
        None,
        description="For the kind `csv`, the language decides how phrases are split into words. With "
        "null, it is English.",
    )

    @model_validator(mode="after")
    def _keys_of_kind(self) -> "DictionaryFiles":
        if self.is_ours:
            return self
        if (self.kind == "word_pairs") != (self.probability is not None):
            raise ValueError(
                "word_pairs need probabilities, which only the files of ppdb and ehimerppdb have"
            )
        if self.language is not None:
            raise ValueError(
                f"language is only for files of kind csv. In files of kind {self.kind}, the words are "
                "already split"
            )
        return self

    @property
    def is_ours(self) -> bool:
        """Whether it is a person's own table, each line of which must be right."""
        return self.kind == "csv"

    def lacking(self, project: Plan, name: str) -> str:
        missing = missing_file(project, self.files)
        return f"{missing} (dictionaries.{name})" if missing else ""


class DictionaryRule(NamedTuple):
    """A phrase and its replacement: words with one blank between them."""

    phrase: str  # in lower case
    target: str
    probability: float  # p(target | phrase) as the file has it, > 0; PPDB's smoothing gives some above 1
    relation: str  # PPDB 2.0's class of entailment; empty in other dictionaries


class UnusableLine(Exception):
    """A line gives no rule; the reason is one of UNUSABLE."""


def rules_of(
    path: Path, source: DictionaryFiles, progress: tqdm
) -> Iterator[tuple[str, bytes, DictionaryRule | str]]:
    """Yield the location and text of each line of a dictionary, and its rule, or the reason why it has none.

    `progress` advances by the bytes read.  Raises TableError if the file cannot be read, or as `csv_rules`.
    """
    if source.is_ours:  # a row may span several lines
        for row, rule in csv_rules(path, source):
            same = rule.phrase == rule.target.lower()
            yield row.where, ",".join(row.fields).encode(), SAME if same else rule
        progress.update(path.stat().st_size)
        return
    readers = {"ppdb": ppdb_rule, "ehimerppdb": ehimerppdb_rule}
    read = readers.get(source.kind, partial(word_pair, probability=source.probability or math.nan))
    for number, line in enumerate(lines_of(path, progress), start=1):
        where = f"{path.name}, line {number}"
        try:
            yield where, line, read(line)
        except UnusableLine as reason:
            yield where, line, str(reason)


def ppdb_rule(line: bytes) -> DictionaryRule:
    """Read a line of PPDB 2.0 (six fields) or 1.0 (five, no class of entailment).

    `LHS ||| PHRASE ||| PARAPHRASE ||| FEATURE=VALUE ... ||| ALIGNMENT ||| ENTAILMENT`; of the features only
    -log p(paraphrase | phrase) is read.  Words are split as in a corpus, see `moses_words`.
    """
    fields = line.split(SEPARATOR)
    if len(fields) not in (5, 6):
        raise UnusableLine(BROKEN)
    _, phrase, target, features, *rest = fields
    if NON_TERMINAL.search(phrase) or NON_TERMINAL.search(target):
        raise UnusableLine(SYNTACTIC)
    features = b" " + features
    for name in PROBABILITY_FEATURES:
        value = features.partition(name)[2].partition(b" ")[0]
        if value:
            relation = rest[1] if len(rest) == 2 else b""
            try:
                probability = math.exp(-float(value))
            except (ValueError, OverflowError):
                break
            return _rule(moses_words(phrase), moses_words(target), probability, relation)
    raise UnusableLine(BROKEN)


def moses_words(words: bytes) -> bytes:
    """Split words as Moses does: the Penn Treebank treats n't, brackets and quotation marks differently.

    Raises UnusableLine if `n't` is the first word: sentences have no such word.
    """
    if words.split(maxsplit=1)[:1] == [b"n't"]:
        raise UnusableLine(FRAGMENT)
    return PENN_MARK.sub(lambda mark: MOSES_MARKS[mark[0].lower()], CONTRACTION.sub(b"n 't", words))


def ehimerppdb_rule(line: bytes) -> DictionaryRule:
    """Read a line of EhiMerPPDB: phrase, paraphrase, probability (no logarithm), and optional English pivots.

    Version 1.0 has ` ||| ` between fields and the pivots, version 2.0 a tab.  EhiMerPPDB, README-ja.md.
    """
    fields = line.split(SEPARATOR if SEPARATOR in line else b"\t")
    if len(fields) not in (3, 4):
        raise UnusableLine(BROKEN)
    try:
        probability = float(fields[2])
    except ValueError:
        raise UnusableLine(BROKEN) from None
    return _rule(fields[0], fields[1], probability)


def word_pair(line: bytes, probability: float) -> DictionaryRule:
    """Read a line of two words, which has no probability of its own."""
    words = line.split()
    if len(words) != 2:
        raise UnusableLine(BROKEN)
    return _rule(words[0], words[1], probability)


def csv_rules(path: Path, source: DictionaryFiles) -> Iterator[tuple[Line, DictionaryRule]]:
    """Yield the rows of your own dictionary, a CSV file with CSV_HEADER; the probability is in (0, 1].

    Phrases are split into words as sentences are.  The last column may be missing if `source` has a
    probability.  Unlike in published dictionaries, a wrong line is an error: its author can correct it.

    Raises TableError if a phrase or target is empty, a probability is invalid, or as `user_rows` does.
    """
    from contrapose.text.languages import tokeniser  # too slow to import while planning

    split = tokeniser(source.language or "english")
    needed = CSV_HEADER if source.probability is None else CSV_HEADER[:2]
    rows = list(user_rows(path, needed, CSV_ADVICE, optional=CSV_HEADER[len(needed) :]))
    has_probability = bool(rows) and len(rows[0].fields) == len(CSV_HEADER)
    for line in with_points(rows, CSV_HEADER.index(PROBABILITY)) if has_probability else rows:
        phrase, target = (" ".join(split(text)) for text in line.fields[:2])
        if not phrase or not target:
            raise TableError(
                f"{line.where}: the phrase is {shown(line.fields[0])} and the target is "
                f"{shown(line.fields[1])}, but both need words. Correct or remove the line."
            )
        probability = source.probability if len(line.fields) == 2 else _probability(line)
        assert probability is not None  # without one, only the header with the column is allowed
        yield line, DictionaryRule(phrase.lower(), target, probability, "")


def _probability(line: Line) -> float:
    value = number_in(line.fields[2])
    if not 0 < value <= 1:
        raise TableError(
            f"{line.where}: the probability is {shown(line.fields[2])}, but a number above 0 and at "
            "most 1 is expected. Correct or remove the line."
        )
    return value


def _rule(phrase: bytes, target: bytes, probability: float, relation: bytes = b"") -> DictionaryRule:
    # Split only at ASCII white space, tabs included: a wide blank belongs to a Japanese word.
    source, goal = b" ".join(phrase.split()), b" ".join(target.split())
    if not source or not goal:
        raise UnusableLine(EMPTY)
    if not 0 < probability < math.inf:
        raise UnusableLine(BROKEN)
    try:
        rule = DictionaryRule(source.decode().lower(), goal.decode(), probability, relation.strip().decode())
    except UnicodeDecodeError:
        raise UnusableLine(BROKEN) from None
    if rule.phrase == rule.target.lower():
        raise UnusableLine(SAME)
    return rule


def lines_of(path: Path, progress: tqdm) -> Iterator[bytes]:
    """Yield the lines of a dictionary; its content, not its name, decides whether it is gzipped.

    `progress` advances by the bytes read from the file.  Raises TableError if the file cannot be read or
    unpacked.
    """
    try:
        with path.open("rb") as file:
            packed = file.read(len(GZIP)) == GZIP
            file.seek(0)
            before = progress.n
            for number, line in enumerate(gzip.GzipFile(fileobj=file) if packed else file):
                if number % LINES_BETWEEN == 0:
                    progress.update(before + file.tell() - progress.n)
                yield line
            progress.update(before + file.tell() - progress.n)
    except (OSError, EOFError, zlib.error) as error:
        raise TableError(f"{path}: the file cannot be read to its end ({error}). {AGAIN}") from error
