"""What was found, and how it is printed."""

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

from contrapose.errors import ContraposeError

Level = Literal["fine", "left out", "not checked", "warning", "missing"]
# What has to be done is last: it stays on the screen.
TITLES: dict[Level, str] = {
    "fine": "Fine",
    "left out": "Left out: missing, and no job needs it",
    "not checked": "Could not be checked",
    "warning": "Warnings",
    "missing": "Missing",
}


class Finding(NamedTuple):
    """One thing that was looked at."""

    level: Level
    what: str  # its key in the settings, or what it is
    found: str  # in sentences; if it is not fine, what to do as well


def judged(what: str, look: Callable[[], str]) -> Finding:
    """Return that all is fine, in the words of `look`, or that it is missing, in those of its error."""
    try:
        return Finding("fine", what, look())
    except ContraposeError as error:
        return Finding("missing", what, f"{error}".removeprefix(f"{what}: "))
    except (OSError, ValueError, EOFError) as error:
        return Finding("missing", what, f"cannot be read: {error}. Check the file, or fetch it again.")


def report(findings: Sequence[Finding]) -> str:
    """Return all findings as text, a section for each level, and one line that sums them up."""
    sections = []
    for level, title in TITLES.items():
        texts = [f"{one.what}: {one.found}" for one in findings if one.level == level]
        lines = ["  " + text.replace("\n", "\n    ") for text in texts]
        sections += ["\n".join([f"{title} ({len(lines)})", *lines])] if lines else []
    count = sum(one.level == "missing" for one in findings)
    return "\n\n".join([*sections, f"{count} missing: jobs would fail." if count else "Nothing is missing."])
