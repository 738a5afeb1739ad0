"""A project: studies x worlds, resolved.  Turns names and ids into settings, folders and runs.

One class in five parts, each of which knows the one before it.
"""

from contrapose.project.checks import Project
from contrapose.project.places import checked_encoder_folder, encoder_files
from contrapose.project.rows import Run

__all__ = ["Project", "Run", "checked_encoder_folder", "encoder_files"]
