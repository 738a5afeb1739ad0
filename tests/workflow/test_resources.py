"""Every rule that a cluster runs asks for what its row in `workflow/resources.yaml` says."""

import re

import pytest

from contrapose.project.rules import read_rules
from contrapose.project.steps import STAGES, step_of
from tests.checkout import HOME, forked_snakemake

ROWS = read_rules(HOME / "workflow" / "resources.yaml")
RULE = re.compile(r"^ *rule(?: (\w+))?:\n(.*?)(?=^ *rule\b|\Z)", re.MULTILINE | re.DOTALL)
WORKFLOW = "\n".join(path.read_text() for path in sorted((HOME / "workflow" / "rules").glob("*.smk")))


def test_every_rule_that_a_cluster_runs_asks_by_its_own_name():
    bodies = [(name, body) for name, body in RULE.findall(WORKFLOW) if "script:" in body]
    assert len(bodies) > len(ROWS) / 2
    for name, body in bodies:
        own = name or re.findall(r'name:\s*f?"([^"]+)"', body)[0]
        own = own.removesuffix("{ending}")  # of rules that do the same with other files
        asks = re.findall(r'\*\*(?:resources|asking|encoding|running)_of\(\s*f?"([^"]+)"', body)
        assert asks == ([] if "localrule: True" in body else [own]), name


@pytest.fixture(scope="module")
def rules() -> set[str]:
    known = [
        forked_snakemake(HOME, "--list-rules", "--config", f"catalog={catalog}")
        for catalog in ("mini", "hub")
    ]
    return {rule for done in known for rule in done.stdout.split()}


def test_each_row_is_of_a_rule(rules):
    assert set(ROWS) <= rules | {"pairs", "score", "evaluate"}  # of all strategies, of further steps


def test_verify_knows_each_rule_by_the_name_of_its_results(rules):
    made = {rule for rule in rules if rule.startswith((*STAGES, "pairs_", "report_"))}
    made -= {"pairs_unknown", "report_unknown", "report_unknown_figure"}  # make nothing
    made -= {"mini_encoders", "mini_language_models"}
    assert len(made) > 100
    for rule in made:
        assert callable(step_of(rule).settings), rule


def resources_of_jobs(*config: str) -> list[tuple[str, dict[str, str]]]:
    """Return rule and resources of every job of all studies, from a dry run."""
    done = forked_snakemake(HOME, "--dry-run", "--forceall", "--config", *config)
    _, *parts = re.split(r"^(?:local)?rule (\S+):$", done.stdout, flags=re.MULTILINE)
    found = []
    for rule, body in zip(parts[::2], parts[1::2], strict=True):
        told = re.search(r"^    resources: (.*)$", body, re.MULTILINE)
        found.append((rule, dict(re.findall(r"(\w+)=([^,]*)", told[1])) if told else {}))
    return found


def test_jobs_of_models_ask_for_a_gpu_and_waiting_ones_never():
    jobs = resources_of_jobs("catalog=hub", "device=cuda")
    with_rows = {rule for rule, _ in jobs if ROWS.find(rule)}
    assert {rule for rule, known in jobs if "mem_mb" in known} == with_rows
    assert all("runtime" in known and "gpu" in known for rule, known in jobs if rule in with_rows)
    gpus = {rule for rule, known in jobs if known.get("gpu", "0") != "0"}
    waiting = {rule for rule, known in jobs if "connection" in known}
    assert waiting >= {"generate_paraphrase", "generate_merge", "generate_translate"}
    assert not gpus & waiting
    assert gpus == {rule for rule, _ in jobs if (asked := ROWS.find(rule)) and asked.model}
