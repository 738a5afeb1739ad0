"""What jobs take, beside their logs: with clocks that show what they are told."""

import json
import sys
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

from contrapose.jobs import timing
from contrapose.jobs.timing import computed, computes_on, read_timing, timed, timing_file


@pytest.fixture
def attempt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Give a function (seconds, error, settings): a job that takes these; what is known then."""
    log = tmp_path / "seed42.log"

    def run(*seconds: float, error: BaseException | None = None, settings: str = "a") -> dict | None:
        params = {"settings": settings, "code": "c"}
        monkeypatch.setattr(
            sys.modules["__main__"], "snakemake", SimpleNamespace(params=params), raising=False
        )
        before = (100.0, 10.0, 1.0, 5.0)
        after = tuple(map(sum, zip(before, (*seconds, 7.0), strict=True)))
        clocks = iter([before, after])
        monkeypatch.setattr(timing, "_used", lambda: next(clocks))
        with suppress(BaseException), timed(log):
            if error:
                raise error
        return read_timing(timing_file(log))

    return run


def amounts(*seconds: float, attempts: int = 1) -> dict[str, float]:
    """Return what is known of some attempts of 7 operations each."""
    names = ("wall_seconds", "cpu_seconds", "gpu_seconds")
    return {**dict(zip(names, seconds, strict=True)), "flops": 7.0 * attempts}


def test_a_job_leaves_what_it_took_beside_its_log(attempt, tmp_path):
    assert attempt(5.0, 8.0, 10.0) == amounts(5, 8, 10)
    assert [file.name for file in tmp_path.iterdir()] == ["seed42.took.json"]
    assert attempt(1.0, 2.0, 3.0) == amounts(1, 2, 3)  # made once more


def test_attempts_that_did_not_end_well_are_added_to_the_next_one_of_the_same_work(attempt):
    assert attempt(5.0, 8.0, 10.0, error=ValueError()) is None
    assert attempt(1.0, 1.0, 1.0, error=SystemExit("stopped")) is None
    assert attempt(1.0, 2.0, 3.0) == amounts(7, 11, 14, attempts=3)
    assert attempt(5.0, 8.0, 10.0, error=KeyboardInterrupt()) is None
    assert attempt(1.0, 2.0, 3.0, settings="b") == amounts(1, 2, 3)  # of other settings


def test_a_job_of_several_processes_ends_well_by_leaving(attempt):
    assert attempt(1.0, 2.0, 3.0, error=SystemExit(0)) == amounts(1, 2, 3)


def test_a_running_job_writes_now_and_then_what_a_kill_leaves(tmp_path, monkeypatch):
    monkeypatch.setattr(timing, "SECONDS_BETWEEN", 0.001)
    file = timing_file(tmp_path / "job.log")
    with timed(tmp_path / "job.log"):
        while not file.exists():
            pass
        assert json.loads(file.read_text())["finished"] is False
        assert read_timing(file) is None
    assert read_timing(file) is not None


def test_seconds_are_of_the_process_its_children_and_all_gpus_since_they_are_in_use(monkeypatch):
    clock = SimpleNamespace(now=10.0)
    monkeypatch.setattr(timing, "_gpus", [])
    monkeypatch.setattr(timing.time, "monotonic", lambda: clock.now)
    times = SimpleNamespace(user=1.0, system=2.0, children_user=4.0, children_system=8.0)
    monkeypatch.setattr(timing.os, "times", lambda: times)
    assert timing._used()[:3] == (10, 15, 0)
    computes_on(2)
    clock.now = 13.0
    computes_on(1)  # another model of the same job
    clock.now = 14.0
    assert timing._used()[:3] == (14, 15, 8)


def test_operations_are_two_per_parameter_and_token_and_three_times_that_to_learn(monkeypatch):
    monkeypatch.setattr(timing, "_flops", [0.0])
    model = torch.nn.ModuleDict({"embeddings": torch.nn.Embedding(9, 4), "layer": torch.nn.Linear(4, 5)})
    with torch.inference_mode():
        computed(model, 10)
    assert timing._used()[3] == 2 * 25 * 10  # embeddings are looked up
    computed(model, 10)
    assert timing._used()[3] == 2 * 25 * 10 * 4
