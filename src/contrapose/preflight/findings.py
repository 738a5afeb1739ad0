"""What was found, and how it is told."""

import textwrap
from collections.abc import Sequence
from typing import Literal, NamedTuple

Level = Literal["fine", "left out", "unchecked", "warning", "missing"]
# What has to be done is last: it stays on the screen.
TITLES: dict[Level, str] = {
    "fine": "Fine",
    "left out": "Left out: not there, and no job needs it",
    "unchecked": "Could not be checked",
    "warning": "Warnings",
    "missing": "Missing",
}
WIDTH = 110  # of a line, where nothing in it is longer


class Finding(NamedTuple):
    """One thing that was looked at."""

    level: Level
    what: str  # its key in the configuration, or what it is
    found: str  # in sentences; if it is not fine, what to do as well


def fine(what: str, found: str) -> Finding:
    """Nothing has to be done."""
    return Finding("fine", what, found)


def missing(what: str, found: str) -> Finding:
    """A job will fail for it."""
    return Finding("missing", what, found)


def warning(what: str, found: str) -> Finding:
    """No job fails for it, but a person wants to know before."""
    return Finding("warning", what, found)


def left_out(what: str, found: str) -> Finding:
    """The world says that it may lack it: some numbers stay empty."""
    return Finding("left out", what, found)


def unchecked(what: str, found: str) -> Finding:
    """It may be fine or not; why that is not known here."""
    return Finding("unchecked", what, found)


def told(findings: Sequence[Finding]) -> str:
    """Tell all findings, a section for each level, and end with one line that sums them up."""
    sections = []
    for level, title in TITLES.items():
        lines = [_line(one) for one in findings if one.level == level]
        if lines:
            sections.append("\n".join([f"{title} ({len(lines)})", *lines]))
    count = sum(one.level == "missing" for one in findings)
    verdict = f"{count} missing: jobs would fail." if count else "Nothing is missing."
    return "\n\n".join([*sections, verdict]) + "\n"


def _line(one: Finding) -> str:
    texts = f"{one.what}: {one.found}".splitlines()
    return "\n".join(
        textwrap.fill(
            text, WIDTH, initial_indent="    " if number else "  ", subsequent_indent="    ",
            break_long_words=False, break_on_hyphens=False,
        )
        for number, text in enumerate(texts)
    )  # fmt: skip
