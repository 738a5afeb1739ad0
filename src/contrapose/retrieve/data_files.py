"""Files that a catalog names: below its data folder, or below the project if a path begins with `./`."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from pydantic import Field

from contrapose.base.errors import ConfigError
from contrapose.settings.plan import Plan
from contrapose.settings.spec import Noted, PathText

PROJECT = "./"
MADE = "<results>/retrieve/data"  # the data folder of a catalog that generates or fetches it
BELOW = "in the data folder, or in the project if the path begins with `./`"


class TextFile(Noted):
    """Texts in a file."""

    path: PathText = Field(description=f"This is a file {BELOW}.")

    rows: ClassVar[int | None] = None  # unknown before it is read

    @property
    def files(self) -> list[str]:
        return [self.path]

    def located(self, data: Path | None) -> list[Path]:
        """Return its files on this machine; those of the project need no data folder."""
        return [below(file, data) for file in self.files]

    def check_rows(self, rows: int) -> None:
        """Accept any number of rows: an entry of the hub may state one."""

    def lacking(self, project: Plan, name: str) -> str:
        return missing_file(project, self.files)


def data_folder(project: Plan) -> Path | None:
    """Return the folder of original files; None if the catalog makes it or takes everything from the hub."""
    if project.config.data is None:
        return None
    data = Path(project.config.data).expanduser()
    if not data.is_dir():
        raise ConfigError(
            f"config/config.yaml or --config: data is '{data}', which is not a folder. Name the folder "
            "that has the files of the catalog."
        )
    return data


def below(path: str, data: Path | None) -> Path:
    """Return the location of a path that a catalog names."""
    return Path(path) if path.startswith(PROJECT) else (data or Path()) / path


def matching(patterns: Sequence[str], data: Path | None) -> dict[str, list[Path]]:
    """Return the files that match each pattern, sorted; none below a data folder that there is not.

    Raises ConfigError if a pattern is no path below a folder.
    """
    matches: dict[str, list[Path]] = {}
    for pattern in patterns:
        folder = Path() if pattern.startswith(PROJECT) else data
        matches[pattern] = []
        if folder is None:
            continue
        file = folder / pattern
        try:
            paths = [file] if file.is_file() else folder.glob(pattern.removeprefix(PROJECT))
            matches[pattern] = sorted(path for path in paths if path.is_file())
        except (ValueError, IndexError, NotImplementedError) as error:  # empty, `.`, or with a root
            raise ConfigError(
                f"'{pattern}' is not a path inside the data folder or the project. Name one, for "
                "example wikipedia/*.jsonl."
            ) from error
    return matches


def folders(sources: Mapping[Any, Any], data: Path | None) -> tuple[dict[Any, Path], dict[Any, str]]:
    """Look for the folder of each benchmark or transfer task below `data`, then below `data/senteval`.

    Returns {name: folder} of those that exist, and {name: path} of the others.
    """
    existing, missing = {}, {}
    for name, source in sources.items():
        candidates = [below(source.path, data)] if data or source.path.startswith(PROJECT) else []
        if data:
            candidates.append(below(source.path, data / "senteval"))
        folder = next((path for path in candidates if path.is_dir()), None)
        if folder is None:
            missing[name] = source.path
        else:
            existing[name] = folder
    return existing, missing


def inputs(project: Plan, section: str, name: str = "") -> list[str]:
    """Return the files of an entry, and the folder that a job makes for some of them; none for the hub."""
    files, key = project.source(section, name).files, f"{section}.{name}" if name else section
    matches = _matches(project, files, key)
    for pattern in _unavailable(project, matches):
        where = "the project" if pattern.startswith(PROJECT) else f"'{data_folder(project)}'"
        raise ConfigError(
            f"{key}: no file matches '{pattern}' in {where}. Put a file there, or change {key} in "
            f"config/catalogs/{project.catalog_name}.yaml."
        )
    made = project.catalog.makes_data and not all(pattern.startswith(PROJECT) for pattern in files)
    return [MADE] * made + [str(path) for paths in matches.values() for path in paths]


def missing_file(project: Plan, files: Sequence[str]) -> str:
    """Return that the first of some files or patterns is not here and no job makes it; empty if none is."""
    return next((f"{pattern} is missing" for pattern in _unavailable(project, _matches(project, files))), "")


def _matches(project: Plan, files: Sequence[str], key: str = "files") -> dict[str, list[Path]]:
    data = None if project.catalog.makes_data else data_folder(project)
    try:
        return matching(files, data)
    except ConfigError as error:
        raise ConfigError(f"{key}: {error}") from error


def _unavailable(project: Plan, matches: Mapping[str, list[Path]]) -> list[str]:
    made = project.catalog.makes_data
    absent = (pattern for pattern, paths in matches.items() if not paths)
    return [pattern for pattern in absent if pattern.startswith(PROJECT) or not made]
