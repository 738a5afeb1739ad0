import errno
import json
import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest
import torch
from safetensors import SafetensorError
from safetensors.torch import save_file
from torch import Tensor, nn

from contrapose.base.errors import StoppedError
from contrapose.models import checkpoint
from contrapose.models.checkpoint import (
    FILE,
    Checkpoints,
    CheckpointWriter,
    RunProgress,
    run_steps,
    stop_requested,
)

STEPS = 6
NEVER = 1e9  # seconds


class Scaler:
    """The part of a gradient scaler that a checkpoint holds."""

    scale = 1.0

    def state_dict(self) -> dict[str, float]:
        return {"scale": self.scale}

    def load_state_dict(self, state: dict[str, float]) -> None:
        self.scale = state["scale"]


class Training:
    """A training that notes which of its steps ran in this life."""

    steps = STEPS

    def __init__(self) -> None:
        torch.manual_seed(0)
        self.model = nn.Linear(2, 1)
        self.optimiser = torch.optim.AdamW(self.model.parameters(), lr=0.1)
        self.scaler = Scaler()
        self.progress = RunProgress()
        self.ran: list[int] = []

    def kept(self) -> tuple[nn.Module, torch.optim.Optimizer, Scaler]:
        return self.model, self.optimiser, self.scaler

    def outcome(self) -> tuple[object, ...]:
        """Return all that a kill must not change."""
        tensors = [*self.model.parameters(), self.progress.best["weight"], self.progress.best["bias"]]
        return [each.tolist() for each in tensors], self.scaler.scale, self.progress.history

    def step(self) -> None:
        step = self.progress.step = self.progress.step + 1
        self.optimiser.zero_grad()
        (self.model(torch.tensor([1.0, step])) - 3).square().sum().backward()
        self.optimiser.step()
        self.scaler.scale *= 2
        self.progress.history.append({"step": step})
        if step == 2:
            self.progress.best_score = 0.5
            self.progress.best = checkpoint.copied(self.model.named_parameters())
        self.ran.append(step)

    def run(self, state: Path, seconds: float = 0, at: int = 0, event: Any = None) -> None:
        """Do the steps that a checkpoint leaves; something happens at the beginning of one of them."""

        def steps() -> Iterator[None]:
            while self.progress.step < STEPS:
                if self.progress.step + 1 == at:
                    event()
                self.step()
                yield

        run_steps(self, steps(), lambda: "who", Checkpoints(state, seconds))


def sigterm() -> None:
    os.kill(os.getpid(), signal.SIGTERM)


def train(*where_and_when: Any) -> Training:
    training = Training()
    training.run(*where_and_when)
    return training


@pytest.mark.parametrize("after", [1, 3])  # before and after the best step
def test_a_training_that_is_asked_to_stop_goes_on_to_the_same_end(after, tmp_path):
    whole = train(tmp_path / "whole")
    assert whole.progress.best_score == 0.5
    with pytest.raises(StoppedError, match=f"stopped after step {after} of {STEPS}"):
        train(tmp_path / "stopped", NEVER, after, sigterm)
    again = train(tmp_path / "stopped")
    assert again.ran == list(range(after + 1, STEPS + 1))
    assert again.outcome() == whole.outcome()
    assert again.progress.best_score == 0.5


def test_a_checkpoint_is_written_now_and_then(tmp_path, monkeypatch):
    training, saved = Training(), []
    clock = SimpleNamespace(monotonic=lambda: float(training.progress.step))
    monkeypatch.setattr(checkpoint, "time", clock)
    monkeypatch.setattr(CheckpointWriter, "save", lambda _, progress, *rest: saved.append(progress.step))
    training.run(tmp_path, 2)
    assert saved == [2, 4, 6]


FULL = [
    OSError(errno.ENOSPC, "No space left on device"),
    SafetensorError("I/O error: No space left on device"),
]


@pytest.mark.parametrize("error", FULL, ids=["of the system", "of safetensors"])
def test_a_full_disk_is_reported_once_and_the_next_checkpoint_tried(
    error: Exception, tmp_path: Path, monkeypatch, caplog
):
    whole = train(tmp_path / "whole").outcome()
    saved, disk = [], checkpoint.save_file

    def save(tensors: dict[str, Tensor], draft: Path, metadata: dict[str, str]) -> None:
        disk(tensors, draft, metadata)
        step = json.loads(metadata["facts"])["step"]
        if step in (2, 3, 5):  # half of it is there
            raise error
        saved.append(step)

    monkeypatch.setattr(checkpoint, "save_file", save)
    assert train(tmp_path / "full").outcome() == whole
    assert saved == [1, 4, 6]
    assert caplog.text.count("No space left") == 2  # steps 2 and 3, and step 5
    assert caplog.text.count("Training continues") == 2
    assert not list(tmp_path.glob("full/*.draft"))


def test_a_stop_without_a_new_checkpoint_leaves_the_one_before(tmp_path: Path, monkeypatch):
    def half(_, draft: Path, metadata: dict[str, str]) -> None:
        draft.write_bytes(b"half")
        raise FULL[0]

    with pytest.raises(RuntimeError, match="crash"):
        train(tmp_path, 0, 3, Mock(side_effect=RuntimeError("crash")))
    with monkeypatch.context() as full:
        full.setattr(checkpoint, "save_file", half)
        with pytest.raises(StoppedError, match="after step 4 of 6, and its state could not be saved"):
            train(tmp_path, NEVER, 4, sigterm)
    killed = tmp_path / f".{FILE}.node7-17.draft"
    killed.touch()
    assert train(tmp_path).ran == [3, 4, 5, 6]
    assert not killed.exists()


@pytest.mark.parametrize(
    "facts", ["torn", None, {"a": "b"}, {"facts": "{"}, {"facts": "{}"}, {"facts": '{"who": "another"}'}]
)
def test_a_file_that_is_no_checkpoint_of_this_training_is_not_used(facts, tmp_path, caplog):
    undisturbed = train(tmp_path / "other").outcome()
    if facts == "torn":
        (tmp_path / FILE).write_bytes(b"torn")
    else:
        save_file({"encoder.weight": torch.ones(1, 2)}, tmp_path / FILE, metadata=facts)
    assert train(tmp_path, NEVER).outcome() == undisturbed
    assert "so training starts from the beginning" in caplog.text


def test_a_flipped_bit_anywhere_in_a_checkpoint_changes_no_result(tmp_path):
    undisturbed = train(tmp_path / "other").outcome()
    with pytest.raises(StoppedError):
        train(tmp_path, NEVER, 3, sigterm)
    whole = (tmp_path / FILE).read_bytes()
    for at in range(len(whole)):
        flipped = bytearray(whole)
        flipped[at] ^= 1 << at % 8
        (tmp_path / FILE).write_bytes(flipped)
        assert train(tmp_path, NEVER).outcome() == undisturbed


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_is_caught_in_the_main_thread_while_awaited(number):
    before, heard = signal.getsignal(number), []

    def ask() -> None:
        with stop_requested() as asked:
            heard.append(asked())

    with stop_requested() as asked:
        assert not asked()
        os.kill(os.getpid(), number)
        assert asked() == number.name
        if number == signal.SIGINT:
            with pytest.raises(KeyboardInterrupt):  # the second one is for the process
                os.kill(os.getpid(), number)
    assert signal.getsignal(number) is before
    thread = threading.Thread(target=ask)
    thread.start()
    thread.join()
    assert heard == [""]
