"""Pairs that change English sentences by rule are built from a tagger and WordNet in NLTK's files."""

from pathlib import Path
from textwrap import dedent

import pytest

from contrapose.jobs.status import read_status
from contrapose.tables import PAIRS, read_table
from tests.checkout import HOME, planned, snakemake
from tests.nltk_files import nltk_files

pytestmark = pytest.mark.slow

FILES = {
    "config.yaml": "{catalog: own, studies: [own], data: data}",
    "catalogs/own.yaml": f"""
        description: own
        sentence_files: {{own: {{path: own.txt}}}}
        encoders: {{mine: {{path: {HOME}/resources/mini/encoders/bert-base}}}}
        benchmarks: {{own: {{kind: pairs, task: own, path: .}}}}
        grammars: {{english: {{path: nltk}}}}
        """,
    "recipes.yaml": """
        corpora: {own: {kind: published, file: own}}
        pairs:
          negated: {kind: negation, corpus: own}
          modal: {kind: discrete, corpus: own, change: modality, slots: 2}
          synonyms: {kind: synonym, corpus: own}
          shuffled: {kind: shuffle, corpus: own}
        recipes: {a: {encoder: mine, dev: own}}
        """,
    "studies/own/study.yaml": """
        title: t
        source: s
        prefix: own_
        tables:
          one: {kind: sts, caption: c, columns: {Own: own}, rows: [{model: m, pairs: negated, recipe: a}]}
        """,
}
TEXTS = ["The dog sleeps.", "The cats sleep all day.", "A big dog is not fast.", "She has left the house."]
TARGETS = [f"results/pairs/{name}.parquet" for name in ("negated", "modal", "synonyms", "shuffled")]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    nltk_files(tmp_path / "data/nltk")
    (tmp_path / "data/own.txt").write_text("\n".join(TEXTS))
    for split in ("dev", "test"):
        (tmp_path / f"data/{split}.csv").touch()
    for name, text in FILES.items():
        (tmp_path / "config" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "config" / name).write_text(dedent(text))
    return tmp_path


def test_one_job_tags_the_sentences_for_every_strategy(folder: Path):
    call = ("--directory", str(folder), "--cores", "1", *TARGETS)
    assert planned(snakemake(HOME, "--dry-run", *call).stdout) == {
        **{"corpus_punkt": 1, "corpus_published_lines": 1, "score_grammar": 1},
        **{"pairs_negation": 1, "pairs_discrete": 1, "pairs_synonym": 1, "pairs_shuffle": 1},
    }
    snakemake(HOME, *call)
    negated, modal, synonyms, shuffled = (read_table(folder / each, PAIRS) for each in TARGETS)
    assert [each[0] for each in negated.negatives] == [
        "The dog does not sleep.",
        "The cats do not sleep all day.",
        "A big dog is fast.",
        "She has not left the house.",
    ]
    assert modal.anchor.tolist() == TEXTS[:3] * 2
    assert read_status(folder / TARGETS[1]).skipped == ["1 of 4 sentences cannot be changed (modality)"]
    assert synonyms.anchor.tolist() == TEXTS[:3]
    assert synonyms.positive[1] in ("The cats kip all day.", "The cats slumber all day.")
    assert shuffled.positive.str.split().map(sorted).tolist() == [sorted(each.split()) for each in TEXTS]
    assert (folder / "logs/score/grammar/own/english.took.json").is_file()
