"""Where the workflow, its settings and its examples are: in the clone, or inside the installed package."""

from pathlib import Path

SOURCE = Path(__file__).parents[1]  # holds the packages
_INSTALLED = Path(__file__).parent / "checkout"  # pyproject.toml puts it there in a wheel
HOME = _INSTALLED if _INSTALLED.is_dir() else SOURCE.parent
