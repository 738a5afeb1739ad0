"""Read a further collection of articles, by name, into a table of the same form."""

from contrapose.retrieve.articles import build, plan

__all__ = ["build", "plan"]
