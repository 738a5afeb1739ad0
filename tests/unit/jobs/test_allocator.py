import platform
import subprocess
import sys

import pytest

PAGE_FAULTS = """
import resource, sys
import numpy as np
from contrapose.jobs.allocator import keep_freed_memory
if sys.argv[1] == "kept":
    keep_freed_memory()
for _ in range(2):
    np.ones(2**23)  # 64 MB
    faults = -resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(10):
    np.ones(2**23)
print(faults + resource.getrusage(resource.RUSAGE_SELF).ru_minflt)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other C libraries have no mallopt")
def test_freed_memory_is_taken_again_without_the_system():
    def page_faults(how):
        done = subprocess.run([sys.executable, "-c", PAGE_FAULTS, how], capture_output=True, check=True)
        return int(done.stdout)

    assert page_faults("given back") > 100 * page_faults("kept")
