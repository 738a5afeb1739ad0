"""The option `--directory` of the command, which Snakemake spells in the same way."""

import argparse
import os
import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

from contrapose.base.errors import ConfigError

NAMES = ("-d", "--directory")
# Of jobs, too: the folder of `--directory` as it was given, which hints name.
GIVEN = "CONTRAPOSE_DIRECTORY"


class _Enter(argparse.Action):
    """Go into the folder of `--directory`; the result has the folder of the call as `called_in`."""

    def __call__(
        self, parser: object, namespace: argparse.Namespace, folder: object, option: object = None
    ) -> None:
        if hasattr(namespace, "called_in"):
            raise twice()
        check_is_folder(str(folder))
        namespace.called_in = os.getcwd()
        os.chdir(str(folder))


def call(verb: str, *arguments: str) -> str:
    """Return a command for a hint: it works where this one was called, as it names the same `--directory`."""
    folder = os.environ.get(GIVEN)
    words = ["contrapose", verb, f"--directory {shlex.quote(folder)}" if folder else "", *arguments]
    return " ".join(filter(None, words))


def seen(path: str | Path) -> Path:
    """Return a path of the project as it is called in the folder of the call, outside `--directory`."""
    return Path(os.environ.get(GIVEN, ""), path)


def rebuild(*files: str | Path) -> str:
    """Return the sentence, without its full stop, that says how to build results again."""
    return f"Build it again: {call('run', '--force --', shlex.join(map(str, files)))}"


def fetch() -> str:
    """Return the sentence that says how to get what a run needs from elsewhere."""
    return f"On a machine with internet, call {call('download', '-- TARGET')}, where TARGET is what you run."


@contextmanager
def given(folder: str) -> Iterator[None]:
    """Have `call` name a folder as `--directory`, here and in processes that start meanwhile."""
    if folder == ".":  # as it was called, or as the command that called it
        yield
        return
    before = os.environ.get(GIVEN)
    os.environ[GIVEN] = folder
    try:
        yield
    finally:
        os.environ.pop(GIVEN)
        os.environ.update({GIVEN: before} if before is not None else {})


def settings(config: Sequence[str]) -> str:
    """Return the `--config` of a call for a hint; empty if it has none."""
    return shlex.join(["--config", *config]) if config else ""


def with_directory(parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
    """Add `--directory` to a parser: the command does as if it were called there."""
    help = (
        "Use the project in this folder. All paths are relative to it. By default, it is the current folder."
    )
    parser.add_argument(*NAMES, action=_Enter, metavar="FOLDER", help=help)
    return parser


def twice() -> ConfigError:
    """Build the error for a folder that is given twice, of which the last would count."""
    return ConfigError("--directory is given twice. Name one folder.")


def check_is_folder(folder: str) -> None:
    """Raise ConfigError for a `--directory` that is not a folder."""
    if not Path(folder).is_dir():
        raise ConfigError(
            f"--directory {folder}: this is not a folder. To create a project there, call contrapose init "
            "FOLDER."
        )


def named_directory(arguments: Sequence[str]) -> str:
    """Return the folder of `--directory` in arguments that are not parsed yet; this one if none is there."""
    for word, after in pairwise([*arguments, ""]):
        name, equals, value = word.partition("=")
        if name == "--":
            break
        if name in NAMES and Path(folder := value if equals else after).is_dir():
            return folder
    return "."
