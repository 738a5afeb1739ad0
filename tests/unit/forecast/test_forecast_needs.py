from dataclasses import replace
from pathlib import Path

import pytest
from contrapose.plan import Plan

from contrapose.evaluate import geometry, length_bias
from contrapose.forecast import texts
from contrapose.forecast.dag import Job
from contrapose.forecast.needs import DAY, needs
from contrapose.forecast.report import _asked

HOME = Path(__file__).parents[3]
MINI = Plan({}, HOME)


def hub(**config):
    return Plan({"world": "hub", **config}, HOME)


HUB = hub()
BERT = {"pairs": "dropout+corpus=simcse", "recipe": "simcse", "seed": "42"}


def training(plan, **wildcards):
    return needs(plan, "train_encoder", BERT | wildcards)


def test_memory_and_time_of_bert_base_on_a_gpu_are_those_worked_out_by_hand():
    asked = training(HUB)
    weights = 108_891_648  # 109,482,240 published, without the pooling layer's 768 x 769
    # Two Snakemakes, PyTorch and CUDA; weights twice while they are read, the best ones, a checkpoint of 16
    # bytes twice; 300 bytes for each of a million sentences and its copy.
    host = 450e6 + 650e6 + 4e9 + (8 + 4 + 2 * 16) * weights + 300 * 2 * 1_000_000
    assert 1.5 * host / 1e6 <= asked.mem_mb < 1.5 * host / 1e6 + 100
    # Weights, gradients and two moments, CUDA, and 12 layers of what 2 x 64 sentences of 32 tokens leave.
    on_gpu = 16 * weights + 1.5e9 + 12 * 2 * 64 * 32 * (68 * 768 + 10 * 32 * 768 / 64)
    assert 1.5 * on_gpu / 1e6 <= asked.gpu_mem_mb < 1.5 * on_gpu / 1e6 + 100
    # Two million sentences, three passes of 12 layers x 32 tokens x (14,155,776 + 4 x 32 x 768) operations,
    # at 30 % of 19.5e12 a second; 15,625 steps of 0.03 s; and 125 dev scores of 3,000 short sentences.
    hours = 2e6 * 3 * 12 * 32 * (14_155_776 + 98_304) / (0.3 * 19.5e12) / 3600 + 15_625 * 0.03 / 3600
    assert hours < asked.expected / 60 < 1.1 * hours
    assert asked.runtime == pytest.approx(3 * asked.expected, abs=1)
    assert (asked.gpus, asked.cpus) == (1, 4)


def test_a_larger_encoder_a_larger_batch_and_more_sentences_ask_for_more():
    base = training(HUB)
    large = training(HUB, recipe="simcse+encoder=roberta-large")
    wide = training(HUB, recipe="simcse+batch_size=512")
    few = training(HUB, pairs="dropout")
    assert large.mem_mb > base.mem_mb > few.mem_mb
    assert large.expected > base.expected > few.expected
    assert min(large.gpu_mem_mb, wide.gpu_mem_mb) > base.gpu_mem_mb
    assert training(hub(recompute=True), recipe="simcse+batch_size=512").gpu_mem_mb < wide.gpu_mem_mb
    graphs = training(hub(cuda_graphs=True)).gpu_mem_mb - base.gpu_mem_mb
    assert graphs == pytest.approx(1.5 * 8 * 4 * 108_891_648 / 1e6, abs=100)


def test_another_attempt_asks_for_more_memory_and_time_and_nothing_else():
    first = training(HUB)
    third = first.of_attempt(3)
    assert (third.mem_mb, third.runtime) == (3 * first.mem_mb, 3 * first.runtime)
    assert replace(third, mem_mb=first.mem_mb, runtime=first.runtime) == first


@pytest.mark.parametrize("device", ["cpu", "mps"])
def test_without_cuda_no_gpu_is_asked_for_and_long_work_gets_cores(device):
    asked = training(hub(device=device))
    assert (asked.gpus, asked.gpu_mem_mb) == (0, 0)
    assert asked.cpus == (8 if device == "cpu" else 1)


def test_with_cuda_even_short_work_of_a_model_asks_for_a_gpu_and_tables_do_not():
    plan = Plan({"device": "cuda"}, HOME)
    assert training(plan, pairs="dropout").gpus == 1
    assert training(MINI, pairs="dropout").gpus == 0
    assert needs(plan, "pairs_dropout", {"pairs": "dropout"}).gpus == 0


def test_an_asking_job_has_no_gpu_and_at_most_a_day_because_the_next_goes_on():
    known = {"llm": "chatgpt", "prompt": "2", "shard": "0", "shards": "2"}
    asked = needs(HUB, "generate_paraphrase", {"corpus": "wiki-1-1", **known})
    assert (asked.gpus, asked.runtime) == (0, DAY)
    assert asked.of_attempt(2).runtime == DAY
    # Half a million sentences, 9.8 s each (docs/plan.md), 8 at a time.
    assert asked.expected == pytest.approx(500_000 * 9.8 / 8 / 60, rel=0.01)


def test_long_fine_tuning_and_scoring_ask_for_a_day_at_most_because_the_next_attempt_goes_on():
    known = {"fine_tuning": "pair-tasks", "task": "esci_us", "role": "bert-base", "seed": "42"}
    tuning = needs(HUB, "evaluate_fine_tuned_released", known)
    scoring = needs(HUB, "score_rewrites", {"rewrites": "ehimerppdb-ja", "shard": "0", "shards": "2"})
    assert min(tuning.expected, scoring.expected) * 3 > DAY
    assert {asked.of_attempt(n).runtime for asked in (tuning, scoring) for n in (1, 3)} == {DAY}
    # A copy of the weights, their moments and the best ones, and once more for the file.
    assert tuning.mem_mb > 1.5 * (8 + 4 + 2 * 16) * 108_891_648 / 1e6


def test_a_world_without_its_files_has_defaults_and_no_error(tmp_path):
    plan = Plan({"world": "files", "data": str(tmp_path)}, HOME)
    assert needs(plan, "corpus_published", {"corpus": "simcse"}).mem_mb > 1000
    assert training(plan, recipe="simcse+encoder=roberta-large").gpus == 1
    unknown = {"corpus": "none", "llm": "chatgpt", "prompt": "2", "shard": "0", "shards": "2"}
    assert needs(plan, "generate_paraphrase", unknown).gpus == 0


def test_seeds_and_shards_of_one_work_ask_for_the_same():
    assert training(HUB) is training(HUB, seed="43")


def test_what_is_built_is_not_opened(monkeypatch):
    monkeypatch.setattr(texts, "read_provenance", lambda path: pytest.fail(f"{path} was opened"))
    monkeypatch.setattr(Path, "is_file", lambda path: True)
    assert needs(hub(seeds=2), "pairs_dropout", {"pairs": "dropout"}).mem_mb > 1000


def test_numbers_that_stand_here_and_where_scipy_is_imported_are_the_same():
    assert (geometry.TASK, len(length_bias.TEXTS)) == (texts.GEOMETRY, texts.PROBE_TEXTS)


def test_the_plan_prints_the_largest_of_each_rule_and_the_gpu_hours():
    jobs = [
        Job("train_encoder", BERT),
        Job("train_encoder", BERT | {"recipe": "simcse+encoder=roberta-large"}),
        Job("pairs_dropout", {"pairs": "dropout"}),
        Job("report_claims", {"study": "thesis"}),
    ]
    title, table, sums = _asked(HUB, jobs)
    rows = {row.split("|")[1].strip(): row.split("|")[2:] for row in table.splitlines()[2:]}
    assert title == "## What the jobs ask for"
    assert set(rows) == {"train_encoder", "pairs_dropout"}
    large = training(HUB, recipe="simcse+encoder=roberta-large")
    cells = [cell.strip() for cell in rows["train_encoder"]]
    assert cells[:5] == ["2", f"{large.mem_mb / 1000:.2f} GB", f"{large.runtime:,}", "4", "1"]
    hours = (training(HUB).runtime + large.runtime) / 60
    assert f"GPU hours: {hours:,.0f} asked for" in sums
