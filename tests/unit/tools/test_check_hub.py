"""Repositories of a hub on this machine, which speaks what is asked of it."""

import json
import threading
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from contrapose.plan import Plan
from huggingface_hub import constants

from contrapose.preflight import hub
from contrapose.preflight.hub import Wanted, check_hub, wanted_of_hub
from contrapose.preflight.needs import Needs

HOME = Path(__file__).parents[3]
COMMIT = "0123456789" * 4
FILES = {"config.json": 500, "model.safetensors": 4_000_000, "vocab.txt": 1000}
BERT = Wanted("encoders.bert", "model", "owner/bert", COMMIT)
PAIRS = Wanted(
    "benchmarks.pairs", "dataset", "owner/pairs", COMMIT, name="en", splits=("test",), columns=("sentence1",)
)
CARD = {
    "configs": [{"config_name": "en", "data_files": [{"split": "test", "path": "en/test*"}]}],
    "dataset_info": [{"config_name": "en", "features": [{"name": "sentence1", "dtype": "string"}]}],
}


class Asked(BaseHTTPRequestHandler):
    """Answers from `repositories`, {path of the API: answer}, where a number is a status."""

    repositories: dict[str, dict | int]
    requests: list[str]
    closed: set[str]  # repositories whose files nobody may have

    def do_GET(self) -> None:
        path = self.path.split("?")[0]
        self.requests.append(path)
        if "/resolve/" in path:
            gated = any(name in path for name in self.closed)
            return self.answer(401 if gated else 200, {}, "GatedRepo" if gated else "")
        name, _, revision = path.removeprefix("/api/").partition("/revision/")
        found = self.repositories.get(name, 404)
        if revision and revision != COMMIT and revision != "main":
            return self.answer(404, {}, "RevisionNotFound")
        return self.answer(found, {}, "RepoNotFound") if isinstance(found, int) else self.answer(200, found)

    do_HEAD = do_GET

    def answer(self, status: int, content: dict, code: str = "") -> None:
        body = json.dumps(content).encode()
        self.send_response(status)
        if code:
            self.send_header("X-Error-Code", code)
        for header, value in {
            "ETag": '"x"',
            "X-Repo-Commit": COMMIT,
            "Content-Length": str(len(body)),
        }.items():
            self.send_header(header, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[type[Asked]]:
    handler = type("Handler", (Asked,), {"repositories": {}, "requests": [], "closed": set()})
    serving = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=serving.serve_forever, args=(0.02,), daemon=True).start()
    address = f"http://127.0.0.1:{serving.server_address[1]}"
    monkeypatch.setattr(constants, "ENDPOINT", address)
    template = address + "/{repo_id}/resolve/{revision}/{filename}"  # made of ENDPOINT at import
    monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr(constants, "HF_HOME", str(tmp_path))
    monkeypatch.delenv("HF_DATASETS_CACHE", raising=False)
    for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    yield handler
    serving.shutdown()
    serving.server_close()


def repository(files: Mapping[str, int | None], **more: object) -> dict:
    siblings = [{"rfilename": name, "size": size} for name, size in files.items()]
    return {"id": "owner/name", "sha": COMMIT, "siblings": siblings, "gated": False, "tags": [], **more}


def levels(wanted: Wanted) -> list[str]:
    return [one.level for one in check_hub([wanted])[0]]


def told(wanted: Wanted) -> str:
    (finding,) = (one for one in check_hub([wanted])[0] if one.level != "fine")
    return f"{finding.level}: {finding.what}: {finding.found}"


def cache(tmp_path: Path, kind: str, name: str, *files: str) -> None:
    for file in files:
        path = tmp_path / "hub" / f"{kind}s--{name.replace('/', '--')}" / "snapshots" / COMMIT / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{}")


def test_a_model_that_is_there_is_fine_and_what_is_cached_is_not_fetched_again(server, tmp_path):
    server.repositories["models/owner/bert"] = repository({**FILES, "onnx/model.safetensors": 9, "w.bin": 9})
    findings, size = check_hub([BERT])
    assert [one.found for one in findings] == ["0123456, 4.0 MB to fetch"]
    assert size == 4_001_500
    cache(tmp_path, "model", "owner/bert", "model.safetensors")
    assert check_hub([BERT])[1] == 1500
    cache(tmp_path, "model", "owner/bert", *FILES)
    findings, size = check_hub([BERT, BERT])
    assert ([one.found for one in findings], size) == (["0123456, in the cache"] * 2, 0)


def test_what_two_entries_share_is_asked_about_and_fetched_once(server):
    server.repositories["models/owner/bert"] = repository(FILES)
    _, size = check_hub([BERT, Wanted("encoders.scorer", "model", "owner/bert", COMMIT)])
    assert size == 4_001_500
    assert server.requests.count(f"/api/models/owner/bert/revision/{COMMIT}") == 1


def test_a_model_that_is_only_a_pickle_or_lacks_a_part_or_brings_code_is_missing(server):
    server.repositories["models/owner/bert"] = repository({"config.json": 1, "vocab.txt": 1, "x.bin": 1})
    assert "only as a pickle (x.bin)" in told(BERT)
    server.repositories["models/owner/bert"] = repository({"model.safetensors": 1, "vocab.txt": 1})
    assert "has no config.json" in told(BERT)
    server.repositories["models/owner/bert"] = repository({"config.json": 1, "model.safetensors": 1})
    assert "has no tokenizer" in told(BERT)
    server.repositories["models/owner/bert"] = repository(FILES, config={"auto_map": {"AutoModel": "x.Y"}})
    assert "brings code of its own" in told(BERT)


def test_names_and_revisions_that_the_hub_does_not_know_are_missing_each(server):
    server.repositories["models/owner/bert"] = repository(FILES)
    other, absent = "f" * 40, Wanted("encoders.x", "model", "owner/x", COMMIT)
    old = Wanted("encoders.old", "model", "owner/bert", other)
    findings, _ = check_hub([BERT, absent, old])
    assert [one.level for one in findings] == ["fine", "missing", "missing"]
    assert "is not on the hub, or it is private" in findings[1].found
    assert f"has no revision {other}" in findings[2].found


def test_a_gated_model_is_missing_without_access_and_fine_with_it(server, monkeypatch):
    monkeypatch.setattr("huggingface_hub.get_token", lambda: None)
    server.repositories["models/owner/bert"] = repository(FILES, gated="manual")
    assert levels(BERT) == ["fine"]
    server.closed.add("owner/bert")
    assert "is gated, and there is no token. Ask for access on " in told(BERT)
    monkeypatch.setattr("huggingface_hub.get_token", lambda: "hf_secret")
    assert "the token has no access" in told(BERT)
    assert "hf_secret" not in told(BERT)


def test_a_data_set_is_held_against_its_card(server):
    files = {"en/test-00000.parquet": 7_000_000, "en/train-00000.parquet": 1, "README.md": 1}
    server.repositories["datasets/owner/pairs"] = repository(files, cardData=CARD)
    findings, size = check_hub([PAIRS])
    assert [one.found for one in findings] == ["0123456, 7.0 MB to fetch"]
    assert size == 7_000_000  # of the split that is named alone

    def changed(**fields: object) -> Wanted:
        return Wanted(**{**PAIRS.__dict__, **fields})  # type: ignore[arg-type]

    assert "its configurations has no entry 'de'. Known: en." in told(changed(name="de"))
    assert "its splits has no entry 'train'. Known: test." in told(changed(splits=("train",)))
    assert "its columns has no entry 'text'. Known: sentence1." in told(changed(columns=("text",)))
    assert "'main' is no commit" in told(changed(revision="main"))


def test_without_a_card_the_names_of_files_tell_the_splits(server):
    server.repositories["datasets/owner/pairs"] = repository({"data/validation-0-of-1.parquet": 1})
    assert levels(Wanted("b", "dataset", "owner/pairs", COMMIT, splits=("validation",))) == ["fine"]
    assert "unchecked: b: owner/pairs: neither its card nor a file names the split 'test'" in told(
        Wanted("b", "dataset", "owner/pairs", COMMIT, splits=("test",))
    )


def test_a_loading_script_is_refused_and_a_named_file_must_be_there(server):
    server.repositories["datasets/owner/pairs"] = repository({"pairs.py": 1, "test.txt": 1})
    assert "has a loading script (pairs.py)" in told(Wanted("b", "dataset", "owner/pairs", COMMIT))
    assert levels(Wanted("a", "dataset", "owner/pairs", COMMIT, file="test.txt")) == ["fine"]
    assert "has no entry 'tset.txt'. Did you mean 'test.txt'?" in told(
        Wanted("a", "dataset", "owner/pairs", COMMIT, file="tset.txt")
    )


def test_a_hub_that_says_no_sizes_is_good_enough(server):
    about = repository(dict.fromkeys(FILES, None))
    server.repositories["models/owner/bert"] = about
    findings, size = check_hub([BERT])
    assert (findings[0].found, size) == ("0123456, 3 files of unknown size to fetch", 0)


def test_what_is_no_name_of_a_repository_is_missing(server):
    assert "is no name of a repository" in told(Wanted("encoders.x", "model", "a/b/c", COMMIT))


def test_an_answer_that_is_not_of_a_hub_leaves_it_open(server, monkeypatch):
    monkeypatch.setattr(server, "answer", a_login_page)
    assert "is no hub" in told(BERT)


def a_login_page(handler: Asked, *answer: object) -> None:
    handler.send_response(200)
    handler.send_header("Content-Length", "6")
    handler.end_headers()
    handler.wfile.write(b"<html>")


def test_a_hub_that_is_out_of_order_leaves_it_open(server):
    server.repositories["models/owner/bert"] = 503
    assert told(BERT) == "unchecked: encoders.bert: owner/bert: the hub answers 503. Try again later."


def test_a_hub_out_of_reach_is_told_once_with_all_that_is_not_in_the_cache(server, monkeypatch, tmp_path):
    monkeypatch.setattr(constants, "ENDPOINT", "http://127.0.0.1:9")  # nobody listens on the discard port
    monkeypatch.setattr(hub, "getproxies", lambda: {"https": "http://me:secret@proxy.example:3128"})
    cache(tmp_path, "model", "owner/bert", "config.json", "model.safetensors")
    (tmp_path / "datasets/owner___pairs/en/0.0.0" / COMMIT).mkdir(parents=True)
    archive = Wanted("archive", "dataset", "owner/files", COMMIT, file="a.tar")
    articles = Wanted("articles", "dataset", "owner/pairs", COMMIT, name="en", streamed=True)
    findings, _ = check_hub([BERT, PAIRS, archive, articles])
    assert [one.level for one in findings] == ["fine", "fine", "missing"]
    found = findings[-1].found
    assert "cannot be reached at http://127.0.0.1:9" in found
    assert "by way of the proxy proxy.example:3128" in found
    assert "secret" not in found
    assert f"archive: owner/files@{COMMIT} a.tar\narticles: owner/pairs@{COMMIT}" in found
    assert [one.level for one in check_hub([BERT, PAIRS])[0]] == ["fine", "fine", "unchecked"]


def test_offline_the_hub_is_not_asked(server, monkeypatch):
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    assert "HF_HUB_OFFLINE is set" in told(BERT)
    assert server.requests == []


def test_every_entry_of_the_hub_world_that_jobs_need_is_asked_about(monkeypatch):
    monkeypatch.chdir(HOME)
    plan = Plan({"world": "hub", "studies": ["thesis"]}, HOME)
    needs = Needs(
        articles=True, archive=True, encoders=["bert-base", "unsup-simcse-bert-base"],
        sentence_files=["simcse"], language_models=["gpt2"], benchmarks=["sts12", "stsb", "qqp"],
        collections=["wiki40b-en"],
    )  # fmt: skip
    found = {one.key: one for one in wanted_of_hub(plan, needs)}
    assert set(found) == {
        *("articles", "archive", "encoders.bert-base", "sentence_files.simcse", "language_models.gpt2"),
        *("benchmarks.sts12", "benchmarks.qqp", "collections.wiki40b-en"),
    }
    qqp = found["benchmarks.qqp"]
    assert (qqp.name, qqp.splits, qqp.columns) == (
        "qqp", ("train", "validation"), ("question1", "question2", "label"),
    )  # fmt: skip
    assert found["articles"].streamed
