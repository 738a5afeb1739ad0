"""Bad input on the command line: one clear message, before any job if it can be known, nothing lost."""

import hashlib
import json
import shutil
import subprocess
import sys
from pathlib import Path
from subprocess import CompletedProcess

import pytest
import yaml

from tests.checkout import Checkout, checkout, environment
from tests.unit.generate.scripted_endpoint import Say, scripted_endpoint

KEY = "CONTRAPOSE_TEST_KEY"
SENTENCES = 8  # in the corpus
HERE = ("--config", "world=here", "data=data")  # the small project on files instead of its own mini world
SHARD = "results/generate/wiki/chatgpt-prompt1/0-of-1/paraphrases.parquet"


def article(number: int) -> dict:
    """Return an article of twelve sentences with digests in them, so that it does not compress to nothing."""
    digests = [hashlib.sha256(f"{number} {line}".encode()).hexdigest()[:12] for line in range(12)]
    text = " ".join(f"The dog {word} sat on the big red mat in the old park." for word in digests)
    return {"id": str(number), "title": f"Dog {number}", "text": text}


def lines(articles: list[dict]) -> str:
    return "".join(json.dumps(one) + "\n" for one in articles)


def write_data(data: Path) -> None:
    """Write articles and a year of STS in their original formats."""
    (data / "wikipedia").mkdir(parents=True)
    (data / "wikipedia/a.jsonl").write_text(lines([article(number) for number in range(30)]))
    (data / "STS/STS13-en-test").mkdir(parents=True)
    for subset in ("FNWN", "headlines", "OnWN"):
        pairs = data / f"STS/STS13-en-test/STS.input.{subset}.txt"
        pairs.write_text("".join(f"cat {n}\tdog {n}\n" for n in range(5)))
        (data / f"STS/STS13-en-test/STS.gs.{subset}.txt").write_text("0\n1\n2\n3\n4\n")


def write_worlds(project: Checkout) -> None:
    """Write a world of files, and one whose language model wants a key."""
    worlds = project.folder / "config/worlds"
    world = yaml.safe_load((worlds / "tiny.yaml").read_text())
    del world["mini"]
    world["articles"] = {"path": "wikipedia/*.jsonl", "format": "jsonl"}
    world["sizes"] = dict.fromkeys(world["sizes"], SENTENCES)
    world["llms"]["chatgpt"] |= {"patience": 1, "timeout": 5, "concurrency": 2}
    (worlds / "here.yaml").write_text(yaml.safe_dump(world))
    world["llms"]["chatgpt"] |= {"endpoint": "http://127.0.0.1:9/v1", "key": KEY}
    (worlds / "paid.yaml").write_text(yaml.safe_dump(world))


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """A project on files, with a corpus: what was made before something goes wrong."""
    made = checkout(tmp_path_factory.mktemp("project"))
    write_data(made.folder / "data")
    write_worlds(made)
    with (made.folder / "config/config.yaml").open("a") as config:
        config.write("shards: {corpus: 1, generate: 1}\n")
    recipes = made.folder / "config/recipes.yaml"
    strict = "corpora:\n  strict: {method: 1, size: small, min_words: 100, max_words: 200}\n"
    recipes.write_text(recipes.read_text().replace("corpora:\n", strict))
    made.run(*HERE, "--", "results/corpus/wiki.parquet")
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


# ------------------------------------------------------------------------------------- before any job


WORLD, STUDY = "config/worlds/here.yaml", "config/studies/smoke/study.yaml"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("wrold=tiny", "this section has no entry 'wrold'. Did you mean 'world'? Known: bootstrap, "),
        ("world=hree", "worlds has no entry 'hree'. Did you mean 'here'? Known: here, paid, tiny."),
        ("data=nowhere", "data: 'nowhere' is not a folder. Give the folder of the original files."),
        ("endpoint=local:1/v1", "llms.chatgpt.endpoint: 'local:1/v1' is not a base URL. Expected http"),
        ("train/nope/simcse/seed42/encoder", "no entry 'nope'. Known: "),
        ("train/dropout/simsce/seed42/encoder", "no entry 'simsce'. Did you mean 'simcse'? Known: early, "),
        (
            "train/paraphrase+prompt=2/simcse/seed42/encoder",
            "id 'paraphrase+prompt=2' is not in its shortest form. Write 'paraphrase'.",
        ),
        ("train/dropout/simcse/seed042/encoder", "seed '042' is not in its shortest form. Write '42'."),
        ("tables/smoke_tabel1.csv", "no entry 'smoke_tabel1'. Did you mean 'smoke_table1'? Known: smoke_"),
    ],
)
def test_a_wrong_setting_or_target_of_the_call_stops_before_any_job(project: Checkout, arguments, message):
    given = ["--", f"results/{arguments}"] if "/seed" in arguments or ".csv" in arguments else [arguments]
    assert refused(project, *HERE, *given).count(message) == 1


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        (WORLD, "sizes:", "sises:", f"{WORLD}: top level: this section has no entry 'sises'. Did you mean "),
        (
            STUDY,
            "recipe: simcse,",
            "recipe: simsce,",
            "no entry 'simsce'. Did you mean 'simcse'? Known: early",
        ),
        (
            STUDY,
            "encoder=roberta-base",
            "encoder=roberta",
            "encoders of the world has no entry 'roberta'. Did you mean 'roberta-base'? Known: bert-base, ",
        ),
        (WORLD, "wikipedia/", "wiki/", "articles: no file matches 'wiki/*.jsonl' below 'data'. Put the "),
        (
            WORLD,
            "resources/mini/encoders/bert-base",
            "no/such/encoder",
            "encoders.bert-base: 'no/such/encoder' is not a folder. Put the encoder there, or change ",
        ),
    ],
    ids=["key of the world", "run of a study", "encoder role", "articles", "encoder folder"],
)
def test_a_mistake_in_a_file_stops_before_any_job(project: Checkout, file, old, new, message):
    with project.edited(file, old, new):
        assert refused(project, *HERE).count(message) == 1


def test_a_world_of_files_without_a_data_folder_asks_for_it(project: Checkout):
    message = (
        "data is not set, and the world 'here' reads its files from there. Say where: --config data=FOLDER"
    )
    assert refused(project, "--config", "world=here").count(message) == 1


def test_an_encoder_folder_without_weights_stops_before_any_job(project: Checkout):
    folder = project.folder / "my-encoder"
    shutil.copytree(project.folder / "resources/mini/encoders/bert-base", folder)
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    output = refused(project, *HERE, "encoder=my-encoder", "--", "results/tables/score.csv")
    assert (
        output.count("encoder: 'my-encoder' has no *.safetensors weights (pickled .bin files are not read). ")
        == 1
    )


def test_a_key_that_is_not_set_stops_before_any_job(project: Checkout, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv(KEY, raising=False)
    output = refused(project, "--config", "world=paid", "data=data", "--", SHARD)
    message = (
        f"llms.chatgpt.key: the environment variable {KEY} is not set. Set it to the API key (export {KEY}="
    )
    assert output.count(message) == 1


# ----------------------------------------------------------------------- folders that cannot be written


def test_a_file_in_the_place_of_a_folder_stops_before_any_job(project: Checkout):
    (project.folder / "in-the-way").touch()
    moved = (*HERE, "pathvars={results: in-the-way/here}", "--", "in-the-way/here/pairs/dropout.parquet")
    message = "results: 'in-the-way' is a file, expected a folder. Move it away, or choose "
    assert refused(project, *moved).count(message) == 1


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


def test_results_on_a_read_only_disk_stop_before_any_job_and_stay(project: Checkout):
    copy = (
        "cp -a results kept; mount -t tmpfs tmpfs results; cp -a kept/. results; mount -o remount,ro results"
    )
    call = '"$@" || { diff -r kept results && echo unchanged; exit 1; }'
    done = in_own_mounts(project, f"{copy}; {call}", "--", "results/pairs/dropout.parquet")
    message = "results: the folder 'results' cannot be written (Read-only file system). "
    assert shown(done).count(message) == 1
    assert "Select jobs to execute" not in done.stdout
    assert done.stdout.splitlines()[-1] == "unchanged"


def test_a_whole_project_on_a_read_only_disk_says_so(project: Checkout):
    copy = "mkdir disk; mount -t tmpfs tmpfs disk; cp -a Snakefile workflow src profiles config data disk"
    done = in_own_mounts(
        project, f'{copy}; mount -o remount,ro disk; cd disk; "$@"', "--", "results/pairs/dropout.parquet"
    )
    message = (
        f"The folder '{project.folder / 'disk'}' cannot be written, but Snakemake keeps its records there. "
    )
    assert shown(done).count(message) == 1


def test_a_disk_that_fills_up_leaves_what_was_made_and_nothing_half_written(project: Checkout):
    mount = (
        'mkdir full; mount -t tmpfs -o size=4k tmpfs full; touch full/made; "$@" || find full -type f; exit 1'
    )
    done = in_own_mounts(project, mount, "pathvars={results: full}", "--", "full/retrieve/articles.parquet")
    assert shown(done).count("No space left on device") == 1
    assert "What was made before is kept." in done.stdout
    assert done.stdout.splitlines()[-1] == "full/made"


# -------------------------------------------------------------------------------------------- in a job


def test_an_sts_file_with_a_wrong_line_count_stops_with_both_files_and_counts(project: Checkout):
    with project.edited("data/STS/STS13-en-test/STS.gs.OnWN.txt", "4\n", ""):
        output = failed(project, *HERE, "--", "results/retrieve/benchmarks/english.parquet")
    folder = "data/STS/STS13-en-test"
    message = (
        f"TableError: {folder}/STS.input.OnWN.txt has 5 lines and {folder}/STS.gs.OnWN.txt has 4, expected"
    )
    assert output.count(message) == 1


def test_articles_without_text_stop(project: Checkout):
    folder = project.folder / "bad/wikipedia"
    folder.mkdir(parents=True)
    (folder / "a.jsonl").write_text(lines([article(1), {"id": "2", "title": "Nothing"}]))
    bad = ("--config", "world=here", "data=bad", "pathvars={results: bad-results}")
    message = "TableError: bad/wikipedia/a.jsonl, line 2: no keys ['text']; there are ['id', 'title']. Set "
    assert failed(project, *bad, "--", "bad-results/retrieve/articles.parquet").count(message) == 1
    assert not list(project.folder.glob("bad-results/**/*.parquet"))


def test_a_corpus_without_a_fitting_sentence_counts_why_and_keeps_its_draws(project: Checkout):
    output = failed(project, *HERE, "--", "results/corpus/strict.parquet")
    message = (
        f"TableError: Corpus of method 1, seed 1: 0 of {SENTENCES} sentences found in 64 draws. Rejected: "
    )
    assert output.count(message) == 1
    assert (project.folder / "results/corpus/strict/0-of-1.parquet").is_file()
    assert not (project.folder / "results/corpus/strict.parquet").exists()


def test_another_table_in_the_place_of_a_result_is_refused_by_who_reads_it(project: Checkout):
    corpus = project.folder / "results/corpus/wiki.parquet"
    own = corpus.read_bytes()
    shutil.copy(project.folder / "results/retrieve/articles.parquet", corpus)
    try:
        output = failed(project, *HERE, "--", "results/pairs/dropout.parquet")
    finally:
        corpus.write_bytes(own)
    message = (
        "TableError: results/corpus/wiki.parquet: holds table 'articles' version 1, expected 'sentences' "
        "version 1. Remove it and build it again: snakemake --cores 1 results/corpus/wiki.parquet"
    )
    assert output.count(message) == 1


def test_an_endpoint_that_goes_away_stops_the_job_and_no_answer_is_asked_for_twice(project: Checkout):
    target = SHARD.replace("prompt1", "prompt2")
    answered: list[dict] = []

    def three_answers(request: dict, count: int) -> Say | None:
        with endpoint.lock:
            if len(answered) == 3:
                return Say(reset="early")
            answered.append(request)
            return None

    with scripted_endpoint() as endpoint:
        endpoint.script = three_answers
        output = failed(project, *HERE, f"endpoint={endpoint.url}", "--", target)
    kept = "What was answered is kept. Start again when the endpoint works, or raise llms.chatgpt.patience "
    assert output.count(f"BackendError: llms.chatgpt.endpoint: {endpoint.url} gave no answer") == 1
    assert kept in output

    output = failed(project, *HERE, f"endpoint={endpoint.url}", "--", target)  # nobody listens there any more
    assert f"BackendError: llms.chatgpt.endpoint: {endpoint.url} gave no answer" in output
    assert "no connection" in output
    assert kept in output

    with scripted_endpoint() as endpoint:
        project.run(*HERE, f"endpoint={endpoint.url}", "--", target)
        assert len(endpoint.requests) == SENTENCES - len(answered)
        assert not [request for request in endpoint.requests if request in answered]


def test_a_key_that_is_refused_is_never_shown(project: Checkout, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(KEY, "sk-do-not-show-me")
    with scripted_endpoint() as endpoint:
        error = {"message": "Incorrect API key provided: sk-do-not-show-me.", "code": "invalid_api_key"}
        endpoint.script = lambda *_: Say(status=401, content={"error": error})
        with project.edited("config/worlds/paid.yaml", "http://127.0.0.1:9/v1", endpoint.url):
            output = failed(project, "--config", "world=paid", "data=data", "--", SHARD)
    assert (
        output.count(f"ConfigError: llms.chatgpt.key: {endpoint.url} refuses the key from {KEY}. Check that ")
        == 1
    )
    files = [path for path in project.folder.rglob("*") if path.is_file()]
    assert not [path for path in files if b"sk-do-not-show-me" in path.read_bytes()]
    assert "sk-do-not-show-me" not in output
