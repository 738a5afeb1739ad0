import csv
import json
from pathlib import Path

import pytest
import yaml
from huggingface_hub import constants

from contrapose.base.errors import ConfigError, TableError
from contrapose.project import Project
from contrapose.report.row_runs import missing
from contrapose.tools import new_settings
from contrapose.tools.new import CATALOG, FILES, HOME, main, write
from contrapose.tools.new_settings import given_embedder, names_apart
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
    options += [
        "--embedding-endpoint",
        "http://127.0.0.1:9/v1",
        "--embedding-model",
        "big-3",
        "--embedding-key",
        "A_KEY",
    ]
    main([str(tmp_path / "my own"), "--encoder", str(ENCODER), *options])
    for name in given:
        assert (tmp_path / "my own/data" / FILES[name]).read_text() == GIVEN[name]
    said = capsys.readouterr().out
    assert f"contrapose run --directory '{tmp_path / 'my own'}' -- compare" in said
    assert "Still needed" not in said

    monkeypatch.chdir(tmp_path / "my own")
    project = Project(yaml.safe_load(Path("config/config.yaml").read_text()), HOME)
    assert not [text for _, text in machine_paths(project) if text in Path(CATALOG).read_text()]
    assert project.encoder("mine").name == "bert-base"
    assert "encoders/bert-base/model.safetensors" in project.encoder("mine").files
    rows = project.tables["compare_pairs"][1].rows
    lacking = {row.model: why for row in rows if (why := missing(project, row))}
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
        *("Word shuffling", "Token repetition + momentum queue (ESimCSE)"),
        *(
            "Feature cutoff + token shuffling (ConSERT)",
            "Mixed negatives (MixCSE)",
            "Own pairs",
        ),
        *("Dropout model soup", "Dropout weight interpolation"),
    ]
    assert "answers.jsonl is missing" in lacking["LLM paraphrases"]
    assert project.llm_requests.embedders == {"theirs": ["own"]}
    journal, reached = project.llm_requests.embedder("theirs")
    assert (journal, reached.entry, reached.key) == ("vectors-theirs-big-3", "encoders.theirs", "A_KEY")


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--embedding-endpoint", "http://x/v1"], "Give both"),
        (["--embedding-model", "m", "--embedding-key", "A"], "Give both"),
        (
            ["--embedding-endpoint", "x", "--embedding-model", "m"],
            "encoders.theirs.endpoint: 'x' is not a base URL",
        ),
    ],
)
def test_an_embedder_has_an_address_and_a_name(tmp_path, options, says):
    with pytest.raises(ConfigError, match=says):
        main([str(tmp_path / "own"), *options])
    assert not (tmp_path / "own").exists()


def test_an_option_that_is_given_twice_is_refused(tmp_path, capsys):
    with pytest.raises(SystemExit):
        main([str(tmp_path / "mine"), "--retention-test", "a.csv", "--retention-test", "b.csv"])
    assert "--retention-test can be given only once" in capsys.readouterr().err


def test_nothing_is_written_over_and_nothing_half(tmp_path, monkeypatch):
    monkeypatch.setattr(constants, "ENDPOINT", "http://127.0.0.1:9")  # nobody answers there
    table = tmp_path / "table.csv"
    table.write_text("text,source\nA line.,one\n")
    for folder, encoder, file, column, says in (
        (tmp_path, None, None, None, "already exists"),
        (
            table / "new",
            None,
            None,
            None,
            r"table.csv/new: this folder cannot be created \(Not a directory\)",
        ),
        (
            tmp_path / "new",
            None,
            tmp_path / "none.txt",
            None,
            r"^--sentences .*none\.txt: there is no such file\. Give the path",
        ),
        (tmp_path / "new", str(tmp_path / "none"), None, None, r"is not a folder\. Name the folder"),
        (tmp_path / "new", str(tmp_path), None, None, "has no config.json"),
        (tmp_path / "new", "someone/encoder", None, None, "Connection refused"),
        (tmp_path / "new", None, table, None, "is a table. Name the column"),
        (
            tmp_path / "new",
            None,
            table,
            "words",
            r"text, source\. Correct --column or --documents, or the first line of the file\.$",
        ),
        (tmp_path / "new", None, Path(__file__), "text", r"only for tables \(\.csv, \.parquet"),
    ):
        with pytest.raises((ConfigError, TableError), match=says):
            write(folder, encoder, {"sentences": file}, column)
    assert list(tmp_path.iterdir()) == [table]


def test_a_column_of_sentences_and_a_hub_encoder_become_entries_of_the_catalog(tmp_path):
    table, commit = tmp_path / "table.csv", "a" * 40
    table.write_text("text,source\nA line.,one\nA second.,two\n")
    write(tmp_path / "own", f"someone/encoder@{commit}", {"sentences": table}, "text", "source")
    catalog = yaml.safe_load((tmp_path / "own" / CATALOG).read_text())
    named = {"path": "sentences.csv", "column": "text", "documents": "source"}
    assert catalog["sentence_files"]["sentences"] == named
    assert catalog["encoders"]["mine"] == {"kind": "hub", "model": "someone/encoder", "revision": commit}
    assert (tmp_path / "own/data/sentences.csv").read_text() == table.read_text()


def test_general_pairs_are_a_column_beside_and_the_learning_curve_has_shares_of_rows(tmp_path, monkeypatch):
    files = {name: tmp_path / f"{name}.csv" for name in ("test", "more", "dev", "STS-B")}
    for file in files.values():
        file.write_text(SCORED)
    files["dev"].write_text(GIVEN["dev"])
    lines, encoder = tmp_path / "sentences.txt", f"someone/encoder@{'a' * 40}"
    lines.write_text("A line.\nAnother.\n")
    given = {"sentences": lines, "test": files["test"], "dev": files["dev"], "general": files["STS-B"]}
    write(tmp_path / "own", encoder, given, more_tests=[files["more"]])
    assert (tmp_path / "own/data/general/test.csv").read_text() == SCORED
    monkeypatch.chdir(tmp_path / "own")
    config = yaml.safe_load(Path("config/config.yaml").read_text())

    def project(*rows):
        return Project({**config, "seeds": 1, "learning_curve_methods": list(rows)}, HOME)

    curve = project("Word deletion")
    for name in ("compare_pairs", "more_sentences"):
        columns = curve.tables[name][1].score_columns
        assert [(each.name, each.task) for each in columns] == [
            *(("test", "own"), ("more", "own_2"), ("STS-B", "own_5"))
        ]
    assert {row.label: row.runs for row in curve.about("more_sentences").rows} == {
        "No training": ["released/mine/auto"],
        "Dropout: 25 %": ["dropout/compare+train_fraction=0.25/seed42"],
        "Dropout: 50 %": ["dropout/compare+train_fraction=0.5/seed42"],
        "Dropout: 100 %": ["dropout/compare/seed42"],  # that of compare
        "Word deletion: 25 %": ["deletion/compare+train_fraction=0.25/seed42"],
        "Word deletion: 50 %": ["deletion/compare+train_fraction=0.5/seed42"],
        "Word deletion: 100 %": ["deletion/compare/seed42"],
    }
    assert "likely too high" in " ".join(curve.about("more_sentences").notes)
    assert "likely too high" not in " ".join(project().about("more_sentences").notes)
    for wrong, says in (
        ("Word deletio", "Word deletion"),
        ("Dropout weight interpolation", "weight_average"),
    ):
        with pytest.raises(ConfigError, match=f"sentences.rows: .*{says}"):
            project(wrong)
    with pytest.raises(ConfigError, match="5 files are given, but at most 4 are possible"):
        write(tmp_path / "many", encoder, given, more_tests=[files["more"]] * 4)


@pytest.mark.parametrize(
    ("files", "taken", "names"),
    [
        (["a/test.csv", "b/test.csv", "b/dev.csv"], [], ["a/test", "b/test", "dev"]),
        (["a/test.csv", "b/a/test.csv", "c/x.csv"], [], ["a/test", "a/test 2", "x"]),
        (["t.csv", "t.csv", "t.tsv"], [], ["here/t", "here/t 2", "here/t 3"]),
        (["caf\u00e9.csv", "x/cafe\u0301.csv"], [], ["here/caf\u00e9", "x/cafe\u0301"]),
        (["Test pairs.csv"], ["Test pairs"], ["Test pairs 2"]),
        (["work.csv", "Avg..csv"], [], ["work", "Avg."]),
    ],
)
def test_files_of_one_name_become_columns_of_different_names(tmp_path, monkeypatch, files, taken, names):
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    assert names_apart([Path(file) for file in files], taken) == names


def test_an_embedder_that_is_called_like_a_row_of_ours_is_another_row(tmp_path):
    embedder = given_embedder("http://127.0.0.1:9/v1", "Dropout", None)
    write(tmp_path / "new", None, {}, embedder=embedder)
    study = yaml.safe_load((tmp_path / "new/config/studies/compare/study.yaml").read_text())
    models = [row["model"] for row in study["tables"]["pairs"]["rows"]]
    assert models[:3] == ["No training", "Dropout (endpoint)", "Dropout"]


def test_two_test_files_of_one_name_are_two_columns_and_names_may_be_any_text(tmp_path):
    pairs = "sentence1,sentence2,score\na,b,1\nc,d,2\ne,f,3\n"
    for folder, name in (("a", "test"), ("b", "test"), ("c", "a: {b}, '\U0001f600' \"c\" #d")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / f"{name}.csv").write_text(pairs)
    first, *others = sorted(tmp_path.glob("?/*.csv"))
    write(tmp_path / "new", None, {"test": first}, more_tests=others)
    study = yaml.safe_load((tmp_path / "new/config/studies/compare/study.yaml").read_text())
    expected = {"a/test": "own", "b/test": "own_2", others[1].stem: "own_3"}
    assert study["tables"]["pairs"]["columns"] == expected


@pytest.mark.parametrize(
    ("documents", "judge", "kind", "says"),
    [
        (None, None, "graded", "Test pairs: there are none yet. A third of the sentences"),
        ("order", None, "documents", "neighbouring sentences of held-out documents"),
        (
            None,
            "{endpoint: 'http://127.0.0.1:9/v1', model: one}",
            "judged",
            "the language model grades pairs",
        ),
    ],
)
def test_sentences_without_test_pairs_are_divided_and_rows_trained_without_selection(
    tmp_path, monkeypatch, capsys, documents, judge, kind, says
):
    (tmp_path / "lines.txt").write_text("".join(f"Sentence number {number}.\n" for number in [*range(30), 1]))
    options = [f"--{name}={each}" for name, each in (("documents", documents), ("judge", judge)) if each]
    files = ["--sentences", str(tmp_path / "lines.txt"), "--encoder", str(ENCODER)]
    main([str(tmp_path / "own"), *files, *options])
    said = capsys.readouterr().out
    assert says in said
    at = f"contrapose annotate --directory {tmp_path / 'own'}"
    steps = (
        f"Next:\n  1. Write pairs to grade: {at} --make 5\n"
        f"  2. Grade them, and make them the test pairs: {at} --read sheet.csv\n  3. Optional: change seeds"
    )
    assert (steps in said) is (kind == "graded")

    monkeypatch.chdir(tmp_path / "own")
    project = Project(yaml.safe_load((tmp_path / "own/config/config.yaml").read_text()), HOME)
    (source,) = project.catalog.benchmarks.values()
    assert (source.kind, source.task) == (kind, "own")
    parts = [project.corpus(name) for name in ("sentences", "test_sentences")]
    assert [(each.part, each.held_out, each.corpus) for each in parts] == [
        ("train", 10, "every_sentence"), ("test", 10, "every_sentence"),
    ]  # fmt: skip
    rows = project.tables["compare_pairs"][1].rows
    there = {row.model for row in rows if not missing(project, row)}
    assert {"No training", "Dropout", "Span crop"} <= there
    assert "Next sentence" not in there  # of no document, or trained on what is asked
    assert project.recipe("compare").dev is None
    assert project.pairs("to_grade").size == 5
    assert getattr(source, "expected", lambda project: None)(project) == (None if kind == "graded" else 5)
    asked = project.llm_requests.judged
    assert asked == ([("to_grade", "grader", "similarity")] if judge else [])


@pytest.mark.parametrize("encoder", [[], ["--encoder", str(ENCODER)]], ids=["none", "given"])
def test_a_folder_without_an_encoder_says_how_to_name_one_before_the_run(tmp_path, capsys, encoder):
    (tmp_path / "test.csv").write_text(SCORED)
    (tmp_path / "lines.txt").write_text("".join(f"Sentence number {number}.\n" for number in range(30)))
    files = ["--sentences", str(tmp_path / "lines.txt"), "--test", str(tmp_path / "test.csv")]
    main([str(tmp_path / "own"), *files, *encoder])
    said = capsys.readouterr().out
    at, first = f"--directory {tmp_path / 'own'} -- compare", 1 if encoder else 2
    assert said.startswith(f"Created {tmp_path / 'own'} with 30 sentences and 3 test pairs.\n")
    config = tmp_path / "own/config"
    assert said.endswith(
        f"  {first}. Optional: change seeds in {config}/config.yaml, or steps and max_length in "
        f"{config}/recipes.yaml.\n"
        f"  {first + 1}. Find what is missing: contrapose check {at}\n"
        f"  {first + 2}. See the time and the disk space: contrapose plan {at}\n"
        f"  {first + 3}. Run the comparison: contrapose run {at}\n"
        "Without `-- compare`, these commands also include the study more_sentences, which tests whether "
        "more sentences would help.\n"
    )
    lacking = (
        "Next:\n  1. Add an encoder, which every run needs. Save or link its folder as "
        f"{tmp_path / 'own/encoders/mine'}, or name a model of the hub"
    )
    assert (lacking in said) is (not encoder)


def test_rows_with_long_texts_are_counted(tmp_path, capsys):
    pairs = [{"sentence1": "long " * 40_000, "sentence2": f"s{each}", "score": each} for each in range(3)]
    (tmp_path / "test.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in pairs))
    (tmp_path / "lines.txt").write_text("One.\nTwo.\nThree.\n")
    files = ["--sentences", str(tmp_path / "lines.txt"), "--test", str(tmp_path / "test.jsonl")]
    csv.field_size_limit(131_072)  # Python's own
    main([str(tmp_path / "own"), *files])
    assert "own with 3 sentences and 3 test pairs." in capsys.readouterr().out


def test_what_is_noticed_in_files_is_told_of_a_project_that_is_created_only(tmp_path, capsys):
    (tmp_path / "test.csv").write_text(SCORED)
    (tmp_path / "lines.txt").write_text("One.\nTwo.\nThree.\n")
    files = ["--sentences", str(tmp_path / "lines.txt"), "--test", str(tmp_path / "test.csv")]
    with pytest.raises(TableError, match="phrase"):
        main([str(tmp_path / "none"), *files, "--paraphrase-dict", str(tmp_path / "test.csv")])
    assert capsys.readouterr().err == ""
    main([str(tmp_path / "own"), *files])
    assert "there are 3 test pairs, which share" in capsys.readouterr().err


def test_a_judge_is_for_folders_without_test_pairs_and_has_a_model(tmp_path):
    for name, text in (("test", SCORED), ("sentences", "One.\nTwo.\n")):
        (tmp_path / name).write_text(text)
    for files, judge, says in (
        (
            ("test",),
            "{model: one}",
            "--judge: a language model grades test pairs only if no test pairs are given",
        ),
        (("sentences",), "{endpoint: 'http://127.0.0.1:9/v1'}", "--judge: the key model is missing\."),
        (("sentences",), "http://127.0.0.1:9/v1", "--judge"),
        ((), "{endpoint: 'http://127.0.0.1:9/v1', model: one}", "pairs of --sentences, which is missing"),
    ):
        with pytest.raises(ConfigError, match=says):
            write(tmp_path / "new", None, {each: tmp_path / each for each in files}, judge=judge)
    assert not (tmp_path / "new").exists()


FILES_OF_CALL = {"sentences": "sentences.txt", "test": "test.csv"}


def test_a_language_model_of_the_call_writes_the_texts_of_methods(tmp_path, monkeypatch, capsys):
    (tmp_path / "sentences.txt").write_text("One sentence.\nAnother one.\n")
    (tmp_path / "test.csv").write_text(SCORED)
    files = [f"--{name}={tmp_path / file}" for name, file in FILES_OF_CALL.items()]
    entry = "{endpoint: 'http://127.0.0.1:9/v1', model: 'qwen3:8b', concurrency: 1}"
    main([str(tmp_path / "own"), *files, "--encoder", str(ENCODER), "--llm", entry])
    monkeypatch.chdir(tmp_path / "own")
    project = Project(yaml.safe_load((tmp_path / "own/config/config.yaml").read_text()), HOME)
    writer = project.llm("writer")
    assert (writer.endpoint, writer.model, writer.concurrency) == ("http://127.0.0.1:9/v1", "qwen3:8b", 1)
    written = yaml.safe_load((tmp_path / "own/config/catalogs/own.yaml").read_text())["llms"]["writer"]
    assert written == yaml.safe_load(entry)  # and no default of a server without a key
    rows = project.tables["compare_pairs"][1].rows
    assert "LLM paraphrases" in {row.model for row in rows if not missing(project, row)}
    assert "--llm" not in capsys.readouterr().err
    paid = "{endpoint: 'https://api.openai.com/v1', model: gpt}"
    main([str(tmp_path / "paid"), *files, "--encoder", str(ENCODER), "--llm", paid])
    assert (
        "--llm: the prices of gpt are not given, so its costs are unknown. Set prompt_price and "
        "completion_price (USD per million tokens) in config/catalogs/own.yaml."
    ) in capsys.readouterr().err.splitlines()


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--llm", "{endpoint: openai, model: x}"], "--llm: endpoint: 'openai' is not a base URL"),
        (
            ["--llm", "gpt-4o"],
            "--llm gpt-4o: the value has no address and model. Write --llm '{endpoint: URL, model: NAME}'.",
        ),
        (
            ["--llm", "{endpoint:http://127.0.0.1:9/v1, model: one}"],
            "--llm: a blank is missing after `endpoint:`. Write --llm '{endpoint: URL, model: NAME}'.",
        ),
        (["--llm", "{model: one}"], "--llm: the key endpoint is missing."),
        (["--llm", "{model: one"], "--llm: "),
        (
            ["--llm", "{endpoint: 'http://127.0.0.1:9/v1', model: one}", "--llm-responses", "sentences.txt"],
            "--llm and --llm-responses cannot be combined, because all methods take the answers of one "
            "language model. Remove one of the options.",
        ),
    ],
)
def test_a_language_model_of_the_call_is_checked(tmp_path, monkeypatch, options, says):
    monkeypatch.chdir(tmp_path)
    Path("sentences.txt").write_text('{"sentence": "One sentence.", "paraphrases": ["a"]}\n')
    with pytest.raises(ConfigError) as raised:
        main(["own", "--sentences", "sentences.txt", *options])
    assert str(raised.value).startswith(says)
    assert not Path("own").exists()


@pytest.mark.parametrize(
    ("file", "options", "says"),
    [
        ("lines.txt", ["--documents", "foo"], "--documents foo: for a text file, the value must be"),
        ("lines.csv", [], "--sentences lines.csv: the file is a table. Name the column"),
    ],
)
def test_wrong_options_are_told_before_an_encoder_is_loaded(tmp_path, monkeypatch, file, options, says):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(new_settings, "checked_encoder", lambda folder: pytest.fail("loaded"))
    Path(file).write_text("text\nOne sentence.\nAnother one.\n")
    with pytest.raises(ConfigError, match=says):
        main(["own", "--encoder", str(ENCODER), "--sentences", file, *options])
