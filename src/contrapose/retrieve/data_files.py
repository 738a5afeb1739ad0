"""Files that a catalog names: below its data folder, or below the project if a path begins with `./`."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import Field

from contrapose.base.errors import ConfigError
from contrapose.settings.plan import Plan
from contrapose.settings.spec import Noted, PathText

PROJECT = "./"
BELOW = "below the data folder, or with `./` in front below the project"


class TextFile(Noted):
    """Texts in a file."""

    path: PathText = Field(description=f"File {BELOW}")

    @property
    def files(self) -> list[str]:
        return [self.path]


def data_folder(project: Plan) -> Path | None:
    """Return the folder of original files; None if the catalog makes it or takes everything from the hub."""
    if project.config.data is None:
        return None
    data = Path(project.config.data).expanduser()
    if not data.is_dir():
        raise ConfigError(f"data: '{data}' is not a folder. Give the folder of the original files.")
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
                f"'{pattern}' is not a path below the data folder or the project ({error}). "
                "Example: wikipedia/*.jsonl"
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
