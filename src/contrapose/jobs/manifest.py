"""The manifest of a job: the files that it made, with their sizes and digests, and what they are made from.

It is a hidden file beside the first output, `.dropout.parquet.manifest.json`, so it is copied with a folder.
`contrapose status` compares all of it with what is there, `contrapose run` the size and the end of each file.
Nothing here changes a result, so it is in no digest of code.
"""

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field, field_validator

from contrapose.base.directory import rebuild
from contrapose.base.errors import ConfigError, TableError, said, shown
from contrapose.settings.spec import PathText, validated

SUFFIX = ".manifest.json"
DRAFT = ".draft"  # as in tables/parquet.py, whose import takes half a second; a test holds both to each other
LARGE = 10**9  # bytes; of larger files Snakemake takes no checksum either: profiles/default
END_BYTES = 2**16  # where a Parquet file has its footer, and where most tables are seen whole


class FileDigest(BaseModel):
    """What is known of the content of a file."""

    bytes: int
    end: str  # SHA-256 of the last `END_BYTES`
    sha256: str = ""  # of all; empty if it was not read


class Manifest(BaseModel):
    """A manifest as read; its outputs are paths relative to its folder."""

    file: Path = Field(exclude=True)
    place: str  # of the first output, as the job named it
    made: dict[str, Any]  # provenance
    # By file inside a folder; `.`: itself. Empty: `contrapose clean` has removed it.
    outputs: dict[PathText, dict[str, FileDigest]] = Field(min_length=1)
    inputs: dict[PathText, str] = {}  # digest of all content, or none; absolute paths if given so

    @field_validator("made")
    @classmethod
    def _complete(cls, made: dict[str, Any]) -> dict[str, Any]:
        if not {"rule", "wildcards", "settings", "code"} <= made.keys():
            raise ValueError("rule, wildcards, settings or code are missing")
        kinds = {"rule": str, "wildcards": dict, "code": str, "auto_precision": dict}
        if wrong := [key for key, kind in kinds.items() if key in made and not isinstance(made[key], kind)]:
            raise ValueError(f"{wrong[0]} has the value {shown(made[wrong[0]])}")
        return made

    @property
    def paths(self) -> dict[str, Path]:
        """The outputs by name, as paths that begin like that of the manifest."""
        return {name: Path(os.path.normpath(self.file.parent / name)) for name in self.outputs}

    @property
    def input_paths(self) -> dict[str, Path]:
        """The inputs by name, as paths that begin like that of the manifest."""
        return {name: Path(os.path.normpath(self.file.parent / name)) for name in self.inputs}

    @property
    def first(self) -> Path:
        """The first output."""
        return next(iter(self.paths.values()))

    def changes(self, results: Path, whole: bool) -> Iterator[tuple[Path, str]]:
        """Yield each output that is there and not as it was made, or made elsewhere, and what differs.

        Reads the `whole` content, or the last `END_BYTES` of each file.  Raises TableError, before it reads
        any, for an output that is not below the `results`.
        """
        for path in self.paths.values():
            if not path.is_relative_to(os.path.normpath(results)):
                raise _damaged(
                    self.file, f"it names {shown(str(path))}, which is not in the folder {results}"
                )
        here = self.first.relative_to(os.path.normpath(results)).parts
        if Path(self.place).parts[-len(here) :] != here or self.file.name != manifest_file(self.first).name:
            yield self.first, f"is a copy of {self.place}"
            return
        for name, path in self.paths.items():
            try:
                difference = _difference(self.outputs[name], path, whole) if path.exists() else ""
            except OSError as error:
                difference = f"it cannot be read: {error.strerror}"
            if difference:
                yield path, difference

    def write(self) -> None:
        """Write it, complete or not at all."""
        from contrapose.tables.parquet import written  # loads pandas, which a look at results does without

        with written(self.file) as draft:
            draft.write_text(json.dumps(self.model_dump(), ensure_ascii=False), encoding="utf-8")


def manifest_file(output: str | Path) -> Path:
    """Return the place of the manifest of a job, by its first output."""
    return Path(output).with_name(f".{Path(output).name}{SUFFIX}")


def made_now(
    outputs: Iterable[str | Path], made: Mapping[str, Any], inputs: Iterable[str | Path] = ()
) -> Manifest:
    """Return the manifest of outputs as they are now, made from some inputs with some provenance."""
    first, *others = map(Path, outputs)

    def name(path: Path) -> str:
        return str(path) if path.is_absolute() else os.path.relpath(path, first.parent)

    return Manifest(
        file=manifest_file(first),
        place=str(first),
        made={**made},
        outputs={os.path.relpath(path, first.parent): digests(path) for path in (first, *others)},
        inputs={name(path): _content_as_made(path) for path in map(Path, inputs)},
    )


def manifest_files(results: Path) -> list[Path]:
    """Return the manifests below a folder; drafts of running or killed jobs are none."""
    names = (file for file in files_below(results) if file.name.startswith("."))
    return [file for file in names if file.name.endswith(SUFFIX) and not is_draft(file.relative_to(results))]


def is_draft(path: Path) -> bool:
    """Whether a path is a draft, of a running or a killed job, or is inside one."""
    return any(part.startswith(".") and part.endswith(DRAFT) for part in path.parts)


def files_below(folder: Path) -> list[Path]:
    """Return the files and broken links below a folder, sorted; links to folders are followed.

    Each folder is entered once, by its own path before that of a link.  A link to a folder that holds this
    one is passed over.
    """
    files, entered, waiting = list[Path](), set[tuple[int, int]](), [folder]
    above = Path(os.path.realpath(folder))
    for start in waiting:
        for place, folders, names in os.walk(start):
            with suppress(OSError):  # a job at work has just removed it
                status = os.stat(place)
                if (status.st_dev, status.st_ino) in entered:
                    folders.clear()
                    continue
                entered.add((status.st_dev, status.st_ino))
            files += [Path(place, name) for name in names]
            links = [Path(place, name) for name in sorted(folders) if os.path.islink(Path(place, name))]
            waiting += [link for link in links if not above.is_relative_to(os.path.realpath(link))]
    return sorted(files)


def lost_links(results: Path) -> dict[Path, str]:
    """Return {link that leads nowhere, as to a disk that is not mounted: what is wrong}.

    Hidden links are not named: editors leave some beside an open file.
    """
    files = (path for path in files_below(results) if not path.name.startswith("."))
    broken = (path for path in files if path.is_symlink() and not path.exists())
    return {path: f"it is a link to {os.readlink(path)}, which does not exist" for path in broken}


def read_manifest(file: Path) -> Manifest:
    """Read a manifest; raise a TableError if it is damaged."""
    try:
        if file.exists() and not file.is_file():
            raise OSError("it is not a file")
        content = json.loads(file.read_text(encoding="utf-8"))
        named = {**content, "file": file} if isinstance(content, dict) else content
        return validated(Manifest, named, "it has wrong content")
    except (OSError, ValueError, RecursionError, ConfigError) as error:
        raise _damaged(file, said(error).rstrip(".")) from error


def _damaged(file: Path, why: str) -> TableError:
    described = file.with_name(file.name.removeprefix(".").removesuffix(SUFFIX))
    return TableError(
        f"{file}: this file is not the manifest of a job ({why}). Remove it. {rebuild(described)}"
    )


def content_digest(files: Mapping[str, FileDigest]) -> str:
    """Return one digest of the names and the content of an output's files."""
    text = json.dumps({name: files[name].sha256 for name in sorted(files)})
    return hashlib.sha256(text.encode()).hexdigest()


def _content_as_made(path: Path) -> str:
    """Return the digest of an input, from the manifest of the job that made it where one is beside it."""
    with suppress(TableError, KeyError):  # none, or a damaged one, which ends no job
        return content_digest(read_manifest(manifest_file(path)).outputs[path.name])
    return source_digest(path) if path.is_file() else content_digest(digests(path))


def source_digest(path: Path) -> str:
    """Return the digest of a person's file; empty for a large one, such as weights that many jobs read."""
    return content_digest(digests(path)) if path.stat().st_size <= LARGE else ""


def digests(output: Path, whole: bool = True) -> dict[str, FileDigest]:
    """Return {file inside: its size and digests}, without hidden files, such as Snakemake's time stamp."""
    files = [output] if output.is_file() else [path for path in files_below(output) if path.is_file()]
    return {
        str(path.relative_to(output)): _digest(path, whole)
        for path in files
        if path == output or not path.name.startswith(".")
    }


def _digest(path: Path, whole: bool) -> FileDigest:
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - END_BYTES))
        end = hashlib.sha256(file.read()).hexdigest()
        file.seek(0)
        return FileDigest(
            bytes=size, end=end, sha256=hashlib.file_digest(file, "sha256").hexdigest() if whole else ""
        )


def _difference(made: Mapping[str, FileDigest], output: Path, whole: bool) -> str:
    if not (output.is_file() or output.is_dir()):
        return "it is a pipe or a device, but the job wrote a file"
    current = digests(output, whole)
    if ("." in made) != ("." in current):
        return (
            "it is a file, but the job wrote a folder"
            if "." in current
            else "it is a folder, but the job wrote a file"
        )
    for name in sorted(made.keys() | current.keys()):
        subject = "it" if name == "." else name
        if name not in current or name not in made:
            return f"{subject} {'is gone' if name in made else 'was added'}"
        before, now = made[name], current[name]
        if before.bytes != now.bytes:
            return f"{subject} has {now.bytes} bytes, but the job wrote {before.bytes}"
        if before.end != now.end or (whole and before.sha256 != now.sha256):
            return f"{subject} has other content than the job wrote"
    return ""
