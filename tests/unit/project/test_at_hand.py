import os
import sys

import pytest

from contrapose.project import Project
from contrapose.project.at_hand import at_hand, offered, project_of_workflow
from contrapose.tools.command_line import project_of
from contrapose.tools.dry_run import planned_jobs
from tests.checkout import HOME

CONFIG = {"studies": ["esimcse"]}


def test_a_workflow_takes_the_project_that_is_offered_only_if_all_that_it_is_made_of_is_equal(tmp_path):
    project = Project(CONFIG, HOME)
    with offered(project):
        assert project_of_workflow(dict(CONFIG), HOME, "results") is project
        elsewhere = project_of_workflow(CONFIG, HOME, "other")
        assert (elsewhere is project, elsewhere.results) == (False, "other")
        assert at_hand() is elsewhere
    assert at_hand() is None
    with offered(project):
        assert project_of_workflow(CONFIG | {"seeds": 2}, HOME, "results").seeds == [42, 43]


@pytest.mark.parametrize("config", [[], ["seeds=2", "llms.chatgpt.model=x", "pathvars={results: there}"]])
def test_planning_reads_the_settings_once(tmp_path, monkeypatch, config):
    monkeypatch.chdir(tmp_path)
    project, read = project_of(["studies=[esimcse]", *config]), []
    monkeypatch.setattr(Project, "__init__", lambda self, *_: read.append(self))
    before = dict(os.environ), [*sys.path]
    assert planned_jobs(project, ["esimcse"])
    assert (dict(os.environ), sys.path) == before
    assert read == []
