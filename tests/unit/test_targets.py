import shlex

from snakemake.target_jobs import parse_target_jobs_cli_args
from snakemake_interface_executor_plugins.utils import (
    TargetSpec,
    encode_target_jobs_cli_args,
    format_cli_arg,
)

from contrapose.targets import target_jobs
from tests.checkout import checkout

WILDCARDS = {"pairs": "paraphrase,llm=vicuna,prompt=1", "recipe": "short,loss=sum,llm=x", "seed": "42"}


def as_submitted(*jobs: tuple[str, dict[str, str]]) -> list[str]:
    """Return the arguments that Snakemake gives to a submitted job."""
    targets = encode_target_jobs_cli_args([TargetSpec(*job) for job in jobs])
    return shlex.split(f"snakemake {format_cli_arg('--target-jobs', targets)} --allowed-rules a b")


def test_wildcards_with_commas_survive_the_way_into_a_submitted_job():
    jobs = [("train_encoder", WILDCARDS), ("evaluate_run", {"suite": "english"}), ("corpus_punkt", {})]
    assert list(target_jobs(as_submitted(*jobs))) == jobs


def test_a_persons_call_names_no_jobs():
    assert not list(target_jobs(["snakemake", "--cores", "2", "results/tables/table4_1.csv"]))


def test_an_empty_value_is_one():
    assert list(target_jobs(["--target-jobs", 'a:x="",y=', "--cores"])) == [("a", {"x": "", "y": ""})]


def test_snakemake_itself_still_splits_them():
    """If this fails, it no longer does: then contrapose.targets can go."""
    [_, _, argument, *_] = as_submitted(("train_encoder", WILDCARDS))
    [spec] = parse_target_jobs_cli_args([argument])
    assert spec.wildcards_dict != WILDCARDS


def test_a_submitted_job_plans_the_file_that_its_id_names(tmp_path):
    arguments = as_submitted(("pairs_paraphrase", {"pairs": "paraphrase,llm=vicuna,prompt=1"}))
    done = checkout(tmp_path).run("--dry-run", "--force", *arguments[1:3])
    assert "output: results/pairs/paraphrase,llm=vicuna,prompt=1.parquet" in done.stdout
