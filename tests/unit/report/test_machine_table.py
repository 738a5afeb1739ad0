"""The machine and the software."""

import subprocess

import pandas as pd
from contrapose.jobs import PrintedTable
from contrapose.report.machine_table import machine, machine_markdown, machine_table

from contrapose.report import machine_table as module
from contrapose.tables import MACHINE, write_table

JOB = PrintedTable(table="t", caption="c", source="s", world="w", world_description="d", generated=False)


def test_the_machine_says_its_parts_and_the_versions_that_count(tmp_path, monkeypatch):
    answer = subprocess.CompletedProcess([], 0, "NVIDIA X, 16376 MiB, 550\nNVIDIA Y, 8 MiB, 550\n")
    monkeypatch.setattr(module.shutil, "which", lambda name: name)
    monkeypatch.setattr(module.subprocess, "run", lambda *parts, **settings: answer)
    found = machine()
    assert found["GPU"] == "NVIDIA X, 16376 MiB, 550; NVIDIA Y, 8 MiB, 550"
    assert {"Operating system", "CPU", "Memory", "Python", "numpy", "contrapose"} <= found.keys()
    tidy = machine_table(found, JOB)
    write_table(tidy, tmp_path / "t.parquet", MACHINE)
    printed = pd.DataFrame({"attribute": ["GPU"], "value": ["NVIDIA 4080"]})
    text = machine_markdown(tidy, printed, JOB)
    assert "| GPU | NVIDIA X, 16376 MiB" in text
    assert "NVIDIA 4080" in text


def test_a_driver_that_does_not_answer_is_said_so(monkeypatch):
    def late(*parts, **settings):
        raise subprocess.TimeoutExpired("nvidia-smi", 30)

    monkeypatch.setattr(module.shutil, "which", lambda name: name)
    monkeypatch.setattr(module.subprocess, "run", late)
    assert machine()["GPU"] == "not known (TimeoutExpired)"
