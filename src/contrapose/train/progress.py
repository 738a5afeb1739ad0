"""Progress messages of a training run."""

import logging
import math
import time
from typing import TYPE_CHECKING

from tqdm import tqdm

from contrapose.train.distributed import is_first

if TYPE_CHECKING:
    from contrapose.train.loop import Training

logger = logging.getLogger(__name__)

SECONDS_BETWEEN_LINES = 5  # of the progress line


class ProgressLogger:
    """The progress line, with rates since this process began."""

    def __init__(self, training: "Training") -> None:
        self.training = training
        self.progress = progress = training.progress
        self.bar = tqdm(
            total=training.steps,
            initial=progress.step,
            unit="step",
            mininterval=SECONDS_BETWEEN_LINES,
            disable=not is_first(),
            desc="train",
        )
        self.began = time.monotonic()
        self.before = progress.history[-1] if progress.history else {"sentences": 0, "tokens": 0}
        self.loss = ""

    def log(self) -> None:
        loss = self.progress.history[-1]["loss"]
        if not math.isnan(loss):  # NaN: not read from the device yet
            self.loss = f", loss {loss:.4f}"
        best = self.progress.best_score
        selected = "" if best is None else f", best {self.training.said(best)}"
        self.bar.set_postfix_str(f"{self._rates()}{self.loss}{selected}", refresh=False)
        self.bar.update()

    def sum_up(self) -> None:
        self.bar.close()
        if not is_first():
            return
        if self.progress.history:
            logger.info("%s in %.0f s", self._rates(), time.monotonic() - self.began)
        if self.progress.step < self.training.steps:
            epoch, patience = self.progress.history[-1]["epoch"], self.training.patience
            logger.info(
                "stopped after epoch %d, step %d of %d: no better dev score %d times in a row",
                *(epoch, self.progress.step, self.training.steps, patience),
            )

    def _rates(self) -> str:
        row, seconds = self.progress.history[-1], max(time.monotonic() - self.began, 1e-9)
        sentences, tokens = ((row[unit] - self.before[unit]) / seconds for unit in ("sentences", "tokens"))
        return f"{sentences:.0f} sentences/s, {tokens:.0f} tokens/s"
