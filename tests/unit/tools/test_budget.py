import json
import os
from contextlib import chdir
from pathlib import Path

import pytest
from safetensors.numpy import save_file

from contrapose.base.errors import ConfigError
from contrapose.base.home import HOME
from contrapose.project import Project
from contrapose.settings.cli_config import given_config
from contrapose.tools import budget
from contrapose.tools.budget import BudgetedRun, Choice, amount, chosen, rungs, within
from contrapose.tools.dry_run import Job
from contrapose.tools.new import write
from contrapose.tools.plan import llm_estimates
from contrapose.tools.speed import Machine
from contrapose.tools.workload import Call

SENTENCES = 640  # an epoch of ten steps of 64
WRITER = 'writer: {kind: recorded, path: answers.jsonl, answers: {"2": paraphrases, negative: negative}}'
PAID = "writer: {endpoint: 'http://localhost:1/v1', model: m, prompt_price: 100, completion_price: 100}"


@pytest.mark.parametrize(
    ("seconds", "choice"),
    [(49, None), (50, (8, 3)), (55, (9, 3)), (70, (10, 4)), (81, (11, 5)), (9999, (12, 7))],
)
def test_the_dearest_choice_within_the_time_is_taken(seconds, choice):
    # By hand: 26 seconds whatever is chosen, and one for each step of each seed.
    found = chosen(rungs(10, 12, (3, 5, 7)), lambda each: 26 + each.steps * each.seeds, seconds)
    assert found == (choice and Choice(*choice))


def test_a_budget_is_time_or_money():
    found = [amount(each) for each in ("20min", "1.5 h", "90s", "5USD")]
    assert found == [(1200, "min"), (5400, "h"), (90, "s"), (5, "USD")]
    for wrong in ("20", "5 EUR", "0min", "-3min"):
        with pytest.raises(ConfigError, match=f"--budget {wrong}: is neither time nor money"):
            amount(wrong)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch) -> Path:
    """A folder of two trained rows, sentences, and an encoder of which only the size is known."""
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
    recipes = Path("mine/config/recipes.yaml")
    recipes.write_text(recipes.read_text().replace("steps: 16", "steps: 9"))
    monkeypatch.setattr(budget, "planned_jobs", lambda settings, *_: _jobs(settings["seeds"]))
    monkeypatch.setattr(budget, "machine", lambda project: Machine("2 cores", (0.2, 0.2), "measured"))
    monkeypatch.setattr(budget, "cores", lambda: 2)
    return tmp_path / "mine"


def _jobs(seeds: int) -> list[Job]:
    """Two rows, and a job for each seed, and one of all that is asked."""
    runs = [(pairs, str(42 + number)) for pairs in ("dropout", "crop") for number in range(seeds)]
    known = [{"pairs": pairs, "recipe": "compare", "seed": seed} for pairs, seed in runs]
    jobs = [Job("train_encoder", each, outputs=[f"{each['pairs']}-{each['seed']}"]) for each in known]
    asked = {"corpus": "sentences", "llm": "writer", "prompt": "2", "shards": "1", "shard": "0"}
    return [*jobs, *(Job("pairs_crop", {"pairs": "crop"}) for _ in runs), Job("generate_paraphrase", asked)]


class Clock:
    """Runs that only take time: 10 seconds for the one that measures, and what is given for the others."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
        self.now, self.seconds, self.runs = 0.0, seconds, list[tuple[list[str], int, int]]()
        monkeypatch.setattr(budget.time, "monotonic", lambda: self.now)
        take = self.run
        monkeypatch.setattr(BudgetedRun, "run", lambda run, *how, targets=(): take(run, how, targets))

    def run(self, run: BudgetedRun, config: tuple[str, ...], targets: list[str]) -> None:
        with chdir(run.folder):
            settings = given_config([*run.given.config, *config])
            self.runs.append((list(targets), settings["seeds"], settings.get("steps")))
            if targets:
                took = {"wall_seconds": 10, "cpu_seconds": 10, "gpu_seconds": 0, "flops": 2e12}
                Path("logs/train").mkdir(parents=True)
                record = json.dumps({"work": "", "finished": True, **took})
                Path("logs/train/seed42.took.json").write_text(record)
        self.now += 10 if targets else self.seconds


def test_a_training_is_measured_and_seeds_are_added_while_there_is_time(folder, monkeypatch, capsys):
    # By hand: 34 bytes are 9.4 word pieces, so ten steps of 64 pairs are 3 x 1280 x 9.4 x 21 million
    # operations, 3.9 s at 0.2e12 a second. A seed is two of them and four jobs of 2.5 s on two cores, 12.7 s;
    # three are 47 s with the start. They took 96, twice that. Of the 99 s left a start takes 16: three more.
    clock = Clock(monkeypatch, seconds=96)
    assert within(["205s"], "mine", ["--cores", "2", "--", "compare"])
    assert clock.runs == [(["dropout-42"], 5, 10), ([], 3, 10)]  # ten steps: each sentence is seen once
    assert "--budget: 10 seeds of 10 steps for every row, about 2 min on 2 cores" in capsys.readouterr().out
    os.chdir(folder)
    assert {key: given_config([])[key] for key in ("seeds", "steps")} == {"seeds": 6, "steps": 10}


def test_the_training_that_is_measured_is_scored_beside_encoders_without_training(folder, monkeypatch):
    runs = ("dropout/compare/seed42", "dropout/compare/seed43", "released/mine/auto")
    scoring = [
        Job("evaluate_suite", {"suite": "own", "run": run}, outputs=[f"{run}.parquet"]) for run in runs
    ]
    monkeypatch.setattr(budget, "planned_jobs", lambda settings, *_: [*_jobs(settings["seeds"]), *scoring])
    clock = Clock(monkeypatch, seconds=96)
    within(["300s"], "mine", ["--", "compare"])
    targets, *_ = clock.runs[0]
    assert targets == ["dropout-42", "dropout/compare/seed42.parquet", "released/mine/auto.parquet"]


def test_too_little_time_is_refused_with_what_the_smallest_run_takes(folder, monkeypatch):
    Clock(monkeypatch, seconds=9)
    before = (folder / "config/config.yaml").read_text()
    says = r"3 seeds of 8 steps for every row, takes about \d+ s on 2 cores .measured., and 3 s were given"
    with pytest.raises(ConfigError, match=says):
        within(["3s"], "mine", ["--", "compare"])
    assert (folder / "config/config.yaml").read_text() == before


def test_money_decides_how_many_sentences_all_rows_have_and_is_a_limit(folder, capsys):
    catalog = folder / "config/catalogs/own.yaml"
    catalog.write_text(catalog.read_text().replace(WRITER, PAID))
    assert within(["5USD"], "mine", ["--", "compare"])
    os.chdir(folder)
    project = Project(given_config([]), HOME)
    count = project.config.sentences

    def expected(sentences: int) -> float:
        call = Call(Project(given_config([f"sentences={sentences}"]), HOME), _jobs(3))
        return sum(one.amounts["cost"] for one in llm_estimates(call))

    assert expected(count) <= 0.8 * 5 < expected(count + 1)
    assert project.llm("writer").budget == 5
    assert {Call(project, []).rows(pairs) for pairs in ("dropout", "crop", "paraphrase")} == {count}
    assert f"answers about {count} of 640 sentences" in capsys.readouterr().out
    os.chdir("..")
    with pytest.raises(ConfigError, match="answers about 100 sentences are expected to take"):
        within(["0.5USD"], "mine", ["--", "compare"])


def test_a_budget_needs_a_folder_with_settings_and_a_run(folder):
    with pytest.raises(ConfigError, match=r"has no config/config.yaml"):
        within(["1h"], ".", [])
    with pytest.raises(ConfigError, match="say what to build, after --"):
        within(["1h"], "mine", ["compare"])
    with pytest.raises(ConfigError, match="--budget with -n"):
        within(["1h"], "mine", ["-n"])
