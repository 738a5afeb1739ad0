"""SIGTERM handling, so that training saves its state before it ends."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def stop_asked() -> Iterator[Callable[[], bool]]:
    """Yield a function that returns whether SIGTERM was received, which does not end the process meanwhile.

    A scheduler sends the signal some time before a time limit or a preemption, and then kills the job.
    Outside the main thread, where Python cannot handle signals, the function always returns False.
    """
    if threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    asked = threading.Event()
    before = signal.signal(signal.SIGTERM, lambda *_: asked.set())
    try:
        yield asked.is_set
    finally:
        signal.signal(signal.SIGTERM, before)
