"""How long texts are and how many: read where they are built, else expected."""

import json
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import pandas as pd
import pyarrow.compute as pc

from contrapose.generate.estimate import VERSIONS
from contrapose.plan import Plan
from contrapose.retrieve.benchmarks import found_benchmarks
from contrapose.settings.corpora import SampledCorpus, SegmentedCorpus, TaskCorpus
from contrapose.settings.pairs import (
    DictionaryPairs,
    HeldOutPairs,
    PairSet,
    PrefixPairs,
    PunctuationPairs,
    SentencePairs,
    TriplePairs,
)
from contrapose.settings.spec import Language
from contrapose.settings.worlds import BenchmarkFiles, HubFile
from contrapose.tables import BENCHMARK, PAIRS, SENTENCES, TRANSFER, open_table, read_provenance, read_table
from contrapose.tasks import TASKS, TRANSFER_ITEMS, TRANSLATED, UNTRANSLATED, DevTask, Suite, Task

# Of `evaluate/geometry.py` and `evaluate/length_bias.py`, which import SciPy: 0.8 s of every plan.
GEOMETRY: Task = "stsb"
PROBE_TEXTS = 6  # of a pair: its two sentences, and each with a filler and with marks
LABELS = 3  # that texts are written for: DINO's instructions (methods 4.1)
WORDS, SIMCSE_WORDS = 25.9, 22.6  # of a sentence of corpus 1-1 and of SimCSE's: thesis, Table 4.5
# Of 2,699 sentences that method 1 draws from 1,000 random articles of the 20231101 dump (26.0 words on
# average), and word pieces of bert-base-uncased.
BYTES_PER_WORD, BYTES_PER_PIECE = 5.39, 4.57
SPECIAL = 2  # tokens: [CLS] and [SEP]
# Of the test splits of STS12, STS13, STS15 and STS-B and the dev split of STS-B, in SentEval's files.
BENCHMARK_BYTES, BENCHMARK_DISTINCT = 61, 0.74  # of a sentence; sentences that differ, of all
OWN_PAIRS = 1500  # of a split of one's own set, which nobody has counted: as many as STS-B dev has
# Of all transfer tasks but SUBJ and TREC, in SentEval's files; likewise.
TRANSFER_BYTES, TRANSFER_DISTINCT = 64, 0.90
# Of the Chinese sets, weighted by their training pairs: bytes and distinct sentences of all (438,650 of twice
# 455,603, SPEC 3.3); a token is a character, of three bytes if it is no digit or Latin letter.
CHINESE_BYTES, TASK_DISTINCT, BYTES_PER_CHARACTER = 45, 0.48, 2.9
# Bytes of a sentence of a segmented corpus, and of a token.  English: 3,000 of the 20231101 dump, word pieces
# as above.  Japanese: the sentences of PAWS-X, which are Wikipedia's, and words of MeCab for word pieces.
SEGMENTED: dict[Language, float] = {"english": 111, "japanese": 144}
BYTES_PER_JAPANESE_WORD = 5.83
# Rows of a file that nobody has counted: no corpus of the papers has more; of the mini world for each
# article, whose longest file, that of SimCSE, has 36.
UNKNOWN_ROWS, MINI_ROWS = 1_000_000, 40
# Of the mini world, in units of its `pairs`: scored pairs of a split of a set, about (most have 2 to 12,
# Chinese training sets up to 100), and sentences of the transfer tasks.
MINI_SPLIT, MINI_TRANSFER = 10, 72


@dataclass(frozen=True)
class Texts:
    """Some sentences."""

    count: int
    length: float  # UTF-8 bytes of one, on average
    built: bool  # counted in a file; else expected
    piece: float = BYTES_PER_PIECE  # bytes of a token

    @property
    def tokens(self) -> float:
        """Tokens of one sentence with [CLS] and [SEP], if nothing is cut."""
        return self.length / self.piece + SPECIAL


@dataclass(frozen=True)
class PairRows:
    """A PAIRS table by its numbers."""

    slots: list[int]  # rows of each slot, views of an anchor together
    sides: int  # texts encoded for one: the anchor, and the positive and perhaps the negative of each view


def results_folder(plan: Plan) -> Path:
    """Return the folder of results, which `pathvars` may move."""
    return Path(plan.config.pathvars.get("results", "results"))


def built(plan: Plan, path: Path, rule: str, **wildcards: str) -> bool:
    """Tell whether a file is there and was made with this plan's settings: another world's does not count.

    A plan from nothing has none.
    """
    return (
        not plan.from_nothing
        and path.is_file()
        and read_provenance(path).get("settings") == json.loads(plan.settings(rule, wildcards))
    )


def _corpus_file(plan: Plan, corpus: str) -> Path | None:
    """Return the file of a corpus if it is built, from the articles of this world."""
    results = results_folder(plan)
    path = results / "corpus" / f"{corpus}.parquet"
    spec = plan.corpus(corpus)
    if isinstance(spec, TaskCorpus):
        here = _benchmarks_file(plan, plan.task_corpus_suite(corpus)) is not None
    elif isinstance(spec, SegmentedCorpus):
        articles = results / "retrieve" / "collections" / f"{spec.collection}.parquet"
        here = built(plan, articles, "retrieve_collection", collection=spec.collection)
    else:
        here = built(plan, results / "retrieve" / "articles.parquet", "retrieve_articles")
    rule = {"sampled": "corpus_sample"}.get(spec.kind, f"corpus_{spec.kind}")
    return path if here and built(plan, path, rule, corpus=corpus) else None


def _pairs_file(plan: Plan, pairs: str) -> Path | None:
    """Return the file of a pair set if it is built, from what this world has."""
    results, spec = results_folder(plan), plan.pairs(pairs)
    path = results / "pairs" / f"{pairs}.parquet"
    if isinstance(spec, TriplePairs):
        source = results / "retrieve" / "triples" / f"{spec.source}.parquet"
        here = built(plan, source, "retrieve_triples", source=spec.source)
    else:
        corpus = corpus_of(plan, pairs)
        here = corpus is not None and _corpus_file(plan, corpus) is not None
    return path if here and built(plan, path, f"pairs_{spec.kind}", pairs=pairs) else None


def _benchmarks_file(plan: Plan, suite: Suite) -> Path | None:
    """Return the file of a suite's evaluation sets if it is built, from this world's sources."""
    path = results_folder(plan) / "retrieve" / "benchmarks" / f"{suite}.parquet"
    if suite == "translated" and plan.world.translator:
        here = _benchmarks_file(plan, "chinese") is not None and built(plan, path, "retrieve_translated")
    else:
        here = built(plan, path, "retrieve_benchmarks", suite=suite)
    return path if here else None


@cache
def corpus_texts(plan: Plan, corpus: str) -> Texts | None:
    """Return the sentences of a corpus: those of its file, or as many as the world wants, of WORDS words.

    None for every line of a published file whose lines nobody has counted.
    """
    path = _corpus_file(plan, corpus)
    if path is None:
        spec, count = plan.corpus(corpus), plan.sentences(corpus)
        if isinstance(spec, SampledCorpus):
            return Texts(plan.size(spec.size), WORDS * BYTES_PER_WORD, built=False)
        if isinstance(spec, SegmentedCorpus):
            length, piece = SEGMENTED[spec.language], _piece(_suite(plan, corpus))
            return Texts(plan.size(spec.size), length, built=False, piece=piece)
        if isinstance(spec, TaskCorpus):
            both = 2 * sum(set_pairs(plan, task, spec.split) for task in spec.tasks)
            wanted = min(count, both) if count and spec.at_most else count
            return _expected(wanted or round(both * TASK_DISTINCT), plan.task_corpus_suite(corpus))
        source = plan.sentence_source(spec.file)
        rows = source.rows if isinstance(source, HubFile) else None
        count = count or rows or unknown_rows(plan)
        return Texts(count, SIMCSE_WORDS * BYTES_PER_WORD, built=False) if count else None
    return _counted(path, _suite(plan, corpus))


def unknown_rows(plan: Plan) -> int | None:
    """Return how many rows count for a file that nobody has counted: in a plan from nothing a bound."""
    if not plan.from_nothing:
        return None
    mini = plan.world.mini
    return round(MINI_ROWS * mini.articles * plan.world.scale) if mini else UNKNOWN_ROWS


def _suite(plan: Plan, corpus: str) -> Suite:
    """Return a suite in the language of a corpus."""
    spec = plan.corpus(corpus)
    if isinstance(spec, TaskCorpus):
        return plan.task_corpus_suite(corpus)
    japanese = isinstance(spec, SegmentedCorpus) and spec.language == "japanese"
    return "pair_tasks_japanese" if japanese else "english"


def _counted(path: Path, suite: Suite) -> Texts:
    """Return the sentences of a file, in the language of a suite."""
    with open_table(path, SENTENCES) as file:
        lengths = pc.binary_length(file.read(columns=["text"])["text"])
    return Texts(len(lengths), pc.mean(lengths).as_py(), built=True, piece=_piece(suite))


def asked_texts(plan: Plan, corpus: str) -> Texts:
    """Return the sentences of a corpus that a language model may be asked about: a sampled one.

    Or the sentences that are translated; expected ones all differ.
    """
    if corpus == UNTRANSLATED:
        path = results_folder(plan) / "corpus" / f"{UNTRANSLATED}.parquet"
        if _benchmarks_file(plan, "chinese") and built(plan, path, "corpus_untranslated"):
            return _counted(path, "chinese")
        return _expected(2 * sum(set_pairs(plan, task, "test") for task in TRANSLATED.values()), "chinese")
    texts = corpus_texts(plan, corpus)
    assert texts is not None
    return texts


def corpus_of(plan: Plan, pairs: str) -> str | None:
    """Return the corpus of a pair set, or None for one that has no corpus (triples of a file)."""
    return plan.corpus_of(plan.pairs(pairs))


@cache
def pair_rows(plan: Plan, pairs: str) -> PairRows | None:
    """Return how many rows a pair set has: those of its file, or as the kind of pairs has it.

    None if only the file can say, and it is not built.
    """
    path = _pairs_file(plan, pairs)
    if path is not None:
        return _counted_rows(path)
    spec = plan.pairs(pairs)
    if isinstance(spec, TriplePairs):
        source = plan.triple_source(spec.source)
        rows = source.rows if isinstance(source, HubFile) else None
        count = rows if spec.size is None else plan.size(spec.size)
        count = count or unknown_rows(plan)
        return PairRows([count], 3) if count else None
    corpus = plan.corpus_of(spec)
    assert corpus is not None
    texts = corpus_texts(plan, corpus)
    if (synthetic := plan.dino_pairs_of(spec)) is not None:
        # At most: texts that are refused, and pairs of equal texts, are fewer.
        per_sentence = LABELS * synthetic.kept + synthetic.random
        return PairRows([texts.count * per_sentence], 2) if texts else None
    slots, sides = _slots_and_sides(spec)
    if isinstance(spec, SentencePairs | DictionaryPairs) and spec.size is not None:
        return PairRows([plan.size(spec.size)] * slots, sides)
    return PairRows([texts.count] * slots, sides) if texts else None


def _slots_and_sides(spec: PairSet) -> tuple[int, int]:
    """Return the slots of a pair set with a row per sentence in each, and the texts encoded for a row."""
    if isinstance(spec, PunctuationPairs):
        return spec.slots, 3  # the sentence, itself again, itself with marks
    if isinstance(spec, TriplePairs):
        return 1, 3
    if isinstance(spec, PrefixPairs):
        return 1, 2 if spec.negative == "none" else 3
    return VERSIONS if spec.kind == "paraphrase" else 1, 2


def _counted_rows(path: Path) -> PairRows:
    negatives = 0
    with open_table(path, PAIRS) as file:
        rows = file.read(columns=["slot", "view"]).to_pandas()
        for group in range(file.num_row_groups):  # not all texts at once
            column = file.read_row_group(group, columns=["negative"])["negative"]
            negatives += len(column) - column.null_count
    slots = rows.slot[rows["view"] == 0].value_counts().sort_index().tolist()
    return PairRows(slots, 1 + (len(rows) + negatives) // sum(slots))


@cache
def benchmark_texts(plan: Plan, suite: Suite = "english") -> Texts:
    """Return the distinct sentences of a suite that every encoder is scored on."""
    path = _benchmarks_file(plan, suite)
    if path is not None:
        from contrapose.evaluate.sts import scored_pairs  # SciPy, which a plan can do without

        return _distinct(scored_pairs(read_table(path, BENCHMARK)), suite)
    tasks = _benchmarks(plan, suite)
    pairs = sum(set_pairs(plan, task, "test") for task in tasks)
    pairs += sum(set_pairs(plan, task, "dev") for task in set(tasks) if TASKS[task].dev or TASKS[task].labels)
    return _expected(round(2 * pairs * BENCHMARK_DISTINCT), suite)


@cache
def geometry_texts(plan: Plan) -> Texts:
    """Return the distinct sentences that alignment and uniformity are measured on."""
    path = _benchmarks_file(plan, "english")
    if path is not None:
        from contrapose.evaluate.geometry import geometry_pairs  # likewise

        return _distinct(geometry_pairs(read_table(path, BENCHMARK)), "english")
    pairs = sum(set_pairs(plan, GEOMETRY, split) for split in ("train", "dev", "test"))
    copies = _benchmarks(plan, "english").count(GEOMETRY)  # in several text forms
    return Texts(round(2 * pairs * copies * BENCHMARK_DISTINCT), BENCHMARK_BYTES, built=False)


def probe_texts(plan: Plan, probe: str) -> Texts:
    """Return the texts behind a length bias, if as many pairs are there as are wanted."""
    return _expected(2 * plan.probe(probe).pairs * PROBE_TEXTS, plan.suite_of_probe(probe))


def given_texts(plan: Plan, table: str) -> Texts:
    """Return the texts of a table of similarities."""
    settings = plan.similarities(table)
    texts = [settings.sentence, *(text.text for text in settings.texts)]
    return Texts(len(texts), sum(len(text.encode()) for text in texts) / len(texts), built=True)


@cache
def transfer_texts(plan: Plan) -> Texts:
    """Return the distinct sentences of the transfer tasks."""
    path = results_folder(plan) / "retrieve" / "transfer.parquet"
    if built(plan, path, "retrieve_transfer"):
        return _distinct(read_table(path, TRANSFER), "english")
    missing = found_benchmarks(plan.data, plan.world.transfer)[1] if plan.data else {}
    there = [task for task in plan.world.transfer if task not in missing]
    sides = {"mrpc": 2}
    sentences = sum(sides.get(task, 1) * sum(TRANSFER_ITEMS[task].values()) for task in there)
    if plan.world.mini:
        sentences = round(MINI_TRANSFER * plan.world.mini.pairs * plan.world.scale)
    return Texts(round(sentences * TRANSFER_DISTINCT), TRANSFER_BYTES, built=False)


@cache
def dev_texts(plan: Plan, task: DevTask) -> Texts:
    """Return the sentences of the dev set that selects the checkpoint; expected ones all differ."""
    suite = TASKS[task].suite
    path = _benchmarks_file(plan, suite)
    if path is not None:
        rows = read_table(path, BENCHMARK)
        return _distinct(rows[(rows.task == task) & (rows.split == "dev") & (rows.form == "senteval")], suite)
    return _expected(2 * set_pairs(plan, task, "dev"), suite)


@cache
def own_dev_texts(plan: Plan, pairs: str) -> Texts | None:
    """Return the texts of a pair set's own dev pairs; expected ones are as long as their sentences.

    Those of held-out pairs are as many as can differ; of triples as long as a sentence of Wikipedia.

    None if nobody has counted the sentences that they are written for.
    """
    dev = plan.own_dev(pairs)
    corpus = corpus_of(plan, dev)
    if isinstance(spec := plan.pairs(dev), HeldOutPairs):
        like = corpus_texts(plan, corpus) if corpus else Texts(0, WORDS * BYTES_PER_WORD, built=False)
        differing = _slots_and_sides(spec)[1] - (spec.kind == "dropout")
        return replace(like, count=differing * plan.held_out(spec), built=False) if like else None
    assert corpus is not None
    path, sentences = _pairs_file(plan, dev), corpus_texts(plan, corpus)
    if sentences is None:
        return None
    if path is None:
        count = sentences.count * (1 + LABELS * plan.dino_pairs(dev).kept)
        return replace(sentences, count=count, built=False)
    rows = read_table(path, PAIRS, ["anchor", "positive"])
    found = _distinct(rows.set_axis(["sentence1", "sentence2"], axis="columns"), "english")
    return replace(found, piece=sentences.piece)


def _benchmarks(plan: Plan, suite: Suite) -> list[Task]:
    """Return the tasks of a suite in this world, of those in files only what the data folder has."""
    if suite == "translated" and plan.world.translator:
        return list(TRANSLATED.values())
    sources = plan.benchmark_sources(suite)
    in_files = {name: source for name, source in sources.items() if isinstance(source, BenchmarkFiles)}
    missing = found_benchmarks(plan.data, in_files)[1] if plan.data else {}
    return [source.task for name, source in sources.items() if name not in missing]


def _distinct(pairs: pd.DataFrame, suite: Suite) -> Texts:
    texts = pd.concat([pairs.sentence1, pairs.sentence2.dropna()]).drop_duplicates()
    return Texts(len(texts), texts.str.encode("utf-8").str.len().mean(), built=True, piece=_piece(suite))


def _expected(count: int, suite: Suite) -> Texts:
    length = CHINESE_BYTES if suite == "chinese" else BENCHMARK_BYTES
    return Texts(count, length, built=False, piece=_piece(suite))


def _piece(suite: Suite) -> float:
    pieces: dict[Suite, float] = {
        "chinese": BYTES_PER_CHARACTER,
        "pair_tasks_japanese": BYTES_PER_JAPANESE_WORD,
    }
    return pieces.get(suite, BYTES_PER_PIECE)


def set_pairs(plan: Plan, task: Task, split: str) -> int:
    """Return the scored pairs of a set: the published number, or about as many as the mini world makes."""
    mini, translator = plan.world.mini, plan.world.translator
    if task in TRANSLATED.values() and translator and translator.size:
        return plan.size(translator.size)
    if mini:
        return round(MINI_SPLIT * mini.pairs * plan.world.scale)
    return TASKS[task].pairs[split] or OWN_PAIRS
