"""What the commands around the workflow have in common: their parser, and the project that they are about."""

import argparse
from collections.abc import Iterable

from contrapose.home import HOME
from contrapose.project import Project
from contrapose.project.cli_config import given_config


def command_parser(name: str, about: str | None) -> argparse.ArgumentParser:
    """Return the parser of a command, with `--config`."""
    parser = argparse.ArgumentParser(prog=f"contrapose {name}", description=about)
    help = "as for snakemake --config"
    parser.add_argument("--config", nargs="*", default=[], metavar="key=value", help=help)
    return parser


def project_of(config: Iterable[str]) -> Project:
    """Return the project of the working directory, with the `key=value` of a call."""
    return Project(given_config(config), HOME)
