"""`python -m contrapose`: the same as the command `contrapose`."""

from contrapose.command import main

main()
