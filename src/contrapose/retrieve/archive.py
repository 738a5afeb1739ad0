"""The data folder as a tar file of a hub data set, e.g. SimCSE's copy of the SentEval files."""

from functools import partial
from pathlib import Path

from pydantic import Field

from contrapose.jobs.step import Writer, planned
from contrapose.retrieve.download import unpack
from contrapose.settings.hub import HubDataset, HubRepository, hub_file
from contrapose.settings.plan import Plan


class HubArchive(HubDataset):
    """A tar file of a hub data set is unpacked as the data folder."""

    file: str = Field(description="This is the tar file in the repository.")

    @property
    def hub_repository(self) -> HubRepository:
        return super().hub_repository._replace(file=self.file)


@planned
def plan(project: Plan) -> HubArchive | None:
    """Return the hub's archive that the data folder is unpacked from; None if the catalog has none."""
    return project.catalog.archive


def build(spec: HubArchive) -> Writer:
    """Fetch the data folder from the hub."""
    return partial(unpack_archive, spec)


def unpack_archive(source: HubArchive, folder: Path) -> None:
    """Fetch an archive of the hub and unpack it into `folder`, which is created if missing.

    Raises BackendError if the hub cannot be reached, else as `unpack`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    unpack(hub_file(source.dataset, source.file, source.revision), f"archive: {source.file}", folder)
