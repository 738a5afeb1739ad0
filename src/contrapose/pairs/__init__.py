"""Strategies, each in the module of its name, and what they share."""

from contrapose.jobs.own import own_folders

__path__ += own_folders(__name__)
