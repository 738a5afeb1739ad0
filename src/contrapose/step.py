"""The names of `contrapose.jobs.step` that strategies and tables of version 0.4 import from here."""

from contrapose.jobs.step import FromJob, InputFiles, Outputs, Rows, Writer, planned
from contrapose.settings.plan import Paths
from contrapose.settings.plan import Plan as Project

__all__ = ["FromJob", "InputFiles", "Outputs", "Paths", "Project", "Rows", "Writer", "planned"]
