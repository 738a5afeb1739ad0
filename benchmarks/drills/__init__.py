"""Long tests of what is promised when something fails, by hand: python -m benchmarks.drills.NAME --help."""
