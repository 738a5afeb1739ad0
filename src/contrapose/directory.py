"""The option `--directory` of the command, which Snakemake spells in the same way."""

import argparse
import os
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from contrapose.errors import ConfigError

NAMES = ("-d", "--directory")


class _Enter(argparse.Action):
    """Go into the folder of `--directory`."""

    def __call__(self, parser: Any, namespace: Any, value: Any, option: Any = None) -> None:
        check_is_folder(value)
        os.chdir(value)


def with_directory(parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
    """Add `--directory` to a parser: the command does as if it were called there."""
    help = "folder of the project (default: this one)"
    parser.add_argument(*NAMES, action=_Enter, metavar="DIR", help=help)
    return parser


def check_is_folder(folder: str) -> None:
    """Raise ConfigError for a `--directory` that is not a folder."""
    if not Path(folder).is_dir():
        raise ConfigError(f"--directory {folder}: is not a folder. Write one: contrapose new FOLDER")


def named_directory(arguments: Sequence[str]) -> str:
    """Return the folder of `--directory` in arguments that are not parsed yet; this one if none is there."""
    for word, after in pairwise([*arguments, ""]):
        name, equals, value = word.partition("=")
        if name == "--":
            break
        if name in NAMES and Path(folder := value if equals else after).is_dir():
            return folder
    return "."
