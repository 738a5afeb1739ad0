"""Losses of batches of pairs, each in the module of its name: its settings, and `build`, its value."""
