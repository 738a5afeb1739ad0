"""The command line that all benchmarks have."""

import argparse
from collections.abc import Iterable

from contrapose.base.errors import unknown


def chosen(program: str, what: str, known: Iterable[str], rounds: int) -> tuple[list[str], int]:
    """Return the names given to `python -m PROGRAM`, all known ones if there is none, and the rounds.

    Parameters
    ----------
    program : str
        Module that runs.
    what : str
        One of them is, as in `item`.
    known : iterable of str
        Names that may be given; with another one the program ends and says which are known.
    rounds : int
        If none are given.
    """
    names = list(known)
    parser = argparse.ArgumentParser(prog=f"python -m {program}")
    parser.add_argument("names", nargs="*", metavar=what.upper(), help=f"of {', '.join(names)}; all if none")
    parser.add_argument("--rounds", type=int, default=rounds, help=f"of measuring (default {rounds})")
    given = parser.parse_args()
    for name in given.names:
        if name not in names:
            parser.error(str(unknown(f"{what}s", name, names)))
    if given.rounds < 1:
        parser.error(f"--rounds is {given.rounds}, expected 1 or more.")
    return given.names or names, given.rounds
