"""Which library computes matrix products: measured once for each machine and remembered."""

import itertools
import json
import logging
import os

import pytest
import torch

from contrapose.errors import ConfigError
from contrapose.train import products
from contrapose.train.products import ALL_ONEDNN, ALL_PYTORCH, KINDS, Choice, choice, onednn_works

SLOWER, FASTER = dict.fromkeys(KINDS, 0.7), dict.fromkeys(KINDS, 1.9)


@pytest.fixture(autouse=True)
def measurements(tmp_path, monkeypatch, caplog):
    """Nothing is decided or remembered yet.  Give the list of what measuring finds, one after the other."""
    monkeypatch.delenv("CONTRAPOSE_PRODUCTS", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    caplog.set_level(logging.INFO)
    found = []
    monkeypatch.setattr(products, "measured", lambda: found.pop(0))
    threads = torch.get_num_threads()
    forget()
    yield found
    forget()
    torch.set_num_threads(threads)


def forget():
    """As in another process."""
    products._choice.cache_clear()
    onednn_works.cache_clear()


def file(tmp_path):
    return next((tmp_path / "contrapose").iterdir())


def test_the_operation_of_onednn_is_right_in_the_tested_pytorch():
    # It is not public.  If a new version lacks it, results stay and training on AVX-512 takes longer.
    assert onednn_works() == torch.backends.mkldnn.is_available()


def test_a_measurement_says_how_many_times_as_fast_onednn_is(monkeypatch):
    monkeypatch.undo()  # the real one
    monkeypatch.setattr(products, "SHAPES", ((8, 4, 6),))
    seconds = itertools.accumulate(itertools.cycle([0, 3, 0, 2]))  # 3 for PyTorch, 2 for oneDNN
    monkeypatch.setattr(products.time, "thread_time", lambda: next(seconds))
    state = torch.get_rng_state()
    with torch.autocast("cpu", torch.bfloat16):
        found = products.measured()
    assert found == dict.fromkeys(KINDS, 1.5)
    assert torch.equal(torch.get_rng_state(), state)  # a training's


def test_the_number_of_threads_stays(monkeypatch):
    monkeypatch.setattr(products, "measured", lambda: torch.set_num_threads(1) or FASTER)
    torch.set_num_threads(2)
    choice()
    assert torch.get_num_threads() == 2


def test_onednn_needs_a_clear_margin_for_each_kind_by_itself(measurements, caplog):
    measurements += [{"forward": 1.24, "inputs": 1.25, "weight": 0.9}]
    assert choice() == Choice(forward=False, inputs=True, weight=False)
    assert "forward PyTorch, input gradient oneDNN, weight gradient PyTorch" in caplog.text
    assert "1.24, 1.25, 0.90" in caplog.text


def test_a_process_decides_and_logs_once(measurements, caplog):
    measurements += [FASTER]
    assert choice() == choice() == ALL_ONEDNN
    assert len(caplog.records) == 1


def test_all_processes_take_what_the_first_one_measured(measurements, tmp_path):
    measurements += [FASTER, SLOWER]
    for _ in range(2):
        assert choice() == ALL_ONEDNN
        forget()
    assert measurements == [SLOWER]
    assert json.loads(file(tmp_path).read_text()) == FASTER


def test_of_processes_that_measure_at_once_the_first_to_write_wins(measurements, tmp_path, monkeypatch):
    def overtaken():
        monkeypatch.setattr(products, "measured", lambda: FASTER)
        products._remembered(path)
        return SLOWER

    path = tmp_path / "products.json"
    monkeypatch.setattr(products, "measured", overtaken)
    assert products._remembered(path) == FASTER
    assert list(tmp_path.iterdir()) == [path]  # no draft is left


@pytest.mark.parametrize("change", ["processor", "limit", "torch"])
def test_another_machine_is_measured_anew(change, measurements, monkeypatch):
    measurements += [FASTER, SLOWER]
    assert choice() == ALL_ONEDNN
    forget()
    if change == "processor":
        monkeypatch.setattr(products, "_processor", lambda: ["model name : another"])
    elif change == "limit":
        monkeypatch.setenv("ONEDNN_MAX_CPU_ISA", "SSE41")
    else:
        monkeypatch.setattr(torch, "__version__", "2.99")
    assert choice() == ALL_PYTORCH


@pytest.mark.parametrize("text", ["", "{", "[1]", "{}", '{"forward": 1.9}', '{"forward": "fast"}', "null"])
def test_a_broken_file_is_measured_again(text, measurements, tmp_path, caplog):
    measurements += [FASTER, SLOWER]
    choice()
    file(tmp_path).write_text(text)
    forget()
    assert choice() == ALL_PYTORCH
    assert "is broken and is made again" in caplog.text
    assert json.loads(file(tmp_path).read_text()) == SLOWER


def test_numbers_that_are_no_ratios_are_broken_too(tmp_path):
    for wrong in (float("nan"), 0.0, -1.0, float("inf")):
        (tmp_path / "a.json").write_text(json.dumps(FASTER | {"weight": wrong}))
        assert products._read(tmp_path / "a.json") is None


@pytest.mark.parametrize(("capability", "expected"), [("AVX512", ALL_ONEDNN), ("AVX2", ALL_PYTORCH)])
def test_what_cannot_be_remembered_is_not_measured(capability, expected, measurements, monkeypatch, caplog):
    monkeypatch.setenv("XDG_CACHE_HOME", os.devnull)  # no folder can be made there, not even by root
    monkeypatch.setattr(torch.backends.cpu, "get_cpu_capability", lambda: capability)
    assert choice() == expected
    assert "cannot be remembered" in caplog.text


def test_the_folder_is_in_the_users_cache(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    for cache in ("", "relative"):
        monkeypatch.setenv("XDG_CACHE_HOME", cache)
        assert products._folder() == tmp_path / ".cache/contrapose"


@pytest.mark.parametrize(("value", "expected"), [("onednn", ALL_ONEDNN), ("pytorch", ALL_PYTORCH)])
def test_a_person_can_choose(value, expected, monkeypatch, tmp_path):
    monkeypatch.setenv("CONTRAPOSE_PRODUCTS", value)
    assert choice() == expected
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_value_is_an_error(monkeypatch):
    monkeypatch.setenv("CONTRAPOSE_PRODUCTS", "onednnn")
    with pytest.raises(ConfigError, match=r"CONTRAPOSE_PRODUCTS .* Did you mean 'onednn'"):
        choice()


def lacks(*_):
    raise AttributeError("'_OpNamespace' 'mkldnn' object has no attribute '_linear_pointwise'")


def wants_more(*_):
    raise RuntimeError("missing value for argument")


def is_wrong(left, right, bias=None):
    return left @ right.t() * 1.01


def has_another_shape(left, right, bias=None):
    return right @ left.t()


@pytest.mark.parametrize("operation", [lacks, wants_more, is_wrong, has_another_shape])
@pytest.mark.parametrize("wanted", ["", "onednn"])
def test_without_a_right_operation_pytorchs_own_is_used_and_the_log_says_so(
    operation, wanted, monkeypatch, caplog, tmp_path
):
    monkeypatch.setattr(products, "onednn_product", operation)
    monkeypatch.setenv("CONTRAPOSE_PRODUCTS", wanted)
    assert choice() == choice() == ALL_PYTORCH
    warnings = [each.getMessage() for each in caplog.records if each.levelno == logging.WARNING]
    assert len(warnings) == 1
    assert "PyTorch's own is used" in warnings[0]
    assert list(tmp_path.iterdir()) == []
