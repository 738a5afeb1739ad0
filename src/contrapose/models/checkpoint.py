"""The training state in one file, so that a killed run resumes with the same result."""

import hashlib
import json
import logging
import signal
import threading
import time
import zlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any, Protocol

import pandas as pd
import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor, nn
from torch.amp import GradScaler
from torch.optim import Optimizer

from contrapose.base.errors import StoppedError
from contrapose.jobs.processes import is_launched
from contrapose.jobs.stage import Named
from contrapose.jobs.state import alone_in
from contrapose.models.distributed import any_of, is_first, ranks
from contrapose.tables import written

logger = logging.getLogger(__name__)

FILE = "checkpoint.safetensors"
# Prefixes of the tensor names in the file.
ENCODER, OPTIMISER, BEST = "encoder", "optimiser", "best"


@dataclass(frozen=True)
class Checkpoints:
    """Where a training run keeps its checkpoint, and how often it writes one."""

    state: Path  # folder used by this run alone; created if needed
    seconds: float = 60  # between checkpoints; a killed run loses at most this and one step

    @classmethod
    def of(cls, resources: Named) -> "Checkpoints":
        return cls(Path(resources.state), resources.checkpoint_seconds)


@dataclass
class RunProgress:
    """The progress of a training run.  `best` holds the weights of the best step, on the CPU."""

    step: int = 0  # optimiser steps done
    history: list[dict[str, Any]] = field(default_factory=list)  # a row for each step, or epoch
    best_score: float | None = None
    best: dict[str, Tensor] | None = None


class Resumable(Protocol):
    """A training that can go on from a checkpoint."""

    progress: RunProgress
    steps: int  # of the whole run

    def kept(self) -> tuple[nn.Module, Optimizer, GradScaler | None]:
        """Complete the progress, and return all else that a step needs from earlier ones."""


def identity(*parts: str | bytes | Tensor) -> str:
    """Return a digest of everything that a training run starts from."""
    whole = hashlib.sha256()
    for part in parts:
        if isinstance(part, Tensor):
            part = part.detach().cpu().flatten().view(torch.uint8).numpy().tobytes()
        content = part.encode() if isinstance(part, str) else part
        whole.update(len(content).to_bytes(8, "big"))
        whole.update(content)
    return whole.hexdigest()


def training_identity(training: Any, dev: pd.DataFrame | None) -> str:
    """Return the digest of what decides the result of a training; its checkpoints are valid for it only."""
    precisions = f"{training.accelerator.mixed_precision} {training.encoders[0].precision}"
    device = f"{training.accelerator.device.type} {precisions}"
    made_by = f"{training.recipe.model_dump_json()} {training.seed} {torch.__version__} {device} {ranks()}"
    texts = "" if dev is None else dev.to_csv(index=False)
    arrays = (each.tobytes() for each in training.data)
    return identity(made_by, texts, *arrays, *training.weights.state_dict().values())


def copied(tensors: Iterable[tuple[str, Tensor]]) -> dict[str, Tensor]:
    """Return copies on the CPU."""
    return {name: tensor.detach().to("cpu", copy=True).contiguous() for name, tensor in tensors}


def run_steps(
    training: Resumable,
    steps: Iterator[None],
    identity_of: Callable[[], str],
    checkpoints: Checkpoints | None,
) -> None:
    """Run the steps that remain after the checkpoint, and save a new checkpoint now and then.

    `steps` does one step each time `next` is called, starting from the current progress.  `identity_of` gives
    the `identity` of everything that decides the result; checkpoints with another one are ignored.  Waits
    while another job uses the same folder.  Raises StoppedError after SIGTERM or Ctrl-C; the checkpoint has
    then been written, if the disk allowed it.
    """
    if checkpoints is None:
        deque(steps, maxlen=0)
        return
    who = identity_of()
    with ExitStack() as stack:
        if is_first():
            stack.enter_context(alone_in(checkpoints.state))
        any_of(False)  # the others wait here
        requested = stack.enter_context(stop_requested())  # before the log says that the training resumes
        training.progress = resumed(checkpoints.state, who, *training.kept())
        writer = CheckpointWriter(checkpoints.state, who, stack.enter_context(ThreadPoolExecutor(1)))
        saved = time.monotonic()
        for _ in steps:
            stopped = any_of(bool(requested()))  # all processes end after the same step
            if stopped or time.monotonic() - saved >= checkpoints.seconds:
                kept = training.kept()
                if is_first():
                    writer.save(training.progress, *kept)
                saved = time.monotonic()
            if stopped:
                saves = "is saved" if not is_first() or writer.wait() else "could not be saved (see above)"
                any_of(stopped)  # the others wait here: if one fails, the launcher ends all
                step, why = training.progress.step, requested() or "another process"
                raise StoppedError(
                    f"{why}: training stopped after step {step} of {training.steps}, and its state "
                    f"{saves}. Run the same command again to resume from the last checkpoint."
                )
        writer.wait()


@contextmanager
def stop_requested() -> Iterator[Callable[[], str]]:
    """Yield a function that returns which signal to stop was received; it ends nothing meanwhile.

    A scheduler sends SIGTERM some time before a time limit or a preemption, and then kills the job; Ctrl-C is
    SIGINT, and ends the process the second time.  Outside the main thread, where Python cannot handle
    signals, the function always returns "", as it does before a signal.
    """
    if threading.current_thread() is not threading.main_thread():
        yield lambda: ""
        return
    requested: list[str] = []

    def hear(number: int, frame: FrameType | None) -> None:
        requested.append(signal.Signals(number).name)
        if number == signal.SIGINT and not is_launched():  # a launcher repeats it
            signal.signal(signal.SIGINT, signal.default_int_handler)

    before = {number: signal.signal(number, hear) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield lambda: requested[0] if requested else ""
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class CheckpointWriter:
    """Writes checkpoints in the background: training waits for a copy of the tensors, not for the disk.

    A checkpoint is about four times the size of the weights, and its copy takes as much memory until it is
    written.  Only one is written at a time; the next waits for it.  No result depends on a checkpoint, so if
    the disk is full, the writer logs a warning and keeps the previous one.
    """

    def __init__(self, state: Path, who: str, thread: ThreadPoolExecutor) -> None:
        self.state, self.who = state, who
        self._thread = thread  # at its end it finishes the checkpoint being written
        self._writing: Future[bool] | None = None
        self._warned = False

    def save(
        self, progress: RunProgress, encoder: nn.Module, optimiser: Optimizer, scaler: GradScaler | None
    ) -> None:
        self.wait()
        tensors, facts = _snapshot(self.who, progress, encoder, optimiser, scaler)
        self._writing = self._thread.submit(self._write, tensors, facts)

    def wait(self) -> bool:
        return self._writing is not None and self._writing.result()

    def _write(self, tensors: dict[str, Tensor], facts: str) -> bool:
        try:
            write_checkpoint(self.state, tensors, facts)
        except (OSError, SafetensorError) as error:  # safetensors raises its own error for a full disk
            if not self._warned:
                logger.warning(
                    "%s could not be written (%s). Training continues, but if it is killed, "
                        "everything since the last checkpoint is lost. Free disk space or change the "
                        "permissions of the folder; the next checkpoint is tried again.",
                    self.state / FILE, error,
                )  # fmt: skip
            self._warned = True
            return False
        self._warned = False
        return True


def _snapshot(
    who: str, progress: RunProgress, encoder: nn.Module, optimiser: Optimizer, scaler: GradScaler | None
) -> tuple[dict[str, Tensor], str]:
    """Return copies of a checkpoint's tensors, and the rest of it as JSON; later steps change neither."""
    tensors = {f"{ENCODER}.{name}": each for name, each in copied(encoder.state_dict().items()).items()}
    for number, moments in optimiser.state_dict()["state"].items():
        for name, each in copied(moments.items()).items():
            tensors[f"{OPTIMISER}.{number}.{name}"] = each
    for name, each in (progress.best or {}).items():
        tensors[f"{BEST}.{name}"] = each
    facts = {
        "who": who,
        "step": progress.step,
        "history": progress.history,
        "best_score": progress.best_score,
        "scaler": scaler.state_dict() if scaler is not None else None,
    }
    return tensors, json.dumps(facts)


def write_checkpoint(state: Path, tensors: dict[str, Tensor], facts: str) -> None:
    """Write a checkpoint atomically."""
    with written(state / FILE) as draft:
        save_file(tensors, draft, metadata={"facts": facts, "sum": _sum(tensors, facts)})


def _sum(tensors: dict[str, Tensor], facts: str) -> str:
    """Return the CRC-32 of a checkpoint: it finds each flipped bit, at a fraction of the time of SHA-256."""
    whole = zlib.crc32(facts.encode())
    for name in sorted(tensors):
        content = tensors[name].contiguous().flatten().view(torch.uint8).numpy().tobytes()
        whole = zlib.crc32(content, zlib.crc32(name.encode(), whole))
    return str(whole)


def resumed(
    state: Path, who: str, encoder: nn.Module, optimiser: Optimizer, scaler: GradScaler | None
) -> RunProgress:
    """Restore the last checkpoint of this run from `state`; without one, the progress is at step 0.

    Also removes files that killed processes left half written, on other machines too: see `alone_in`.
    """
    for leftover in state.glob(f".{FILE}.*.draft"):
        leftover.unlink(missing_ok=True)
    if not (state / FILE).is_file():
        return RunProgress()
    try:
        with safe_open(state / FILE, framework="pt") as file:
            metadata = file.metadata()
            facts = json.loads(metadata["facts"])
            tensors = {name: file.get_tensor(name) for name in file.keys()} if facts["who"] == who else {}  # noqa: SIM118
        if tensors and _sum(tensors, metadata["facts"]) != metadata["sum"]:
            raise ValueError("its content has changed since it was written")
    except (SafetensorError, OSError, KeyError, ValueError, TypeError) as error:
        logger.warning("%s cannot be used (%s), so training starts from the beginning", state / FILE, error)
        return RunProgress()
    if not tensors:
        logger.warning(
            "%s belongs to a training with other data or settings, so training starts from the beginning",
            state / FILE,
        )
        return RunProgress()
    encoder.load_state_dict(_under(ENCODER, tensors))
    moments: dict[int, dict[str, Tensor]] = {}
    for name, each in _under(OPTIMISER, tensors).items():
        number, kind = name.split(".", 1)
        moments.setdefault(int(number), {})[kind] = each
    optimiser.load_state_dict({"state": moments, "param_groups": optimiser.state_dict()["param_groups"]})
    if scaler is not None:
        scaler.load_state_dict(facts["scaler"])
    logger.info("resuming after step %d", facts["step"])
    return RunProgress(facts["step"], facts["history"], facts["best_score"], _under(BEST, tensors) or None)


def _under(first: str, tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    return {name[len(first) + 1 :]: each for name, each in tensors.items() if name.startswith(f"{first}.")}
