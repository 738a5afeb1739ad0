import json
import re
from pathlib import Path
from types import SimpleNamespace

import pytest

from contrapose.base.errors import ConfigError
from contrapose.jobs.manifest import made_now
from contrapose.project import Project, steps
from contrapose.tools import outline as module
from contrapose.tools.check import check_will_fail
from contrapose.tools.command_line import project_of
from contrapose.tools.dry_run import Job
from contrapose.tools.new import write
from contrapose.tools.outline import outline, reason
from contrapose.tools.speed import Machine
from contrapose.tools.start import check_nothing_will_fail
from snakemake_logger_plugin_contrapose.running import name_of
from tests.checkout import HOME

MISSING, ANEW = "Missing output files: {}", "Input files updated by another job: results/a"
PARAMS = "Params have changed since last execution: Union of exclusive params: before: {} now: {}"
RECIPES = ("simcse", "simcse+batch_size=32", "simcse+encoder=roberta-base")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """The package's studies in a folder without results, on a machine of a known speed."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(module, "machine", lambda project: Machine("one card", (1e-3, 1e-3)))
    return project_of([])


def training(recipe: str, reason: str) -> Job:
    wildcards = {"pairs": "dropout", "recipe": recipe, "seed": "42"}
    return Job("train_encoder", wildcards, [], [f"results/train/{recipe}/history.parquet"], reason)


def built(project: Project, job: Job, rate: float | None = None, code: str | None = None) -> Job:
    """Write the first output of a training and its manifest, as made with another learning rate or code."""
    settings = json.loads(steps.settings(project, job.rule, job.wildcards))
    settings["recipe"] |= {"learning_rate": rate} if rate else {}
    first = Path(job.outputs[0])
    first.parent.mkdir(parents=True)
    first.touch()
    digest = code or steps.code(project, job.rule, job.wildcards)
    made = {"rule": job.rule, "wildcards": job.wildcards, "settings": settings, "code": digest}
    made_now([first], made).write()
    return job


def test_each_rule_has_a_line_with_why_and_how_long_and_all_have_one(project):
    scoring = Job("evaluate_suite", {"suite": "english", "run": "dropout/simcse/seed42"}, [], ["b"], ANEW)
    table = Job("report_sts_table", {"table": "table4_1"}, [], ["t"], f"{MISSING.format('t')}; {ANEW}")
    trained = [built(project, training(each, PARAMS), rate=1e-5) for each in RECIPES]
    study = Job("thesis", {}, ["t"], [], ANEW)
    lines = list(outline(project, [table, scoring, *trained, study]))
    times = [re.search(", about (.*?):", line)[1] for line in lines[:2]]
    assert lines[:3] == [
        f"   3 x training, about {times[0]}: settings have changed: learning_rate from 1e-05 to 0.0003",
        f"   1 x evaluating english (dropout, simcse, seed 42), about {times[1]}: the input is rebuilt",
        "   1 x making table table4_1: not built yet",
    ]
    assert lines[3].startswith("5 jobs would run. All take about ")
    assert lines[3].endswith(" on one card. To start, run the same command without -n.")
    assert len(lines) == 5


def test_the_commands_after_a_dry_run_have_its_settings(project, monkeypatch):
    monkeypatch.setattr("sys.argv", ["snakemake", "-n", "--config", "seeds=2", "--", "thesis"])
    last = list(outline(project, [training("simcse", ANEW)]))[-1]
    assert "`contrapose plan --config seeds=2 -- thesis` estimates" in last
    assert "`contrapose status --config seeds=2` lists" in last


def test_jobs_of_a_rule_that_have_different_reasons_are_counted(project):
    made = built(project, training(RECIPES[0], PARAMS), rate=1e-5)
    missing = [training(each, MISSING.format("x")) for each in RECIPES[1:]]
    line = next(outline(project, [made, *missing]))
    assert line.startswith("   3 x training, about ")
    assert line.endswith(
        ": 2 are not built yet; for 1, settings have changed: learning_rate from 1e-05 to 0.0003"
    )


@pytest.mark.parametrize(
    ("snakemake", "said"),
    [
        ("Forced execution", "forced by an option of this call"),
        (f"{MISSING.format('a, b')}; {ANEW}", "not built yet"),
        ("Updated input files: data/a.csv, data/b.csv", "data/a.csv has changed"),
        (ANEW, "the input is rebuilt"),
        (PARAMS, "settings or code have changed"),  # without a manifest
        ("Set of input files has changed since last execution", "there are other inputs than before"),
        ("Output file is a pipe: no rule of ours", "Output file is a pipe"),
    ],
)
def test_snakemakes_reasons_are_said_in_our_words(project, snakemake, said):
    assert reason(project, training("simcse", snakemake)) == said


def test_a_change_of_code_alone_is_called_so(project):
    assert (
        reason(project, built(project, training("simcse", PARAMS), code="0" * 16)) == "the code has changed"
    )


def test_a_rule_of_another_workflow_has_its_number_of_jobs(project):
    jobs = [Job("own_step", {"name": name}, [], [name], MISSING.format(name)) for name in "ab"]
    lines = list(outline(project, jobs))
    assert lines[:2] == [
        "   2 x own step",
        "2 jobs would run, because nothing of this is built yet. To start, run the same command without -n.",
    ]


@pytest.mark.parametrize("elsewhere", [False, True])
def test_a_run_that_would_fail_for_want_of_test_pairs_or_a_gpu_is_told(
    elsewhere, tmp_path, monkeypatch, capsys
):
    (tmp_path / "s.txt").write_text("".join(f"Sentence {each}.\n" for each in range(60)))
    encoder = str(HOME / "resources/mini/encoders/bert-base")
    write(tmp_path / "mine", encoder, {"sentences": tmp_path / "s.txt"})
    monkeypatch.chdir(tmp_path / "mine")
    monkeypatch.setattr("contrapose.tools.check.gpus", lambda: [])
    monkeypatch.setattr("contrapose.tools.check._cuda_devices", lambda: 0)
    monkeypatch.setattr("sys.argv", ["snakemake", *(["--profile=slurm"] if elsewhere else [])])
    read = Job("retrieve_benchmarks", {"suite": "own"}, [], ["b"], MISSING.format("b"))
    lines = list(outline(project_of(["device=cuda"]), [read, training("compare", ANEW)]))
    failing = [line for line in lines if line.startswith("A run would fail. ")]
    assert failing[0].startswith(
        "A run would fail. benchmarks.similarity: data/test_pairs: the folder has no"
    )
    gpu = (
        "A run would fail. GPU: device is 'cuda', and 1 job requests a GPU, but nvidia-smi names no GPU. "
        "Set device to auto or cpu."
    )
    assert failing[1:] == ([] if elsewhere else [gpu])
    assert lines[-1] == "`contrapose check` looks for everything that is missing."
    assert not any("To start" in line for line in lines)


def test_a_run_whose_sentences_are_gone_from_their_file_is_told_and_stops_before_its_first_job(
    tmp_path, monkeypatch
):
    (tmp_path / "s.txt").write_text("".join(f"Sentence {each}.\n" for each in range(60)))
    pairs = "".join(f"A {each}.,B {each}.,{each % 5}\n" for each in range(40))
    (tmp_path / "t.csv").write_text(f"sentence1,sentence2,score\n{pairs}")
    encoder = str(HOME / "resources/mini/encoders/bert-base")
    write(tmp_path / "mine", encoder, {"sentences": tmp_path / "s.txt", "test": tmp_path / "t.csv"})
    monkeypatch.chdir(tmp_path / "mine")
    job = Job("corpus_published_lines", {"corpus": "sentences"}, [], ["c"], MISSING.format("c"))
    assert not any("would fail" in line for line in outline(project_of([]), [job]))
    Path("data/sentences.txt").write_text("\n")
    says = "sentence_files.sentences: data/sentences.txt: the file contains no sentence. "
    assert any(line.startswith(f"A run would fail. {says}") for line in outline(project_of([]), [job]))
    begun = SimpleNamespace(rule=SimpleNamespace(name=job.rule), wildcards=job.wildcards, output=job.outputs)
    with pytest.raises(ConfigError, match=rf"^{says}.* No job was started\.$"):
        check_nothing_will_fail(project_of([]), [begun], here=True)
    check_nothing_will_fail(project_of([]), [], here=True)


def test_a_gpu_that_nvidia_smi_does_not_name_is_one_if_pytorch_finds_it(project, monkeypatch):
    monkeypatch.setattr("contrapose.tools.check.gpus", lambda: [])
    for count, fails in (1, []), (0, ["GPU"]):
        monkeypatch.setattr("contrapose.tools.check._cuda_devices", lambda count=count: count)
        found = check_will_fail(project_of(["device=cuda"]), [training("simcse", ANEW)], here=True)
        assert [one.what for one in found] == fails


def test_rules_whose_names_say_little_are_told_in_words(project):
    wildcards = {
        "corpus_punkt": {},
        "corpus_published_lines": {"corpus": "sentences"},
        "score_pair_samples": {"pairs": "dropout", "scorer": "mine"},
        "generate_merge": {"corpus": "wiki", "llm": "writer", "prompt": "2"},
    }
    assert [name_of(rule, known) for rule, known in wildcards.items()] == [
        *("preparing the sentence splitter", "reading sentences"),
        "choosing pairs to show dropout (mine)",
        "joining answers wiki (writer, prompt 2)",
    ]
    assert name_of("pairs_crop", {}) == "making training pairs (crop)"
    assert name_of("pairs_crop", {"pairs": "crop+seed=2"}) == "making training pairs (crop, seed 2)"
    assert name_of("train_averaged", {}) == "averaging weights"
    run = {"suite": "own", "run": "dropout/compare+repetition=0.32/seed43"}
    assert name_of("evaluate_suite", run) == "evaluating own (dropout, compare, repetition 0.32, seed 43)"
    assert name_of("pairs_crop", {"pairs": "crop+rate=1e+16"}) == "making training pairs (crop, rate 1e+16)"
    untrained = {"suite": "own", "run": "released/mine/auto"}
    assert name_of("evaluate_suite", untrained) == "evaluating own (mine without training)"
    searched = {"pairs": "a", "scorer": "mine", "nearest": "11", "within": ""}
    assert name_of("score_neighbours", searched) == "scoring neighbours a (mine, nearest 11)"
