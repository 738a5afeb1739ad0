"""A hub on this machine: the parts of the Hugging Face hub's HTTP interface that its clients use to read.

`huggingface_hub`, `datasets` and `transformers` read from it where `HF_ENDPOINT` is its address.  It serves
folders `{models,datasets}/{owner}/{name}/{commit}/`; a branch is a link beside them to the folder of its
commit.  Files that the hub holds in large file storage are redirected to another host, as it does to its CDN:
this one by its other name.
"""

import contextlib
import hashlib
import json
import threading
from dataclasses import dataclass, field
from functools import cache
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

LARGE = {".parquet", ".safetensors", ".bin", ".tar", ".gz"}  # as .gitattributes of its repositories say
TOO_LARGE_FOR_GIT = 10_000_000  # bytes of any file; the hub takes none over 10 MB outside large file storage
CHUNK = 1 << 16


@dataclass(frozen=True)
class Request:
    """What was asked, and how it was answered."""

    method: str
    path: str  # with the query
    status: int
    kind: str = ""  # models or datasets; empty where no repository is named
    repository: str = ""
    revision: str = ""  # as it was asked for: a commit, or a branch
    file: str = ""
    known: bool = True  # an interface that this hub has


class Refused(Exception):
    """An answer without the thing that was asked for, in the words of the hub."""

    def __init__(self, status: HTTPStatus, message: str, code: str = "") -> None:
        super().__init__(message)
        self.status, self.message, self.code = status, message, code


@dataclass
class Hub:
    """A hub for the life of the context."""

    folder: Path  # of the repositories; may change at any time, but not the content of a commit
    page: int = 1000  # entries of a file listing in one answer, as the hub gives
    requests: list[Request] = field(default_factory=list)  # every one so far
    gated: set[str] = field(default_factory=set)  # repositories that nobody has access to
    # File: bytes after which the next connections for it are cut, one by one.
    broken_off: dict[str, list[int]] = field(default_factory=dict)

    def __enter__(self) -> "Hub":
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), type("HubHandler", (Handler,), {"hub": self}))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        """The address for `HF_ENDPOINT`."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def unknown(self) -> list[Request]:
        """Return the requests for something that this hub does not speak."""
        return [request for request in self.requests if not request.known]


@cache
def digests(path: Path) -> tuple[str, str]:
    """Return git's name of a file's content, and its SHA-256."""
    content = path.read_bytes()
    blob = hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()
    return blob, hashlib.sha256(content).hexdigest()


def is_large(path: Path) -> bool:
    """Tell whether the hub has a file in large file storage."""
    return path.suffix in LARGE or path.stat().st_size > TOO_LARGE_FOR_GIT


def entry(path: Path, commit: Path) -> dict[str, Any]:
    """Describe a file or folder of a commit as a listing does."""
    name = path.relative_to(commit).as_posix()
    if path.is_dir():
        tree = hashlib.sha1(str(path).encode()).hexdigest()
        return {"type": "directory", "oid": tree, "size": 0, "path": name}
    blob, content = digests(path)
    size = path.stat().st_size
    about = {"type": "file", "oid": blob, "size": size, "path": name}
    if is_large(path):
        about["lfs"] = {"oid": content, "size": size, "pointerSize": 134}
    return about


class Handler(BaseHTTPRequestHandler):
    """Answers one connection."""

    protocol_version = "HTTP/1.1"  # keeps connections alive
    disable_nagle_algorithm = True
    hub: Hub

    def do_GET(self) -> None:
        """Answer with a file, a listing, or what is known of a repository."""
        self._asked: dict[str, Any] = {}
        try:
            self._route()
        except Refused as refused:
            self._refuse(refused)

    do_HEAD = do_POST = do_GET

    def _route(self) -> None:
        url = urlsplit(self.path)
        parts = [unquote(part) for part in url.path.strip("/").split("/")]
        if parts[0] == "api" and len(parts) >= 4 and parts[1] in ("models", "datasets"):
            return self._api(parts[1], "/".join(parts[2:4]), parts[4:], parse_qs(url.query))
        if parts == ["api", "agent-harnesses"]:  # programs that the client would name in its user agent
            return self._json({"standardEnvVars": [], "harnesses": {}})
        if parts[0] == "cdn":
            return self._file(self.hub.folder / Path(*parts[1:]), "")
        kind = "datasets" if parts[0] == "datasets" else "models"
        parts = parts[1:] if kind == "datasets" else parts
        if len(parts) > 4 and parts[2] == "resolve" and self.command in ("GET", "HEAD"):
            return self._resolve(kind, "/".join(parts[:2]), parts[3], "/".join(parts[4:]))
        return self._unknown()

    def _unknown(self) -> None:
        self._asked["known"] = False
        raise Refused(HTTPStatus.NOT_IMPLEMENTED, f"This hub does not know {self.command} {self.path}")

    def _commit(self, kind: str, repository: str, revision: str, open_to_all: bool = False) -> Path:
        self._asked |= {"kind": kind, "repository": repository, "revision": revision}
        if repository in self.hub.gated and not open_to_all:
            message = f"Access to {kind[:-1]} {repository} is restricted. You must be authenticated."
            raise Refused(HTTPStatus.UNAUTHORIZED, message, "GatedRepo")
        place = self.hub.folder / kind / repository
        if not place.is_dir():
            # Who has no token is not told whether there is such a repository.
            known = "Authorization" in self.headers
            status = HTTPStatus.NOT_FOUND if known else HTTPStatus.UNAUTHORIZED
            raise Refused(status, "Repository not found", "RepoNotFound")
        if not (place / revision).is_dir():
            raise Refused(HTTPStatus.NOT_FOUND, f"Invalid rev id: {revision}", "RevisionNotFound")
        return (place / revision).resolve()

    def _api(self, kind: str, repository: str, what: list[str], query: dict[str, list[str]]) -> None:
        match self.command, what:
            case "GET", [] | ["revision", _]:
                self._about(kind, repository, what[1] if what else "main")
            case "GET", ["tree", revision, *inner]:
                commit = self._commit(kind, repository, revision, open_to_all=True)
                self._tree(commit, "/".join(inner), query)
            case "POST", ["paths-info", revision]:
                length = int(self.headers.get("Content-Length", 0))
                form = parse_qs(self.rfile.read(length).decode())
                commit = self._commit(kind, repository, revision, open_to_all=True)
                found = [commit / path for path in form.get("paths", []) if (commit / path).exists()]
                self._json([entry(path, commit) for path in found])
            case "GET", ["auth-check"]:
                if "Authorization" not in self.headers:
                    self._commit(kind, repository, "main")
                self._json({})
            case _:
                self._unknown()

    def _about(self, kind: str, repository: str, revision: str) -> None:
        commit = self._commit(kind, repository, revision, open_to_all=True)
        files = sorted(path for path in commit.rglob("*") if path.is_file())
        gated = "manual" if repository in self.hub.gated else False
        about = {"lastModified": "2024-01-01T00:00:00.000Z", "private": False, "disabled": False}
        about |= {"_id": hashlib.sha1(repository.encode()).hexdigest()[:24], "id": repository}
        about |= {"sha": commit.name, "gated": gated, "tags": [], "downloads": 0, "likes": 0}
        siblings = [{"rfilename": path.relative_to(commit).as_posix()} for path in files]
        self._json({**about, "siblings": siblings})

    def _tree(self, commit: Path, inner: str, query: dict[str, list[str]]) -> None:
        folder = commit / inner
        if not folder.is_dir():
            raise Refused(HTTPStatus.NOT_FOUND, f"{inner} does not exist", "EntryNotFound")
        recursive = query.get("recursive", ["False"])[0].lower() in ("true", "1")
        paths = sorted(folder.rglob("*") if recursive else folder.iterdir())
        start = int(query.get("cursor", ["0"])[0])
        more = {}
        if start + self.hub.page < len(paths):
            address = self.path.split("?")[0]
            rest = f"recursive={recursive}&expand=False&cursor={start + self.hub.page}"
            more = {"Link": f'<{self.hub.url}{address}?{rest}>; rel="next"'}
        self._json([entry(path, commit) for path in paths[start : start + self.hub.page]], more)

    def _resolve(self, kind: str, repository: str, revision: str, file: str) -> None:
        self._asked["file"] = file
        commit = self._commit(kind, repository, revision)
        path = commit / file
        if not path.is_file():
            raise Refused(HTTPStatus.NOT_FOUND, "Entry not found", "EntryNotFound")
        blob, content = digests(path)
        if not is_large(path):
            return self._file(path, blob, {"X-Repo-Commit": commit.name})
        place = path.relative_to(self.hub.folder.resolve()).as_posix()
        headers = {
            "Location": f"{self.hub.url.replace('127.0.0.1', 'localhost')}/cdn/{place}",
            "X-Repo-Commit": commit.name,
            "X-Linked-Etag": f'"{content}"',
            "X-Linked-Size": str(path.stat().st_size),
        }
        return self._answer(HTTPStatus.FOUND, b"", headers)

    def _file(self, path: Path, etag: str, headers: dict[str, str] | None = None) -> None:
        """Send a file, or the part of it that a `Range` asks for."""
        self._asked.setdefault("file", path.name)
        size = path.stat().st_size
        start, end = 0, size
        if asked := self.headers.get("Range"):
            first, last = asked.removeprefix("bytes=").split("-")
            start, end = int(first), int(last) + 1 if last else size
        status = HTTPStatus.PARTIAL_CONTENT if asked else HTTPStatus.OK
        about = {
            "Accept-Ranges": "bytes",
            "ETag": f'"{etag or digests(path.resolve())[1]}"',
            **(headers or {}),
        }
        if asked:
            about["Content-Range"] = f"bytes {start}-{end - 1}/{size}"
        self._head(status, end - start, about)
        if self.command == "HEAD":
            return
        cuts = self.hub.broken_off.get(path.name, [])
        cut = cuts.pop(0) if cuts else None
        with path.open("rb") as file:
            file.seek(start)
            left = min(end - start, cut) if cut is not None else end - start
            while left:
                block = file.read(min(CHUNK, left))
                self.wfile.write(block)
                left -= len(block)
        if cut is not None:
            self.wfile.flush()
            self.close_connection = True

    def _json(self, content: Any, headers: dict[str, str] | None = None) -> None:
        about = {"Content-Type": "application/json", **(headers or {})}
        self._answer(HTTPStatus.OK, json.dumps(content).encode(), about)

    def _refuse(self, refused: Refused) -> None:
        headers = {"Content-Type": "application/json", "X-Error-Message": refused.message}
        if refused.code:
            headers["X-Error-Code"] = refused.code
        self._answer(refused.status, json.dumps({"error": refused.message}).encode(), headers)

    def _answer(self, status: HTTPStatus, body: bytes, headers: dict[str, str]) -> None:
        self._head(status, len(body), headers)
        if self.command != "HEAD":
            self.wfile.write(body)

    def _head(self, status: HTTPStatus, length: int, headers: dict[str, str]) -> None:
        self.hub.requests.append(Request(self.command, self.path, int(status), **self._asked))
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(length)}.items():
            self.send_header(name, value)
        self.end_headers()

    def handle(self) -> None:
        """Serve the connection; a client may leave it at any time."""
        with contextlib.suppress(ConnectionError):
            super().handle()

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing: `requests` holds them."""
