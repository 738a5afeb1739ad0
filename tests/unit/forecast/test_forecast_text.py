import subprocess
import sys
from pathlib import Path

from contrapose.plan import Plan

HOME = Path(__file__).parents[3]
CALL = """
import sys
from contrapose.forecast.__main__ import main
main(["--config", "world=hub", "studies=[thesis]", "seeds=2", "--gpu", "h200"])
assert "torch" not in sys.modules
"""


def test_the_hub_world_is_planned_offline_without_torch_and_with_every_run(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(HOME / "src"))
    done = subprocess.run([sys.executable, "-c", CALL], cwd=HOME, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    rows = [line.strip("| ").split("|") for line in done.stdout.splitlines() if line.startswith("|")]
    cells = {row[0].strip(): [cell.strip() for cell in row[1:]] for row in rows}
    plan = Plan({"world": "hub", "seeds": 2}, HOME)
    tables = [*plan.tables_of_kind("sts"), *plan.tables_of_kind("settings")]
    runs = {run for table in tables for run in plan.trained_runs(table)}
    assert cells["train_encoder"][0] == f"{len(runs)}"
    assert cells["dropout/simcse"][:4] == ["bert-base", "2", "2,344", "300,000"]
    assert [line for line in done.stdout.splitlines() if line.startswith("#")] == [
        "# Plan: thesis in world hub, seeds: 2",
        "## Jobs",
        "## Sentences",
        "## Generation",
        "## Training",
        "## Evaluating and scoring",
        "## What the jobs ask for",
        "## Disk",
    ]
