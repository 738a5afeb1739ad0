"""The command that writes the folder of a comparison."""

from pathlib import Path

import pytest
import yaml
from huggingface_hub import constants

from contrapose.errors import ConfigError, TableError
from contrapose.project import Project
from contrapose.tools.new import FILES, HOME, WORLD, main, write

SCORED = "sentence1,sentence2,score\nA man sings.,Someone sings.,4.2\n"


def test_a_folder_of_ones_own_files_is_a_project_without_what_is_not_given(tmp_path, monkeypatch, capsys):
    given = {name: tmp_path / f"my {name}" for name in ("sentences", "test", "dev", "pairs")}
    for name, file in given.items():
        file.write_text(SCORED if name in ("test", "dev") else name)
    (tmp_path / "encoder").mkdir()
    (tmp_path / "encoder/config.json").touch()
    options = [part for name, file in given.items() for part in (f"--{name}", str(file))]
    options += ["--embedder", "http://127.0.0.1:9/v1", "--embedder-model", "big-3", "--embedder-key", "A_KEY"]
    main([str(tmp_path / "own"), "--encoder", str(tmp_path / "encoder"), *options])
    for name, file in given.items():
        assert (tmp_path / "own/data" / FILES[name]).read_text() == file.read_text()
    said = capsys.readouterr().out
    assert f"contrapose run --directory {tmp_path / 'own'} -- compare" in said
    assert "Still needed" not in said

    monkeypatch.chdir(tmp_path / "own")
    project = Project(yaml.safe_load((tmp_path / "own/config/config.yaml").read_text()), HOME)
    rows = project.tables["compare_pairs"][1].rows
    lacking = {row.model: why for row in rows if (why := project.runs.missing(row))}
    assert [row.model for row in rows if row.model not in lacking] == [
        *(
            "No training",
            "big-3",
            "Dropout",
            "Word deletion",
            "Span crop",
            "Word repetition",
            "Punctuation",
            "Prefix",
        ),
        *("Word order", "Repeated word pieces and a queue (ESimCSE)"),
        *(
            "Columns cut off and pieces shuffled (ConSERT)",
            "Dropout and mixed negatives (MixCSE)",
            "Own pairs",
        ),
        *("Dropout, average of the seeds", "Dropout, halfway back"),
    ]
    assert "answers.jsonl is missing" in lacking["LLM paraphrases"]
    assert project.llm_requests.embedders == {"theirs": ["own"]}
    journal, reached = project.llm_requests.embedder("theirs")
    assert (journal, reached.entry, reached.key) == ("vectors-theirs-big-3", "encoders.theirs", "A_KEY")


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--embedder", "http://x/v1"], "give both"),
        (["--embedder-model", "m", "--embedder-key", "A"], "give both"),
        (["--embedder", "x", "--embedder-model", "m"], "encoders.theirs.endpoint: 'x' is not a base URL"),
    ],
)
def test_an_embedder_has_an_address_and_a_name(tmp_path, options, says):
    with pytest.raises(ConfigError, match=says):
        main([str(tmp_path / "own"), *options])
    assert not (tmp_path / "own").exists()


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
        (tmp_path / "new", str(tmp_path / "none"), None, None, "is not a folder, and the hub"),
        (tmp_path / "new", str(tmp_path), None, None, "holds no config.json"),
        (tmp_path / "new", "someone/encoder", None, None, "Connection refused"),
        (tmp_path / "new", None, table, None, "is a table. Name the column"),
        (tmp_path / "new", None, table, "words", "no column 'words'.*text, source"),
        (tmp_path / "new", None, Path(__file__), "text", "only for .csv and .parquet files"),
    ):
        with pytest.raises((ConfigError, TableError), match=says):
            write(folder, encoder, {"sentences": file}, column)
    assert list(tmp_path.iterdir()) == [table]


@pytest.mark.parametrize("option", ["test", "dev"])
def test_scored_pairs_that_cannot_be_read_are_refused_at_once(tmp_path, option):
    file = tmp_path / "pairs.csv"
    for text, says in ((SCORED.replace("score", "grade"), "header"), (SCORED + "A,B,high\n", "line 3")):
        file.write_text(text)
        with pytest.raises(TableError, match=f"pairs.csv.*{says}"):
            write(tmp_path / "new", None, {option: file})
    assert list(tmp_path.iterdir()) == [file]


def test_a_column_of_sentences_and_a_hub_encoder_become_entries_of_the_world(tmp_path):
    table, commit = tmp_path / "table.csv", "a" * 40
    table.write_text("text,source\nA line.,one\n")
    write(tmp_path / "own", f"someone/encoder@{commit}", {"sentences": table}, "text", "source")
    world = yaml.safe_load((tmp_path / "own" / WORLD).read_text())
    named = {"path": "sentences.csv", "column": "text", "documents": "source"}
    assert world["sentence_files"]["sentences"] == named
    assert world["encoders"]["mine"] == {"kind": "hub", "model": "someone/encoder", "revision": commit}
    assert (tmp_path / "own/data/sentences.csv").read_text() == table.read_text()
