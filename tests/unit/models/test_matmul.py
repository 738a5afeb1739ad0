import json
import logging
from unittest.mock import Mock

import pytest
import torch

from contrapose.base.errors import ConfigError
from contrapose.models import matmul
from contrapose.models.matmul import Backend, Seconds, has_bf16, matmul_backend, onednn_works

SLOWER = {"pytorch": 1.0, "onednn": 1.4, "bf16": 0.9}  # seconds
FASTER = {"pytorch": 1.9, "onednn": 1.0, "bf16": 0.5}
PYTORCH, ONEDNN = Backend(onednn=False, bf16=False), Backend(onednn=True, bf16=True)


@pytest.fixture(autouse=True)
def measurements(tmp_path, monkeypatch, caplog):
    """Nothing is decided or remembered yet.  Give the list of what measuring finds, one after the other."""
    monkeypatch.delenv("CONTRAPOSE_MATMUL_BACKEND", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    caplog.set_level(logging.INFO)
    seconds = []
    monkeypatch.setattr(matmul, "measured", lambda: Seconds(**seconds.pop(0)))
    threads = torch.get_num_threads()
    forget()
    yield seconds
    forget()
    torch.set_num_threads(threads)


def forget():
    """As in another process."""
    matmul._backend.cache_clear()
    onednn_works.cache_clear()


def file(tmp_path):
    return next((tmp_path / "contrapose").iterdir())


def test_the_operation_of_onednn_is_right_in_the_tested_pytorch():
    # It is not public.  If a new version lacks it, results stay and training on AVX-512 takes longer.
    assert onednn_works() == torch.backends.mkldnn.is_available()


def test_bf16_is_measured_only_where_the_processor_has_it(monkeypatch):
    monkeypatch.undo()
    monkeypatch.setattr(matmul, "SHAPES", ((8, 4, 6),))
    for instructions, expected in (("avx512_f", False), ("avx512_bf16", True), ("amx_bf16", True)):
        monkeypatch.setattr(torch.cpu, "get_capabilities", lambda name=instructions: {name: True})
        monkeypatch.setattr(torch.ops.mkldnn, "_is_mkldnn_bf16_supported", lambda: True, raising=False)
        assert has_bf16() == expected
        assert (matmul.measured().bf16 is not None) == expected
    monkeypatch.delattr(torch.cpu, "get_capabilities")  # another version of PyTorch
    assert not has_bf16()


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        ({"pytorch": 1.24, "onednn": 1.0}, PYTORCH),
        ({"pytorch": 1.25, "onednn": 1.0}, Backend(onednn=True, bf16=False)),
        ({"pytorch": 1.25, "onednn": 1.0, "bf16": 0.81}, Backend(onednn=True, bf16=False)),
        ({"pytorch": 1.0, "onednn": 2.0, "bf16": 0.8}, Backend(onednn=False, bf16=True)),
        ({"pytorch": 1.0, "onednn": 1.0, "bf16": 44.0}, PYTORCH),  # emulated
    ],
)
def test_each_way_needs_a_clear_margin_over_the_ones_before(seconds, expected, measurements, caplog):
    measurements += [seconds]
    assert matmul_backend() == expected
    assert ("precision auto is bf16" in caplog.text) == expected.bf16


CHANGES = {
    "none": lambda patch: None,
    "processor": lambda patch: patch.setattr(matmul, "PROCESSOR", set()),
    "limit": lambda patch: patch.setenv("ONEDNN_MAX_CPU_ISA", "SSE41"),
    "torch": lambda patch: patch.setattr(torch, "__version__", "2.99"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_a_process_measured_counts_for_all_on_an_equal_machine(
    change, measurements, monkeypatch, tmp_path, caplog
):
    measurements += [FASTER, SLOWER]
    assert matmul_backend() == matmul_backend() == ONEDNN
    assert len(caplog.records) == 1
    assert json.loads(file(tmp_path).read_text()) == FASTER
    forget()
    CHANGES[change](monkeypatch)
    assert matmul_backend() == (ONEDNN if change == "none" else PYTORCH)


@pytest.mark.parametrize(
    ("value", "expected", "measured"),
    [
        ("onednn", Backend(onednn=True, bf16=False), []),
        ("pytorch", PYTORCH, []),
        ("bf16", Backend(onednn=False, bf16=True), [SLOWER]),  # also where it is slower
    ],
)
def test_a_person_can_choose(value, expected, measured, measurements, monkeypatch):
    monkeypatch.setenv("CONTRAPOSE_MATMUL_BACKEND", value)
    measurements += measured
    assert matmul_backend() == expected
    assert measurements == []


def test_an_unknown_value_is_an_error(monkeypatch):
    monkeypatch.setenv("CONTRAPOSE_MATMUL_BACKEND", "onednnn")
    with pytest.raises(ConfigError, match=r"CONTRAPOSE_MATMUL_BACKEND .* Did you mean 'onednn'"):
        matmul_backend()


@pytest.mark.parametrize(
    "operation",
    [
        Mock(side_effect=AttributeError("'mkldnn' object has no attribute '_linear_pointwise'")),
        Mock(side_effect=RuntimeError("missing value for argument")),
        lambda left, right, bias=None: left @ right.t() * 1.01,
        lambda left, right, bias=None: right @ left.t(),
    ],
    ids=["lacks", "wants more", "is wrong", "has another shape"],
)
@pytest.mark.parametrize("wanted", ["", "onednn"])
def test_without_a_right_operation_pytorchs_own_is_used_and_the_log_says_so(
    operation, wanted, monkeypatch, caplog, tmp_path
):
    monkeypatch.setattr(matmul, "onednn_product", operation)
    monkeypatch.setenv("CONTRAPOSE_MATMUL_BACKEND", wanted)
    assert matmul_backend() == matmul_backend() == PYTORCH
    warnings = [each.getMessage() for each in caplog.records if each.levelno == logging.WARNING]
    assert len(warnings) == 1
    assert "PyTorch's own is used" in warnings[0]
    assert list(tmp_path.iterdir()) == []
