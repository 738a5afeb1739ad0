"""Read a further collection of articles, by name, into a table of the same form."""

from contrapose.retrieve.articles import build

__all__ = ["build"]
