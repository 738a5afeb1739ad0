"""What planned tables could tell apart, against the power computed by another program."""

from pathlib import Path

import pytest

from contrapose.project import Project
from contrapose.tools.dry_run import Job
from contrapose.tools.power import power, typical_least
from contrapose.tools.workload import Call
from tests.checkout import HOME


# Nine rows against an untrained one, with one variance over seeds, by a reviewer's own program.
@pytest.mark.parametrize(("seeds", "least"), [(3, 0.50), (5, 0.44), (10, 0.40)])
def test_the_least_difference_is_that_of_another_program(seeds, least):
    assert typical_least(1379, seeds, 9, 1) == pytest.approx(least, abs=0.02)


def test_a_trained_baseline_fewer_pairs_and_few_rows_need_larger_differences():
    usual = typical_least(1379, 5, 9, 1)
    assert usual < typical_least(1379, 5, 9, 2) < typical_least(100, 5, 9, 1)
    assert typical_least(1379, 3, 4, 1) < typical_least(1379, 3, 3, 1)  # three comparisons pool nothing


def planned(table: str = "table4_1", **config: object) -> str:
    project = Project({"world": "hub", "studies": ["thesis", "prdsimcse"], **config}, HOME)
    return power(Call(project, [Job("report_sts_table", {"table": table})]))


def test_each_column_has_a_line_and_one_training_tests_nothing(tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    columns = [line.split()[1] for line in planned(seeds=5).splitlines()[2:]]
    assert columns == ["STS12", "STS13", "STS14", "STS15", "STS16", "STS-B", "SICK-R"]
    assert planned(seeds=1).splitlines()[1].startswith("none: every row is trained once")
    assert planned("prdsimcse_table7", seeds=5) == ""  # on dev pairs
    assert planned(seeds=5, world="mini") == ""  # its spreads and sizes are its own
    project = Project({"world": "hub", "studies": ["thesis"]}, HOME)
    assert power(Call(project, [])) == ""
