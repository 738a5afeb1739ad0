"""What jobs take, in a file beside the log of each: `seed42.took.json` beside `seed42.log`.

Seconds, and the operations of the models that they run, which depend on no other work on the machine.

They are used for the costs in tables.  They change no result, so they are neither an output nor in digests.
"""

import json
import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from math import nan
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from contrapose.jobs.fingerprint import digest

SECONDS_BETWEEN = 30  # between writes of a running job: the most that SIGKILL loses
AMOUNTS = ("wall_seconds", "cpu_seconds", "gpu_seconds", "flops")

_gpus: list[tuple[int, float]] = []  # GPUs that this job computes on, and since when
_flops = [0.0]  # of this process so far
_parameters: "WeakKeyDictionary[Any, int]" = WeakKeyDictionary()  # of each model, without embeddings


def timing_file(log: str | Path) -> Path:
    """Return the file beside a log."""
    return Path(log).with_suffix(".took.json")


def computes_on(gpus: int) -> None:
    """Count the seconds of so many GPUs from now on, as this process and those that it starts use them."""
    _gpus.append((gpus, time.monotonic()))


def computed(model: Any, tokens: int) -> None:
    """Count the operations of a model that reads so many tokens, with the backward pass if it learns.

    2 x parameters x tokens, and twice as many backwards; embeddings are looked up.  Kaplan et al. (2020),
    Scaling Laws for Neural Language Models, section 2.1.
    """
    if model not in _parameters:
        named = model.named_parameters()
        _parameters[model] = sum(each.numel() for name, each in named if "embeddings" not in name)
    passes = 3 if sys.modules["torch"].is_grad_enabled() else 1
    _flops[0] += 2.0 * _parameters[model] * tokens * passes


@contextmanager
def timed(log: str | Path) -> Iterator[None]:
    """Write what this process takes from here on, with the children that it has waited for.

    CPU seconds are user and system; GPU seconds are wall seconds times GPUs, busy or not.  An attempt that
    did not end well stays in the sum of the next one at the same work: the same settings and code.
    """
    file, work = timing_file(log), _work()
    before = _recorded(file, work=work, finished=False) or dict.fromkeys(AMOUNTS, 0.0)
    begun = _used()
    ended, finished = threading.Event(), False

    def write(finished: bool) -> None:
        used = [now - then for now, then in zip(_used(), begun, strict=True)]
        total = {name: round(before[name] + seconds, 3) for name, seconds in zip(AMOUNTS, used, strict=True)}
        draft = file.with_name(f"{file.name}.{os.getpid()}")
        with suppress(OSError):  # on a full disk, the error of the job itself is clearer
            draft.write_text(json.dumps({"work": work, "finished": finished, **total}) + "\n")
            draft.replace(file)

    def watch() -> None:
        while not ended.wait(SECONDS_BETWEEN):
            write(finished=False)

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
        finished = True
    except SystemExit as end:  # how the launcher of several processes ends
        finished = not end.code
        raise
    finally:
        ended.set()
        watcher.join()
        write(finished)


def read_timing(file: str | Path) -> dict[str, float] | None:
    """Return {amount: seconds} of a job; None if there is no file, or its last attempt did not end well."""
    return _recorded(Path(file), finished=True)


def _work() -> str:
    """Return a digest of what this job is to make, as far as its script knows it."""
    params = getattr(getattr(sys.modules["__main__"], "snakemake", None), "params", {})
    return digest(*(str(params.get(name)) for name in ("settings", "code")))


def _recorded(file: Path, **expected: object) -> dict[str, float] | None:
    """Return {amount: seconds} of a file if it can be read and says what is wanted."""
    with suppress(OSError, ValueError, KeyError):
        record = json.loads(file.read_text())
        if all(record[name] == value for name, value in expected.items()):
            return {name: float(record.get(name, nan)) for name in AMOUNTS}  # older ones lack flops
    return None


def _used() -> tuple[float, float, float, float]:
    """Return wall, CPU and GPU seconds, and operations; wall seconds count from an arbitrary time."""
    now, times = time.monotonic(), os.times()
    cpu = times.user + times.system + times.children_user + times.children_system
    gpu = max((count * (now - since) for count, since in _gpus), default=0.0)
    return now, cpu, gpu, _flops[0]
