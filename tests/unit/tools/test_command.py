import re
from contextlib import suppress

import pytest

from contrapose.command import VERBS, main
from tests.checkout import HOME


@pytest.mark.parametrize("verb", VERBS)
def test_each_verb_says_how_it_is_called(verb, capsys):
    with pytest.raises(SystemExit) as ended:
        main([verb, "--help"])
    assert not ended.value.code
    assert f"usage: contrapose {verb} " in capsys.readouterr().out


@pytest.mark.parametrize("verb", VERBS)
def test_each_verb_has_a_directory_spelled_alike(verb, capsys):
    words = {"batch": ["read"], "journal": ["inspect"]}.get(verb, [])
    with suppress(SystemExit):
        main([verb, *words, "--help"])
    assert re.search("-d(?: DIR)?, --directory DIR", capsys.readouterr().out)


def test_what_can_be_built_has_a_line_each_in_any_folder(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with suppress(SystemExit):
        main(["list", "--directory", str(HOME / "examples/wiki")])
    lines = capsys.readouterr().out.splitlines()
    assert sum(line.startswith("compare: ") for line in lines) == 1
    assert sum(line.startswith("  results/tables/compare_pairs.csv") for line in lines) == 1
    assert max(map(len, lines)) <= 110


def test_an_unknown_verb_and_an_error_end_in_one_sentence(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for call, says in (
        (["rum"], "Did you mean 'run'?"),
        (["plan", "--config", "world=moon", "--", "thesis"], "worlds has no entry 'moon'"),
        (["plan", "--directory", "nowhere"], "--directory nowhere: is not a folder."),
        (["plan"], "is not a project, as it has no config/config.yaml"),
        (["check"], "contrapose check -- thesis"),
        (["report"], "is not a project"),
        (["publish"], "contains no table"),
    ):
        with pytest.raises(SystemExit) as ended:
            main(call)
        assert ended.value.code == 1
        said = capsys.readouterr().err
        assert says in said
        assert "Traceback" not in said
