"""Kinds of pairs, recipes, encoders and tables beside those of the finished project, on a copy of it."""

import shutil

import pandas as pd
import pytest
import torch
import yaml
from mteb.cache import ResultCache
from transformers import (
    AutoModelForMaskedLM,
    AutoModelForSequenceClassification,
    AutoTokenizer,
    T5Config,
    T5ForConditionalGeneration,
)

from contrapose.jobs.status import read_status
from contrapose.models.sentence_encoder import load_encoder
from contrapose.tables import CELLS, HISTORY, PAIRS, PARAPHRASES, SENTENCES, read_table
from tests.checkout import Checkout

FITTED = ["dropout/whitening+components=16/seed42", "dropout/flow/seed42", "dropout/tension/seed42"]
AVERAGED = ["dropout/soup/seed42", "dropout/between/seed42"]
AUGMENTED = (
    "dropout+size=few/"
    "simcse+feature_cutoff=0.2+momentum_queue_size=20+repetition=0.32+token_shuffling=True/seed42"
)
MARKED = "punctuation+size=few/simcse+max_length=12/seed42"
GUIDED = "nli/simcse+candidates=gistembed+guide=teacher+hard_negative_weight=1.0+mixcse_lambda=0.2/seed42"
MARGINS, *WITHOUT_DEV = (
    f"{run}/seed42" for run in ("margins/gpl", "written/last", "entailed/last", "replaced/last")
)
MTEB = "results/tables/smoke_ours.csv"
SCORES = [f"results/evaluate/english/{run}.parquet" for run in [*FITTED, *AVERAGED, "released/words/auto"]]
TRAINED = [AUGMENTED, MARKED, GUIDED, MARGINS, *WITHOUT_DEV]
PREFIX = "prefix+word=[MASK]"
TARGETS = [
    *(MTEB, *SCORES, *(f"results/train/{run}/history.parquet" for run in TRAINED)),
    *(f"results/pairs/{name}.parquet" for name in (PREFIX, "judged")),
]
PLAN = {
    **{"train_whitening": 1, "train_flow": 1, "train_contrastive_tension": 1, "train_averaged": 2},
    **{"corpus_published_lines": 1, "train_glove": 1, "train_encoder": 7, "evaluate_suite": 6},
    **{"generate_queries": 1, "generate_entailments": 1, "generate_masked_words": 1},
    **{"score_neighbours": 1, "score_relevance": 1, "retrieve_triplet_files": 1, "pairs_triplets": 1},
    **{"pairs_queries": 2, "pairs_mined": 1, "pairs_margins": 1, "pairs_scored": 1, "pairs_dropout": 1},
    **{"pairs_entailments": 1, "pairs_masked_words": 1, "pairs_prefix": 1, "pairs_punctuation": 1},
    **{"evaluate_mteb": 2, "report_mteb_table": 1},
}
ENTRIES = """
config/recipes.yaml:
  pairs:
    written: {kind: queries, corpus: wiki, writer: doc2query, queries: 2, held_out: held_out}
    hard: {kind: mined, pairs: written, encoder: scorer, negatives: 2, relative_margin: null}
    margins: {kind: margins, pairs: hard, cross_encoder: judge}
    judged: {kind: scored, pairs: hard, cross_encoder: judge}
    entailed:
      {kind: entailments, corpus: wiki, writer: doc2query, entailment: 0, contradiction: 0, words: 1,
       written_words: 1}
    replaced: {kind: masked_words, corpus: wiki, filler: bert, slots: 2}
  recipes:
    gpl:
      {loss: margin_mse, pooling: mean, batch_size: 16, query_length: 16, epochs: 2, dev: pairs,
       dev_every: epoch}
    last: {batch_size: 16, dev: null}
    whitening: {kind: whitening}
    flow: {kind: flow}
    tension: {kind: contrastive_tension}
    soup: {kind: weight_average, recipe: simcse}
    between: {kind: weight_average, recipe: simcse, seeds: each, alpha: 0.5}
config/catalogs/tiny.yaml:
  sizes: {few: 20}
  training: {steps: 6}
  encoders:
    judge: {path: models/judge}
    bert: {path: models/bert}
    words: {kind: glove, corpus: simcse, dimensions: 8, epochs: 2}
  language_models: {doc2query: {path: models/doc2query}}
  mteb: {ours: [{name: Near, type: STS, path: ./near}, {name: Find, type: Retrieval, path: ./find}]}
config/studies/smoke/study.yaml:
  tables:
    ours:
      kind: mteb
      caption: Tasks of our own.
      tasks: ours
      columns: {Near: Near, Find: Find}
      rows: [{model: untrained, encoder: bert-base}, {model: dropout, pairs: dropout, recipe: simcse}]
    averages:
      kind: sts
      caption: C.
      costs: true
      columns: {STS-B: stsb}
      rows:
        - {model: simcse, pairs: dropout, recipe: simcse}
        - {model: soup, pairs: dropout, recipe: soup}
        - {model: between, pairs: dropout, recipe: between}
"""


def write_models(project: Checkout) -> None:
    """Write an encoder-decoder with random weights, a cross-encoder and a masked language model."""
    base = project.folder / "resources/mini/encoders/bert-base"
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
        model.save_pretrained(project.folder / "models" / name)
        tokenizer.save_pretrained(project.folder / "models" / name)


def write_tasks(project: Checkout) -> None:
    """Write a task of pairs and one of documents for mteb."""
    texts = [
        f"the {animal} sat on the {spot}" for animal in ("cat", "dog", "bird") for spot in ("mat", "tree")
    ]
    near, find = project.folder / "near", project.folder / "find"
    near.mkdir()
    find.mkdir()
    pairs = pd.DataFrame({"sentence1": texts, "sentence2": texts[::-1], "score": range(len(texts))})
    pairs.to_csv(near / "test.csv", index=False)
    for name, letter, found in (("corpus", "d", texts), ("queries", "q", texts[::-1])):
        table = pd.DataFrame({"id": [f"{letter}{n}" for n in range(len(texts))], "text": found})
        table.to_csv(find / f"{name}.csv", index=False)
    relevant = {"query-id": ["q0", "q1"], "corpus-id": ["d5", "d4"], "score": 1}
    pd.DataFrame(relevant).to_csv(find / "qrels.csv", index=False)


@pytest.fixture(scope="module")
def project(finished: Checkout, tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """A copy of the finished project with further entries, of which all targets are built in one call."""
    folder = tmp_path_factory.mktemp("further") / "copy"
    copy = Checkout(shutil.copytree(finished.folder, folder, symlinks=True))
    for file, sections in yaml.safe_load(ENTRIES).items():
        content = yaml.safe_load((folder / file).read_text())
        for section, entries in sections.items():
            content[section] = content.get(section, {}) | entries
        (folder / file).write_text(yaml.safe_dump(content, sort_keys=False))
    write_models(copy)
    write_tasks(copy)
    assert copy.plan(*TARGETS) == PLAN
    copy.run(*TARGETS)
    assert copy.plan(*TARGETS) == {}
    return copy


def history(project: Checkout, run: str) -> pd.DataFrame:
    return read_table(project.folder / f"results/train/{run}/history.parquet", HISTORY)


def pairs(project: Checkout, name: str) -> pd.DataFrame:
    return read_table(project.folder / f"results/pairs/{name}.parquet", PAIRS)


def test_baselines_are_scored_like_a_trained_encoder(project: Checkout):
    encoders = [load_encoder(project.folder / "results/train" / run / "encoder") for run in FITTED]
    heads = [[type(module).__name__ for module in encoder.head] for encoder in encoders]
    assert heads == [["Dense", "Normalize"], ["Glow"], []]
    assert all(pd.read_parquet(project.folder / path).value.abs().max() <= 1 for path in SCORES)
    _, flow, tension = (history(project, run) for run in FITTED)
    assert flow.sentences.tolist() == [64]  # all of the small corpus, once
    assert tension.dev_score.notna().tolist() == [False] * 3 + [True, False, True]
    assert not list((project.folder / "state/train").rglob("*.safetensors"))


@pytest.mark.parametrize(
    ("file", "old", "new", "made"),
    [
        ("recipes", "kind: flow", "kind: flow\n    width: 8", {"train_flow": 1, "evaluate_suite": 1}),
        ("recipes", "alpha: 0.5", "alpha: 0.4", {"train_averaged": 1, "evaluate_suite": 1}),
        ("catalogs/tiny", "dimensions: 8", "dimensions: 9", {"train_glove": 1, "evaluate_suite": 1}),
        ("catalogs/tiny", "steps: 6", "steps: 5", {"train_contrastive_tension": 1, "evaluate_suite": 1}),
    ],
)
def test_a_setting_of_a_kind_redoes_what_it_is_of(project: Checkout, file, old, new, made):
    with project.edited(f"config/{file}.yaml", old, new):
        assert project.plan(*SCORES) == made


def test_encoders_that_are_not_kept_are_made_for_what_needs_them(project: Checkout):
    run, keep = "dropout/whitening+components=8/seed42", ("--config", "save_models=false")
    scores = f"results/evaluate/english/{run}.parquet"
    encoder = project.folder / "results/train" / run / "encoder"
    project.run(scores, *keep)
    assert (project.folder / scores).exists()
    assert not encoder.exists()
    assert project.plan(scores, *keep) == project.plan(scores) == {}
    before = (encoder.parent / "history.parquet").read_bytes()
    further = f"results/evaluate/geometry/{run}.parquet"
    assert project.plan(further, *keep) == {"train_whitening": 1, "evaluate_geometry": 1}
    project.run(further)
    assert load_encoder(encoder).head
    assert (encoder.parent / "history.parquet").read_bytes() == before
    assert project.plan(scores, further) == {}  # the encoder is newer than its scores, and equal


def test_weights_are_averaged_and_nothing_is_trained_again(project: Checkout):
    runs = [*AVERAGED, "dropout/simcse/seed42"]
    soup, between, tuned = (
        load_encoder(project.folder / f"results/train/{run}/encoder").state_dict() for run in runs
    )
    before = load_encoder(project.folder / "resources/mini/encoders/bert-base").state_dict()
    for name, weights in tuned.items():
        assert soup[name].equal(weights)  # of one seed
        assert between[name].equal(((weights.double() + before[name].double()) / 2).float())
    table = "results/tables/smoke_averages.csv"
    project.run(table, "--config", "seeds=2")
    made = read_table((project.folder / table).with_suffix(".parquet"), CELLS)
    seeds = made.groupby("model", sort=False).seed.nunique().to_dict()
    assert seeds == {"simcse": 2, "soup": 0, "between": 2}
    means = made[made.seed.isna()].set_index("model")
    assert means["std"].isna().to_dict() == {"simcse": False, "soup": True, "between": False}
    assert means.p["soup"] <= 1  # compared as a pretrained encoder is
    assert means.flops["soup"] == pytest.approx(2 * means.flops["simcse"])


def test_gpl_is_trained_from_documents_alone(project: Checkout):
    documents = read_table(project.folder / "results/corpus/wiki.parquet", SENTENCES)
    queries = read_table(project.folder / "results/generate/queries/wiki/doc2query/2.parquet", PARAPHRASES)
    assert len(queries) == 2 * queries.sentence_id.nunique() <= 2 * len(documents)
    margins, judged = pairs(project, "margins"), pairs(project, "judged")
    assert set(margins.positive) < set(documents.text)
    assert set(margins.slot) == {0, 1, 2, 3}  # two queries, each with two hard negatives
    assert (margins.negatives.str.len() == 1).all()
    assert margins.label.nunique() > len(margins) / 2
    assert judged.label.between(0, 1, inclusive="neither").all()
    assert (judged.negative_scores.str.len() == judged.negatives.str.len()).all()
    found = history(project, MARGINS)
    assert found.epoch[found.dev_score.notna()].tolist() == [0, 1]
    assert all(history(project, run).dev_score.isna().all() for run in WITHOUT_DEV)


def test_texts_of_small_models_and_pairs_by_rule_are_trained_on(project: Checkout):
    assert (pairs(project, "entailed").negatives.str.len() == 1).all()
    replaced = pairs(project, "replaced")
    assert len(replaced) == 2 * 64
    sides = [map(str.split, pair) for pair in replaced[["anchor", "positive"]].values]
    changed = [[one != other for one, other in zip(*pair, strict=True)] for pair in sides]
    assert all(0 < sum(words) / len(words) < 0.25 for words in changed)
    prefix = pairs(project, PREFIX)
    assert len(prefix) == prefix.positive.str.startswith("[MASK] ").sum() == 64  # 10 words or more
    assert history(project, MARKED).sentences.tolist() == [3 * 16, 3 * 20]
    counts = read_status(project.folder / f"results/train/{MARKED}/history.parquet").counts
    assert counts["texts"] == 3 * 20  # a sentence, and its marks in two slots
    assert 0 < counts["cut"] <= 60
    assert history(project, AUGMENTED).sentences.tolist() == [2 * 16, 2 * 20]
    assert history(project, GUIDED).loss.notna().all()  # the guide is trained here


def test_a_table_of_tasks_in_files(project: Checkout):
    shown = pd.read_csv(project.folder / MTEB)
    assert list(shown.columns[3:6]) == ["Near", "Find", "Avg."]
    assert shown.Find.between(0, 100).all()
    assert "Difference to untrained" in (project.folder / MTEB).with_suffix(".md").read_text()
    kept = project.folder / "results/evaluate/mteb/ours/dropout/simcse/seed42-results"
    (model,) = ResultCache(kept).load_results().model_results
    assert model.model_name == "contrapose/dropout__simcse__seed42"
    assert {result.task_name for result in model.task_results} == {"Near", "Find"}


def test_a_job_that_fails_later_keeps_the_tasks_that_are_done(project: Checkout, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with project.edited("config/catalogs/tiny.yaml", "  - name: Find", "  - BIOSSES\n  - name: Find"):
        done = project.run("results/evaluate/mteb/ours/released/scorer/auto.parquet", check=False)
    assert "mteb task BIOSSES: its data (" in done.stdout
    assert [*(project.folder / "state").rglob("Near.json")]  # which mteb_scores does not score again
