"""Findings of a check, and how they are printed."""

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

from contrapose.base.errors import AGAIN, ContraposeError

Level = Literal["fine", "left out", "not checked", "warning", "missing", "wrong"]
# What has to be done comes last, so that it stays on the screen.
TITLES: dict[Level, str] = {
    "fine": "Fine",
    "left out": "Skipped: these methods and test sets get no numbers, because their input is missing",
    "not checked": "Could not be checked",
    "warning": "Warnings",
    "missing": "Missing",
    "wrong": "Errors in the settings",
}
FAILING: dict[Level, str] = {"missing": "missing", "wrong": "wrong in the settings"}  # a run would fail


class Finding(NamedTuple):
    """The result of one check."""

    level: Level
    what: str  # key in the settings, or what was checked
    text: str  # in sentences; if it is not fine, also what to do


def judged(what: str, look: Callable[[], str]) -> Finding:
    """Return a finding: fine, with the text that `look` returns, or missing, with that of its error."""
    try:
        return Finding("fine", what, look())
    except ContraposeError as error:
        return Finding("missing", what, f"{error}".removeprefix(f"{what}: "))
    except (OSError, ValueError, EOFError) as error:
        return Finding("missing", what, f"the file cannot be read: {error}. {AGAIN}")


def report(findings: Sequence[Finding], ready: str = "Nothing is missing.") -> str:
    """Return all findings as text, a section for each level, and one line that sums them up.

    `ready` is this line if nothing is missing.  What has the same reason, such as a host that does not
    answer, stands in one line.
    """
    sections = []
    for level, title in TITLES.items():
        group = [one for one in findings if one.level == level]
        alike = {one.text: ", ".join(each.what for each in group if each.text == one.text) for one in group}
        lines = [f"  {what}: {text}".replace("\n", "\n    ") for text, what in alike.items()]
        sections += ["\n".join([f"{title} ({len(group)})", *lines])] if lines else []
    counts = {level: sum(one.level == level for one in findings) for level in FAILING}
    lost = " and ".join(f"{count} {FAILING[level]}" for level, count in counts.items() if count)
    return "\n\n".join([*sections, f"{lost}, so a run would fail." if lost else ready])
