"""A program that this one starts and waits for, and the signals that both should hear of once."""

import os
import signal
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from types import FrameType

from contrapose.jobs.warm import die_with

# timeout(1) sends its signal to its child, then to the whole group: within a second they are one.
SECONDS_OF_ONE = 1.0


def followed(command: Sequence[str], **environment: str) -> int:
    """Run a command in a process group of its own and return its exit code; -N after signal N.

    Ctrl-C, SIGTERM and SIGHUP, to this process or to its whole group, reach that group once, as the SIGINT of
    a terminal; the command's handler unblocks SIGINT.  Ctrl-Z stops both.  A SIGHUP that nohup ignores stays
    ignored.  The command is killed if this process is.  `environment` are further variables of its own.
    """
    parent, last = os.getpid(), -SECONDS_OF_ONE

    def prepare() -> None:
        die_with(parent)
        signal.pthread_sigmask(signal.SIG_SETMASK, {*blocked, signal.SIGINT})  # until it can handle it
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # whoever started this process may ignore it
        for number in (signal.SIGTTIN, signal.SIGTTOU):  # of a terminal, to a group in the background
            signal.signal(number, signal.SIG_IGN)

    def interrupt(number: int, frame: FrameType | None) -> None:
        nonlocal last
        if time.monotonic() - last >= SECONDS_OF_ONE:
            last = time.monotonic()
            send(signal.SIGINT)

    def pause(number: int, frame: FrameType | None) -> None:
        send(signal.SIGTSTP)
        os.kill(parent, signal.SIGSTOP)
        send(signal.SIGCONT)

    def send(number: int) -> None:
        with suppress(ProcessLookupError):  # it has ended
            os.killpg(child.pid, number)

    handlers = {signal.SIGINT: interrupt, signal.SIGTERM: interrupt, signal.SIGTSTP: pause}
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        handlers[signal.SIGHUP] = interrupt
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, handlers)  # until there is a child
    child = subprocess.Popen(command, env={**os.environ, **environment}, preexec_fn=prepare, process_group=0)
    before = {number: signal.signal(number, handler) for number, handler in handlers.items()}
    signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
    try:
        return child.wait()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
