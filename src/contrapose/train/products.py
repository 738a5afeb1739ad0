"""Which library computes the products of linear layers in float32 on a CPU: PyTorch's own, or oneDNN.

PyTorch's own go through MKL (on x86).  Which is faster depends on the processor: docs/performance.md.  So
both are measured once for each machine, and the result is remembered in a file: equal runs must round
equally, also in another process, and a second measurement could find the opposite of the first.
"""

import functools
import hashlib
import json
import logging
import os
import platform
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

from contrapose.errors import SHOWN, unknown

logger = logging.getLogger(__name__)

PRODUCTS = "CONTRAPOSE_PRODUCTS"  # environment variable: one of WAYS; unset or empty, what was measured
WAYS = ("onednn", "pytorch")
# oneDNN has to be so many times as fast.  Ratios known are below 1.2 or above 2 (docs/performance.md), and
# repeated measurements on a busy machine vary by 5 %, so a ratio near this bound is rare.
MARGIN = 1.25
# Rows, inputs, outputs.  1024 tokens run at once (`PIECE_TOKENS`); 384 is MiniLM's width, 768 that of
# BERT-base and GPT-2.  Larger ones do not fit in a cache of 1 MB, and other programs' work moved their ratio
# by 40 %.
SHAPES = ((1024, 384, 384), (256, 768, 768))
ROUNDS = 7  # of which the fastest counts
CORRECT = 1e-4  # of the largest number: rounding of sums of 48 float32 products makes less than 1e-5
# What tells processors apart; the name alone may be `AMD EPYC` for several generations.
PROCESSOR = {
    *("vendor_id", "cpu family", "model", "model name", "stepping", "cache size", "flags"),  # x86
    *("CPU implementer", "CPU architecture", "CPU variant", "CPU part", "CPU revision", "Features"),  # ARM
}
# Variables that change what MKL and oneDNN use of a processor.
LIMITS = ("MKL_CBWR", "MKL_ENABLE_INSTRUCTIONS", "ONEDNN_MAX_CPU_ISA", "DNNL_MAX_CPU_ISA")


class Choice(NamedTuple):
    """Which products of a linear layer go through oneDNN."""

    forward: bool
    inputs: bool  # the gradient of the inputs
    weight: bool  # the gradient of the weight


ALL_PYTORCH, ALL_ONEDNN = Choice(False, False, False), Choice(True, True, True)
KINDS = dict(zip(Choice._fields, ("forward", "input gradient", "weight gradient"), strict=True))
Ratios = dict[str, float]  # kind, a key of KINDS: PyTorch's time / oneDNN's


def onednn_product(left: Tensor, right: Tensor, bias: Tensor | None = None) -> Tensor:
    """Return left (n, k) times the transpose of right (m, k), plus bias (m,): (n, m), through oneDNN.

    PyTorch has no public API for oneDNN in float32; this is the operation that its compiler uses.  Raises
    AttributeError, RuntimeError or TypeError where a version of PyTorch lacks or changes it.
    """
    return torch.ops.mkldnn._linear_pointwise(left, right, bias, "none", [], "")


def choice() -> Choice:
    """Return which products go through oneDNN in this process.

    The first call decides and logs it.  Raises ConfigError if CONTRAPOSE_PRODUCTS is not one of WAYS.
    """
    return _choice(os.environ.get(PRODUCTS, ""))


@functools.cache
def _choice(wanted: str) -> Choice:
    if wanted and wanted not in WAYS:
        raise unknown(PRODUCTS, wanted, WAYS)
    if wanted != "pytorch" and not onednn_works():
        found, why = ALL_PYTORCH, "oneDNN is not available"
    elif wanted:
        found, why = ALL_ONEDNN if wanted == "onednn" else ALL_PYTORCH, f"{PRODUCTS}={wanted}"
    else:
        found, why = _by_measuring()
    ways = ", ".join(f"{KINDS[kind]} {'oneDNN' if at else 'PyTorch'}" for kind, at in found._asdict().items())
    logger.info("matrix products on the CPU: %s (%s)", ways, why)
    return found


@functools.cache
def onednn_works() -> bool:
    """Whether oneDNN's operation is there and right, for plain and for transposed arguments; logs if not."""
    if not torch.backends.mkldnn.is_available():
        return False
    left, right, bias = _numbers(64, 48), _numbers(32, 48), _numbers(1, 32)[0]
    wrong = "gives wrong numbers"
    try:
        with _undisturbed():
            found = onednn_product(left, right, bias), onednn_product(left.t(), left.t())
            expected = functional.linear(left, right, bias), left.t() @ left
        works = all(_close(*pair) for pair in zip(found, expected, strict=True))
    except (AttributeError, RuntimeError, TypeError) as error:
        works, wrong = False, f"does not work ({type(error).__name__}: {str(error)[:SHOWN]})"
    if not works:
        logger.warning("oneDNN's product %s in torch %s: PyTorch's own is used", wrong, torch.__version__)
    return works


def _close(found: Tensor, expected: Tensor) -> bool:
    if found.shape != expected.shape:
        return False
    return bool((found - expected).abs().max() <= CORRECT * expected.abs().max())


def _by_measuring() -> tuple[Choice, str]:
    """Return the choice from the file of this kind of machine, which the first process writes, and why."""
    threads = torch.get_num_threads()
    try:
        path = _folder() / f"products-{_machine()}.json"
        ratios = _read(path) or _remembered(path)
    except OSError as error:
        # Not measured each time: runs on such a machine would round differently now and then.
        logger.warning("which matrix products are faster cannot be remembered (%s): not measured", error)
        wide = torch.backends.cpu.get_cpu_capability().startswith("AVX512")
        return ALL_ONEDNN if wide else ALL_PYTORCH, "oneDNN where there is AVX-512"
    finally:
        # Also where nothing was measured: it stops MKL from choosing fewer threads, in all processes alike.
        torch.set_num_threads(threads)
    shown = ", ".join(f"{ratio:.2f}" for ratio in ratios.values())
    return (
        Choice(**{kind: ratio >= MARGIN for kind, ratio in ratios.items()}),
        f"oneDNN has {shown} times PyTorch's rate, measured once for this machine: {path}",
    )


def _folder() -> Path:
    own = Path(os.environ.get("XDG_CACHE_HOME", ""))  # the XDG specification ignores relative ones
    if own.is_absolute():
        return own / "contrapose"
    try:
        return Path.home() / ".cache" / "contrapose"
    except RuntimeError as error:  # a user whom the system does not know
        raise FileNotFoundError(str(error)) from error


def _machine() -> str:
    """Return a digest of all that the rates depend on: nodes of a cluster may share one home."""
    parts = [
        *(torch.__version__, torch.__config__.show()),  # with the versions of MKL and oneDNN
        *(os.environ.get(name) for name in LIMITS),
        *(platform.system(), platform.machine(), _processor()),
    ]
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]


def _processor() -> list[str]:
    try:
        first = Path("/proc/cpuinfo").read_text().partition("\n\n")[0]
    except OSError:  # not Linux
        return [platform.processor()]
    return [line for line in first.splitlines() if line.partition(":")[0].strip() in PROCESSOR]


def _read(path: Path) -> Ratios | None:
    """Return what is remembered; None if there is nothing, or a file that is broken and thus removed."""
    try:
        ratios = {kind: float(json.loads(path.read_text())[kind]) for kind in KINDS}
        if all(0 < ratio < float("inf") for ratio in ratios.values()):
            return ratios
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError):
        pass
    logger.warning("%s is broken and is made again", path)
    path.unlink(missing_ok=True)
    return None


def _remembered(path: Path) -> Ratios:
    """Measure and write a file; of several processes at once, all take what the first one wrote."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with NamedTemporaryFile("w", dir=path.parent, suffix=".draft") as draft:  # before measuring in vain
        json.dump(measured(), draft)
        draft.flush()
        with suppress(FileExistsError):
            os.link(draft.name, path)  # unlike a rename, replaces nothing
    if (ratios := _read(path)) is None:
        raise FileNotFoundError(f"{path} has just been removed")
    return ratios


def measured() -> Ratios:
    """Return PyTorch's time / oneDNN's for each kind, over SHAPES: in 0.3 s, without random numbers.

    By one thread and its CPU time: wall time holds the slices that other processes got, and several threads
    wait for each other (on busy cores that gave 1.8 and 3.7 for 1.1).
    """
    work = [(kind, *pair) for shape in SHAPES for kind, pair in _products_of(*shape).items()]
    fastest = [[float("inf")] * 2 for _ in work]  # seconds: PyTorch's own, oneDNN
    torch.set_num_threads(1)  # until `_by_measuring` restores it
    with _undisturbed():
        # Rounds are the outer loop, so that a burst of other work does not meet all rounds of a product.
        for number in range(ROUNDS + 1):
            for (_, left, right), best in zip(work, fastest, strict=True):
                for at, product in enumerate((functional.linear, onednn_product)):
                    start = time.thread_time()
                    product(left, right)
                    seconds = time.thread_time() - start
                    best[at] = min(best[at], seconds) if number else best[at]  # the first one warms up
    sums = {kind: [0.0, 0.0] for kind in KINDS}
    for (kind, *_), best in zip(work, fastest, strict=True):
        sums[kind] = [before + own for before, own in zip(sums[kind], best, strict=True)]
    return {kind: pytorch / onednn for kind, (pytorch, onednn) in sums.items()}


def _products_of(rows: int, inputs: int, outputs: int) -> dict[str, tuple[Tensor, Tensor]]:
    """Return for each kind what a layer multiplies: left (n, k) and right (m, k)."""
    given, weight, above = _numbers(rows, inputs), _numbers(outputs, inputs), _numbers(rows, outputs)
    pairs = ((given, weight), (above, weight.t()), (above.t(), given.t()))
    return dict(zip(KINDS, pairs, strict=True))


def _numbers(rows: int, columns: int) -> Tensor:
    """Return numbers from -1 to 1: PyTorch's random numbers belong to the training."""
    size = rows * columns
    return torch.linspace(-1, 1, size, dtype=torch.float32, device="cpu").view(rows, columns)


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Without gradients, and in float32 also where the caller computes in lower precision."""
    with torch.no_grad(), torch.autocast("cpu", enabled=False):
        yield
