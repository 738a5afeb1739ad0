"""The option `--directory` of the command, which Snakemake spells in the same way."""

import argparse
import os
from pathlib import Path
from typing import Any

from contrapose.errors import ConfigError


class _Enter(argparse.Action):
    """Go into the folder of `--directory`."""

    def __call__(self, parser: Any, namespace: Any, value: Any, option: Any = None) -> None:
        check_is_folder(value)
        os.chdir(value)


def with_directory(parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
    """Add `--directory` to a parser: the command does as if it were called there."""
    help = "folder of the project (default: this one)"
    parser.add_argument("-d", "--directory", action=_Enter, metavar="DIR", help=help)
    return parser


def check_is_folder(folder: str) -> None:
    """Raise ConfigError for a `--directory` that is not a folder."""
    if not Path(folder).is_dir():
        raise ConfigError(f"--directory {folder}: is not a folder. Write one: contrapose new FOLDER")
