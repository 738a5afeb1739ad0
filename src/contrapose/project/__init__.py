"""A project: studies x catalogs.  Turns names and ids into settings, and settings into inputs of jobs."""

from contrapose.project.project import Project
from contrapose.settings.ids import Run
from contrapose.settings.plan import Paths

__all__ = ["Paths", "Project", "Run"]
