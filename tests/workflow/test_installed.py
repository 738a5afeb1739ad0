"""The wheel, installed where there is no clone."""

import os
import re
import subprocess
import sys
import sysconfig
from pathlib import Path

import pandas as pd
import pytest

from tests.checkout import HOME

pytestmark = pytest.mark.slow
SENTENCES = HOME / "examples/wiki/data/sentences.txt"
OTHERS = ("The stock market", "A child", "A bird", "A pet", "An animal")
ANIMALS = ("dog", "cat", "fox", "cow", "hen", "owl", "pig", "goat")


def pairs(verb: str) -> str:
    """Return a CSV file of 40 pairs, the more alike the higher their score."""
    graded = [(animal, other, OTHERS.index(other)) for other in OTHERS for animal in ANIMALS]
    lines = [f"A {animal} {verb}.,{other} {verb}.,{score}\n" for animal, other, score in graded]
    return "".join(["sentence1,sentence2,score\n", *lines])


@pytest.fixture(scope="module")
def command(tmp_path_factory) -> Path:
    """Return `contrapose` of a fresh environment with the wheel; what it depends on is this environment's."""
    folder = tmp_path_factory.mktemp("installed")
    run = {"check": True, "stdout": subprocess.DEVNULL}
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    subprocess.run([*pip, "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", folder, HOME], **run)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "env"], **run)
    packages = next((folder / "env/lib").glob("python*")) / "site-packages"
    (wheel,) = folder.glob("contrapose-*.whl")
    python = folder / "env/bin/python"
    subprocess.run([*pip, "--python", python, "install", "-q", "--no-deps", "--no-index", wheel], **run)
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib"))
    return folder / "env/bin/contrapose"


def call(command: Path, folder: Path, *arguments: str) -> str:
    """Return what it says, of a person whose working directory is `folder`."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [command, *arguments],
        cwd=folder,
        env=kept,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


def test_own_sentences_are_compared_without_a_clone(command, tmp_path):
    sentences, dev, test = (tmp_path / name for name in ("sentences.txt", "dev.csv", "test.csv"))
    sentences.write_text("".join(SENTENCES.open().readlines()[:96]))
    dev.write_text(pairs("sleeps"))
    test.write_text(pairs("is hungry"))
    encoder = HOME / "resources/mini/encoders/bert-base"
    files = ["--sentences", sentences, "--dev", dev, "--test", test, "--encoder", encoder]
    said = call(command, tmp_path, "new", "mine", *map(str, files))
    assert said.splitlines()[-2].strip().endswith("contrapose run --directory mine -- compare")
    options = ["--directory", "mine", "--cores", "2", "--config", "seeds=1"]
    said = call(command, tmp_path, "run", *options, "--", "compare")
    assert re.search(r"^\| No training +\| ", said, re.MULTILINE)
    assert "Each method was trained once, so differences to No training cannot be tested" in said
    assert "The whole page: mine/results/tables/compare_pairs.md" in said
    table = pd.read_csv(tmp_path / "mine/results/tables/compare_pairs.csv")
    assert {"No training", "Dropout", "Span crop"} <= set(table.model)
    samples = pd.read_csv(tmp_path / "mine/results/tables/compare_samples.csv").set_index("model")
    assert samples["copies %"][["Dropout", "Span crop"]].tolist() == [100, 0]
    judged = pd.read_csv(tmp_path / "mine/results/tables/compare_disagreements.csv")
    assert (judged.groupby("model").size() == 20).all()
    assert set(judged.model) == set(samples.index)
    said = call(command, tmp_path / "mine", "why", "Span crop", "--config", "seeds=1")
    assert "logs/train/crop/compare/seed42.log" in said
    plan = call(command, tmp_path / "mine", "plan", "--config", "seeds=1", "--", "compare")
    assert "Everything is up to date, so no job would run." in plan
    assert "results/report.html with 3 of 4" in call(command, tmp_path / "mine", "report")


def test_the_studies_are_there_too(command, tmp_path):
    said = call(command, tmp_path, "run", "--dry-run", "--", "results/tables/table4_1.csv")
    assert re.search("(?m) x training(, about .*)?$", said)
    assert "jobs would run, because nothing of this is built yet." in said
    assert f"{HOME}/workflow" not in said
