import base64
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from contrapose.tools.dry_run import Job, planned_jobs

SNAKEFILE = """
rule all:
    input: f"{config['word']}.txt"
rule part:
    output: "part{number}_{of}.txt"
    shell: "touch {output}"
rule whole:
    input: "part1_a,b=2.txt", "part2_a,b=2.txt"
    output: "{word}.txt"
    shell: "cat {input} > {output}"
"""
PART = "part{}_a,b=2.txt"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """What is asked of a project here: its settings, and where its workflow is."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "workflow").mkdir()
    (tmp_path / "workflow" / "Snakefile").write_text(SNAKEFILE)
    return SimpleNamespace(given={"word": "w"}, home=tmp_path)


def test_every_job_is_named_with_its_wildcards_and_files_and_nothing_is_made(project: SimpleNamespace):
    found = planned_jobs(project, ["all"])
    jobs = {(*job.outputs, job.rule)[0]: job for job in found}
    assert set(jobs) == {"all", "w.txt", PART.format(1), PART.format(2)}
    # A value may hold what separates wildcards where they are printed.
    known = {"number": "1", "of": "a,b=2"}
    assert jobs[PART.format(1)] == Job("part", known, [], [PART.format(1)], "Forced execution", [])
    assert jobs["w.txt"].inputs == [PART.format(1), PART.format(2)]
    assert not list(Path().glob("*.txt"))


def test_what_is_made_is_no_job_unless_everything_is_asked_for(project: SimpleNamespace):
    for name in (PART.format(1), PART.format(2), "w.txt"):
        Path(name).touch()
    assert planned_jobs(project, ["w.txt"], everything=False) == []
    assert len(planned_jobs(project, ["w.txt"])) == 3
    Path("w.txt").unlink()
    assert [job.rule for job in planned_jobs(project, ["w.txt"], everything=False)] == ["whole"]


@pytest.mark.parametrize("everything", [False, True])
def test_what_a_stopped_run_has_left_incomplete_is_a_job(project: SimpleNamespace, everything: bool):
    make = [sys.executable, "-m", "snakemake", "-s", "workflow/Snakefile", "--cores", "1"]
    subprocess.run([*make, "--config", "word=w", "--", "all"], check=True, capture_output=True)
    assert planned_jobs(project, ["w.txt"], everything=False) == []
    # As Snakemake marks a file while its job runs.
    marker = Path(".snakemake/incomplete", base64.b64encode(b"w.txt").decode())
    marker.touch()
    jobs = planned_jobs(project, ["w.txt"], everything)
    assert "whole" in {job.rule for job in jobs}
    assert marker.exists()


def test_a_rule_whose_shell_command_has_changed_is_no_job_as_the_profile_says(project: SimpleNamespace):
    make = [sys.executable, "-m", "snakemake", "-s", "workflow/Snakefile", "--cores", "1"]
    make += ["--config", "word=w", "--forceall"]
    subprocess.run([*make, "--", "all"], check=True, capture_output=True)
    snakefile = Path("workflow/Snakefile")
    snakefile.write_text(snakefile.read_text().replace("touch {output}", "touch '{output}'"))
    assert planned_jobs(project, ["w.txt"], everything=False) == []
