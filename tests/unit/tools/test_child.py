"""Signals to a program that follows another one: each is heard there once, as Ctrl-C."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.faults.running import alive, until

# Counts signals, begins late as Snakemake does, and ends some time after the first one.
COUNTING = """
import os, signal, sys, time
heard = []
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    if signal.getsignal(number) is not signal.SIG_IGN:
        signal.signal(number, lambda number, _: heard.append(signal.Signals(number).name))
open("beginning", "w").write(str(os.getpid()))
os.rename("beginning", "begun")
time.sleep(0.2)
signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
end = time.monotonic() + (600 if sys.argv[1] == "wait" else 0)
while not heard and time.monotonic() < end:
    time.sleep(0.01)
time.sleep(0.3)
print(heard)
sys.exit(7)
"""
PARENT = "import sys; from contrapose.tools.child import followed; sys.exit(followed(sys.argv[1:]))"


def started(folder: Path, *ignored: int, until_signal: bool = True) -> subprocess.Popen:
    """Start the parent of a counting program as a shell does, with some signals ignored, as by nohup."""
    waits = "wait" if until_signal else "do not wait"

    def prepare() -> None:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):  # nohup may have started these tests
            signal.signal(number, signal.SIG_IGN if number in ignored else signal.SIG_DFL)

    run = subprocess.Popen(
        [sys.executable, "-c", PARENT, sys.executable, "-c", COUNTING, waits],
        cwd=folder, text=True, stdout=subprocess.PIPE, start_new_session=True,
        preexec_fn=prepare,
    )  # fmt: skip
    until((folder / "begun").exists, lambda: run.poll() is None)
    return run


def _as_timeout(process: int, number: int) -> None:
    os.kill(process, number)
    os.killpg(process, number)


@pytest.mark.parametrize("ignored", [(), (signal.SIGINT,)], ids=["as usual", "SIGINT ignored"])
@pytest.mark.parametrize("send", [os.kill, os.killpg, _as_timeout])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_is_heard_once_as_ctrl_c(
    number: int, send: Callable[[int, int], None], ignored: tuple[int, ...], tmp_path: Path
):
    run = started(tmp_path, *ignored)
    send(run.pid, number)
    assert run.communicate(timeout=600)[0] == "['SIGINT']\n"
    assert run.returncode == 7


def test_a_hangup_that_nohup_ignores_is_ignored(tmp_path: Path):
    run = started(tmp_path, signal.SIGHUP, until_signal=False)
    os.killpg(run.pid, signal.SIGHUP)
    assert run.communicate(timeout=600)[0] == "[]\n"


def test_what_is_followed_is_stopped_and_goes_on_with_its_parent_and_is_killed_with_it(tmp_path: Path):
    run = started(tmp_path)
    child = int((tmp_path / "begun").read_text())

    def state(process: int) -> str:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]

    os.kill(run.pid, signal.SIGTSTP)
    until(lambda: state(run.pid) == state(child) == "T")
    os.kill(run.pid, signal.SIGCONT)
    until(lambda: "T" not in (state(run.pid), state(child)))
    run.kill()
    until(lambda: not alive(child))
    run.communicate()
