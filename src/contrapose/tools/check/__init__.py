"""`make check`: what the jobs of a call need and is missing, before the first of them."""
