"""The command that writes the folder of a comparison."""

import pytest
import yaml

from contrapose.errors import ConfigError
from contrapose.project import Project
from contrapose.tools.new import FILES, HOME, main, write


def test_a_folder_with_files_of_ones_own_is_a_project_that_leaves_out_what_is_not_given(
    tmp_path, monkeypatch, capsys
):
    given = {}
    for name in ("sentences", "test", "dev", "pairs"):
        given[name] = tmp_path / f"my {name}"
        given[name].write_text(name)
    (tmp_path / "encoder").mkdir()
    options = [part for name, file in given.items() for part in (f"--{name}", str(file))]
    main([str(tmp_path / "own"), "--encoder", str(tmp_path / "encoder"), *options])
    for name, file in given.items():
        assert (tmp_path / "own/data" / FILES[name]).read_text() == file.read_text()
    said = capsys.readouterr().out
    assert f"snakemake --directory {tmp_path / 'own'} --cores 2 -- compare" in said
    assert "Put there" not in said

    monkeypatch.chdir(tmp_path / "own")
    project = Project(yaml.safe_load((tmp_path / "own/config/config.yaml").read_text()), HOME)
    rows = {row.model: project.runs.missing(row) for row in project.tables["compare_pairs"][1].rows}
    lacking = {model: why for model, why in rows.items() if why}
    assert set(lacking) == {
        *("Next sentence", "Dictionary", "LLM paraphrases", "LLM paraphrases and LLM negatives"),
        *("LLM paraphrases and mined negatives", "DINO texts", "DINO texts, reweighted (RISE)"),
        "Back-translation",
    }
    assert "answers.jsonl is not there" in lacking["LLM paraphrases"]


def test_what_is_still_to_be_put_there_is_named(tmp_path, capsys):
    main([str(tmp_path / "own")])
    assert "data/sentences.txt, data/test_pairs/dev.csv, data/test_pairs/test.csv" in capsys.readouterr().out


def test_nothing_is_written_over_and_nothing_half(tmp_path):
    for folder, encoder, file, says in (
        (tmp_path, "encoders/mine", None, "is there already"),
        (tmp_path / "new", "encoders/mine", tmp_path / "none.txt", "none.txt is no file"),
        (tmp_path / "new", str(tmp_path / "none"), None, "is no folder"),
    ):
        with pytest.raises(ConfigError, match=says):
            write(folder, encoder, {"sentences": file})
    assert not list(tmp_path.iterdir())
