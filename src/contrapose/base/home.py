"""Where the workflow, its settings and its examples are: in the clone, or inside the installed package."""

from pathlib import Path

_SOURCE = Path(__file__).parents[2]  # holds the packages
_INSTALLED = Path(__file__).parents[1] / "checkout"  # pyproject.toml puts it there in a wheel
HOME = _INSTALLED if _INSTALLED.is_dir() else _SOURCE.parent  # the repository, or what a wheel holds of it


def source_of(home: Path) -> Path:
    """Return the folder of the packages of a repository: its `src`; of a wheel, where it is installed."""
    beside = home / "src"
    return beside if beside.is_dir() else _SOURCE
