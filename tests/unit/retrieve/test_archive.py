"""What an archive of the hub may hold."""

import io
import tarfile
from pathlib import Path

import pytest

from contrapose.errors import BackendError
from contrapose.retrieve import archive
from contrapose.retrieve.archive import HubArchive

SOURCE = HubArchive(dataset="a/b", file="senteval.tar", revision="c0ffee")


@pytest.fixture
def unpack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Unpack an archive with one member, and maybe a link, into tmp_path/data."""

    def done(name: str, link: str = "") -> Path:
        with tarfile.open(tmp_path / "x.tar", "w") as tar:
            member = tarfile.TarInfo(name)
            if link:
                member.type, member.linkname = tarfile.SYMTYPE, link
            content = b"" if link else b"1\ta\tb\n"
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
        monkeypatch.setattr(archive, "hub_file", lambda *where: tmp_path / "x.tar")
        archive.unpack_archive(SOURCE, tmp_path / "data")
        return tmp_path / "data"

    return done


def test_files_are_written_into_their_folders(unpack):
    assert (unpack("./SICK/train.txt") / "SICK/train.txt").read_bytes() == b"1\ta\tb\n"


@pytest.mark.parametrize(
    ("name", "link"), [("../out.txt", ""), ("/tmp/out.txt", ""), ("in.txt", "/etc/passwd")]
)
def test_what_leads_out_of_the_folder_is_refused(unpack, tmp_path: Path, name: str, link: str):
    with pytest.raises(BackendError, match="lies outside the folder"):
        unpack(name, link)
    assert not (tmp_path / "out.txt").exists()
