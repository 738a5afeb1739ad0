"""What a rule uses of the catalog, by its row in `workflow/resources.yaml`."""

import ast
import re
from itertools import chain
from typing import get_args

import pytest

from contrapose.base.errors import ConfigError
from contrapose.project import Project
from contrapose.project.rules import LOCAL, Need, WorkKind
from contrapose.tools.model_work import WORKS
from tests.checkout import HOME


@pytest.mark.parametrize(
    ("rule", "wildcards", "need"),
    [
        ("corpus_punkt", {}, Need("punkt")),
        ("retrieve_naive", {}, Need("suites", "english")),
        ("retrieve_dev", {"task": "stsb"}, Need("suites", "english")),
        ("retrieve_rinna", {"section": "encoders", "role": "rinna"}, Need("encoders", "rinna")),
        ("score_neighbours", {"scorer": "bert-base"}, Need("encoders", "bert-base")),
        ("score_parascores_of_pairs", {"scorer": "bert-base"}, Need("encoders", "bert-base")),
        ("train_encoder", {"recipe": "simcse+encoder=roberta-base"}, Need("encoders", "roberta-base")),
        ("generate_dino", {"texts": "dino-qqp"}, Need("language_models", "gpt2-xl")),
    ],
)
def test_wildcards_and_keys_of_the_entries_that_they_name_say_what_a_job_uses(rule, wildcards, need):
    project = Project({}, HOME)
    assert project.rules.of(rule).used(project, wildcards) == need


def test_an_unknown_name_is_refused_with_those_that_there_are():
    project = Project({}, HOME)
    with pytest.raises(ConfigError, match=r"synthetic of config/recipes.yaml has no entry 'x'. .*Known: "):
        project.rules.of("generate_dino").used(project, {"texts": "x"})


def test_a_rule_that_uses_nothing_says_that_its_row_lacks_it():
    project = Project({}, HOME)
    assert project.rules.of("report_claims_table") is LOCAL
    with pytest.raises(ConfigError, match="its row has no `uses`"):
        LOCAL.used(project, {})


def test_each_kind_of_work_has_its_estimate():
    assert WORKS.keys() == {*get_args(WorkKind)}


RULES = [file.read_text() for file in sorted((HOME / "workflow/rules").glob("*.smk"))]
BLOCK = re.compile(r"^rule (\w+):\n((?:[ \n].*\n?)*)", re.M)  # up to the next line that is not indented
BLOCKS = {name: block for text in RULES for name, block in BLOCK.findall(text)}


def test_a_rule_is_named_in_its_row_and_in_itself_and_nowhere_else():
    names = {*BLOCKS, *(rule for rule in Project({}, HOME).rules if "_" in rule)}
    assert len(BLOCKS) > 30  # the others are made in loops
    trees = (ast.parse(file.read_text()) for file in (HOME / "src").rglob("*.py"))
    constants = (node.value for node in chain(*map(ast.walk, trees)) if isinstance(node, ast.Constant))
    assert names.intersection(filter(lambda value: isinstance(value, str), constants)) == set()
    for name in BLOCKS:
        quoted = sum(len(re.findall(rf'["\']{name}["\']', text)) for text in RULES)
        assert quoted == len(re.findall(rf'["\']{name}["\']', BLOCKS[name])), name
