"""Findings of a check, and how they are printed."""

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

from contrapose.base.errors import AGAIN, ContraposeError, counted

Level = Literal["fine", "left out", "not checked", "warning", "missing"]
TITLES: dict[Level, str] = {
    "missing": "Errors",  # with which a run would fail
    "fine": "Fine",
    "left out": "Skipped, because optional input is missing",
    "not checked": "Could not be checked",
    "warning": "Warnings",
}
BRIEF: tuple[Level, ...] = ("fine", "not checked")  # of which errors leave the names alone


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
        return Finding("missing", what, f"the file cannot be read: {f'{error}'.rstrip('.')}. {AGAIN}")


def report(findings: Sequence[Finding], ready: str = "Nothing is missing.") -> str:
    """Return all findings as text, a section for each level, and one line that sums them up.

    `ready` is this line if nothing is missing; further lines say what is skipped, also next to faults.  What
    has the same reason, such as a host that does not answer, stands in one line.  Of a fault that two
    findings tell, the shorter one is printed.
    """
    faults = [one for one in findings if one.level == "missing"]
    faults = [one for one in faults if not any(_within(other, one) for other in faults)]
    sections = []
    for level, title in TITLES.items():
        group = faults if level == "missing" else [one for one in findings if one.level == level]
        alike = {one.text: ", ".join(each.what for each in group if each.text == one.text) for one in group}
        lines = [f"  {what}: {text}".replace("\n", "\n    ") for text, what in alike.items()]
        if faults and level in BRIEF:
            sections += [f"{title}: {', '.join(one.what for one in group)}"] if group else []
        elif lines and not (faults and level == "left out"):
            sections += ["\n".join([f"{title} ({len(alike)})", *lines])]
    lost = f"{counted(len({one.text for one in faults}), 'error')}, so a run would fail."
    if faults and (rest := ready.partition("\n")[2]):
        sections.append(f"Skipped methods, because input is missing\n{rest}")
    return "\n\n".join([*sections, lost if faults else ready])


def _within(one: Finding, other: Finding) -> bool:
    """Whether another finding quotes the text of one, beside more words."""
    return one is not other and len(one.text) < len(other.text) and one.text.rstrip(".") in other.text
