"""Texts of small models, queries, entailments and other words, and margins by a cross-encoder: trained on."""

import shutil

import pytest
import torch
from transformers import (
    AutoModelForMaskedLM,
    AutoModelForSequenceClassification,
    AutoTokenizer,
    T5Config,
    T5ForConditionalGeneration,
)

from contrapose.tables import HISTORY, PAIRS, PARAPHRASES, SENTENCES, read_table
from tests.checkout import Checkout

PAIRS_ENTRIES = """pairs:
  written: {kind: queries, corpus: wiki, writer: doc2query, queries: 2, held_out: held_out}
  hard: {kind: mined, pairs: written, encoder: scorer, negatives: 2, relative_margin: null}
  margins: {kind: margins, pairs: hard, cross_encoder: judge}
  judged: {kind: scored, pairs: hard, cross_encoder: judge}
  entailed: {kind: entailments, corpus: wiki, writer: doc2query, entailment: 0, contradiction: 0, words: 1,
             written_words: 1}
  replaced: {kind: masked_words, corpus: wiki, filler: bert, slots: 2}
"""
RECIPES = """recipes:
  gpl: {loss: margin_mse, pooler: avg, batch_size: 16, query_length: 16, epochs: 2, dev: pairs,
        dev_every: epoch}
  last: {batch_size: 16, dev: null}
"""
TABLE = """tables:
  gpl:
    kind: sts
    caption: C.
    columns: {STS-B: stsb}
    rows:
      - {group: Ours, model: bert, pairs: margins, recipe: gpl}
"""
MODELS = {
    "encoders:": "judge: {path: models/judge}\n  bert: {path: models/bert}",
    "language_models:": "doc2query: {path: models/doc2query}",
}


@pytest.fixture
def project(finished: Checkout, tmp_path) -> Checkout:
    """A copy of the finished project with both models, their weights random, and pairs that need them."""
    copy = Checkout(shutil.copytree(finished.folder, tmp_path / "copy"))
    base = copy.folder / "resources/mini/encoders/bert-base"
    tokenizer = AutoTokenizer.from_pretrained(base)
    torch.manual_seed(0)
    config = T5Config(
        vocab_size=len(tokenizer), d_model=16, d_kv=8, d_ff=32, num_layers=1, num_heads=2,
        pad_token_id=tokenizer.pad_token_id, eos_token_id=tokenizer.sep_token_id,
        decoder_start_token_id=tokenizer.pad_token_id, architectures=["T5ForConditionalGeneration"],
    )  # fmt: skip
    models = {
        "doc2query": T5ForConditionalGeneration(config),
        "judge": AutoModelForSequenceClassification.from_pretrained(base, num_labels=1),
        "bert": AutoModelForMaskedLM.from_pretrained(base),
    }
    for name, model in models.items():
        model.save_pretrained(copy.folder / "models" / name)
        tokenizer.save_pretrained(copy.folder / "models" / name)
    files = ("catalogs/tiny.yaml", "recipes.yaml", "studies/smoke/study.yaml")
    catalog, recipes, study = (copy.folder / "config" / name for name in files)
    study.write_text(study.read_text().replace("tables:\n", TABLE, 1))
    for section, entry in MODELS.items():
        catalog.write_text(catalog.read_text().replace(f"\n{section}\n", f"\n{section}\n  {entry}\n", 1))
    text = recipes.read_text()
    for entries in (PAIRS_ENTRIES, RECIPES):
        text = text.replace(entries.partition("\n")[0] + "\n", entries, 1)
    recipes.write_text(text)
    return copy


def test_gpl_is_trained_from_documents_alone(project: Checkout):
    history, last = (f"results/train/{run}/seed42/history.parquet" for run in ("margins/gpl", "written/last"))
    plan = project.plan(history)
    made = {**{"generate_queries": 1, "score_neighbours": 1, "score_relevance": 1, "train_encoder": 1}}
    assert plan == made | {"pairs_queries": 2, "pairs_mined": 1, "pairs_margins": 1}
    project.run(history, last, "results/pairs/judged.parquet")
    documents = read_table(project.folder / "results/corpus/wiki.parquet", SENTENCES)
    queries = read_table(project.folder / "results/generate/queries/wiki/doc2query/2.parquet", PARAPHRASES)
    assert len(queries) == 2 * queries.sentence_id.nunique() <= 2 * len(documents)
    pairs = read_table(project.folder / "results/pairs/margins.parquet", PAIRS)
    assert set(pairs.positive) < set(documents.text)
    assert set(pairs.slot) == {0, 1, 2, 3}  # two queries, each with two hard negatives
    assert (pairs.negatives.str.len() == 1).all()
    assert pairs.label.nunique() > len(pairs) / 2
    judged = read_table(project.folder / "results/pairs/judged.parquet", PAIRS)
    assert judged.label.between(0, 1, inclusive="neither").all()
    assert (judged.negative_scores.str.len() == judged.negatives.str.len()).all()
    found, others = (read_table(project.folder / path, HISTORY) for path in (history, last))
    assert found.epoch[found.dev_score.notna()].tolist() == [0, 1]
    assert others.dev_score.isna().all()
    assert project.plan(history, last) == {}


def test_entailments_and_masked_words_are_made_and_trained_on(project: Checkout):
    histories = [f"results/train/{pairs}/last/seed42/history.parquet" for pairs in ("entailed", "replaced")]
    rules = ("generate_entailments", "pairs_entailments", "generate_masked_words", "pairs_masked_words")
    assert project.plan(*histories) == {**dict.fromkeys(rules, 1), "train_encoder": 2}
    project.run(*histories)
    entailed, replaced = (
        read_table(project.folder / f"results/pairs/{pairs}.parquet", PAIRS)
        for pairs in ("entailed", "replaced")
    )
    assert (entailed.negatives.str.len() == 1).all()
    assert len(replaced) == 2 * 64
    sides = [map(str.split, pair) for pair in replaced[["anchor", "positive"]].values]
    changed = [[one != other for one, other in zip(*pair, strict=True)] for pair in sides]
    shares = [sum(each) / len(each) for each in changed]
    assert all(0 < share < 0.25 for share in shares)
    assert project.plan(*histories) == {}


def test_what_does_not_fit_is_refused_before_anything_runs(project: Checkout):
    recipes, study = "config/recipes.yaml", "config/studies/smoke/study.yaml"
    for file, entry, wrong, message in (
        (
            recipes,
            "pairs: hard, cross",
            "pairs: written, cross",
            "1 views and 0 hard negatives in a row; margins",
        ),
        (recipes, "writer: doc2query", "llm: chatgpt, prompt: negative", "does not say 5 or five"),
        (recipes, "writer: doc2query", "writer: doc2qeury", "Did you mean 'doc2query'?"),
        (study, "recipe: gpl}", "recipe: simcse}", "the loss info_nce is for pairs without labels"),
        (
            study,
            "recipe: gpl}",
            "recipe: gpl+loss=cosent}",
            "margins and the loss margin_mse need each other",
        ),
    ):
        with project.edited(file, entry, wrong):
            done = project.forked("-n", "results/tables/smoke_gpl.csv", check=False)
            assert message in " ".join(done.stdout.split())
