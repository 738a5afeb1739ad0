"""Every rule that a cluster runs asks for what its row in `workflow/resources.yaml` says."""

import re

import pytest

from contrapose.resources import read_resources
from tests.checkout import HOME, forked_snakemake

ROWS = read_resources(HOME / "workflow" / "resources.yaml")
RULE = re.compile(r"^(local)?rule (\S+):$", re.MULTILINE)


def test_each_row_is_of_a_rule():
    known = [
        forked_snakemake(HOME, "--list-rules", "--config", f"world={world}") for world in ("mini", "hub")
    ]
    assert set(ROWS) <= {rule for done in known for rule in done.stdout.split()}


def resources_of_jobs(*config: str) -> list[tuple[bool, str, dict[str, str]]]:
    """Return of every job of all studies whether it is local, its rule and its resources, from a dry run."""
    done = forked_snakemake(HOME, "--dry-run", "--forceall", "--config", *config)
    _, *parts = RULE.split(done.stdout)
    found = []
    for local, rule, body in zip(parts[::3], parts[1::3], parts[2::3], strict=True):
        told = re.search(r"^    resources: (.*)$", body, re.MULTILINE)
        found.append((bool(local), rule, dict(re.findall(r"(\w+)=([^,]*)", told[1])) if told else {}))
    return found


@pytest.mark.parametrize("device", ["cuda", "cpu"])
def test_jobs_of_models_ask_for_a_gpu_unless_they_are_for_a_cpu_and_jobs_that_wait_for_an_api_never(device):
    jobs = resources_of_jobs("world=hub", f"device={device}")
    assert {rule for local, rule, _ in jobs if not local} <= set(ROWS)
    assert all({"mem_mb", "runtime", "gpu"} <= set(known) for local, _, known in jobs if not local)
    gpus = {rule for _, rule, known in jobs if known.get("gpu", "0") != "0"}
    waiting = {rule for _, rule, known in jobs if "connection" in known}
    assert waiting >= {"generate_paraphrase", "generate_merge", "generate_translate"}
    assert not gpus & waiting
    assert gpus == (
        {rule for _, rule, _ in jobs if rule in ROWS and ROWS[rule].model} if device == "cuda" else set()
    )
