"""How the C library hands out memory for tensors, see `keep_freed_memory`."""

import ctypes

# Parameters of glibc's mallopt, from its malloc.h.
M_TRIM_THRESHOLD, M_MMAP_MAX = -1, -4
NEVER = 2**31 - 1  # bytes: the greatest value that mallopt takes


def keep_freed_memory() -> None:
    """Let memory that tensors free be used by the next ones, until this process ends.

    By itself glibc gives large pieces back to the system, which fills them with zeros when they are taken
    again.  This took a seventh of the CPU time of a training step at base size (docs/dev/performance.md).
    Other C libraries are left as they are.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(M_MMAP_MAX, 0)  # also pieces of 32 MB and more come from the heap, which keeps them
        mallopt(M_TRIM_THRESHOLD, NEVER)
