"""What jobs ask a scheduler for, by the rows of `workflow/resources.yaml`."""

from pathlib import Path

import pytest
from snakemake.iocontainers import Namedlist
from snakemake_executor_plugin_slurm.partitions import read_partition_file

from contrapose.base.errors import ConfigError
from contrapose.project.rules import Rules, read_rules
from contrapose.settings.main import Config
from contrapose.tools import resources
from contrapose.tools.resources import DAY, JobResources, requested_resources
from tests.checkout import HOME

ROW = """
train:
  {mem_mb: 1000, runtime: 100, per_mb: {mem_mb: 2, runtime: 0.5}, model: true, cpu_runtime: 700, hub_mb: 400}
train_encoder: {mem_mb: 1000, runtime: 100, processes: true, model: true}
wait: {mem_mb: 1000, runtime: 1000, resumes: true}
"""


@pytest.fixture
def rows(tmp_path: Path) -> Rules:
    path = tmp_path / "resources.yaml"
    path.write_text(ROW)
    return read_rules(path)


def inputs(tmp_path: Path, megabytes: int, name: str = "encoder") -> Namedlist:
    """One folder with one file of so many MB."""
    folder = tmp_path / f"{megabytes}"
    folder.mkdir(exist_ok=True)
    with (folder / "weights").open("wb") as file:
        file.truncate(megabytes * 1_000_000)
    return Namedlist(fromdict={name: str(folder)})


def test_memory_and_time_grow_with_the_inputs_the_attempt_and_the_processes(rows, tmp_path):
    requested, given = JobResources(rows["train"], "cuda"), inputs(tmp_path, 10)
    assert [requested.mem_mb(given, attempt) for attempt in (1, 2, 3)] == [1020, 2040, 3060]
    assert [requested.runtime(given, attempt) for attempt in (1, 2)] == [100, 200]  # weights take no time
    data = inputs(tmp_path, 10, "pairs")
    assert [requested.runtime(data, attempt, 7.5) for attempt in (1, 2)] == [113, 226]
    assert JobResources(rows["train"], "cuda", processes=4).mem_mb(given, 1) == 4 * 1020


def test_a_model_of_the_hub_counts_though_it_is_no_input(rows, tmp_path):
    pairs = inputs(tmp_path, 10, "pairs")
    assert JobResources(rows["train"], "cuda").mem_mb(pairs, 1) == 1000 + 2 * (10 + 400)


@pytest.mark.parametrize(("device", "gpus", "minutes"), [("cuda", 2, 100), ("auto", 2, 100), ("cpu", 0, 700)])
def test_a_model_has_a_gpu_for_each_process_or_takes_longer_on_a_cpu(rows, tmp_path, device, gpus, minutes):
    requested = JobResources(rows["train"], device, processes=2)
    assert (requested.gpus, requested.runtime(inputs(tmp_path, 10), 1)) == (gpus, minutes)
    assert JobResources(rows["wait"], device).gpus == 0


@pytest.mark.parametrize(
    ("cores", "jobs", "expected"), [(2, 50, 1), (2, 1, 2), (16, 4, 4), (64, 4, 8), (4, 3, 2)]
)
def test_jobs_on_one_machine_share_its_cores(rows, tmp_path, monkeypatch, cores, jobs, expected):
    monkeypatch.setattr(resources, "HOST_MB", 100_000)
    assert JobResources(rows["train"], "cpu").cpus(inputs(tmp_path, 60), cores, jobs) == expected


def test_jobs_get_more_cores_where_the_memory_is_too_small_for_one_job_per_core(rows, tmp_path, monkeypatch):
    monkeypatch.setattr(resources, "HOST_MB", 4000)  # three jobs of 1,200 MB
    assert JobResources(rows["train"], "cpu").cpus(inputs(tmp_path, 100), 16, 50) == 5


def test_only_a_large_model_has_several_cores(rows, tmp_path):
    requested = JobResources(rows["train"], "cpu")
    assert [requested.cpus(inputs(tmp_path, size)) for size in (49, 50)] == [1, 8]
    assert requested.cpus(Namedlist(fromdict={"encoder": "not/made/yet"})) == 1
    assert JobResources(rows["wait"], "cpu").cpus(inputs(tmp_path, 50)) == 1


def test_a_job_that_goes_on_at_its_next_attempt_never_asks_for_more_than_a_day(rows, tmp_path):
    requested = JobResources(rows["wait"], "cpu")
    assert [requested.runtime(inputs(tmp_path, 1), attempt) for attempt in (1, 2)] == [1000, 1440]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[train]", "list, but a mapping with one row per rule is expected"),
        ("train: {mem_mb: 1000, runtime: 10, gpus: 1}", "resources.yaml: train"),
        ("train: {mem_mb: 0, runtime: 10}", "resources.yaml: train"),
        (
            "train: {asks: poems, mem_mb: 1, runtime: 10}",
            "resources.yaml: train: asks is 'poems', but 'paraphrases', 'replacements', 'sentences', "
            "'translations', 'backtranslations', 'texts', 'judgements' or 'vectors' is expected.",
        ),
        (
            "train: {work: much, mem_mb: 1, runtime: 10}",
            "resources.yaml: train: work is 'much', but 'training', 'pretraining', 'fine_tuning', "
            "'detection', 'evaluation', 'paraphrases', 'pair_encoding', 'cross_encoding', 'neighbours', "
            "'reranking', 'writing', 'queries', 'entailments', 'masked_words' or 'perplexities' is expected.",
        ),
        ("train: {uses: a b, mem_mb: 1, runtime: 10}", r"train: uses: expected SECTION\.NAME of the catalog"),
        ("train: {uses: encodrs.x, mem_mb: 1, runtime: 10}", "no section 'encodrs'. Known: .*encoders, "),
        (
            'train: {uses: "encoders.{run.role}", mem_mb: 1, runtime: 9}',
            r"entry with keys\. Wildcards that do",
        ),
    ],
)
def test_a_wrong_file_names_the_rule(tmp_path: Path, text: str, message: str):
    path = tmp_path / "resources.yaml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=message):
        read_rules(path)


def test_a_rule_without_a_row_has_that_of_its_stage_and_some_alone_run_in_processes(rows):
    config = Config(nproc_per_node=2, device="cpu")
    rules = ("train_encoder", "train_flow", "wait")
    requested = {rule: requested_resources(rule, rows, config) for rule in rules}
    assert requested["train_flow"].row is rows["train"]
    assert [each.processes for each in requested.values()] == [2, 1, 1]
    config = Config(nproc_per_node={"*-large*": 4, "simcse*": 2})
    recipes = ("simcse+encoder=roberta-large", "simcse", "rankcse")
    every = [requested_resources("train_encoder", rows, config, recipe) for recipe in recipes]
    assert [each.gpus for each in every] == [4, 2, 1]


def test_a_rule_without_any_row_is_an_error_that_names_it(rows):
    with pytest.raises(ConfigError, match=r"workflow/resources.yaml has no entry 'corpus_draw'"):
        requested_resources("corpus_draw", rows, Config())


def test_the_example_of_partitions_means_the_times_that_it_writes():
    partitions = read_partition_file(HOME / "profiles/slurm/partitions.yaml")
    minutes = {partition.name: partition.limits.max_runtime for partition in partitions}
    assert minutes == {"cpu": 2 * DAY, "gpu": DAY / 2, "long": 3 * DAY}
