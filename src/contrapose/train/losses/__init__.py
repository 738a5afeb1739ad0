"""Losses of batches of pairs, each in the module of its name: its settings, and `build`, its value."""

from contrapose.jobs.own import own_folders

__path__ += own_folders(__name__)
