"""Tests on a SLURM: `make test-cluster`.  `make test` skips them."""

import os
from collections.abc import Iterator

import pytest

from tests.checkout import TARGET, Checkout, checkout
from tests.cluster.one_node import NoCluster, one_node
from tests.cluster.study import submitted


@pytest.fixture(scope="session")
def slurm() -> Iterator[None]:
    """Have a SLURM that takes jobs, for as long as the tests run."""
    if not os.environ.get("CONTRAPOSE_CLUSTER"):
        pytest.skip("they need a SLURM, as root: make test-cluster")
    try:
        with one_node():
            yield
    except NoCluster as reason:
        pytest.fail(str(reason))


@pytest.fixture(scope="session")
def built(slurm: None, tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """The small project with one table, built through the profile.  Whoever changes it brings it back."""
    project = checkout(tmp_path_factory.mktemp("cluster"))
    submitted(project, TARGET)
    return project
