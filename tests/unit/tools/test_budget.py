import json
import os
import re
import shlex
from contextlib import chdir
from pathlib import Path

import pytest
from safetensors.numpy import save_file

from contrapose.base.errors import ConfigError
from contrapose.base.home import HOME
from contrapose.project import Project
from contrapose.settings.cli_config import given_config
from contrapose.tools import budget_time, budgeted_run
from contrapose.tools.budget import amount, within
from contrapose.tools.budget_time import JOB_SECONDS, START_SECONDS
from contrapose.tools.budgeted_run import BudgetedRun
from contrapose.tools.command_line import RunArguments
from contrapose.tools.dry_run import Job
from contrapose.tools.forecast import makespan
from contrapose.tools.model_work import operations
from contrapose.tools.new import write
from contrapose.tools.plan import llm_estimates
from contrapose.tools.speed import Machine
from contrapose.tools.workload import Call

SENTENCES = 640  # an epoch of ten steps of 64
ROWS = {"Dropout": "dropout", "Word deletion": "deletion", "Span crop": "crop", "Prefix": "prefix"}
WRITER = 'writer: {kind: recorded, path: answers.jsonl, answers: {"2": paraphrases, negative: negative}}'
PAID = "writer: {endpoint: 'http://localhost:1/v1', model: m, prompt_price: 100, completion_price: 100}"
UNPRICED = "writer: {endpoint: 'https://example.org/v1', model: m}"
RATE = 4e9  # operations a second of a core, by the matrix products of the machine


def test_a_budget_is_time_or_money():
    found = [amount(each) for each in ("20min", "1.5 h", "90s", "5USD")]
    assert found == [(1200, "min"), (5400, "h"), (90, "s"), (5, "USD")]
    for wrong in ("20", "5 EUR", "0min", "-3min"):
        with pytest.raises(
            ConfigError, match=f"--budget {wrong}: the value is neither a time nor an amount of money"
        ):
            amount(wrong)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch) -> Path:
    """A folder of some rows, sentences, and an encoder of which only the size is known."""
    monkeypatch.chdir(tmp_path)
    Path("s.txt").write_text("".join(f"this is sentence number {n} of all\n" for n in range(SENTENCES)))
    Path("encoder").mkdir()
    size = {"num_hidden_layers": 6, "hidden_size": 384, "vocab_size": 30522}
    save_file({}, "encoder/model.safetensors")
    Path("encoder/vocab.txt").touch()
    Path("encoder/config.json").write_text(json.dumps(size))
    Path("t.csv").write_text("sentence1,sentence2,score\na,b,1\nc,d,2\ne,f,3\n")
    monkeypatch.setattr("contrapose.tools.new_settings.checked_encoder", lambda folder: None)
    write(Path("mine"), "encoder", {"sentences": Path("s.txt"), "test": Path("t.csv")})
    study = Path("mine/config/studies/compare/study.yaml")
    lines = study.read_text().splitlines(keepends=True)
    kept = [*ROWS, "No training"]
    row = re.compile(r"      - \{model: (.*?), (?:pairs|encoder)")
    study.write_text("".join(line for line in lines if not (m := row.match(line)) or m[1] in kept))
    return tmp_path / "mine"


class Simulated:
    """A machine of two cores on which jobs only pass time, with a rate that is not the expected one."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, faster: float, later: float = 1.0) -> None:
        self.now, self.faster, self.later = 1.0, faster, later
        self.made, self.calls = dict[str, int | None](), list[list[str]]()
        for module in (budget_time, budgeted_run):
            monkeypatch.setattr(module.time, "monotonic", lambda: self.now)
        monkeypatch.setattr(budgeted_run, "planned_jobs", self.jobs)
        monkeypatch.setattr(budget_time, "machine", lambda project: self.device)
        monkeypatch.setattr(budget_time, "measure_products", lambda: None)
        monkeypatch.setattr(budget_time, "cores", lambda: 2)
        take = self.run
        monkeypatch.setattr(BudgetedRun, "run", lambda run, targets, *config: take(run, targets, config))

    device = Machine("2 cores", (2 * RATE / 1e12,) * 2, "by the matrix products", devices=2)

    def jobs(self, project: Project, targets: list[str], everything: bool = True) -> list[Job]:
        """Return what is left to make for the table: trainings of other steps are made again."""
        names = [row.model for row in project.about("compare_pairs").rows if row.trained]
        jobs, scores = [], ["none"]
        jobs.append(_job("evaluate_suite", "none", suite="own", run="released/mine/auto"))
        for pairs in (ROWS[name] for name in names):
            jobs.append(_job(f"pairs_{pairs}", f"{pairs}.parquet", pairs=pairs))
            for seed in map(str, project.seeds):
                run, of_run = (
                    f"{pairs}/compare/seed{seed}",
                    {"pairs": pairs, "recipe": "compare", "seed": seed},
                )
                jobs.append(_job("train_encoder", f"{run}/encoder", f"{pairs}.parquet", **of_run))
                jobs.append(_job("evaluate_suite", run, f"{run}/encoder", suite="own", run=run))
                scores.append(run)
        jobs.append(
            _job(
                "report_sts_table",
                f"{len(names)} rows, {len(project.seeds)} seeds",
                *scores,
                table="compare_pairs",
            )
        )
        steps = project.recipe("compare").steps
        return [job for job in jobs if everything or self.made.get(job.outputs[0], 0) != _steps(job, steps)]

    def run(self, run: BudgetedRun, targets: list[str], config: tuple[str, ...]) -> None:
        """Make what some targets need, or all; let it take its time, and write the logs."""
        settings = given_config([*run.given.config, *config])
        project = Project(settings, HOME)
        jobs = self.jobs(project, [], everything=False)
        jobs = budget_time._behind(jobs, targets) if targets else jobs
        call, models, others = Call(project, jobs), [], 0.0
        for job in jobs:
            self.made[job.outputs[0]] = _steps(job, project.recipe("compare").steps)
            if not call.rule(job).work:
                others += JOB_SECONDS / 2
                continue
            flops = operations(call, job)
            seconds = flops / RATE / self.faster
            took = {"wall_seconds": seconds, "cpu_seconds": seconds, "gpu_seconds": 0, "flops": flops}
            log = Path(job.logs[0]).with_suffix(".took.json")
            log.parent.mkdir(parents=True, exist_ok=True)
            log.write_text(json.dumps({"work": "", "finished": True, **took}))
            models.append(JOB_SECONDS + seconds)
        self.now += START_SECONDS + others + makespan(models, 2)
        self.calls.append(targets)
        self.faster *= self.later  # from here on


def _job(rule: str, output: str, *inputs: str, **wildcards: str) -> Job:
    log = f"logs/train/{output}/seed.log" if rule == "train_encoder" else f"logs/{rule}/{output}.log"
    return Job(rule, wildcards, inputs, [output], logs=[log])


def _steps(job: Job, steps: int | None) -> int | None:
    return steps if "seed" in "".join(job.outputs) and "seeds" not in job.outputs[0] else None


def run_within(machine: Simulated, budget: str, *arguments: str) -> float:
    """Return the minutes that a call takes, with the last call of Snakemake."""
    arguments = (*arguments, "--", "compare")
    begun = machine.now
    if within([budget], "mine", [*arguments]):
        with chdir("mine"):
            machine.run(BudgetedRun(Path("."), RunArguments.of(arguments)), [], ())
    return (machine.now - begun) / 60


@pytest.mark.parametrize("faster", [0.6, 0.8, 1, 1.5])
@pytest.mark.parametrize("minutes", [40, 50, 60])
def test_a_budget_is_met_within_ten_percent_whatever_the_machine(folder, monkeypatch, faster, minutes):
    machine = Simulated(monkeypatch, faster)
    assert 0.9 * minutes <= run_within(machine, f"{minutes}min") <= 1.1 * minutes


@pytest.mark.parametrize("later", [0.7, 0.85, 1.3])
def test_seeds_are_left_out_or_added_if_the_machine_changes_meanwhile(folder, monkeypatch, later, capsys):
    machine = Simulated(monkeypatch, 1, later)
    assert run_within(machine, "60min") <= 66
    assert "Every method is trained with 4 seeds of 19 steps" in capsys.readouterr().out
    assert given(folder)["seeds"] == {0.7: 2, 0.85: 3, 1.3: 5}[later]


def given(folder: Path) -> dict[str, object]:
    with chdir(folder):
        return given_config([])


def test_what_measures_is_scored_beside_the_encoder_without_training_and_then_half_of_the_seeds(
    folder, monkeypatch, capsys
):
    machine = Simulated(monkeypatch, 1)
    run_within(machine, "60min")
    first, half, _ = machine.calls
    assert first == ["none", "dropout/compare/seed42", "deletion/compare/seed42"]
    assert set(half) == {f"{pairs}/compare/seed{seed}" for pairs in ROWS.values() for seed in (42, 43)}
    said = capsys.readouterr().out
    assert "Every method is trained with 4 seeds of 19 steps, which takes about 59 min in all. These" in said
    assert "These settings are written to mine/config/config.yaml." in said


def test_a_second_call_adds_seeds_without_a_measurement_and_keeps_the_steps(folder, monkeypatch):
    machine = Simulated(monkeypatch, 1)
    run_within(machine, "36min")
    before, calls = given(folder), len(machine.calls)
    assert run_within(machine, "30min") <= 33
    assert given(folder)["steps"] == before["steps"]
    assert given(folder)["seeds"] > before["seeds"]
    assert len(machine.calls) == calls + 2


def test_too_little_time_is_refused_before_anything_runs_with_the_methods_that_fit(folder, monkeypatch):
    machine = Simulated(monkeypatch, 1)
    before = (folder / "config/config.yaml").read_text()
    says = (
        "--budget 12min: The smallest run trains every method with 3 seeds of 8 steps. It takes about 19 min "
        "on 2 cores (by the matrix products). Only 2 of 4 methods fit, trained with 3 seeds of 11 steps: the "
        "baselines, and the methods with the shortest trainings. This command trains them:\n"
        "    contrapose run --budget 12min --cores 2 --methods Dropout 'Word deletion' -- compare"
    )
    with pytest.raises(ConfigError, match=re.escape(says)):
        run_within(machine, "12min", "--cores", "2")
    with pytest.raises(
        ConfigError, match=re.escape("Even Dropout takes longer than the budget. Raise the budget.")
    ):
        run_within(machine, "1min")
    assert (folder / "config/config.yaml").read_text() == before
    assert (machine.calls, machine.now) == ([], 1)
    call = RunArguments.of(shlex.split(says.splitlines()[1])[4:]).with_methods()
    assert 0.9 * 12 < run_within(machine, "12min", *call[:-2]) <= 1.1 * 12
    assert given(folder)["methods"] == ["Dropout", "Word deletion"]


def test_steps_and_seeds_that_are_given_stay(folder, monkeypatch):
    machine = Simulated(monkeypatch, 1)
    run_within(machine, "60min", "--config", "steps=12", "seeds=4")
    assert {key: given(folder)[key] for key in ("seeds", "steps")} == {"seeds": 4, "steps": 12}
    assert len(machine.calls) == 2  # nothing is left to choose after the first


def test_money_decides_how_many_sentences_all_rows_have_and_is_a_limit(folder, capsys, monkeypatch):
    catalog = folder / "config/catalogs/own.yaml"
    catalog.write_text(catalog.read_text().replace(WRITER, UNPRICED))
    asked = {"corpus": "sentences", "llm": "writer", "prompt": "2", "shards": "1", "shard": "0"}
    jobs = [Job("generate_paraphrase", asked, outputs=["answers"])]
    monkeypatch.setattr(budgeted_run, "planned_jobs", lambda *_: jobs)
    with pytest.raises(ConfigError, match="--budget: Contrapose does not know the prices of llms"):
        within(["5USD"], "mine", ["--", "compare"])
    catalog.write_text(catalog.read_text().replace(UNPRICED, PAID))
    assert within(["5USD"], "mine", ["--", "compare"])
    os.chdir(folder)
    project = Project(given_config([]), HOME)
    count = project.config.sentences

    def expected(sentences: int) -> float:
        call = Call(Project(given_config([f"sentences={sentences}"]), HOME), jobs)
        return sum(one.amounts["cost"] for one in llm_estimates(call))

    assert expected(count) <= 0.8 * 5 < expected(count + 1)
    assert project.llm("writer").budget == 5
    assert {Call(project, []).rows(pairs) for pairs in ("dropout", "crop", "paraphrase")} == {count}
    assert f"every method is trained on {count} of 640 sentences" in capsys.readouterr().out
    os.chdir("..")
    with pytest.raises(ConfigError, match="Answers about 100 sentences cost about"):
        within(["0.5USD"], "mine", ["--", "compare"])


def test_a_budget_needs_a_folder_with_settings_and_a_run(folder):
    with pytest.raises(ConfigError, match=r"has no config/config.yaml"):
        within(["1h"], ".", [])
    with pytest.raises(ConfigError, match="what to build after --"):
        within(["1h"], "mine", ["compare"])
    with pytest.raises(ConfigError, match=r"--budget cannot be combined with -n \(--dry-run\)"):
        within(["1h"], "mine", ["-n"])
