"""`make plan`: what the jobs of a call take, before one of them starts."""
