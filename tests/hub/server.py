"""A hub on this machine: the parts of the Hugging Face hub's HTTP interface that its clients use to read.

`huggingface_hub`, `datasets` and `transformers` read from it where `HF_ENDPOINT` is its address.  It serves
folders `{models,datasets}/{owner}/{name}/{commit}/`; a branch is a link beside them to the folder of its
commit.  Files that the hub holds in large file storage are redirected to another host, as it does to its CDN:
this one by its other name.
"""

import hashlib
import socket
import threading
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request as Call
from starlette.responses import FileResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import Message, Receive, Scope, Send

LARGE = {".parquet", ".safetensors", ".bin", ".tar", ".gz"}  # as .gitattributes of its repositories say
TOO_LARGE_FOR_GIT = 10_000_000  # bytes of any file; the hub takes none over 10 MB outside large file storage


@dataclass(frozen=True)
class Request:
    """What was asked, and how it was answered."""

    path: str
    status: int
    repository: str  # empty where none is named
    revision: str  # as it was asked for: a commit, or a branch
    file: str
    known: bool  # an interface that this hub has


@dataclass
class Hub:
    """A hub for the life of the context."""

    folder: Path  # of the repositories; may change at any time, but not the content of a commit
    page: int = 1000  # entries of a file listing in one answer, as the hub gives
    requests: list[Request] = field(default_factory=list)  # every one so far
    gated: set[str] = field(default_factory=set)  # repositories that nobody has access to
    # File: bytes after which the next connections for it are cut, one by one.
    broken_off: dict[str, list[int]] = field(default_factory=dict)
    instead: Response | None = None  # of every answer, as of a proxy

    def __enter__(self) -> "Hub":
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._answer = Starlette(routes=self._routes())
        self._server = uvicorn.Server(uvicorn.Config(self, log_level="critical", lifespan="off"))
        self._thread = threading.Thread(target=self._server.run, args=([self._socket],), daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._server.should_exit = self._server.force_exit = True
        self._thread.join()

    @property
    def url(self) -> str:
        """The address for `HF_ENDPOINT`."""
        return f"http://127.0.0.1:{self._socket.getsockname()[1]}"

    def unknown(self) -> list[Request]:
        """Return the requests for something that this hub does not speak."""
        return [request for request in self.requests if not request.known]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, note it, and break off where that is wanted."""
        if self.instead:
            await self.instead(scope, receive, send)
            return
        left = float("inf")

        async def noting(message: Message) -> None:
            nonlocal left
            if message["type"] == "http.response.start":
                self._note(scope, message["status"])
                cuts = self.broken_off.get(scope["path"].split("/")[-1])
                if cuts and scope["method"] == "GET" and message["status"] in (200, 206):
                    left = cuts.pop(0)
            elif len(body := message.get("body", b"")) > left:
                await send({**message, "body": body[: int(left)], "more_body": True})
                raise ConnectionAbortedError
            else:
                left -= len(body)
            await send(message)

        await self._answer(scope, receive, noting)

    def _note(self, scope: Scope, status: int) -> None:
        named = scope.get("path_params", {})
        name, file = named.get("name", ""), named.get("file", "").split("/")[-1]
        revision = named.get("revision", "main" if name else "")
        known = "endpoint" in scope and status != 405 and name.count("/") < 2
        self.requests.append(Request(scope["path"], status, name, revision, file, known))

    def _routes(self) -> list[Route]:
        repository, file = "/api/{kind}/{name:path}", "{name:path}/resolve/{revision}/{file:path}"
        return [
            Route("/api/agent-harnesses", self._harnesses),
            Route(f"{repository}/revision/{{revision}}", self._about),
            Route(f"{repository}/tree/{{revision}}", self._tree),
            Route(f"{repository}/tree/{{revision}}/{{inner:path}}", self._tree),
            Route(f"{repository}/paths-info/{{revision}}", self._paths, methods=["POST"]),
            Route(f"{repository}/auth-check", self._access),
            Route(f"{repository}/refs", self._refs),
            Route(f"{repository}/commits/{{revision}}", self._commits),
            Route(repository, self._about),
            Route("/cdn/{file:path}", self._large_file),
            Route("/files/{file:path}", self._elsewhere),
            Route(f"/datasets/{file}", lambda call: self._file(call, "datasets")),
            Route(f"/{file}", lambda call: self._file(call, "models")),
        ]

    def _commit(self, call: Call, kind: str = "") -> Path:
        """Return the folder of the commit that is asked for."""
        place = self.folder / (kind or call.path_params["kind"]) / call.path_params["name"]
        revision = call.path_params.get("revision", "main")
        if not place.is_dir():
            raise refused(404, "RepoNotFound", "Repository not found")
        if not (place / revision).is_dir():
            raise refused(404, "RevisionNotFound", f"Invalid rev id: {revision}")
        return (place / revision).resolve()

    def _harnesses(self, call: Call) -> Response:
        """Tell which programs the client would name in its user agent."""
        return JSONResponse({"standardEnvVars": [], "harnesses": {}})

    def _about(self, call: Call) -> Response:
        commit, name = self._commit(call), call.path_params["name"]
        files = [path.relative_to(commit).as_posix() for path in sorted(commit.rglob("*")) if path.is_file()]
        about = {"id": name, "sha": commit.name, "gated": "manual" if name in self.gated else False}
        return JSONResponse({**about, "siblings": [{"rfilename": file} for file in files]})

    def _access(self, call: Call) -> Response:
        if "Authorization" not in call.headers:
            self._open(call)
            self._commit(call)
        return JSONResponse({})

    def _refs(self, call: Call) -> Response:
        """List branches, and pull requests: the links `pr1`, `pr2`."""
        refs: dict[str, list] = {"branches": [], "converts": [], "tags": [], "pullRequests": []}
        for link in sorted(self._commit(call).parent.iterdir()):
            if link.is_symlink():
                number = link.name.removeprefix("pr")
                ref = f"refs/pr/{number}" if number.isdecimal() else f"refs/heads/{link.name}"
                about = {"name": link.name, "ref": ref, "targetCommit": link.resolve().name}
                refs["pullRequests" if number.isdecimal() else "branches"].append(about)
        return JSONResponse(refs)

    def _commits(self, call: Call) -> Response:
        """List the commits of a branch: here all that there are."""
        folders = [each for each in self._commit(call).parent.iterdir() if not each.is_symlink()]
        about = {"title": "", "message": "", "date": "2023-03-19T00:00:00.000Z", "authors": []}
        return JSONResponse([{"id": each.name, **about} for each in folders])

    def _open(self, call: Call) -> None:
        if (name := call.path_params["name"]) in self.gated:
            raise refused(401, "GatedRepo", f"Access to {name} is restricted. You must be authenticated.")

    def _tree(self, call: Call) -> Response:
        commit = self._commit(call)
        folder = commit / call.path_params.get("inner", "")
        if not folder.is_dir():
            raise refused(404, "EntryNotFound", "Entry not found")
        recursive = call.query_params.get("recursive", "False").lower() in ("true", "1")
        paths = sorted(folder.rglob("*") if recursive else folder.iterdir())
        start = int(call.query_params.get("cursor", 0))
        end = start + self.page
        rest = call.url.include_query_params(cursor=end)
        more = {"Link": f'<{rest}>; rel="next"'} if end < len(paths) else {}
        return JSONResponse([entry(path, commit) for path in paths[start:end]], headers=more)

    async def _paths(self, call: Call) -> Response:
        form, commit = await call.form(), self._commit(call)
        paths = [commit / str(path) for path in form.getlist("paths")]
        return JSONResponse([entry(path, commit) for path in paths if path.exists()])

    def _file(self, call: Call, kind: str) -> Response:
        self._open(call)
        commit = self._commit(call, kind)
        path = commit / call.path_params["file"]
        if not path.is_file():
            raise refused(404, "EntryNotFound", "Entry not found")
        blob, content = digests(path)
        if not is_large(path):
            return FileResponse(path, headers={"ETag": f'"{blob}"', "X-Repo-Commit": commit.name})
        place = path.relative_to(self.folder.resolve()).as_posix()
        about = {"X-Linked-Etag": f'"{content}"', "X-Linked-Size": str(path.stat().st_size)}
        address = f"{self.url.replace('127.0.0.1', 'localhost')}/cdn/{place}"
        return RedirectResponse(address, 302, {**about, "X-Repo-Commit": commit.name})

    def _large_file(self, call: Call) -> Response:
        path = self.folder / call.path_params["file"]
        return FileResponse(path, headers={"ETag": f'"{digests(path)[1]}"'})

    def _elsewhere(self, call: Call) -> Response:
        """Give a file of another host: `files/{host}/{path}` below the folder."""
        path = self.folder / "files" / call.path_params["file"]
        return FileResponse(path) if path.is_file() else Response(status_code=404)


def refused(status: int, code: str, message: str) -> HTTPException:
    """Return an answer without the thing that was asked for, in the words of the hub."""
    return HTTPException(status, headers={"X-Error-Code": code, "X-Error-Message": message})


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
