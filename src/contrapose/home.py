"""Where the workflow, its settings and its examples are: in the clone, or inside the installed package."""

from pathlib import Path

SOURCE = Path(__file__).parents[1]  # holds the packages
_INSTALLED = Path(__file__).parent / "checkout"  # pyproject.toml puts it there in a wheel
# The repository, or what a wheel holds of it.
HOME = _INSTALLED if _INSTALLED.is_dir() else SOURCE.parent


def source_of(home: Path) -> Path:
    """Return the folder of the packages that belong to a repository, which may be a copy of this one."""
    beside = home / "src"
    return beside if beside.is_dir() else SOURCE
