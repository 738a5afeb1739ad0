"""Commands of the README, and of the first screen of each page, run as they stand there."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.checkout import HOME, environment

pytestmark = pytest.mark.slow
SCREEN = 45  # lines of a page that a person sees first
# Pages of other studies have the commands of the thesis's with another name; test_dags plans each study.
DOCS = [
    path
    for folder in ("tutorials", "how-to", "explanation")
    for path in (HOME / "docs" / folder).glob("*.md")
]
PAGES = [HOME / "README.md", *sorted(DOCS), *sorted(HOME.glob("examples/*/*.md"))]
COMMAND = re.compile(r"^(?: {4})?((?:cd|contrapose|snakemake|make) .*?)(?: +#.*)?$", re.MULTILINE)
# These need the network, an image or results.  Their options are checked in tests/unit/test_pages_of_docs.py.
ELSEWHERE = re.compile(
    r"contrapose (publish|report|download|batch|llm-cache|export|preview|explain|status|annotate)|"
    r".*( --sdm | --live|localhost|openai|--encoder ORG|--test mteb|--budget|--methods|--unlock)"
)
NOT_SHIPPED = "Put the files of the set there"  # of test sets that a page says to fetch: no plan without them
SCORED = (
    "sentence1,sentence2,score\nA dog ran.,A cat ran.,3\nA dog ran.,A bird sang.,1\nA fox ran.,A fox ran.,5\n"
)
SENTENCES = HOME / "examples/wiki/data/sentences.txt"
WRITER = 'writer: {endpoint: "python:contrapose_mini.loopback", model: divergent}'


def first_commands(page: Path) -> list[str]:
    """Return the commands of a page's first screen; of the README, all."""
    lines = page.read_text(encoding="utf-8").splitlines()
    shown = lines if page == HOME / "README.md" else lines[:SCREEN]
    text = re.sub(r" \\\n +", " ", "\n".join(shown))  # a command may go on in the next line
    return [command for command in COMMAND.findall(text) if not ELSEWHERE.match(command)]


def called(command: str) -> list[str]:
    """Return what is run for a command: of one that builds, its plan."""
    program, *words = shlex.split(command)
    if program == "make":
        return ["make", "--dry-run", *words]
    if program == "snakemake":
        words = ["--dry-run", "--quiet", *words]
    elif words[0] == "run":
        words = ["run", "--dry-run", "--quiet", *words[1:]]
    return [sys.executable, "-m", program, *words]


def run(words: list[str], folder: Path) -> subprocess.CompletedProcess:
    return subprocess.run(words, cwd=folder, env=environment(), capture_output=True, text=True)


def ask_here(mine: Path, material: list[str]) -> None:
    """Write the folder for which pages have commands, with a language model that is here."""
    made = run([sys.executable, "-m", "contrapose", "init", str(mine), *material], HOME)
    assert made.returncode == 0, made.stderr
    catalog = mine / "config/catalogs/own.yaml"
    text, count = re.subn(r"writer: \{kind: recorded.*\}", WRITER, catalog.read_text())
    assert count == 1
    catalog.write_text(text)


SHOWN = {page: first_commands(page) for page in PAGES}
# A command of an earlier page is run there.
NEW = {
    page: [command for command in shown if not any(command in SHOWN[other] for other in PAGES[:number])]
    for number, (page, shown) in enumerate(SHOWN.items())
}


NAME = re.compile(r"(?<![\w/.-])[\w.][\w.-]*(?![\w/])")  # of a file or folder in a word of a command


def stand_ins(folder: Path) -> dict[str, object]:
    """Write our test pairs and documents; return what commands mean by names of files and folders."""
    encoder = HOME / "resources/mini/encoders/bert-base"
    lines = SENTENCES.read_text(encoding="utf-8").splitlines()
    documents = ("\n".join(lines[start : start + 20]) for start in range(0, len(lines), 20))
    (folder / "sentences.txt").write_text("\n\n".join(documents), encoding="utf-8")
    for name, pairs in {"dev.csv": SCORED.replace("A ", "The "), "test.csv": SCORED}.items():
        (folder / name).write_text(pairs)
    return {
        "FOLDER": os.environ.get("CONTRAPOSE_DATA"),
        "sentences.txt": folder / "sentences.txt",
        **{name: folder / name for name in ("dev.csv", "test.csv")},
        "stsb.csv": folder / "test.csv",
        **dict.fromkeys(("ENCODER_FOLDER", "all-MiniLM-L6-v2", "NAME"), encoder),
        **dict.fromkeys(("mine", "MY_FOLDER"), folder / "mine"),
        "URL": "http://127.0.0.1:9/v1",
    }


@pytest.mark.parametrize(
    "page", [page for page in PAGES if NEW[page]], ids=lambda page: str(page.relative_to(HOME))
)
def test_commands_run(page: Path, tmp_path: Path):
    found = stand_ins(tmp_path)
    folder = page.parent if page.parent.name == "module" else HOME
    material = {
        "sentences": "sentences.txt",
        "encoder": "ENCODER_FOLDER",
        "test": "test.csv",
        "dev": "dev.csv",
    }
    ask_here(tmp_path / "mine", [f"--{option}={found[name]}" for option, name in material.items()])
    for command in NEW[page]:
        if "FOLDER" in re.findall(r"\w+", command) and not found["FOLDER"]:
            continue
        if command.startswith("contrapose init"):  # pages write it in several ways
            shutil.rmtree(tmp_path / "mine")
        known = command.replace("sentence-transformers/all-MiniLM-L6-v2", "NAME")
        here = NAME.sub(lambda name: str(found.get(name[0], name[0])), known)
        if command.startswith("cd "):
            folder = Path(here.split()[1])
            continue
        done = run(called(here), HOME if "--directory examples" in command else folder)
        says_so = command.startswith("contrapose check") or NOT_SHIPPED in done.stderr
        missing = done.returncode == 1 and says_so
        assert done.returncode == 0 or missing, f"{command}\n{done.stdout}{done.stderr}"
        assert "Traceback" not in done.stderr
