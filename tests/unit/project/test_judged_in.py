from pathlib import Path

import pytest

from contrapose.project import Project
from contrapose.project.pages import claims_job

HOME = Path(__file__).parents[3]


@pytest.mark.parametrize(
    ("config", "judged"),
    [({"catalog": "mini"}, False), ({"catalog": "files"}, False), ({"catalog": "hub"}, True)],
)
def test_claims_about_prompts_need_a_language_model_that_follows_them(config, judged, tmp_path):
    data = {"data": str(tmp_path)} if config["catalog"] == "files" else {}
    not_judged = claims_job(Project({**config, "studies": ["thesis"], **data}, HOME), "thesis").not_judged
    assert ("thesis_03" not in not_judged) == judged
    assert "thesis_08" not in not_judged


def test_a_model_behind_an_endpoint_of_ones_own_follows_prompts(tmp_path):
    config = {"catalog": "files", "studies": ["thesis"], "data": str(tmp_path)}
    config["endpoint"] = "http://localhost:8000/v1"
    assert claims_job(Project(config, HOME), "thesis").not_judged == []
