"""Remove trained encoders that no table recommends and that no job still needs; scores and cosines stay."""

import shutil
from collections import Counter
from collections.abc import Collection
from pathlib import Path

from contrapose.base.directory import call, settings
from contrapose.base.errors import counted
from contrapose.jobs.manifest import manifest_files, read_manifest
from contrapose.jobs.status import read_status
from contrapose.project import Project
from contrapose.report.recommendation import RUN
from contrapose.tables.parquet import draft_of
from contrapose.tools.arguments import parser_of
from contrapose.tools.command_line import check_is_project, project_of
from contrapose.tools.dry_run import planned_jobs

GIGA = 1e9
NEEDED = "needed by jobs that have not run yet"  # why an encoder stays
NONE = "no trained encoder exists yet."
SHOWN = 20  # folders; a screen


def main(arguments: list[str]) -> None:
    """Print what is kept and why, and what is removed; remove it with --yes."""
    options = parser_of("clean").parse_args(arguments)
    check_is_project("clean", [])
    project = project_of(options.config)
    kept = kept_encoders(project)
    found = {folder: size(folder) for folder in encoders(project) if folder not in kept}
    for reason, stay in Counter(kept.values()).items():
        print(f"{counted(stay, 'encoder')} {'stays' if stay == 1 else 'stay'}, {reason}.")
    for folder, many in [*found.items()][:SHOWN]:
        print(f"{many / GIGA:8.2f} GB  {folder}")
    if not found:
        print("Nothing to remove: " + ("a table recommends each, or a run needs it." if kept else NONE))
        return
    more = f", {len(found) - SHOWN} of them not shown" if len(found) > SHOWN else ""
    count = counted(len(found), "trained encoder")
    print(f"{count}, {sum(found.values()) / GIGA:.2f} GB{more}. Their scores are kept.")
    if options.yes:
        remove(project, found)
        print("The encoders are removed. A later job that needs one trains it again.")
    else:
        print(
            "Nothing is removed yet. To remove the encoders: "
            f"{call('clean', settings(options.config), '--yes')}"
        )


def encoders(project: Project) -> list[Path]:
    """Return the folders of trained encoders that are here, sorted."""
    return sorted(Path(project.results, "train").glob("*/*/seed*/encoder"))


def kept_encoders(project: Project) -> dict[Path, str]:
    """Return {encoder that stays: why}: what tables recommend, and what jobs that are left to run read."""
    here, kept = set(encoders(project)), dict[Path, str]()
    for job in planned_jobs(project, list(project.studies), everything=False):
        kept |= dict.fromkeys(here & {*map(Path, [*job.inputs, *job.outputs])}, NEEDED)
    for table in sorted(Path(project.results, "tables").glob("*.parquet")):
        if run := read_status(table).facts.get(RUN):
            folder = Path(project.results, "train", run, "encoder")
            kept |= {folder: f"recommended by {table.stem}"} if folder in here else {}
    return kept


def size(folder: Path) -> int:
    """Return the bytes of all files of a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def remove(project: Project, folders: Collection[Path]) -> None:
    """Remove folders; the manifests of their jobs say so first, so that they are not missed."""
    for file in manifest_files(Path(project.results, "train")):
        manifest = read_manifest(file)
        for name, path in manifest.paths.items():
            if path in folders:
                outputs = {**manifest.outputs, name: {}}
                manifest.model_copy(update={"outputs": outputs}).write()
                shutil.rmtree(path.rename(draft_of(path)))  # no job takes a half for a whole
