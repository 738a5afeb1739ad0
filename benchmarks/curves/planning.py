"""Planning a study, against the number of its runs."""

import contextlib
import io
import os
import tempfile
from pathlib import Path

import yaml
from snakemake.cli import main as snakemake

from benchmarks.curves.laws import LINEAR
from benchmarks.curves.measure import Curve, Work
from contrapose.project import Project, steps
from tests.checkout import checkout

RUNS = (20, 60, 200, 600, 2000)
STUDY = "config/studies/smoke/study.yaml"


def project_of(runs: int, folder: Path) -> Path:
    """Make a project with one table of `runs` rows, each a training with a learning rate of its own."""
    made = checkout(Path(tempfile.mkdtemp(dir=folder))).folder
    study = yaml.safe_load((made / STUDY).read_text())
    table = {name: value for name, value in study["tables"]["table1"].items() if name != "published"}
    row = {"group": "SimCSE", "pairs": "dropout"}
    table["rows"] = [
        {**row, "model": f"bert {n}", "recipe": f"simcse+learning_rate={n}e-6"} for n in range(1, runs + 1)
    ]
    study |= {"tables": {"table1": table}, "figures": {}, "deviations": []}
    (made / STUDY).write_text(yaml.safe_dump(study))
    return made


def dry_run(runs: int, folder: Path) -> Work:
    """Return what `snakemake --dry-run` does after its imports; nothing is built yet."""
    project = project_of(runs, folder)

    def work() -> None:
        os.chdir(project)
        quiet = contextlib.redirect_stdout(None), contextlib.redirect_stderr(io.StringIO())
        with quiet[0], quiet[1], contextlib.suppress(SystemExit):
            snakemake(["--dry-run", "--quiet", "all", "--cores", "1"])

    return work


def loading(runs: int, folder: Path) -> Work:
    """Return the reading and checking of a project, and the settings of its table."""
    project = project_of(runs, folder)
    config = yaml.safe_load((project / "config/config.yaml").read_text())

    def work() -> None:
        os.chdir(project)
        steps.settings(Project(config, project), "report_sts_table", {"table": "smoke_table1"})

    return work


CURVES = {
    "dry_run": Curve(
        work="snakemake --dry-run of a study of which nothing is built, a training and an evaluation a run",
        x="runs",
        steps=RUNS,
        prepare=dry_run,
        laws={"cpu": LINEAR, "megabytes": LINEAR},
    ),
    "load_project": Curve(
        work="reading and checking the same study, and the settings of its table",
        x="runs",
        steps=RUNS,
        prepare=loading,
        laws={"cpu": LINEAR},
    ),
}
