"""The backend of matrix products on a CPU: PyTorch's own or oneDNN in float32, and whether bf16 is faster.

PyTorch's own is MKL (on x86).  Which is fastest depends on the processor (docs/dev/performance.md).  So all
are measured once for each machine, and the result is remembered in a file: equal runs must round alike, also
in another process, and a second measurement could find the opposite of the first.
"""

import functools
import hashlib
import logging
import os
import platform
import time
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import NamedTuple

import torch
from pydantic import Field
from torch import Tensor
from torch.nn import functional

from contrapose.base.errors import SHOWN, unknown
from contrapose.settings.spec import Spec

logger = logging.getLogger(__name__)

VARIABLE = (
    "CONTRAPOSE_MATMUL_BACKEND"  # of the environment: one of BACKENDS; unset or empty, what was measured
)
BACKENDS = ("onednn", "pytorch", "bf16")
# Instructions for products in bf16.  Without them oneDNN emulates: 44 to 499 times slower (pytorch#146508).
BF16 = {"avx512": "avx512_bf16", "amx": "amx_bf16"}
# oneDNN, or bf16, has to be so many times as fast.  Ratios known are below 1.2 or above 2, with AMX above 5
# (docs/dev/performance.md), and repeated measurements on a busy machine vary by 5 %.
MARGIN = 1.25
# Rows, inputs, outputs.  1024 tokens run at once (`PIECE_TOKENS`); 384 is MiniLM's width, 768 that of
# BERT-base and GPT-2.  Larger ones do not fit in a cache of 1 MB, and other programs' work moved their ratio
# by 40 %.
SHAPES = ((1024, 384, 384), (256, 768, 768))
ROUNDS = 7  # of which the fastest counts
CORRECT = 1e-4  # of the largest number: rounding of sums of 48 float32 products makes less than 1e-5
# What tells processors apart; the name alone may be `AMD EPYC` for several generations.
PROCESSOR = {
    "vendor_id", "cpu family", "model", "model name", "stepping", "cache size", "flags",  # x86
    "CPU implementer", "CPU architecture", "CPU variant", "CPU part", "CPU revision", "Features",  # ARM
}  # fmt: skip
# Variables that change what MKL and oneDNN use of a processor.
LIMITS = ("MKL_CBWR", "MKL_ENABLE_INSTRUCTIONS", "ONEDNN_MAX_CPU_ISA", "DNNL_MAX_CPU_ISA")


class Backend(NamedTuple):
    """How matrix products are computed."""

    onednn: bool  # those in float32, instead of PyTorch's own way
    bf16: bool  # where `precision` is auto: in bf16


class Seconds(Spec):
    """What all products measured take, the least of several rounds."""

    pytorch: float = Field(gt=0)
    onednn: float = Field(gt=0)
    bf16: float | None = Field(None, gt=0, description="None: there are no instructions for it")


def onednn_product(left: Tensor, right: Tensor, bias: Tensor | None = None) -> Tensor:
    """Return left (n, k) times the transpose of right (m, k), plus bias (m,): (n, m), through oneDNN.

    PyTorch has no public API for oneDNN in float32; this is the operation that its compiler uses.  Raises
    AttributeError, RuntimeError or TypeError where a version of PyTorch lacks or changes it.
    """
    return torch.ops.mkldnn._linear_pointwise(left, right, bias, "none", [], "")


def matmul_backend() -> Backend:
    """Return how this process computes products, decided and logged by the first call.

    Raises ConfigError if CONTRAPOSE_MATMUL_BACKEND is not one of BACKENDS.
    """
    return _backend(os.environ.get(VARIABLE, ""))


@functools.cache
def _backend(fixed: str) -> Backend:
    if fixed and fixed not in BACKENDS:
        raise unknown(VARIABLE, fixed, BACKENDS)
    backend, why = Backend(onednn=False, bf16=False), f"{VARIABLE}={fixed}"
    if fixed != "pytorch" and not onednn_works():
        why = "oneDNN is not available"
    elif fixed == "onednn":
        backend = Backend(onednn=True, bf16=False)
    elif fixed != "pytorch":
        backend, measured_why = _by_measuring()
        why = f"{why}; {measured_why}" if fixed else measured_why
        backend = Backend(backend.onednn, backend.bf16 or bool(fixed))
    library, auto = ("oneDNN" if backend.onednn else "PyTorch"), ("bf16" if backend.bf16 else "float32")
    logger.info("matrix products on the CPU use %s in float32; precision auto is %s (%s)", library, auto, why)
    return backend


def has_bf16() -> bool:
    """Whether the processor has instructions for products in bf16, and oneDNN may use them."""
    try:
        capabilities = torch.cpu.get_capabilities()
        known = any(capabilities.get(name) for name in BF16.values())
        return known and bool(torch.ops.mkldnn._is_mkldnn_bf16_supported())
    except AttributeError:  # another version of PyTorch
        return False


@functools.cache
@torch.no_grad()
@torch.autocast("cpu", enabled=False)
def onednn_works() -> bool:
    """Whether oneDNN's operation is there and right, for plain and for transposed arguments; logs if not."""
    if not torch.backends.mkldnn.is_available():
        return False
    left, right, bias = _numbers(64, 48), _numbers(32, 48), _numbers(1, 32)[0]
    try:
        for arguments in ((left, right, bias), (left.t(), left.t())):
            expected = functional.linear(*arguments)
            atol = CORRECT * float(expected.abs().max())
            torch.testing.assert_close(onednn_product(*arguments), expected, rtol=0, atol=atol)
    except (AssertionError, AttributeError, RuntimeError, TypeError) as error:
        logger.warning(
            "the product of oneDNN does not work in torch %s (%s: %s), so PyTorch's own is used. It may be "
            "slower. No action is needed",
            torch.__version__,
            type(error).__name__,
            str(error)[:SHOWN],
        )
        return False
    return True


def _by_measuring() -> tuple[Backend, str]:
    """Return the backend from the file of this kind of machine, which the first process writes, and why."""
    threads = torch.get_num_threads()
    try:
        path = _file()
        seconds = _remembered(path)
    except (OSError, RuntimeError) as error:  # such as a user without a home
        # Not measured each time: runs on such a machine would round differently now and then.
        logger.warning(
            "the fastest matrix product is not measured, because the result cannot be stored (%s)", error
        )
        wide = torch.backends.cpu.get_cpu_capability().startswith("AVX512")
        return Backend(wide, has_bf16()), "oneDNN is used with AVX-512, and bf16 with bf16 instructions"
    finally:
        # Also where nothing was measured: it stops MKL from choosing fewer threads, in all processes alike.
        torch.set_num_threads(threads)
    onednn = seconds.pytorch / seconds.onednn
    bf16 = min(seconds.pytorch, seconds.onednn) / (seconds.bf16 or float("inf"))
    why = (
        f"oneDNN has {onednn:.2f} times the speed of PyTorch, and bf16 {bf16:.2f} times that of "
        f"float32; measured once for this machine: {path}"
    )
    return Backend(onednn >= MARGIN, bf16 >= MARGIN), why


def _file() -> Path:
    """Return the file of this kind of machine: nodes of a cluster may share one home."""
    cache = Path(os.environ.get("XDG_CACHE_HOME", ""))  # the XDG specification ignores relative ones
    cores, processor = Path("/proc/cpuinfo"), [platform.processor()]
    if cores.exists():  # Linux
        lines = cores.read_text().partition("\n\n")[0].splitlines()
        processor = [line for line in lines if line.partition(":")[0].strip() in PROCESSOR]
    parts = [
        torch.__version__,
        torch.__config__.show(),  # with the versions of MKL and oneDNN
        *(os.environ.get(name) for name in LIMITS),
        platform.system(),
        platform.machine(),
        processor,
    ]
    digest = hashlib.sha256(repr(parts).encode()).hexdigest()[:16]
    return (cache if cache.is_absolute() else Path.home() / ".cache") / f"contrapose/products-{digest}.json"


def _remembered(path: Path) -> Seconds:
    """Return what a file holds; else measure and write it: of several processes all take the first one's."""
    try:
        return Seconds.model_validate_json(path.read_text())
    except FileNotFoundError:
        path.parent.mkdir(parents=True, exist_ok=True)
    except ValueError:
        logger.warning("%s is damaged and is measured again", path)
        path.unlink(missing_ok=True)
    with NamedTemporaryFile("w", dir=path.parent, suffix=".draft") as draft:  # before measuring in vain
        draft.write(measured().model_dump_json(exclude_none=True))
        draft.flush()
        with suppress(FileExistsError):
            os.link(draft.name, path)  # unlike a rename, replaces nothing
    return Seconds.model_validate_json(path.read_text())


@torch.no_grad()
@torch.autocast("cpu", enabled=False)
def measured() -> Seconds:
    """Return the seconds of each backend for forward pass and gradients over SHAPES: in 0.3 s.

    By one thread and its CPU time: wall time holds the slices that other processes got, and several threads
    wait for each other (on busy cores that gave 1.8 and 3.7 for 1.1).  No random numbers are drawn.
    """
    ways = {"pytorch": (functional.linear, torch.float32), "onednn": (onednn_product, torch.float32)}
    if has_bf16():
        ways["bf16"] = (functional.linear, torch.bfloat16)
    pairs = [pair for shape in SHAPES for pair in operands(*shape)]
    work = {
        (name, at): (product, left.to(dtype), right.to(dtype))
        for at, (left, right) in enumerate(pairs)
        for name, (product, dtype) in ways.items()
    }
    fastest = dict.fromkeys(work, float("inf"))
    torch.set_num_threads(1)  # until `_by_measuring` restores it
    # Rounds are the outer loop, so that a burst of other work does not meet all rounds of a product.
    for number in range(ROUNDS + 1):
        for key, (product, left, right) in work.items():
            start = time.thread_time()
            product(left, right)
            seconds = time.thread_time() - start
            fastest[key] = min(fastest[key], seconds) if number else fastest[key]  # the first one warms up
    return Seconds(**{name: sum(fastest[name, at] for at in range(len(pairs))) for name in ways})


def operands(rows: int, inputs: int, outputs: int) -> list[tuple[Tensor, Tensor]]:
    """Return what a layer multiplies, left (n, k) and right (m, k): forward, and for both gradients."""
    left, weight, above = _numbers(rows, inputs), _numbers(outputs, inputs), _numbers(rows, outputs)
    return [(left, weight), (above, weight.t()), (above.t(), left.t())]


def _numbers(rows: int, columns: int) -> Tensor:
    """Return numbers from -1 to 1: PyTorch's random numbers belong to the training."""
    size = rows * columns
    return torch.linspace(-1, 1, size, dtype=torch.float32, device="cpu").view(rows, columns)
