"""What would stop a job later is looked at first.

`start` is looked at whenever work begins, in no time.  `make preflight` (`__main__`) looks at all that the
jobs need before the first of them, a module for each kind of thing: `files` and `folders` on disk, the `hub`,
the `llms`, `software`, `gpu` memory, `space` on disk.  Each check returns what it found, and none raises: a
person wants all of it at once.
"""

from contrapose.preflight.start import (
    check_container,
    check_key,
    check_no_file_in_the_way,
    check_working_directory,
    check_writable,
)

__all__ = [
    "check_container",
    "check_key",
    "check_no_file_in_the_way",
    "check_working_directory",
    "check_writable",
]
