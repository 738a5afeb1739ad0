"""Every line of left_out.yaml: a row without numbers says what its catalog lacks; nothing is asked for it."""

from pathlib import Path

import pytest
import yaml

from tests.unit.project.conftest import sts

CASES = yaml.safe_load(Path(__file__).with_name("left_out.yaml").read_text())


@pytest.mark.parametrize("case", CASES, ids=[f"{case['row']} {case['says']}"[:90] for case in CASES])
def test_a_row_is_left_out_exactly_where_its_catalog_lacks_something(case, build):
    Path("answers.jsonl").touch()
    project = build({"one": sts(case["row"])}, None, case.get("mini"), case.get("recipes"))
    (row,) = project.about("own_one").rows
    lacking = case["says"]
    assert bool(row.runs) == (not lacking)
    assert not lacking or row.note == f"skipped: {lacking}"
    assert not lacking or project.llm_requests.all() == []
