"""`contrapose verify`: compare every result with today's settings and code.

A second line of defence behind Snakemake's own records: it also sees files that were copied in, or whose
records are lost.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

from contrapose.errors import ContraposeError
from contrapose.fingerprint import canonical
from contrapose.project import Project
from contrapose.project.staleness import made_today
from contrapose.tables import read_provenance
from contrapose.tables.parquet import is_draft
from contrapose.tools.command_line import command_parser, project_of

SHOWN_CHANGES = 5  # per file, in its line
SHOWN_CHARACTERS = 60  # on each side of a change, starting
SHOWN_BEFORE = 20  # characters before the first difference


class VerifyFinding(NamedTuple):
    """What is wrong with a file: made by other `settings` or `code` than today's, or `foreign`: not ours."""

    path: Path
    kind: str
    reason: str


def findings(results: Path, project: Project) -> Iterator[VerifyFinding]:
    """Yield every Parquet file below a folder that today's config and code would not produce."""
    if not results.is_dir():
        raise ContraposeError(f"'{results}' is not a folder. Build something first, or use --results FOLDER.")
    for path in _tables(results):
        try:
            yield from _compared(path, read_provenance(path), project)
        except ContraposeError as error:
            yield VerifyFinding(path, "foreign", str(error))


def _tables(results: Path) -> list[Path]:
    """Return the Parquet files below a folder; drafts of running or killed jobs are not results."""
    return sorted(path for path in results.rglob("*.parquet") if not is_draft(path.relative_to(results)))


def _compared(path: Path, made: Mapping, project: Project) -> Iterator[VerifyFinding]:
    if "rule" not in made:
        if "retrieve/data" not in path.as_posix():  # the data folder holds files in others' formats
            yield VerifyFinding(path, "foreign", "has no record of settings: not made by this workflow")
        return
    today, code = made_today(project, made)
    changes = list(differences(made["settings"], today))
    if changes:
        more = f"; and {len(changes) - SHOWN_CHANGES} more" if len(changes) > SHOWN_CHANGES else ""
        yield VerifyFinding(path, "settings", f"{'; '.join(changes[:SHOWN_CHANGES])}{more}")
    elif (was := made.get("auto_precision", {}).get("cpu")) and was != (now := _auto_precision()):
        yield VerifyFinding(path, "settings", f"precision: auto was {was}, on this processor it is {now}")
    elif made["code"] != code:
        yield VerifyFinding(path, "code", f"the code behind rule {made['rule']} has changed")


@cache
def _auto_precision() -> str:
    from contrapose.encoders.matmul import matmul_backend  # PyTorch takes seconds

    return "bf16" if matmul_backend().bf16 else "float32"


def differences(before: object, after: object, key: str = "") -> Iterator[str]:
    """Yield `key: before -> after` for every leaf that differs."""
    if isinstance(before, dict) and isinstance(after, dict):
        for name in sorted(before.keys() | after.keys()):
            inner = f"{key}.{name}" if key else name
            yield from differences(before.get(name, "(none)"), after.get(name, "(none)"), inner)
    elif canonical(before) != canonical(after):
        one, other = canonical(before), canonical(after)
        same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
        start = max(0, same - SHOWN_BEFORE)
        cut = [f"{'...' * (start > 0)}{text[start : start + SHOWN_CHARACTERS]}" for text in (one, other)]
        yield f"{key or 'all'}: {' -> '.join(cut)}"


def main(arguments: list[str]) -> bool:
    """Print what is out of date or foreign; return whether anything is."""
    parser = command_parser("verify", __doc__)
    parser.add_argument("--results", type=Path, default=Path("results"))
    options = parser.parse_args(arguments)
    stale = list(findings(options.results, project_of(options.config)))
    for finding in stale:
        print(f"{finding.kind:8} {finding.path}  {finding.reason}")
    bad = f"{len(stale)} out of date or foreign" if stale else "all up to date"
    print(f"{len(_tables(options.results))} files, {bad}.")
    return bool(stale)
