"""What the rules of the workflow ask a cluster for."""

import re

import pytest

from contrapose.forecast.needs import RULES
from tests.checkout import HOME, forked_snakemake

RULE = re.compile(r"^ *rule (\w+):\n(.*?)(?=^ *rule \w+:$|\Z)", re.MULTILINE | re.DOTALL)
WORKFLOW = "\n".join(path.read_text() for path in sorted((HOME / "workflow" / "rules").glob("*.smk")))
BODIES = dict(RULE.findall(WORKFLOW))
JOBS = {name: body for name, body in BODIES.items() if "script:" in body and "localrule: True" not in body}


def test_every_rule_that_a_cluster_runs_asks_by_its_own_name_and_no_other_does():
    asking = {name: re.findall(r"\*\*needs_of\(\"(\w+)\"\)", body) for name, body in BODIES.items()}
    assert {name: found for name, found in asking.items() if found} == {name: [name] for name in JOBS}
    assert set(JOBS) == RULES


def resources_of_jobs(*config: str) -> list[tuple[str, dict[str, str]]]:
    """Return rule and resources of every job of all studies, from a dry run."""
    done = forked_snakemake(HOME, "--dry-run", "--forceall", "--config", *config)
    _, *parts = re.split(r"^(?:local)?rule (\S+):$", done.stdout, flags=re.MULTILINE)
    found = []
    for rule, body in zip(parts[::2], parts[1::2], strict=True):
        told = re.search(r"^    resources: (.*)$", body, re.MULTILINE)
        known = dict(re.findall(r"(\w+)=([^,]*)", told[1])) if told else {}
        threads = re.search(r"^    threads: (\d+)$", body, re.MULTILINE)
        found.append((rule, known | {"threads": threads[1] if threads else "1"}))
    return found


@pytest.mark.parametrize(
    ("config", "with_gpu"),
    [
        (("world=hub", "device=cuda"), {"train_encoder", "evaluate_run", "generate_dino"}),
        (("world=mini",), set()),
    ],
)
def test_jobs_of_models_ask_for_a_gpu_where_it_pays_and_jobs_that_wait_for_an_api_never(config, with_gpu):
    jobs = resources_of_jobs(*config)
    gpus = {rule for rule, known in jobs if known.get("gpu", "0") != "0"}
    waiting = {rule for rule, known in jobs if "connection" in known}
    assert waiting >= {"generate_paraphrase", "generate_merge", "generate_translate"}
    assert not gpus & waiting
    assert with_gpu <= gpus
    if not with_gpu:  # a laptop runs the mini world as it did before jobs said what they need
        assert not gpus
        assert {known["threads"] for _, known in jobs} == {"1"}
    assert all(int(known["mem_mb"]) >= 1000 for rule, known in jobs if rule in RULES)
