import subprocess

import pandas as pd

from contrapose.report.kinds import machine
from tests.kinds import about, report


def test_the_machine_says_its_parts_and_the_versions_that_count(monkeypatch):
    answer = subprocess.CompletedProcess([], 0, "NVIDIA X, 16376 MiB, 550\nNVIDIA Y, 8 MiB, 550\n")
    monkeypatch.setattr(machine.shutil, "which", lambda name: name)
    monkeypatch.setattr(machine.subprocess, "run", lambda *parts, **settings: answer)
    printed = pd.DataFrame({"attribute": ["GPU"], "value": ["NVIDIA 4080"]})
    made = report("machine", {}, about(), printed)
    found = dict(made.tidy[["attribute", "value"]].values)
    assert found["GPU"] == "NVIDIA X, 16376 MiB, 550; NVIDIA Y, 8 MiB, 550"
    assert {"Operating system", "CPU", "Memory", "Python", "numpy", "contrapose"} <= found.keys()
    assert "| GPU | NVIDIA X, 16376 MiB" in made.markdown
    assert "NVIDIA 4080" in made.markdown
