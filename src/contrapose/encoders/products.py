"""Which way computes the products of linear layers on a CPU: PyTorch's own, oneDNN, or bf16.

PyTorch's own go through MKL (on x86).  Which is fastest depends on the processor: docs/performance.md.  So
all are measured once for each machine, and the result is remembered in a file: equal runs must round
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
WAYS = ("onednn", "pytorch", "bf16")
# Instructions for products in bf16.  Without them oneDNN emulates: 44 to 499 times slower (pytorch#146508).
BF16 = {"avx512": "avx512_bf16", "amx": "amx_bf16"}
# oneDNN, or bf16, has to be so many times as fast.  Ratios known are below 1.2 or above 2, with AMX above 5
# (docs/performance.md), and repeated measurements on a busy machine vary by 5 %.
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


KINDS = ("forward", "input gradient", "weight gradient")  # of products
Seconds = dict[str, float]  # way: of all products measured, the least of several rounds


class Choice(NamedTuple):
    """How products are computed."""

    onednn: bool  # those in float32, instead of PyTorch's own way
    bf16: bool  # where `precision` is auto: in bf16


def onednn_product(left: Tensor, right: Tensor, bias: Tensor | None = None) -> Tensor:
    """Return left (n, k) times the transpose of right (m, k), plus bias (m,): (n, m), through oneDNN.

    PyTorch has no public API for oneDNN in float32; this is the operation that its compiler uses.  Raises
    AttributeError, RuntimeError or TypeError where a version of PyTorch lacks or changes it.
    """
    return torch.ops.mkldnn._linear_pointwise(left, right, bias, "none", [], "")


def choice() -> Choice:
    """Return how this process computes products.

    The first call decides and logs it.  Raises ConfigError if CONTRAPOSE_PRODUCTS is not one of WAYS.
    """
    return _choice(os.environ.get(PRODUCTS, ""))


@functools.cache
def _choice(wanted: str) -> Choice:
    if wanted and wanted not in WAYS:
        raise unknown(PRODUCTS, wanted, WAYS)
    if wanted in ("onednn", "pytorch"):
        found, why = Choice(wanted == "onednn" and onednn_works(), bf16=False), f"{PRODUCTS}={wanted}"
    elif not onednn_works():
        found, why = Choice(onednn=False, bf16=False), "oneDNN is not available"
    else:
        found, why = _by_measuring()
        if wanted:
            found, why = found._replace(bf16=True), f"{PRODUCTS}={wanted}; {why}"
    library = "oneDNN" if found.onednn else "PyTorch"
    auto = "bf16" if found.bf16 else "float32"
    logger.info("matrix products on the CPU: %s in float32, precision auto is %s (%s)", library, auto, why)
    return found


def has_bf16() -> bool:
    """Whether the processor has instructions for products in bf16, and oneDNN may use them."""
    try:
        there = torch.cpu.get_capabilities()
        known = any(there.get(name) for name in BF16.values())
        return known and bool(torch.ops.mkldnn._is_mkldnn_bf16_supported())
    except AttributeError:  # another version of PyTorch
        return False


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
        seconds = _read(path) or _remembered(path)
    except OSError as error:
        # Not measured each time: runs on such a machine would round differently now and then.
        logger.warning("which matrix products are faster cannot be remembered (%s): not measured", error)
        wide = torch.backends.cpu.get_cpu_capability().startswith("AVX512")
        return Choice(wide, has_bf16()), "oneDNN where there is AVX-512, bf16 where there are instructions"
    finally:
        # Also where nothing was measured: it stops MKL from choosing fewer threads, in all processes alike.
        torch.set_num_threads(threads)
    onednn = seconds["pytorch"] / seconds["onednn"]
    bf16 = min(seconds["pytorch"], seconds["onednn"]) / seconds.get("bf16", float("inf"))
    why = (
        f"oneDNN has {onednn:.2f} times PyTorch's rate, bf16 {bf16:.2f} times that of float32, measured once "
        f"for this machine: {path}"
    )
    return Choice(onednn >= MARGIN, bf16 >= MARGIN), why


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


def _read(path: Path) -> Seconds | None:
    """Return what is remembered; None if there is nothing, or a file that is broken and thus removed."""
    try:
        seconds = {way: float(value) for way, value in json.loads(path.read_text()).items()}
        if {"pytorch", "onednn"} <= seconds.keys() and all(
            0 < each < float("inf") for each in seconds.values()
        ):
            return seconds
    except FileNotFoundError:
        return None
    except (ValueError, AttributeError, TypeError):
        pass
    logger.warning("%s is broken and is made again", path)
    path.unlink(missing_ok=True)
    return None


def _remembered(path: Path) -> Seconds:
    """Measure and write a file; of several processes at once, all take what the first one wrote."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with NamedTemporaryFile("w", dir=path.parent, suffix=".draft") as draft:  # before measuring in vain
        json.dump(measured(), draft)
        draft.flush()
        with suppress(FileExistsError):
            os.link(draft.name, path)  # unlike a rename, replaces nothing
    if (seconds := _read(path)) is None:
        raise FileNotFoundError(f"{path} has just been removed")
    return seconds


def measured() -> Seconds:
    """Return the seconds of each way for forward pass and gradients over SHAPES: in 0.3 s.

    By one thread and its CPU time: wall time holds the slices that other processes got, and several threads
    wait for each other (on busy cores that gave 1.8 and 3.7 for 1.1).  No random numbers are drawn.
    """
    ways = {"pytorch": (functional.linear, torch.float32), "onednn": (onednn_product, torch.float32)}
    if has_bf16():
        ways["bf16"] = (functional.linear, torch.bfloat16)
    pairs = [pair for shape in SHAPES for pair in products_of(*shape)]
    work = [
        (way, product, left.to(dtype), right.to(dtype))
        for left, right in pairs
        for way, (product, dtype) in ways.items()
    ]
    fastest = [float("inf")] * len(work)
    torch.set_num_threads(1)  # until `_by_measuring` restores it
    with _undisturbed():
        # Rounds are the outer loop, so that a burst of other work does not meet all rounds of a product.
        for number in range(ROUNDS + 1):
            for at, (_, product, left, right) in enumerate(work):
                start = time.thread_time()
                product(left, right)
                seconds = time.thread_time() - start
                fastest[at] = min(fastest[at], seconds) if number else fastest[at]  # the first one warms up
    return {way: sum(best for best, one in zip(fastest, work, strict=True) if one[0] == way) for way in ways}


def products_of(rows: int, inputs: int, outputs: int) -> list[tuple[Tensor, Tensor]]:
    """Return for each of KINDS what a layer multiplies: left (n, k) and right (m, k)."""
    given, weight, above = _numbers(rows, inputs), _numbers(outputs, inputs), _numbers(rows, outputs)
    return [(given, weight), (above, weight.t()), (above.t(), given.t())]


def _numbers(rows: int, columns: int) -> Tensor:
    """Return numbers from -1 to 1: PyTorch's random numbers belong to the training."""
    size = rows * columns
    return torch.linspace(-1, 1, size, dtype=torch.float32, device="cpu").view(rows, columns)


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Without gradients, and in float32 also where the caller computes in lower precision."""
    with torch.no_grad(), torch.autocast("cpu", enabled=False):
        yield
