"""Bad input on the command line: one clear message, before any job if it can be known, nothing lost."""

import hashlib
import json
import shutil
import subprocess
import sys
from subprocess import CompletedProcess

import pytest
import yaml

from tests.checkout import Checkout, checkout, environment

KEY = "CONTRAPOSE_TEST_KEY"
SENTENCES = 8  # in the corpus
HERE = ("--config", "catalog=here", "data=data")  # the small project on files instead of its own mini world
SHARD = "results/generate/wiki/chatgpt-prompt1/0-of-1/paraphrases.parquet"


def article(number: int) -> dict:
    """Return an article of twelve sentences with digests in them, so that it does not compress to nothing."""
    digests = [hashlib.sha256(f"{number} {line}".encode()).hexdigest()[:12] for line in range(12)]
    text = " ".join(f"The dog {word} sat on the big red mat in the old park." for word in digests)
    return {"id": str(number), "title": f"Dog {number}", "text": text}


def write_catalog(project: Checkout) -> None:
    """Write a catalog of articles, a folder with one that has no text, and one whose model wants a key."""
    articles = [article(number) for number in range(30)]
    for data, made in {"data": articles, "bad": [article(1), {"id": "2", "title": "Nothing"}]}.items():
        (project.folder / data / "wikipedia").mkdir(parents=True)
        lines = "".join(f"{json.dumps(one)}\n" for one in made)
        (project.folder / data / "wikipedia/a.jsonl").write_text(lines)
    catalogs = project.folder / "config/catalogs"
    catalog = yaml.safe_load((catalogs / "tiny.yaml").read_text())
    del catalog["mini"]
    catalog["articles"] = {"path": "wikipedia/*.jsonl", "format": "jsonl"}
    catalog["sizes"] = dict.fromkeys(catalog["sizes"], SENTENCES)
    catalog["llms"]["chatgpt"] |= {"no_response_timeout": 1, "timeout": 5, "concurrency": 2}
    (catalogs / "here.yaml").write_text(yaml.safe_dump(catalog))
    catalog["llms"]["chatgpt"] |= {"endpoint": "http://127.0.0.1:9/v1", "key": KEY}
    (catalogs / "paid.yaml").write_text(yaml.safe_dump(catalog))


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """A project on files, with something that was made before anything goes wrong."""
    made = checkout(tmp_path_factory.mktemp("project"))
    write_catalog(made)
    with (made.folder / "config/config.yaml").open("a") as config:
        config.write("shards: {corpus: 1, generate: 1}\n")
    recipes = made.folder / "config/recipes.yaml"
    strict = "corpora:\n  strict: {method: 1, size: small, min_words: 100, max_words: 200}\n"
    recipes.write_text(recipes.read_text().replace("corpora:\n", strict))
    (made.folder / "results/corpus").mkdir(parents=True)
    (made.folder / "results/corpus/before.parquet").write_bytes(b"made before")
    return made


def results(project: Checkout) -> dict[str, bytes]:
    files = (path for path in (project.folder / "results").rglob("*") if path.is_file())
    return {str(path.relative_to(project.folder)): path.read_bytes() for path in files}


def refused(project: Checkout, *arguments: str) -> str:
    """Call Snakemake, hold that it stopped before any job and left all results; return what a person sees."""
    before = results(project)
    done = project.forked(*arguments, check=False)
    assert "Select jobs to execute" not in done.stdout, done.stdout
    assert results(project) == before
    return shown(done)


def failed(project: Checkout, *arguments: str) -> str:
    """Call Snakemake, hold that a job failed and left all results; return what a person sees."""
    before = results(project)
    done = project.run(*arguments, check=False)
    assert "Logfile logs" in done.stdout, done.stdout
    assert before.items() <= results(project).items()
    return shown(done)


def shown(done: CompletedProcess) -> str:
    assert done.returncode == 1, done.stdout
    assert "Traceback (most recent call last)" not in done.stdout, done.stdout
    assert "src/contrapose" not in done.stdout, done.stdout  # in Snakemake's own short traceback
    return done.stdout


EMPTY = ("--config", "catalog=here", "data=config")
UNSET = f"llms.chatgpt.key: the environment variable {KEY} is not set. Set it to the API key (export {KEY}="


MOVED = (*HERE, "pathvars={results: Snakefile/here}", "--", "Snakefile/here/pairs/dropout.parquet")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            (*HERE, "catlog=tiny"),
            "there is no key 'catlog'. Did you mean 'catalog'? Known: bootstrap",
        ),
        ((*HERE, "--", "results/tables/smoke_tabel1.csv"), "There is no table 'smoke_tabel1'. Did you "),
        (
            (*EMPTY, "--", "results/retrieve/articles.parquet"),
            "articles: no file matches 'wikipedia/*.jsonl' ",
        ),
        (("--config", "catalog=paid", "data=data", "--", SHARD), UNSET),
        (MOVED, "results: 'Snakefile' is a file, but a folder is expected. Move the file, or choose "),
    ],
    ids=["setting", "target", "data", "key", "folder"],
)
def test_what_is_wrong_is_said_once_before_any_job(project: Checkout, monkeypatch, arguments, message):
    monkeypatch.delenv(KEY, raising=False)
    assert refused(project, *arguments).count(message) == 1


def in_own_mounts(project: Checkout, script: str, *arguments: str) -> CompletedProcess:
    """Run a script with mounts of its own, to which Snakemake is `"$@"`; skip where that is not allowed."""
    call = ["unshare", "--map-root-user", "--mount", "sh", "-euc"]
    if shutil.which("unshare") is None or subprocess.run([*call, "true"], capture_output=True).returncode:
        pytest.skip("needs unshare, and user namespaces if not root")
    return subprocess.run(
        [*call, script, "sh", sys.executable, "-m", "snakemake", "--cores", "2", *HERE, *arguments],
        cwd=project.folder,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=environment(),
        check=False,
    )


@pytest.mark.slow
def test_a_disk_that_fills_up_leaves_nothing_half_written(project: Checkout):
    mount = "mkdir full; mount -t tmpfs -o size=4k tmpfs full; touch full/made"
    mount += '; "$@" || find full -type f; exit 1'
    done = in_own_mounts(project, mount, "pathvars={results: full}", "--", "full/retrieve/articles.parquet")
    assert shown(done).count("No space left on device") == 1
    assert "What was made before is kept." in done.stdout
    assert done.stdout.splitlines()[-1] == "full/made"


BAD = ("--config", "catalog=here", "data=bad", "pathvars={results: bad-results}")


NO_TEXT = "bad/wikipedia/a.jsonl, line 2: the column 'text' is missing. The columns are id, title. Set "
TOO_FEW = f"Corpus drawn by method 1, seed 1: 64 draws gave 0 of {SENTENCES} sentences. Rejected: "


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((*BAD, "--", "bad-results/retrieve/articles.parquet"), NO_TEXT),
        ((*HERE, "--", "results/corpus/strict.parquet"), TOO_FEW),
    ],
    ids=["articles", "corpus"],
)
def test_what_a_job_finds_wrong_is_said_once_and_leaves_no_table(project: Checkout, arguments, message):
    assert failed(project, *arguments).count(f"TableError: {message}") == 1
    assert not (project.folder / arguments[-1]).exists()
