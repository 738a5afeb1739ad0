"""`make check`: find what the jobs of a call need and is missing, before the first job."""
