"""Where the workflow, its settings and its examples are: in the clone, or inside the installed package."""

from pathlib import Path

_SOURCE = Path(__file__).parents[2]  # holds the packages
_INSTALLED = Path(__file__).parents[1] / "checkout"  # pyproject.toml puts it there in a wheel
PACKAGES = ("contrapose", "contrapose_mini")
HOME = _INSTALLED if _INSTALLED.is_dir() else _SOURCE.parent  # the repository, or what a wheel holds of it
PROFILE = HOME / "profiles/default/profile.yaml"  # only the command line of Snakemake reads it


def is_ours(module: str) -> bool:
    """Return whether a module is one of ours, whose code is part of digests."""
    return module.split(".")[0] in PACKAGES


def source_of(home: Path) -> Path:
    """Return the folder of the packages of a repository: its `src`; of a wheel, where it is installed."""
    beside = home / "src"
    return beside if beside.is_dir() else _SOURCE
