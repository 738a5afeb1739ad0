"""What stands in the place of an encoder whose pair set has too few pairs: the reason, for what follows."""

from pathlib import Path

from contrapose.tables import HISTORY, empty, read_provenance, write_table

LACKING = "lacking.txt"  # in the place of an encoder's files


def lacking_pairs(*tables: str | Path) -> str:
    """Return why one of some pair sets has no pairs, as its metadata say; empty if all have theirs."""
    return next(filter(None, (read_provenance(path).get("lacking") for path in tables)), "")


def leave_out(why: str, encoder: str | Path, history: str | Path, made_by: dict[str, object]) -> None:
    """Write a folder that holds the reason alone, and a HISTORY table without steps."""
    Path(encoder).mkdir(parents=True)
    (Path(encoder) / LACKING).write_text(f"{why}\n")
    write_table(empty(HISTORY), history, HISTORY, made_by)


def why_left_out(encoder: str | Path) -> str:
    """Return the reason that stands in the place of an encoder; empty if that is there, or is on a hub."""
    file = Path(encoder) / LACKING
    return file.read_text().strip() if encoder and file.is_file() else ""
