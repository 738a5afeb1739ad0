"""Free space against the forecast."""

from pathlib import Path

import pytest
from contrapose.plan import Plan

from contrapose.forecast.dag import Job
from contrapose.preflight.needs import Needs
from contrapose.preflight.space import Free, Want, check_space, compared, free_at

HOME = Path(__file__).parents[3]
WANTS = [Want("results", Path("/a/results"), 60e9), Want("state", Path("/a/state"), 40e9)]


def on_disks(**free: float):
    """Give a function folder -> Free, of file systems mounted at the first part of a path."""
    numbers = {name: number for number, name in enumerate(free)}
    return lambda folder: Free(numbers[folder.parts[1]], free[folder.parts[1]], 1000)


@pytest.mark.parametrize(("free", "level"), [(99e9, "missing"), (110e9, "warning"), (126e9, "fine")])
def test_folders_on_one_disk_want_their_sum_and_a_quarter_more(free: float, level: str):
    (found,) = compared(WANTS, 10, on_disks(a=free))
    assert found.level == level
    assert "100.00 GB expected" in found.found


def test_folders_on_two_disks_are_told_apart():
    wants = [WANTS[0], Want("state", Path("/b/state"), 40e9, unknown=2)]
    large, small = compared(wants, 10, on_disks(a=1e12, b=1e9))
    assert (large.level, small.level) == ("fine", "missing")
    assert "1.00 GB free, 40.00 GB expected and 2 files of unknown size" in small.found


def test_too_few_files_left_are_missing():
    found = compared(WANTS, 100, on_disks(a=1e12))
    assert [one.level for one in found] == ["fine", "missing"]
    assert "takes 1,000 more files, 100 jobs leave up to 2,000" in found[1].found


def test_a_folder_that_is_not_there_yet_is_on_the_disk_of_its_parent(tmp_path: Path):
    assert free_at(tmp_path / "not/there").device == tmp_path.stat().st_dev
    assert 0 < free_at(tmp_path).size < 1e18


def test_a_training_wants_its_encoder_in_results_and_its_checkpoint_in_state(monkeypatch, tmp_path):
    plan = Plan({"world": "hub", "studies": ["thesis"]}, HOME)
    job = Job("train_encoder", {"pairs": "dropout", "recipe": "simcse", "seed": "42"})
    folders = {"results": tmp_path / "results", "state": tmp_path / "state"}
    (found,) = (
        one
        for one in check_space(plan, Needs(jobs=[job]), [], folders, 1e9)
        if str(tmp_path / "state") in one.what
    )
    # BERT-base: 109 million weights of 4 bytes, four times that in a checkpoint; and what is fetched.
    expected = 5 * 4 * 108_891_648 / 1e9 + (1 if "cache of the hub" in found.what else 0)
    assert f"{expected:.2f} GB expected" in found.found
