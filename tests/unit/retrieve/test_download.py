import hashlib
import io
import os
import tarfile
import zipfile
from pathlib import Path

import numpy as np
import pytest

from contrapose.base.errors import BackendError, ConfigError, ContraposeError
from contrapose.retrieve import download as module
from contrapose.retrieve.download import Download, download, unpack
from tests.hub.server import Hub

CONTENT = np.random.default_rng(0).bytes(300_000)
LINK = tarfile.TarInfo("in/link")
LINK.type, LINK.linkname = tarfile.SYMTYPE, "/etc/passwd"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    for name in [name for name in os.environ if name.lower().endswith("_proxy")]:
        monkeypatch.delenv(name)
    monkeypatch.setattr(module.time, "sleep", lambda seconds: None)
    files = tmp_path / "served/files"
    files.mkdir(parents=True)
    with zipfile.ZipFile(files / "all.zip", "w") as archive:
        for name in ("in/a.txt", "in/more/b.txt", "out/../../c.txt"):
            archive.writestr(name, CONTENT)
    with tarfile.open(files / "all.tar.gz", "w:gz") as archive:
        (about := tarfile.TarInfo("./in/a.txt")).size = len(CONTENT)
        archive.addfile(about, io.BytesIO(CONTENT))
        archive.addfile(LINK)
    with Hub(tmp_path / "served") as hub:
        yield hub


def there(server: Hub, file: str, **about: str | None) -> Download:
    return Download(url=f"{server.url}/files/{file}", **about)


@pytest.mark.parametrize("file", ["all.zip", "all.tar.gz"])
def test_a_connection_that_breaks_off_is_continued_and_a_member_is_unpacked(server, tmp_path, file):
    server.broken_off[file] = [100_000, 10**9, 70_000]  # of the second, only the header is read
    whole = (server.folder / "files" / file).read_bytes()
    found = download(there(server, file, member="in/a.txt"), tmp_path / "mine/a.txt")
    assert found == hashlib.sha256(whole).hexdigest()
    assert (tmp_path / "mine/a.txt").read_bytes() == CONTENT
    assert os.listdir(tmp_path / "mine") == ["a.txt"]
    assert [request.status for request in server.requests].count(206) == 2


def test_after_a_change_of_the_file_nothing_is_continued(server, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "TRIES", 1)
    server.broken_off["all.zip"] = [100_000]
    with pytest.raises(
        BackendError,
        match=r"has arrived is kept\. On a machine with internet, call contrapose download -- TARGET, ",
    ):
        download(there(server, "all.zip"), tmp_path / "mine")
    (server.folder / "files/all.zip").write_bytes(b"new")
    download(there(server, "all.zip"), tmp_path / "mine")
    assert (tmp_path / "mine").read_bytes() == b"new"
    assert sorted(os.listdir(tmp_path)) == ["mine", "served"]


def test_a_folder_of_an_archive_becomes_the_target(server, tmp_path):
    download(there(server, "all.zip", member="in"), tmp_path / "mine")
    assert sorted(path.name for path in (tmp_path / "mine").rglob("*.txt")) == ["a.txt", "b.txt"]


@pytest.mark.parametrize(
    ("file", "about", "says"),
    [
        ("all.zip", {"sha256": "0" * 64}, "but 0000"),
        ("none.zip", {}, "answers 404"),
        ("all.zip", {"member": "b.txt"}, "has no 'b.txt', but 'in/a.txt"),
        ("all.zip", {"member": "out"}, "is a link, or leads out"),
        ("all.tar.gz", {"member": "in"}, "is a link, or leads out"),
    ],
    ids=["another file", "gone", "no member", "out of the folder", "a link"],
)
def test_what_is_not_wanted_is_refused_and_nothing_is_written(server, tmp_path, file, about, says):
    with pytest.raises(ContraposeError, match=says) as refused:
        download(there(server, file, **about), tmp_path / "mine")
    assert isinstance(refused.value, BackendError | ConfigError)
    assert not (tmp_path / "mine").exists()


@pytest.mark.parametrize(
    ("name", "link"), [("../out.txt", ""), ("/tmp/out.txt", ""), ("in.txt", "/etc/passwd")]
)
def test_a_whole_archive_is_unpacked_up_to_what_leads_out_of_it(tmp_path, name, link):
    with tarfile.open(tmp_path / "x.tar", "w") as archive:
        archive.addfile(tarfile.TarInfo("./SICK/train.txt"))
        member = tarfile.TarInfo(name)
        if link:
            member.type, member.linkname = tarfile.SYMTYPE, link
        archive.addfile(member)
    with pytest.raises(ConfigError, match="is a link, or leads out of its folder"):
        unpack(tmp_path / "x.tar", "x.tar", tmp_path / "data")
    assert (tmp_path / "data/SICK/train.txt").is_file()
    assert not (tmp_path / "out.txt").exists()


def sparse(path: Path) -> None:
    """Write a tar file of a file of 1 TB that has no data: GNU's format of sparse files, version 1.0."""
    about = tarfile.TarInfo("a.txt")
    about.pax_headers = {"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.realsize": str(10**12)}
    about.size = 512
    with tarfile.open(path, "w:gz", format=tarfile.PAX_FORMAT) as archive:
        archive.addfile(about, io.BytesIO(b"1\n0\n0\n".ljust(512, b"\0")))


def zeros(path: Path) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.txt", bytes(10**7))


def encrypted(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.txt", "text")
    content = bytearray(path.read_bytes())
    content[6] |= 1
    content[content.rfind(b"PK\1\2") + 8] |= 1
    path.write_bytes(content)


def many(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        for number in range(6):
            archive.writestr(f"{number}.txt", "a" * (number < 4))


def file_and_folder(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a", "text")
        archive.writestr("a/b", "text")


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (sparse, "its first 1 files have 1,000,000,000,000 bytes when unpacked"),
        (zeros, "its first 1 files have 10,000,000 bytes when unpacked"),
        (many, "its first 5 files have 4 bytes when unpacked"),
        (encrypted, "is encrypted, password required"),
        (file_and_folder, r"is not a complete zip or tar archive \(\[Errno 17\] File exists"),
    ],
)
def test_an_archive_that_fills_the_disk_or_cannot_be_unpacked_is_refused(tmp_path, make, says, monkeypatch):
    monkeypatch.setattr(module, "MOST_FILES", 4)
    make(tmp_path / "x")
    with pytest.raises(BackendError, match=says):
        unpack(tmp_path / "x", "x", tmp_path / "data")
    assert sum(path.stat().st_size for path in tmp_path.rglob("*")) < 10**6


def test_a_name_that_no_file_can_have_is_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "x", "w") as archive:
        archive.writestr("n" * 5000, "text")
    with pytest.raises(ConfigError, match=r"x: 'nnn.*is too long for the name of a file"):
        unpack(tmp_path / "x", "x", tmp_path / "data")
