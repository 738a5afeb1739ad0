"""`make plan`: estimate what the jobs of a call take, before the first job."""
