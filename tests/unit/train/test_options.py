"""What a job of training takes from its resources."""

from types import SimpleNamespace

import pytest
import torch

from contrapose.train.training import _options


class Resources(dict):
    """Resources of a job, as Snakemake gives them: by attribute, or with `get` those that some rules lack."""

    __getattr__ = dict.__getitem__


@pytest.mark.parametrize(("given", "expected"), [({"gradient_checkpointing": 1}, True), ({}, False)])
def test_gradient_checkpointing_is_that_of_the_config(given, expected, tmp_path):
    given |= {"device": "cpu", "processes": 1, "state": tmp_path, "checkpoint_seconds": 9}
    job = SimpleNamespace(resources=Resources(given), threads=torch.get_num_threads())
    assert _options(SimpleNamespace(precision="float32"), job).recompute is expected
