"""Pairs of STS-B's dev set, which selects checkpoints and settings, in the test sets beside it."""

from contrapose.base.home import HOME
from contrapose.project import Project
from contrapose.tools.check_overlaps import check_overlaps
from tests.reference.real import DATA, on_real_files


@on_real_files
def test_of_sts15s_3000_test_pairs_580_are_dev_pairs_of_stsb(monkeypatch):
    monkeypatch.chdir(HOME)
    project = Project({"catalog": "files", "studies": ["thesis"], "data": str(DATA / "senteval")}, HOME)
    said = [one.text for one in check_overlaps(project, ["results/tables/table4_1.csv"])]
    dev = "test pairs are among the dev pairs of stsb, which can choose checkpoints and settings"
    for name, some, every in [("STS12", 259, "3,108"), ("STS13", 81, "1,500"), ("STS15", 580, "3,000")]:
        assert f"{name}: {some} of {every} {dev}." in said
    assert "STS12: 309 of 3,108 pairs occur more than once." in said
