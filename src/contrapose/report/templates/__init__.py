"""Templates of the pages of the report."""

from pathlib import Path

from contrapose.fingerprint import digest

FOLDER = Path(__file__).parent
SUFFIXES = (".html", ".css")


def look() -> str:
    """Return a digest of the templates: a page is made again when one changes."""
    return digest(*(path.read_text() for path in sorted(FOLDER.iterdir()) if path.suffix in SUFFIXES))
