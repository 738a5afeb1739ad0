"""Tables of one's own sentences and paraphrases, in a project that has no articles, no sets and no model."""

import shutil

import pytest
import yaml

from contrapose.tables import SENTENCE_SCORES, SENTENCES, read_table
from tests.checkout import HOME, forked_snakemake, planned, snakemake

TABLES = [f"results/tables/own_{name}.csv" for name in ("paraphrases", "words")]
OWN = HOME / "examples" / "own"
FILES = {
    "german.csv": "sent0,sent1\nEr geht heim.,Er geht.\nSie bleibt.,Sie geht.\nEr geht heim.,Heim geht er.\n",
    "english.csv": "sent0,sent1\nHe goes home now.,Home he goes now.\n",
    "german.txt": "Dr. Weber kauft Brot. Er zahlt bar.\n",
    "english.txt": "He goes home now.\n",
}
ENTRIES = [("German", "german"), ("English", "english")]


@pytest.fixture
def example(tmp_path):
    """A copy of examples/own."""
    return shutil.copytree(
        OWN, tmp_path / "own", ignore=shutil.ignore_patterns("results", "logs", ".snakemake")
    )


def call(folder) -> list[str]:
    return ["--directory", str(folder), "--cores", "2", "--", *TABLES]


def test_the_tables_of_the_example_train_nothing_and_ask_nobody(example):
    jobs = planned(forked_snakemake(HOME, "--dry-run", *call(example)).stdout)
    assert jobs["score_paraphrases_of_pairs"] == jobs["corpus_published"] == 1
    assert not any(rule.startswith(("train_", "generate_", "retrieve_benchmarks")) for rule in jobs)


@pytest.mark.slow
def test_german_and_english_texts_are_in_tables(example):
    for name, text in FILES.items():
        (example / "data" / name).write_text(text, encoding="utf-8")
    world = example / "config/worlds/own.yaml"
    content = yaml.safe_load(world.read_text())
    languages = [language for _, language in ENTRIES]
    content["sentence_files"] = {each: {"path": f"{each}.txt", "language": each} for each in languages}
    content["triple_files"] = {
        each: {"kind": "simcse", "path": f"{each}.csv", "language": each} for each in languages
    }
    world.write_text(yaml.safe_dump({**content, "benchmarks": {}}))
    recipes = {
        "corpora": {each: {"kind": "published", "file": each} for each in languages},
        "pairs": {each: {"kind": "triples", "source": each} for each in languages},
        "recipes": {},
    }
    (example / "config/recipes.yaml").write_text(yaml.safe_dump(recipes))
    study = example / "config/studies/own/study.yaml"
    tables = yaml.safe_load(study.read_text())
    del tables["tables"]["pairs"]
    tables["tables"]["paraphrases"]["rows"] = [{"label": label, "pairs": each} for label, each in ENTRIES]
    tables["tables"]["words"]["rows"] = [{"label": label, "corpus": each} for label, each in ENTRIES]
    study.write_text(yaml.safe_dump(tables))
    snakemake(HOME, *call(example))
    words = [read_table(example / f"results/corpus/{each}.parquet", SENTENCES).words[0] for each in languages]
    assert words == [9, 5]
    scores = read_table(example / "results/score/pairs/german/mine-sentences.parquet", SENTENCE_SCORES)
    assert len(scores) == 2  # of three lines
    made = (example / "results/tables/own_paraphrases.md").read_text()
    assert "German: words are those of Moses's rules for German." in made
    assert "English: words" not in made
