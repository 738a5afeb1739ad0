import pytest

from contrapose.command import VERBS, main


def test_without_arguments_all_verbs_are_listed(capsys):
    main([])
    listed = capsys.readouterr().out
    assert all(f"\n  {verb} " in listed for verb in VERBS)


@pytest.mark.parametrize("verb", VERBS)
def test_each_verb_says_how_it_is_called(verb, capsys):
    with pytest.raises(SystemExit) as ended:
        main([verb, "--help"])
    assert not ended.value.code
    assert f"usage: contrapose {verb} " in capsys.readouterr().out


def test_an_unknown_verb_and_an_error_end_in_one_sentence(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for call, says in (
        (["rum"], "Did you mean 'run'?"),
        (["plan", "--config", "world=moon"], "worlds has no entry 'moon'"),
        (["publish"], "contains no table"),
    ):
        with pytest.raises(SystemExit) as ended:
            main(call)
        assert ended.value.code == 1
        said = capsys.readouterr().err
        assert says in said
        assert "Traceback" not in said
