"""A training that is asked to end saves where it stands first."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def stop_asked() -> Iterator[Callable[[], bool]]:
    """Give a function that says whether this process has got SIGTERM, which does not end it meanwhile.

    A scheduler sends the signal some time before a limit or a preemption, and kills at its end.  Outside the
    main thread, where Python hears of no signal, it always says no.
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
