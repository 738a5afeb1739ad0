"""Errors with messages for users: what is wrong, where, what is allowed, what to do next."""

import difflib
from collections.abc import Iterable

SHOWN = 200  # characters of a wrong value in a message
MOST, MOST_BESIDE_NEAREST = 12, 8  # known names in a message: two lines; after the nearest one
SHORTEST = 3  # characters of a beginning that stands for a name
# What to do about a file that may be damaged, wherever it came from.
AGAIN = (
    "Correct the file, or download it again. If Contrapose downloaded it, remove it, and run the same "
    "command again."
)
# What to do about a text in another encoding.
TO_UTF8 = (
    "Convert the file to UTF-8. For files of Windows and Excel: iconv -f cp1252 -t utf-8 OLD > NEW. "
    "For Latin-1: iconv -f latin1 -t utf-8 OLD > NEW."
)


class ContraposeError(Exception):
    """Base of every error whose message is written for a person."""

    exit_code = 1  # of the job that ends with it


class ConfigError(ContraposeError):
    """A setting is wrong: names the key, the value, the allowed values and the next action."""


class TableError(ContraposeError):
    """A table or an input file is wrong: names the file, the column or line, and what was expected."""


class OutdatedError(TableError):
    """An input of a step does not fit the others, so it has to be built again.

    `input` is the parameter of `build`, in whose place the job names its file; `reason` says of that file
    what is wrong, without a full stop.
    """

    def __init__(self, input: str, reason: str = "it was made from an older version of the pairs") -> None:
        super().__init__(f"{input}: {reason}.")
        self.input, self.reason = input, reason


class UnavailableError(ContraposeError):
    """There is too little input to make something: says why, without a full stop, like notes of tables."""


class BackendError(ContraposeError):
    """Something outside this program failed for good: an endpoint, a disk, a model folder."""


class BudgetError(ContraposeError):
    """The next request could exceed the budget: names it, what was spent, and how to continue."""

    exit_code = 3  # a job that ends with it may be started again with a larger budget


class StoppedError(ContraposeError):
    """The job was stopped before it was done, or a newer one replaces it: starting again resumes it."""


def shown(value: object) -> str:
    """Return a wrong value as a message shows it: the beginning, if it is long."""
    try:
        text = repr(value)
    except ValueError:  # Python refuses to write numbers of thousands of digits
        return "a number of thousands of digits"
    return cut(text)


def cut(text: str) -> str:
    """Return the beginning of a text that may be long, for a message."""
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}..."


def printable(text: str) -> str:
    """Return a text with line breaks and control characters, such as escapes of a terminal, written out."""
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() else ascii(each)[1:-1] for each in text)


def one_line(text: str) -> str:
    """Return a text as one line with single blanks, as `printable`."""
    return printable(" ".join(text.split()))


def said(error: Exception) -> str:
    """Return what a library's error says in one line, its beginning if it is long."""
    return cut(one_line(str(error))) or type(error).__name__


def are_missing(what: str, names: Iterable[str]) -> str:
    """Return a sentence, without its full stop: one or several `what`, such as `column`, are missing."""
    listed = [*names]
    noun, verb = (f"{what}s", "are") if listed[1:] else (what, "is")
    return f"the {noun} {', '.join(listed)} {verb} missing"


def counted(count: int, noun: str) -> str:
    """Return a number with its noun, whose plural ends in s: `1 pair`, `1,200 pairs`."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def nearest(name: str, known: Iterable[str], similarity: float = 0.6) -> str:
    """Return the known name that a person may have meant: one that begins so, or a similar one, or none."""
    names = [*known]
    begun = [each for each in names if len(name) >= SHORTEST and each.lower().startswith(name.lower())]
    return next(iter(difflib.get_close_matches(name, begun or names, 1, 0.0 if begun else similarity)), "")


def unknown(what: str, name: str, known: Iterable[str]) -> ConfigError:
    """Build the error for a name that `what`, such as `catalogs`, lacks, with the nearest known name."""
    return ConfigError(f"{what} has no entry '{name}'.{instead_of(name, known)}")


def instead_of(name: str, known: Iterable[str]) -> str:
    """Return the sentences, each after a blank, that name what an unknown name may have meant."""
    names = sorted(known)
    near = nearest(name, names)
    hint = f" Did you mean '{near}'?" if near else ""
    most = MOST_BESIDE_NEAREST if near else MOST
    more = f" and {len(names) - most} more" if len(names) > most else ""
    apart = [f"'{each}'" if "," in each else each for each in names[:most]]
    return f"{hint} Known: {', '.join(apart) or 'none'}{more}."
