"""Results that come from elsewhere are as up to date as their content, whatever their times and records."""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from contrapose.jobs.manifest import manifest_files, read_manifest
from tests.checkout import Checkout

RECORDS = (".snakemake", "state", "logs")


def without_times(source: Path, target: Path) -> None:
    """As `cp -r` and `rsync -r`: each file has the time at which it was copied."""
    shutil.copytree(source, target, symlinks=True, copy_function=shutil.copyfile)


def backwards(source: Path, target: Path) -> None:
    """As a bucket that is read by several threads: what was made last is written first, seconds apart."""
    shutil.copytree(source, target, symlinks=True)
    files = sorted(target.rglob("*"), key=lambda path: path.stat().st_mtime, reverse=True)
    for number, path in enumerate(files):
        os.utime(path, (1_700_000_000 + number,) * 2)


def by_git(source: Path, target: Path) -> None:
    def git(*arguments: str) -> None:
        name = ("-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "core.autocrlf=false")
        subprocess.run(["git", *name, *arguments], check=True, capture_output=True)

    origin = target.with_name("origin")
    shutil.copytree(source, origin, symlinks=True)
    git("init", str(origin))
    git("-C", str(origin), "add", "--all", "--force", ".")
    git("-C", str(origin), "commit", "-m", "all")
    git("clone", str(origin), str(target))


@pytest.mark.parametrize(
    ("copied", "gone"),
    [(without_times, ()), (without_times, RECORDS), (backwards, RECORDS), (by_git, RECORDS)],
)
def test_a_copy_makes_nothing_again(
    finished: Checkout, tmp_path: Path, copied: Callable[[Path, Path], None], gone: tuple[str, ...]
):
    copied(finished.folder, tmp_path / "copy")
    for name in gone:
        shutil.rmtree(tmp_path / "copy" / name)
    assert Checkout(tmp_path / "copy").plan() == {}


def test_a_change_in_a_copy_makes_the_same_again(finished: Checkout, tmp_path: Path):
    without_times(finished.folder, tmp_path / "copy")
    copy = Checkout(tmp_path / "copy")
    for name in RECORDS:
        shutil.rmtree(copy.folder / name)
    for file, old, new in (
        ("config/recipes.yaml", "epochs: 2", "epochs: 2, temperature: 0.1"),  # of a step with inputs
        ("config/recipes.yaml", "seed: 1", "seed: 2"),  # of one without
        ("config/prompts/1.txt", "Generate", "Write"),
    ):
        with finished.edited(file, old, new), copy.edited(file, old, new):
            assert copy.plan() == finished.plan() != {}


def test_a_copy_is_made_again_where_an_input_is_another(finished: Checkout, tmp_path: Path):
    backwards(finished.folder, tmp_path / "copy")
    copy = Checkout(tmp_path / "copy")
    shutil.rmtree(copy.folder / ".snakemake")
    manifests = map(read_manifest, manifest_files(copy.folder / "results"))
    source = next(manifest for manifest in manifests if manifest.inputs)
    source.inputs = dict.fromkeys(source.inputs, "0" * 64)
    source.write()
    assert source.made["rule"] in copy.plan()
