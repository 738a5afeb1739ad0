"""Drills: long trials of what must not be lost, wrong or silent.  Results: docs/reliability.md."""
