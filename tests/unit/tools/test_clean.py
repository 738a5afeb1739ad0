"""Encoders that no table recommends are removed when a person says so, and nothing misses them."""

from pathlib import Path

import pytest

from contrapose.jobs.manifest import made_now, manifest_file, read_manifest
from contrapose.jobs.status import Status
from contrapose.project import Project
from contrapose.report.recommendation import RUN
from contrapose.tables import CELLS, write_table
from contrapose.tools import clean, verify
from contrapose.tools.dry_run import Job
from tests.checkout import HOME
from tests.kinds import cells

WILDCARDS = {"pairs": "dropout", "recipe": "simcse", "seed": "42"}
MADE = {"rule": "train_encoder", "wildcards": WILDCARDS, "settings": {}, "code": ""}


def trained(run: str) -> Path:
    """Write the results of a training with their manifest, and return the encoder's folder."""
    folder = Path("results/train", run, "encoder")
    folder.mkdir(parents=True)
    (folder / "model.safetensors").write_bytes(b"w" * 1000)
    history = folder.with_name("history.parquet")
    history.write_text("a log")
    made_now([folder, history], MADE).write()
    return folder


@pytest.fixture
def encoders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Three trained encoders: one is recommended, one is read by a job that is left, one is neither."""
    monkeypatch.chdir(tmp_path)
    Path("config").mkdir()
    Path("config/config.yaml").write_text("studies: [thesis]\n")
    folders = [trained(f"{name}/compare/seed42") for name in ("best", "needed", "other")]
    Path("results/tables").mkdir()
    facts = Status(facts={RUN: "best/compare/seed42"}).metadata()
    write_table(cells({}), Path("results/tables/t.parquet"), CELLS, facts)
    left = [Job("evaluate_suite", {}, [str(folders[1])])]
    monkeypatch.setattr(clean, "planned_jobs", lambda *_, **__: left)
    return folders


def missed(folder: Path) -> list[str]:
    """Return what `verify` says of the files of a training."""
    project = Project({"studies": ["thesis"]}, HOME)
    manifest = read_manifest(manifest_file(folder))
    found = verify._of_job(manifest, Path("results"), project, verify.source_digest)
    return [each.reason for each in found if each.kind == "changed"]


def test_without_yes_it_says_what_and_how_much_and_removes_nothing(encoders, capsys):
    clean.main([])
    said = capsys.readouterr().out
    assert "1 encoder stays, recommended by t." in said
    assert "1 encoder stays, needed by jobs that have not run yet." in said
    assert "1 trained encoder, 0.00 GB. Their scores are kept" in said
    assert said.endswith("Nothing is removed yet. To remove the encoders: contrapose clean --yes\n")
    assert all((folder / "model.safetensors").exists() for folder in encoders)


def test_with_yes_only_what_nobody_needs_goes_and_verify_does_not_miss_it(encoders, capsys):
    best, needed, other = encoders
    clean.main(["--yes"])
    assert [folder.exists() for folder in encoders] == [True, True, False]
    assert other.with_name("history.parquet").exists()
    assert [path.name for path in other.parent.iterdir() if path.name.endswith(".draft")] == []
    assert missed(other) == missed(best) == []
    (needed / "model.safetensors").write_bytes(b"changed")
    assert missed(needed)
    for options in ([], ["--yes"]):
        capsys.readouterr()
        clean.main(options)
        assert capsys.readouterr().out.splitlines()[-1].startswith("Nothing to remove: ")


def test_an_encoder_that_comes_back_is_not_taken_for_the_one_that_was_removed(encoders):
    other = encoders[2]
    clean.main(["--yes"])
    other.mkdir()
    (other / "model.safetensors").write_bytes(b"of somebody")
    assert missed(other) == ["model.safetensors was added"]
