"""The documentation: Snakemake can read its commands, and what it links to or names is there."""

import ast
import functools
import re
import subprocess
import sys

import pytest

import contrapose
from contrapose.command import FORMER, VERBS
from contrapose.jobs.user_code import FOLDERS as OWN
from tests.checkout import HOME

PAGES = [
    page
    for pages in ("*.md", "docs/**/*.md", "config/*.md", "examples/*/*.md", "resources/mini/*/README.md")
    for page in HOME.glob(pages)
    if page.name != "CHANGELOG.md"  # names what was there
]
# Docstrings and comments name files, too; those of tests are full of made-up ones.
CODE = [
    file
    for files in ("src/**/*.py", "workflow/**/*.py", "workflow/rules/*.smk", "benchmarks/**/*.py")
    for file in HOME.glob(files)
]
SETTINGS = [
    file
    for files in (
        "config/**/*.yaml",
        "examples/*/config/**/*.yaml",
        "profiles/*/*.yaml",
        "envs/*",
        "Makefile",
    )
    for file in HOME.glob(files)
]
# What follows the pairs behind --config, up to a remark.
BEHIND_PAIRS = re.compile(
    r"snakemake [^\n`#]*--config(?: +[\w.]+=(?:'[^']*'|\"[^\"]*\"|[^\s`]+))+(?: +([^\s`#]+))?"
)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(HOME)))
def test_a_target_behind_config_is_told_apart_from_its_pairs(page):
    # Without `--` Snakemake takes the target for a pair and ends with a traceback.
    behind = [found[1] for found in BEHIND_PAIRS.finditer(page.read_text(encoding="utf-8")) if found[1]]
    assert [word for word in behind if not word.startswith("-")] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(HOME)))
def test_pages_and_files_that_are_linked_are_there(page):
    text = page.read_text(encoding="utf-8")
    named = {HOME / name for name in re.findall(r"(?<![\w/])docs/[\w/-]+\.md", text)}
    linked = {page.parent / link for link in re.findall(r"\]\((?!https?:)([^)#\s]+)", text)}
    assert [str(path) for path in named | linked if not path.exists()] == []


@functools.cache
def anchors(page):
    """Return the anchors of a page: those that are written, and those of headings as GitHub makes them."""
    text = re.sub(r"^ *```.*?^ *```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    found = set(re.findall(r"""(?:id|name)=["']([^"']+)["']""", text)) | {*re.findall(r"\{#([\w-]+)", text)}
    for heading in re.findall(r"^#+ +(.*)$", text, re.MULTILINE):
        plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading.strip())
        slug = re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")
        found |= {slug, slug.strip("_")}
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(HOME)))
def test_headings_that_are_linked_are_there(page):
    text = page.read_text(encoding="utf-8")
    lost = []
    for link, anchor in re.findall(r"\]\((?!https?:)([^)#\s]*)#([^)\s]+)\)", text):
        target = (page.parent / link).resolve() if link else page
        if target.suffix == ".md" and anchor not in anchors(target):
            lost.append(f"{link}#{anchor}")
    assert lost == []


def test_each_promise_names_tests_that_are_there():
    named = set(re.findall(r"`(test_\w+)`", (HOME / "docs/dev/reliability.md").read_text(encoding="utf-8")))
    tests = "".join(file.read_text(encoding="utf-8") for file in (HOME / "tests").rglob("test_*.py"))
    assert named - set(re.findall(r"def (test_\w+)\(", tests)) == set()
    assert named


# A command with a target, in a block or between backticks; some options need no cores.
NEEDS_NONE = r"--cores|--help|--profile|--directory|--report|--lint|--unlock|--dry-run|-n "
TARGETED = re.compile(rf"(?:^|`)snakemake (?![^`\n]*(?:{NEEDS_NONE}))[a-z-][^`\n]*", re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(HOME)))
def test_a_command_says_how_many_cores(page):
    # Without them Snakemake refuses to start.
    assert TARGETED.findall(page.read_text(encoding="utf-8")) == []


# A path from the root. What a run makes is not in the repository, nor is what a placeholder stands for; what
# stands between quotation marks is code, which has other tests.
FOLDERS = "benchmarks|config|docs|envs|examples|profiles|resources|src|tests|workflow"
FROM_ROOT = re.compile(rf"(?<![\w./}}\"'-])(?:{FOLDERS})/[\w./-]*\w(?![\w<{{*\[/-])")
MADE = re.compile(r"/results/|^benchmarks/results|^config/catalog\.yaml$")  # the last: of a published package
# A file by its last folders: `models/unpadded.py`.
BY_ITS_END = re.compile(r"`([\w/]+/\w+\.(?:py|smk|yaml))`")
# CONTRIBUTING's recipes tell how to make these.
TO_BE_WRITTEN = re.compile(r"\bNAME\b|\bmine\.py|(swapping|norms|pair_words|swapping_pairs)\.py")
# These pages name the files of other people's repositories.
OF_OTHERS = ("sources.md", "models-and-data.md")
ENDS = [f"/{file.relative_to(HOME).as_posix()}" for file in (*CODE, *SETTINGS)]
OWN_PATHS = [file for file in (*PAGES, *CODE, *SETTINGS) if file.name not in OF_OTHERS]


@pytest.mark.parametrize("page", OWN_PATHS, ids=lambda page: str(page.relative_to(HOME)))
def test_paths_that_are_named_are_there(page):
    text = page.read_text(encoding="utf-8")
    named = [path for path in FROM_ROOT.findall(text) if not MADE.search(path)]
    if page.suffix == ".md":
        named += BY_ITS_END.findall(text)

    def is_there(path):
        if path.startswith("mine/"):  # a project of `contrapose init`, which writes the files of this example
            return (HOME / "examples/wiki" / path.removeprefix("mine/")).exists()
        return any((folder / path).exists() for folder in (HOME, page.parent)) or any(
            end.endswith(f"/{path}") for end in ENDS
        )

    assert [path for path in named if not TO_BE_WRITTEN.search(path) and not is_there(path)] == []


# `contrapose.base.seeds.generator` is a module and a name in it; .sif and .tar are images of a container.
MODULE = re.compile(r"\b(contrapose|contrapose_mini)\.(?!sif|tar)([a-z_]+)")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(HOME)))
def test_modules_that_are_named_are_there(page):
    known = {(path.parent.name, path.stem) for path in (HOME / "src").glob("*/*")}
    known |= {
        ("contrapose", name) for name in (*OWN.values(), *contrapose.__all__)
    }  # entry points, functions
    assert sorted(set(MODULE.findall(page.read_text(encoding="utf-8"))) - known) == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(HOME)))
def test_a_target_of_make_is_in_the_makefile(page):
    targets = re.findall(r"^([a-z-]+):.*##", (HOME / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    called = re.findall(r"(?:^ *|`)make ([a-z-]+)", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(set(called) - set(targets)) == []


CALLED = re.compile(r"(?:^ *|`|&& )contrapose ([a-z-]+)((?: +[^\s`#;|&]+)*)", re.MULTILINE)


@functools.cache
def help_of(*words: str) -> str:
    """Return what a command says with --help; of `contrapose run`, also what Snakemake says of itself."""
    commands = [["contrapose", *words], *([["snakemake"]] if words == ("run",) else [])]
    calls = ([sys.executable, "-m", *command, "--help"] for command in commands)
    return "".join(subprocess.run(call, capture_output=True, text=True, check=True).stdout for call in calls)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(HOME)))
def test_commands_have_verbs_and_options_that_are_there(page):
    for verb, rest in CALLED.findall(page.read_text(encoding="utf-8")):
        assert FORMER.get(verb, verb) in VERBS
        words = (verb, *rest.split()[:1]) if verb in ("batch", "journal", "llm-cache") else (verb,)
        for option in re.findall(r" (--?[a-z][a-z-]*)", rest.partition(" -- ")[0]):
            assert re.search(rf"(?<!\S){option}\b", help_of(*words)), f"contrapose {verb}{rest}"


# Examples of values in a quoted message, between which its own words stand.
VALUES = re.compile(
    r"'[^']*'|\([^)]*\)|\d+(?: more minutes)?|[A-Z_]{6,}|\S+\.(?:jsonl|csv|yaml)|(?:\S+/)?\.\.\."
    r"|(?<=language_models\.)\w+|No training|\bnan\b|\bpairs\b"
)
# Words of the system, the shell and libraries; and a sentence that is put together of words.
OF_OTHERS = re.compile(
    r"command not found|Connection refused|connection attempts failed|Name or service|ConnectTimeout"
    r"|CERTIFICATE_VERIFY|CUDA out of memory|No space left|Disk quota|'sentence1', 'sentence2', 'score' are"
)


@functools.cache
def messages() -> str:
    """Return all texts in the code, a line each, without the values in them."""
    texts = []
    for file in CODE:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))) if file.suffix == ".py" else ():
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                texts.append(node.value)
            elif isinstance(node, ast.JoinedStr):
                parts = [each.value for each in node.values if isinstance(each, ast.Constant)]
                texts.append("".join(map(str, parts)))
    return "\n".join(texts).replace("\\.", ".")


def test_each_message_of_troubleshooting_is_in_the_code():
    page = (HOME / "docs/how-to/troubleshooting.md").read_text(encoding="utf-8")
    tables = re.findall(r"^\| message \|.*\n.*\n((?:\|.*\n)+)", page, re.MULTILINE)
    cells = [row.split(" | ")[0] for table in tables for row in table.splitlines()]
    headings = re.findall(r"^### (.*`.*)", page, re.MULTILINE)
    quoted = [each for text in (*cells, *headings) for each in re.findall(r"`([^`]+)`", text)]
    assert len(quoted) > 40
    own = [words for each in quoted if not OF_OTHERS.search(each) for words in VALUES.split(each)]
    assert [words for words in own if words.strip() not in messages()] == []
