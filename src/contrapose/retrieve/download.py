"""Files at addresses of the internet, pinned by SHA-256: fetched whole or not at all, and resumed."""

import hashlib
import re
import shutil
import tarfile
import time
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path, PurePosixPath
from stat import S_ISLNK
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

from pydantic import AfterValidator, Field
from tqdm import tqdm

from contrapose.base.directory import fetch
from contrapose.base.errors import BackendError, ConfigError, said, shown
from contrapose.retrieve.lines import too_large
from contrapose.settings.spec import LONGEST_NAME, Spec
from contrapose.tables import written

if TYPE_CHECKING:
    import httpx

TRIES = 5  # connections that break off, each of which goes on where the one before ended
SECONDS = 60.0  # without a byte
MOST_FILES = 100_000  # of an archive; those of evaluation sets and models have up to some thousands
IN_THE_WAY = (FileExistsError, IsADirectoryError, NotADirectoryError)


def _digits(text: str) -> str:
    if not re.fullmatch("[0-9a-f]{64}", text):
        raise ValueError("a SHA-256 has 64 digits from 0 to 9 and a to f, as sha256sum prints it")
    return text


def _address(text: str) -> str:
    if not text.startswith(("https://", "http://")):
        raise ValueError("give an address with https://")
    return text


class Download(Spec):
    """A file is downloaded from an address, or a file or folder of the archive there."""

    kind: Literal["url"] = "url"
    url: Annotated[str, AfterValidator(_address)] = Field(
        description="The file is downloaded from this address."
    )
    sha256: Annotated[str, AfterValidator(_digits)] | None = Field(
        None,
        description="The download has this SHA-256. With null, the lock file keeps the value of the "
        "first download.",
    )
    member: str | None = Field(
        None,
        description="This file or folder of the zip or tar archive is unpacked. With null, the download "
        "is the file itself.",
    )


def download(source: Download, target: Path) -> str:
    """Fetch a file or folder, and return the SHA-256 of what the address gave.

    A part of an earlier call is continued if the server says that its file is the same.  Raises BackendError
    if the address does not give it whole or gives another one, and ConfigError if an archive lacks the
    member, or a file of it is a link or leads out of the target.  `target` is then what it was before.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    part = _whole(source.url, target)
    with part.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if source.sha256 not in (None, digest):
        part.unlink()
        raise BackendError(
            f"{source.url}: the file has the SHA-256 {digest}, but {source.sha256} is expected. It "
            "has changed on the server or on the way. Run the same command again. If the change is "
            "intended, correct sha256 in the catalog."
        )
    with written(target) as draft:
        if source.member is None:
            part.rename(draft)
        else:
            unpack(part, source.url, draft, source.member)
    for left in target.parent.glob(f".{target.name}.*.part"):
        left.unlink()
    return digest


def _whole(url: str, target: Path) -> Path:
    """Return a file beside the target with all that an address gives."""
    import httpx

    options: dict[str, Any] = {"headers": {"Accept-Encoding": "identity"}, "follow_redirects": True}
    for number in range(TRIES):
        try:
            with httpx.Client(timeout=SECONDS, **options) as client:
                return _received(client, url, target)
        except httpx.HTTPStatusError as error:
            answer = f"{error.response.status_code} {error.response.reason_phrase}"
            raise BackendError(
                f"{url}: the server answers {answer}. Find the new address of the file."
            ) from error
        except httpx.TransportError as error:
            lost = error
            time.sleep(number)
    raise BackendError(
        f"{url}: the download failed ({type(lost).__name__}: {lost}). The part that has arrived is "
        f"kept. {fetch()}"
    ) from lost


def _received(client: "httpx.Client", url: str, target: Path) -> Path:
    """Receive what is lacking; the name of the part holds what the server says of its version."""
    with client.stream("GET", url) as reply:
        version = reply.raise_for_status().headers.get("etag") or reply.headers.get("last-modified")
        mark = hashlib.sha256(f"{url} {version}".encode()).hexdigest()[:16]
        part = target.with_name(f".{target.name}.{mark}.part")
        have = part.stat().st_size if version and part.is_file() else 0
        if not have:
            return _append(reply, part, 0)
        if str(have) == reply.headers.get("content-length"):
            return part
    with client.stream("GET", url, headers={"Range": f"bytes={have}-", "If-Range": version}) as reply:
        return _append(reply, part, have if reply.raise_for_status().status_code == 206 else 0)


def _append(reply: "httpx.Response", part: Path, have: int) -> Path:
    total = have + int(reply.headers.get("content-length", 0)) or None
    with (
        part.open("ab" if have else "wb") as file,
        tqdm(total=total, initial=have, desc=part.name[1:-22], unit="B", unit_scale=True, delay=1) as bar,
    ):
        for chunk in reply.iter_raw():
            bar.update(file.write(chunk))
    return part


class Member(NamedTuple):
    """A file of an archive."""

    name: PurePosixPath
    is_file: bool
    size: int  # bytes, unpacked
    read: Callable[[], Any]  # opens it


def unpack(archive: Path, where: str, target: Path, member: str = "") -> None:
    """Write a file, or all files of a folder, of a zip or tar archive; without `member`, all of it.

    The filters of `tarfile` would refuse the same, but Debian 12's Python lacks them.  Raises ConfigError if
    the archive lacks the member, or a file of it is a link or leads out of the target, and BackendError if it
    is no archive, cannot be unpacked, or has far more in it than programs pack; `where` names it.
    """
    wanted = PurePosixPath(member)
    try:
        with _opened(archive) as opened:
            members = _limited(opened, archive.stat().st_size, where)
            chosen = [each for each in members if not member or wanted in (each.name, *each.name.parents)]
            for name, is_file, _, read in chosen:
                if not is_file or name.is_absolute() or ".." in name.parts:
                    raise ConfigError(
                        f"{where}: '{name}' in the archive is a link, or leads out of its folder. Use "
                        "another archive."
                    )
                if any(len(part.encode("utf-8", "replace")) > LONGEST_NAME for part in name.parts):
                    raise ConfigError(
                        f"{where}: {shown(str(name))} in the archive is too long for the name of a file. "
                        "Use another archive."
                    )
                path = target / name.relative_to(wanted)
                path.parent.mkdir(parents=True, exist_ok=True)
                with read() as content, path.open("wb") as file:
                    shutil.copyfileobj(content, file)
            if member and not chosen:
                known = ", ".join(str(each.name) for each in members)
                raise ConfigError(
                    f"{where}: the archive has no '{wanted}', but {shown(known)}. Correct `member` in the "
                    "catalog."
                )
    # Encrypted, or packed in a way that Python does not know; a name is that of a file and of a folder.
    except (tarfile.TarError, zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, *IN_THE_WAY) as error:
        raise BackendError(
            f"{where}: the file is not a complete zip or tar archive ({said(error)}). Remove {archive}, and "
            "run the same command again."
        ) from error


def _limited(members: Iterator[Member], packed: int, where: str) -> list[Member]:
    """Return the members of an archive of `packed` bytes; stop where they are more than programs pack."""
    listed, size = list[Member](), 0
    for each in members:
        listed.append(each)
        size += each.size
        if too_large(size, packed) or len(listed) > MOST_FILES:
            raise BackendError(
                f"{where}: the archive has {packed:,} bytes, but its first {len(listed):,} files have "
                f"{size:,} bytes when unpacked, which is too many. Use another archive."
            )
    return listed


@contextmanager
def _opened(path: Path) -> Iterator[Iterator[Member]]:
    """Give the members of an archive one after the other, without its folders."""
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            files = [each for each in archive.infolist() if not each.is_dir()]
            yield (
                Member(
                    PurePosixPath(each.filename),
                    not S_ISLNK(each.external_attr >> 16),
                    each.file_size,
                    partial(archive.open, each),
                )
                for each in files
            )
    else:
        with tarfile.open(path) as tar:
            yield (
                Member(PurePosixPath(each.name), each.isreg(), each.size, partial(tar.extractfile, each))
                for each in tar
                if not each.isdir()
            )
