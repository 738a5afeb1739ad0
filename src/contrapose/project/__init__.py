"""A project: studies x worlds.  Turns names and ids into settings, and settings into inputs of jobs."""

from contrapose.project.places import Places
from contrapose.project.project import Project
from contrapose.project.runs import Run

__all__ = ["Places", "Project", "Run"]
