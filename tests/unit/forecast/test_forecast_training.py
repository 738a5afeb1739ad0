import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from contrapose.jobs import PunctuationJob
from contrapose.plan import Plan

from contrapose.evaluate import geometry, length_bias
from contrapose.forecast import loads
from contrapose.forecast.compute import forward_flops, gpu, shape_of
from contrapose.forecast.dag import Job, _jobs
from contrapose.forecast.texts import (
    BENCHMARK_DISTINCT,
    GEOMETRY,
    PROBE_TEXTS,
    PairRows,
    _counted_rows,
    benchmark_texts,
    corpus_texts,
    dev_texts,
    geometry_texts,
    pair_rows,
)
from contrapose.forecast.training import batch_tokens, dev_scores, encodings, steps, trainings
from contrapose.pairs.punctuation import punctuation_pairs
from contrapose.tables import ARTICLES, BENCHMARK, PAIRS, SENTENCES, empty, write_table
from contrapose.train import devices, graphs
from contrapose.train.batches import steps_per_epoch

HOME = Path(__file__).parents[3]
RUN = {"pairs": "dropout", "recipe": "simcse", "seed": "42"}


@pytest.fixture(autouse=True)
def nothing_is_built(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def hub(**settings):
    return Plan({"world": "hub", **settings}, HOME)


@pytest.mark.parametrize("slots", [[130], [64, 65, 1], [7, 128]])
@pytest.mark.parametrize("epochs", [1, 2, 5])
def test_steps_are_those_of_the_training_loop(slots, epochs):
    rows = [np.zeros((count, 2)) for count in slots]
    assert steps(PairRows(slots, 2), 64, epochs) == sum(steps_per_epoch(rows, 64, epochs))


@pytest.mark.parametrize("count", [1, 124, 125, 126, 250])
def test_dev_is_scored_every_so_many_steps_and_at_the_end(count):
    assert dev_scores(count, 125) == sum(step % 125 == 0 or step == count for step in range(1, count + 1))


def test_a_batch_is_as_wide_as_the_longest_sentence_or_the_recipes_limit():
    assert batch_tokens(50, 32) == 32
    assert batch_tokens(10, 32) == 14  # 10 words of 5.39 bytes, 4.57 bytes a piece, and two special tokens
    assert batch_tokens(None, 64) == 64


def test_a_training_is_three_passes_of_every_sentence_and_the_dev_scores():
    plan = hub()
    (one,) = trainings(plan, [Job("train_encoder", RUN)], gpu("a100", 0.5))
    shape = shape_of(plan, "bert-base")
    assert (one.jobs, one.steps, one.sentences, one.tokens) == (1, 2344, 300_000, 32)
    # 2344 steps: 18 dev scores every 125, and one at the end.
    dev = 19 * 2 * 1500 * forward_flops(shape, dev_texts(plan, "stsb").tokens)
    assert one.flops == pytest.approx(3 * 300_000 * forward_flops(shape, 32) + dev)
    assert one.hours == pytest.approx(one.flops / (19.5e12 * 0.5 * 3600))


def test_seeds_are_alike_and_epochs_go_round_the_five_paraphrases():
    run = {"pairs": "paraphrase", "recipe": "paraphrase+epochs=20"}
    jobs = [Job("train_encoder", {**run, "seed": seed}) for seed in ("42", "43", "44")]
    (one,) = trainings(hub(), jobs, gpu())
    assert (one.jobs, one.steps, one.sentences) == (3, 20 * 2344, 20 * 300_000)


def test_a_fitted_recipe_encodes_every_sentence_once_and_a_flow_in_every_epoch():
    runs = [
        ("train_whitening", "dropout", "whitening"),
        ("train_whitening", "paraphrase", "whitening"),
        ("train_flow", "dropout", "flow+epochs=2"),
    ]
    jobs = [Job(rule, {"pairs": pairs, "recipe": recipe, "seed": "42"}) for rule, pairs, recipe in runs]
    plan = hub()
    found = {one.what: one for one in trainings(plan, jobs, gpu())}
    assert found["dropout/whitening"].sentences == 150_000
    assert found["paraphrase/whitening"].sentences == 900_000
    assert found["dropout/flow+epochs=2"].sentences == 2 * 150_000
    tokens = corpus_texts(plan, "wiki-1-1-small").tokens
    once = 150_000 * forward_flops(shape_of(plan, "bert-base"), tokens)
    assert found["dropout/whitening"].flops == pytest.approx(once)


def test_contrastive_tension_takes_its_steps_whatever_the_pairs_and_scores_both_encoders():
    run = {"pairs": "dropout", "recipe": "contrastive_tension", "seed": "42"}
    plan = hub()
    jobs = [Job("train_contrastive_tension", run), Job("train_glove", {"role": "glove"})]
    (one,) = trainings(plan, jobs, gpu())
    shape = shape_of(plan, "bert-base")
    assert (one.steps, one.sentences, one.tokens) == (5000, 5000 * 32, 61)  # 50 words; 75 would fit
    dev = 10 * 2 * 2 * 1500 * forward_flops(shape, dev_texts(plan, "stsb").tokens)
    assert one.flops == pytest.approx(3 * 160_000 * forward_flops(shape, one.tokens) + dev)


def test_synthetic_pairs_are_at_most_eight_a_sentence_and_judged_on_their_own_dev_pairs():
    plan = hub()
    (one,) = trainings(plan, [Job("train_encoder", {**RUN, "pairs": "rise-stsb", "recipe": "rise"})], gpu())
    shape, sentence = shape_of(plan, "roberta-base"), corpus_texts(plan, "stsb-sources").tokens
    assert (one.sentences, one.steps, one.tokens) == (3 * 2 * 80_000, 7500, sentence)
    # Dev scores every 800 of 7,500 steps; twice 1,500 sentences with two texts for each of three labels.
    dev = 10 * 7 * 3000 * forward_flops(shape, sentence)
    assert one.flops == pytest.approx(3 * 480_000 * forward_flops(shape, sentence) + dev)


def test_word_vectors_have_no_shape():
    assert shape_of(Plan({}, HOME), "glove") is None


def test_an_encoder_of_unknown_shape_has_no_hours():
    world = yaml.safe_load((HOME / "config/worlds/hub.yaml").read_text())
    del world["encoders"]["bert-base"]["shape"]
    Path("bare.yaml").write_text(yaml.safe_dump(world))
    (one,) = trainings(Plan({"world": "bare.yaml"}, HOME), [Job("train_encoder", RUN)], gpu())
    assert (one.steps, one.flops, one.hours) == (2344, None, None)


def test_evaluations_encode_the_benchmarks_and_scorers_six_texts_a_sentence():
    plan = hub()
    scorer = {"corpus": "wiki-1-1-prompts", "llm": "chatgpt", "prompt": "2", "scorer": "scorer"}
    released = Job("evaluate_released", {"role": "bert-base", "pooling": "cls"})
    jobs = [Job("evaluate_run", RUN), Job("evaluate_geometry", RUN), Job("evaluate_transfer", RUN), released]
    jobs += [Job("score_similarities", scorer), Job("corpus_punkt", {})]
    jobs.append(Job("evaluate_length_bias", {**RUN, "probe": "chinese"}))
    found = {one.what: (one.role, one.sentences) for one in encodings(plan, jobs, gpu())}
    every = benchmark_texts(plan).count
    assert found == {
        "evaluate_run": ("bert-base", every),
        "evaluate_geometry": ("bert-base", geometry_texts(plan).count),
        # 116,838 items, of which MRPC's 5,801 have two sentences; nine of ten differ.
        "evaluate_transfer": ("bert-base", round(0.9 * (116_838 + 5_801))),
        "evaluate_released": ("bert-base", every),
        "score_similarities wiki-1-1-prompts": ("scorer", 600),
        "evaluate_length_bias chinese": (
            "bert-base",
            2 * 1000 * 6,
        ),  # two sentences, each as it is and longer
    }


def test_pairs_with_labels_are_expected_with_the_dev_pairs_that_choose_thresholds():
    pairs = 4 * 2 * 600  # STS-B, QQP, MRPC and PAWS-QQP, dev and test
    assert benchmark_texts(Plan({}, HOME), "paraphrase").count == round(2 * pairs * BENCHMARK_DISTINCT)
    pairs = (1500 + 1379) + (18_192 + 40_430) + (408 + 1725) + 677
    assert benchmark_texts(hub(), "paraphrase").count == round(2 * pairs * BENCHMARK_DISTINCT)


def made(plan: Plan, rule: str, **wildcards: str) -> dict:
    """Return what a file says of itself that a rule made with a plan's settings."""
    return {"settings": json.loads(plan.settings(rule, wildcards))}


def test_what_is_built_is_counted_but_not_what_another_world_has_built():
    plan, other = hub(), Plan({}, HOME)
    rows = [(f"{at}", slot, 0, "a", "b", "c", None, 1.0) for slot in (0, 1) for at in range(3 - slot)]
    pairs = pd.DataFrame(rows, columns=PAIRS.columns)
    sentences = pd.DataFrame(
        [("a:0", "four", "a", 0, 1), ("a:1", "eéeeee", "a", 1, 1)], columns=SENTENCES.columns
    )
    scored = [
        ("stsb", form, split, "stsb", 0, "a", "bb", 1.0)
        for form in ("raw", "senteval")
        for split in ("dev", "train")
    ]
    benchmarks = pd.DataFrame(scored, columns=BENCHMARK.columns)
    for world in (other, plan):
        corpora = {name: made(world, "corpus_sample", corpus=name) for name in ("wiki-1-1", "wiki-1-1-small")}
        articles = made(world, "retrieve_articles")
        write_table(empty(ARTICLES), "results/retrieve/articles.parquet", ARTICLES, articles)
        for name, provenance in corpora.items():
            write_table(sentences, f"results/corpus/{name}.parquet", SENTENCES, provenance)
        provenance = made(world, "pairs_dropout", pairs="dropout")
        write_table(pairs, "results/pairs/dropout.parquet", PAIRS, provenance)
        provenance = made(world, "retrieve_benchmarks", suite="english")
        write_table(benchmarks, "results/retrieve/benchmarks/english.parquet", BENCHMARK, provenance)
        if world is other:
            assert not corpus_texts(hub(), "wiki-1-1").built
            assert pair_rows(hub(), "dropout") == PairRows([150_000], sides=2)
            assert not benchmark_texts(hub()).built
    assert pair_rows(plan, "dropout") == PairRows([3, 2], sides=3)
    texts = corpus_texts(plan, "wiki-1-1")
    assert (texts.count, texts.length, texts.built) == (2, 5.5, True)
    assert benchmark_texts(plan).count == dev_texts(plan, "stsb").count == 2


def test_ids_with_commas_are_read_from_a_dry_run():
    output = """
rule train_encoder:
    input: results/pairs/dropout.parquet
    wildcards: pairs=paraphrase+llm=vicuna, recipe=paraphrase+epochs=20, seed=42
    resources: tmpdir=/tmp, mem=1
localrule thesis:
    jobid: 0
"""
    wildcards = {"pairs": "paraphrase+llm=vicuna", "recipe": "paraphrase+epochs=20", "seed": "42"}
    assert _jobs(output) == [
        Job("train_encoder", wildcards, ["results/pairs/dropout.parquet"]),
        Job("thesis", {}),
    ]


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        ("punctuation+corpus=simcse+size=small+slots=2", PairRows([150_000] * 2, 3)),
        ("prefix", PairRows([1_000_000], 3)),
        ("prefix+negative=none+size=small", PairRows([150_000], 2)),
        ("dropout+corpus=simcse+size=small", PairRows([150_000], 2)),
    ],
)
def test_expected_rows_are_those_that_the_strategies_make(pairs, expected):
    assert pair_rows(hub(), pairs) == expected


def test_the_views_of_a_built_table_are_one_row_with_more_sides():
    sentences = pd.DataFrame({"id": ["a:0", "a:1", "a:2"], "text": ["x", "y", "z"]})
    job = PunctuationJob(kind="punctuation", corpus="simcse", slots=2, sentences=None)
    views = punctuation_pairs(sentences, job)
    write_table(views, "marks.parquet", PAIRS)
    assert _counted_rows(Path("marks.parquet")) == PairRows([3, 3], 3)
    hard = views.assign(negative=views.anchor.where(views["view"] == 1, None))
    write_table(hard, "hard.parquet", PAIRS)
    assert _counted_rows(Path("hard.parquet")) == PairRows([3, 3], 4)


def test_a_sentence_behind_a_prefix_is_not_limited_by_its_corpus():
    runs = [
        {**RUN, "pairs": f"{kind}+corpus=wiki-1-1", "recipe": "prdsimcse"} for kind in ("dropout", "prefix")
    ]
    jobs = [Job("train_encoder", run) for run in runs]
    found = {one.what.split(",")[0]: one for one in trainings(hub(), jobs, gpu())}
    assert (found["dropout"].tokens, found["prefix"].tokens) == (61, 64)
    assert (found["dropout"].sentences, found["prefix"].sentences) == (6_000_000, 9_000_000)


def test_triples_have_three_sides_and_as_many_rows_as_the_world_says():
    plan = hub()
    assert pair_rows(plan, "nli") == PairRows([275_601], 3)
    assert pair_rows(plan, "nli+size=small") == PairRows([150_000], 3)
    assert pair_rows(plan, "dropout+corpus=simcse") == PairRows([1_000_000], 2)


def test_a_training_that_may_end_early_takes_all_its_epochs_at_most():
    plan = Plan({}, HOME)
    pairs = {**RUN, "pairs": "wiki40b-dropout-en"}
    jobs = [Job("train_encoder", {**pairs, "recipe": recipe}) for recipe in ("ppdbcse", "rankcse")]
    plain, ranked = trainings(plan, jobs, gpu())
    assert (plain.what, plain.steps) == ("wiki40b-dropout-en/ppdbcse (at most)", 20 * 8)
    assert plain.sentences == 20 * 2 * 512
    # Its teacher, of the same shape, encodes each sentence once.
    encoding = 512 * forward_flops(shape_of(plan, "bert-base"), plain.tokens)
    assert ranked.flops - plain.flops == pytest.approx(encoding)


def test_what_a_plan_repeats_lest_it_imports_scipy_is_what_those_modules_say():
    assert geometry.TASK == GEOMETRY
    assert len(length_bias.TEXTS) == PROBE_TEXTS


def test_what_a_plan_repeats_lest_it_imports_pytorch_is_what_those_modules_say():
    assert devices.PIECE_TOKENS["cpu"] == loads.PIECE_TOKENS
    assert loads.GPU_PIECE_TOKENS == devices.PIECE_TOKENS_ELSEWHERE
    assert loads.GRAPHS == graphs.SHAPES
