"""Commands of the README, and of the first screen of each page, run as they stand there."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.checkout import HOME, environment

pytestmark = pytest.mark.slow
SCREEN = 45  # lines of a page that a person sees first
PAGES = [HOME / "README.md", *sorted(HOME.glob("docs/*.md")), *sorted(HOME.glob("examples/*/README.md"))]
COMMAND = re.compile(r"^(?: {4})?((?:contrapose|snakemake|make) .*?)(?: +#.*)?$", re.MULTILINE)
# They need the network, answers that were paid for, or a cluster: other tests call their programs.
ELSEWHERE = (
    "contrapose publish",
    "contrapose batch",
    "contrapose journal",
    "contrapose convert",
    "contrapose exchange",
)
SCORED = (
    "sentence1,sentence2,score\nA dog ran.,A cat ran.,3\nA dog ran.,A bird sang.,1\nA fox ran.,A fox ran.,5\n"
)


def first_commands(page: Path) -> list[str]:
    """Return the commands of a page's first screen; of the README, all."""
    lines = page.read_text(encoding="utf-8").splitlines()
    shown = lines if page.name == "README.md" and page.parent == HOME else lines[:SCREEN]
    text = "\n".join(shown).replace("\\\n", " ")
    return [command for command in COMMAND.findall(text) if not command.startswith(ELSEWHERE)]


def called(command: str) -> list[str]:
    """Return what is run for a command: of one that builds, its plan."""
    program, *words = shlex.split(command)
    if program == "make":
        return ["make", "--dry-run", *words]
    module = [sys.executable, "-m", program]
    if program == "snakemake":
        return [*module, "--dry-run", "--quiet", *words]
    if words[0] == "run":
        return [*module, "run", "--dry-run", "--quiet", *words[1:]]
    return [*module, *words]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(HOME)))
def test_commands_run(page: Path, tmp_path: Path):
    data = os.environ.get("CONTRAPOSE_DATA")
    places = {
        "FOLDER": data,
        "ENCODER_FOLDER": HOME / "resources/mini/encoders/bert-base",
        "MY_FOLDER": tmp_path / "mine",
        "mine": tmp_path / "mine",
        "sentences.txt": HOME / "examples/wiki/data/sentences.txt",
        "N": "2",
    }
    for name in ("dev.csv", "test.csv"):
        (tmp_path / name).write_text(SCORED)
        places[name] = tmp_path / name
    for command in first_commands(page):
        if "FOLDER" in re.findall(r"\w+", command) and not data:
            continue
        words = [
            re.sub(r"(?<![\w/.])[\w.]+(?![\w/.])", lambda word: str(places.get(word[0], word[0])), word)
            for word in called(command)
        ]
        done = subprocess.run(words, cwd=HOME, env=environment(), capture_output=True, text=True)
        missing = done.returncode == 1 and command.startswith("contrapose check")  # it says what is missing
        assert done.returncode == 0 or missing, f"{command}\n{done.stdout}{done.stderr}"
        assert "Traceback" not in done.stderr
