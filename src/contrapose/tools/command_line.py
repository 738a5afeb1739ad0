"""What the commands around the workflow have in common: options, and the project that they are about."""

import argparse
from collections.abc import Iterable, Sequence
from pathlib import Path

from contrapose.directory import with_directory
from contrapose.errors import ConfigError
from contrapose.home import HOME
from contrapose.project import Project
from contrapose.project.cli_config import CONFIG, given_config


def command_parser(name: str, about: str | None) -> argparse.ArgumentParser:
    """Return the parser of a command, with `--directory` and `--config`."""
    return with_config(argparse.ArgumentParser(prog=f"contrapose {name}", description=about))


def with_config(parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
    """Add `--directory` and `--config` to a parser, spelled as for `contrapose run`."""
    help = "settings for this call, as for contrapose run"
    parser.add_argument("--config", nargs="*", default=[], metavar="KEY=VALUE", help=help)
    return with_directory(parser)


def project_of(config: Iterable[str]) -> Project:
    """Return the project of the working directory, with the `key=value` of a call."""
    return Project(given_config(config), HOME)


def check_is_project(verb: str, targets: Sequence[str], folder: str = ".") -> None:
    """Raise ConfigError for a folder without settings, unless targets name what to build."""
    if targets or (Path(folder) / CONFIG).is_file():
        return
    raise ConfigError(
        f"{Path(folder).absolute()}: is not a project, as it has no {CONFIG}. Name the folder of one "
        f"(contrapose {verb} --directory DIR) or write one (contrapose new FOLDER)."
        + (verb != "report")
        * f" For the package's own studies name them: contrapose {verb} -- thesis"
    )
