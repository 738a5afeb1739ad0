"""Strategies, each in the module of its name, and what they share."""

from contrapose.jobs.user_code import user_folders

__path__ += user_folders(__name__)
