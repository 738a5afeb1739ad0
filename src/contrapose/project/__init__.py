"""A project: studies x worlds.  Turns names and ids into settings, and settings into inputs of jobs."""

from contrapose.project.paths import Paths
from contrapose.project.project import Project
from contrapose.project.runs import Run

__all__ = ["Paths", "Project", "Run"]
