import json
import os
import shutil
import subprocess
import sys

import pytest
from snakemake.cli import parse_config

from contrapose.base.errors import ConfigError
from contrapose.base.home import HOME
from contrapose.jobs.manifest import made_now
from contrapose.tools import run
from contrapose.tools.arguments import parser_of

PROFILE = ["--workflow-profile", f"{HOME}/profiles/default/profile.yaml"]


@pytest.fixture
def called(monkeypatch, tmp_path):
    """Return what Snakemake is called with; `called.ending` is what its process is told of the end."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(run, "followed", lambda command, **ending: calls.append((command[3:], ending)) or 0)
    monkeypatch.setenv("PATH", os.environ["PATH"])
    calls: list[tuple[list[str], dict[str, str]]] = []

    def call(*arguments: str) -> list[str]:
        run.main(list(arguments))
        command, call.ending = calls.pop()
        return command

    return call


def test_by_default_all_cores_the_workflow_and_the_settings_of_the_package(called):
    settings = ["--configfile", f"{HOME}/config/config.yaml", *PROFILE]
    places = [*settings, "--snakefile", f"{HOME}/Snakefile"]
    assert called("--", "all") == [*["--cores", "all", "--logger", "contrapose"], *places, "--", "all"]


def test_a_folder_with_settings_or_a_workflow_of_its_own_keeps_them(called, tmp_path):
    own = tmp_path / "own"
    (own / "config").mkdir(parents=True)
    (own / "config/config.yaml").write_text("seeds: 1")
    for option in (["--directory", str(own)], [f"--directory={own}"], ["-d", str(own)]):
        assert "--configfile" not in called(*option)
        assert called(*option)[4:8] == [*PROFILE, "--snakefile", f"{HOME}/Snakefile"]
    (own / "Snakefile").write_text("")  # not in the current folder, where Snakemake would look
    assert "--workflow-profile" not in called("--snakefile", "theirs")
    assert called("-d", str(own))[4:6] == ["--snakefile", f"{own}/Snakefile"]


def test_a_folder_that_is_no_project_builds_nothing_without_a_target(called):
    with pytest.raises(ConfigError, match=r"is not a project, .*contrapose run -- thesis"):
        called("--cores", "2")
    assert called("--unlock")


def test_only_a_profile_of_the_folder_that_is_another_than_ours_is_told_to_be_left_out(
    called, tmp_path, capsys
):
    folder = tmp_path / "profiles/default"
    shutil.copytree(HOME / "profiles/default", folder)
    called("--", "all")
    assert capsys.readouterr().err == ""  # as in a clone of the repository
    (folder / "profile.yaml").write_text("cores: 1\n")
    called("--", "all")
    assert capsys.readouterr().err == (
        "profiles/default of this folder is not read, because a Snakemake profile can run code. "
        "If you trust it, name it: --workflow-profile profiles/default\n"
    )
    called("--workflow-profile", "profiles/default", "--", "all")
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(("ends", "code"), [(0, 0), (130, 130), (-9, 137)])
def test_the_exit_code_is_that_of_snakemake(called, monkeypatch, ends, code):
    monkeypatch.setattr(run, "followed", lambda command, **ending: ends)
    assert run.main(["--", "all"]) == code


def test_methods_are_a_setting_of_the_call_spelled_in_words(called, monkeypatch):
    monkeypatch.setattr(run.ConfigFolder, "check_methods", lambda self: None)  # no study has them here
    setting = 'methods=["Dropout", "DINO texts, reweighted"]'
    words = ["--methods", "Dropout", "DINO texts, reweighted"]
    passed = [*["--cores", "2", "--config", "seeds=2", setting], "--", "all"]
    assert called("--config", "seeds=2", *words, "--cores", "2", "--", "all")[-len(passed) :] == passed
    assert called("--methods=Dropout", "--", "all")[-4:] == ["--config", 'methods=["Dropout"]', "--", "all"]
    options = parser_of("plan").parse_args([*words, "--config", "seeds=2", "--", "all"])
    assert (options.config, options.targets) == ([setting, "seeds=2"], ["all"])
    assert parse_config([setting]) == {"methods": ["Dropout", "DINO texts, reweighted"]}


@pytest.mark.parametrize("options", [["-n"], ["--unlock"], ["--touch"]])
def test_the_process_of_snakemake_says_how_a_call_ends_that_builds(called, options):
    called("--config", "llms.chatgpt.model=x", "seeds=2", "--", "thesis")
    (ending,) = called.ending.values()
    assert json.loads(ending) == [".", ["--config", "llms.chatgpt.model=x", "seeds=2", "--", "thesis"]]
    called(*options, "--", "thesis")
    assert called.ending == {}


LOADED = """
import sys
from contrapose.command import main
from contrapose.tools import child
child.subprocess = None  # so that nothing is started
try:
    main(["run", "--", "thesis"])
except AttributeError as error:
    assert "Popen" in str(error)
    print(*sorted({"snakemake", "pandas", "numpy", "pyarrow", "contrapose.project"} & sys.modules.keys()))
"""


def test_what_starts_snakemake_loads_neither_pandas_nor_a_project(tmp_path):
    """Both are loaded by Snakemake's process, too: nobody waits for them twice."""
    first = tmp_path / "results/pairs/first.parquet"
    first.parent.mkdir(parents=True)
    first.touch()
    made_now([first], {"rule": "a", "wildcards": {}, "settings": {}, "code": ""}).write()
    command = [sys.executable, "-c", LOADED]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.stdout, done.returncode) == ("\n", 0), done.stderr
