"""Losses of batches of pairs, each in the module of its name: its settings, and `build`, its value."""

from contrapose.jobs.user_code import user_folders

__path__ += user_folders(__name__)
