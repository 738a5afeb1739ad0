"""Readers on the real files, part by part: rows, sum of gold values, checksum of all cells, first row.

`tests/golden/real_files.csv` was frozen while it agreed with pandas, json and csv on the same files, and with
the numbers that the papers and the data folder's README give.
"""

import hashlib
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest

from contrapose.base.tasks import TASKS
from contrapose.corpus import task_sentences
from contrapose.corpus.published_lines import published_lines
from contrapose.corpus.task_sentences import TaskCorpus
from contrapose.project import Project
from contrapose.retrieve.articles import ArticleFiles, read_articles
from contrapose.retrieve.benchmarks import BenchmarkFiles, read_benchmarks
from contrapose.retrieve.data_files import matching
from contrapose.retrieve.dictionary import convert_dictionary
from contrapose.retrieve.dictionary_lines import DictionaryFiles
from contrapose.retrieve.naive import naive_texts
from contrapose.retrieve.transfer import read_transfer
from contrapose.retrieve.triplet_files import PairFile, read_triplets
from contrapose.tables import PHRASES, RULES, TableWriter, read_table
from tests.checkout import HOME
from tests.reference.real import DATA, on_real_files

pytestmark = on_real_files
# Chinese sets in the form of their first release, beside the bundle that the catalog reads.
RELEASED = {
    "bq": BenchmarkFiles(kind="bq", task="bq", path="chinese_original/BQ_corpus"),
    "stsb_zh": BenchmarkFiles(kind="cnsd", task="stsb_zh", path="chinese_original/CNSD-STS-B"),
    "pawsx_zh": BenchmarkFiles(kind="pawsx", task="pawsx_zh", path="pawsx/zh"),
}
DICTIONARIES = [
    DictionaryFiles(kind="ppdb", files=["ppdb_format_lines/*.txt"]),
    DictionaryFiles(kind="ehimerppdb", files=["ehimerppdb_excerpt/*.txt"]),
    DictionaryFiles(kind="word_pairs", files=["ppdb2_word_pairs/*.txt"], probability=1.0),
]
EXTRACTED = ArticleFiles(path="wikipedia_en_wikiextractor/2016/*/wiki_*", format="wikiextractor")
SIMCSE = PairFile(kind="simcse", path="nli_for_simcse_head/nli_for_simcse.head.csv")
# SemEval's SICK is not the release; of ATEC's train split and of QQP there are samples.
NOT_AS_PUBLISHED = {"sick_pairs", "sick_nli", "qqp", ("atec", "train")}


@pytest.fixture(scope="module")
def project() -> Project:
    return Project({"catalog": "files", "data": str(DATA)}, HOME)


@pytest.fixture(scope="module")
def sets(project) -> tuple[pd.DataFrame, dict[str, str]]:
    return read_benchmarks(DATA, project.catalog.benchmarks)


def parts(table: pd.DataFrame, *by: str) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield a name and the rows of each part."""
    for name, rows in table.groupby(list(by), sort=False):
        yield "/".join(name), rows.drop(columns=list(by))


def rules(source: DictionaryFiles, folder: Path) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the rules of a dictionary, with their phrases, and the counted lines."""
    out = folder / f"{source.kind}_phrases.parquet", folder / f"{source.kind}_rules.parquet"
    with TableWriter(out[0], PHRASES) as phrases, TableWriter(out[1], RULES) as written:
        (files,) = matching(source.files, DATA).values()
        lines = convert_dictionary(files, source, phrases, written)
    phrases, found = read_table(out[0], PHRASES).phrase, read_table(out[1], RULES)
    yield f"{source.kind} rules", found.assign(phrase=found.phrase.map(phrases))
    yield f"{source.kind} lines", lines


def every_part(project, sets, folder: Path) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield a name and the rows of each part of each file; no rows where it is missing."""
    data, catalog, by = DATA, project.catalog, ("task", "form", "split", "subset")
    corpus = TaskCorpus(kind="tasks", tasks=["atec", "stsb_zh"], split="train", size=None, seed=1)
    released, _ = read_benchmarks(data, RELEASED)
    transfer, no_transfer = read_transfer(data, catalog.transfer)
    yield from parts(sets[0], *by)
    yield from parts(released.assign(task=released.task + " released"), *by)
    yield from ((name, pd.DataFrame()) for name in [*sets[1], *no_transfer])
    yield from parts(naive_texts(data, catalog.benchmarks).assign(kind="naive"), "kind", "task", "form")
    yield from parts(transfer, "task", "split")
    yield "corpus of tasks", task_sentences.build(corpus, sets[0])
    yield "corpus of lines", published_lines(catalog.sentence_files["simcse"], data)
    yield "triplets simcse", read_triplets(SIMCSE, data)
    yield "triplets snli", read_triplets(catalog.triplet_files["nli"], data)
    for source in DICTIONARIES:
        yield from rules(source, folder)
    for source in (catalog.articles, EXTRACTED):
        yield f"articles {source.format}", pd.concat(read_articles(sorted(data.glob(source.path)), source))


def described(name: str, rows: pd.DataFrame) -> dict[str, object]:
    if rows.empty:
        return {"part": name, "rows": 0}
    sums = [f"{rows[each].sum():.6g}" for each in ("score", "label", "probability") if each in rows]
    content = hashlib.sha256(rows.to_csv(index=False).encode()).hexdigest()[:16]
    first = " | ".join(map(str, rows.iloc[0]))[:60].replace("\n", " ").strip()
    return {"part": name, "rows": len(rows), "sum": "".join(sums[:1]), "sha256": content, "first": first}


def test_every_reader_gives_what_is_in_its_file(project, sets, golden, tmp_path):
    found = [described(name, rows) for name, rows in every_part(project, sets, tmp_path)]
    golden("real_files.csv", pd.DataFrame(found).to_csv(index=False))


def test_sets_have_the_published_numbers_of_pairs(sets):
    for (task, _, split), pairs in sets[0].groupby(["task", "form", "split"]):
        if not {task, (task, split)} & NOT_AS_PUBLISHED:
            assert len(pairs) == TASKS[task].pairs[split], (task, split)
