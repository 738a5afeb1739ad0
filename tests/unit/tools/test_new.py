"""The command that writes the folder of a comparison."""

from pathlib import Path

import pytest
import yaml
from huggingface_hub import constants

from contrapose.errors import ConfigError, TableError
from contrapose.project import Project
from contrapose.tools.new import FILES, HOME, WORLD, main, write
from contrapose.tools.publish.leaks import machine_paths

ENCODER = HOME / "resources/mini/encoders/bert-base"
SCORED = "sentence1,sentence2,score\n" + "".join(f"A man sings {n}.,Someone sings.,{n}.5\n" for n in range(3))
GIVEN = {
    "sentences": "A man sings.\nSomeone sings.\n",
    "test": SCORED,
    "dev": SCORED.replace("man", "woman"),
    "pairs": "sent0,sent1\nA man sings.,Someone sings.\n",
}


def test_a_folder_of_ones_own_files_is_a_project_without_what_is_not_given(tmp_path, monkeypatch, capsys):
    given = {name: tmp_path / f"my {name}" for name in GIVEN}
    for name, file in given.items():
        file.write_text(GIVEN[name])
    options = [part for name, file in given.items() for part in (f"--{name}", str(file))]
    main([str(tmp_path / "my own"), "--encoder", str(ENCODER), *options])
    for name in given:
        assert (tmp_path / "my own/data" / FILES[name]).read_text() == GIVEN[name]
    said = capsys.readouterr().out
    assert f"contrapose run --directory '{tmp_path / 'my own'}' -- compare" in said
    assert "Still needed" not in said

    monkeypatch.chdir(tmp_path / "my own")
    project = Project(yaml.safe_load(Path("config/config.yaml").read_text()), HOME)
    assert not [text for _, text in machine_paths(project) if text in Path(WORLD).read_text()]
    assert project.encoder("mine").name == "bert-base"
    assert "encoders/bert-base/model.safetensors" in project.encoder("mine").files
    rows = project.tables["compare_pairs"][1].rows
    lacking = {row.model: why for row in rows if (why := project.runs.missing(row))}
    assert [row.model for row in rows if row.model not in lacking] == [
        *("No training", "Dropout", "Word deletion", "Span crop", "Word repetition", "Punctuation", "Prefix"),
        *("Word order", "Repeated word pieces and a queue (ESimCSE)"),
        *(
            "Columns cut off and pieces shuffled (ConSERT)",
            "Dropout and mixed negatives (MixCSE)",
            "Own pairs",
        ),
        *("Dropout, average of the seeds", "Dropout, halfway back"),
    ]
    assert "answers.jsonl is missing" in lacking["LLM paraphrases"]


def test_what_is_still_to_be_put_there_is_named(tmp_path, capsys):
    main([str(tmp_path / "own")])
    assert "data/sentences.txt, data/test_pairs/dev.csv, data/test_pairs/test.csv" in capsys.readouterr().out


def test_nothing_is_written_over_and_nothing_half(tmp_path, monkeypatch):
    monkeypatch.setattr(constants, "ENDPOINT", "http://127.0.0.1:9")  # nobody answers there
    table = tmp_path / "table.csv"
    table.write_text("text,source\nA line.,one\n")
    for folder, encoder, file, column, says in (
        (tmp_path, None, None, None, "already exists"),
        (tmp_path / "new", None, tmp_path / "none.txt", None, "none.txt is not a file"),
        (tmp_path / "new", str(tmp_path / "none"), None, None, "none: is not a folder. Name one"),
        (tmp_path / "new", str(tmp_path), None, None, "has no config.json"),
        (tmp_path / "new", "someone/encoder", None, None, "Connection refused"),
        (tmp_path / "new", None, table, None, "is a table. Name the column"),
        (tmp_path / "new", None, table, "words", "no column 'words'.*text, source"),
        (tmp_path / "new", None, Path(__file__), "text", "only for .csv, .parquet"),
    ):
        with pytest.raises((ConfigError, TableError), match=says):
            write(folder, encoder, {"sentences": file}, column)
    assert list(tmp_path.iterdir()) == [table]


@pytest.mark.parametrize("option", ["test", "dev"])
def test_scored_pairs_that_cannot_be_read_are_refused_at_once(tmp_path, option):
    file = tmp_path / "pairs.csv"
    for text, says in (
        (SCORED.replace("score", "grade"), "no column 'score'"),
        (SCORED + "A,B,high\n", "line 5"),
    ):
        file.write_text(text)
        with pytest.raises(TableError, match=f"pairs.csv.*{says}"):
            write(tmp_path / "new", None, {option: file})
    assert list(tmp_path.iterdir()) == [file]


def test_a_column_of_sentences_and_a_hub_encoder_become_entries_of_the_world(tmp_path):
    table, commit = tmp_path / "table.csv", "a" * 40
    table.write_text("text,source\nA line.,one\nA second.,one\n")
    write(tmp_path / "own", f"someone/encoder@{commit}", {"sentences": table}, "text", "source")
    world = yaml.safe_load((tmp_path / "own" / WORLD).read_text())
    named = {"path": "sentences.csv", "column": "text", "documents": "source"}
    assert world["sentence_files"]["sentences"] == named
    assert world["encoders"]["mine"] == {"kind": "hub", "model": "someone/encoder", "revision": commit}
    assert (tmp_path / "own/data/sentences.csv").read_text() == table.read_text()
