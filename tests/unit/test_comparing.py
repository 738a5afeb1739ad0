"""A comparison from Python."""

import re
from contextlib import chdir

import pandas as pd
import pytest

import contrapose
from contrapose import comparing
from contrapose.base.errors import ConfigError, TableError
from contrapose.tools import new
from contrapose.tools.arguments import parser_of
from tests.checkout import HOME

ENCODER = HOME / "resources/mini/encoders/bert-base"
WIKI = HOME / "examples/wiki/data"
PAIRS = [
    ("A dog sits.", "A dog is sitting.", 5.0),
    ("A dog sits.", "A cat sits.", 3.0),
    ("It rains.", "No.", 0),
]


@pytest.fixture
def called(monkeypatch):
    """The calls of `contrapose`, none of which is made but for `init`."""
    calls = []

    def call(verb, *arguments):
        calls.append((verb, *arguments))
        if verb == "init":
            new.main([*arguments])
        if verb == "report":
            with chdir("."):  # `--directory` changes the working directory
                parser_of(verb).parse_args([*arguments])  # ends the test at an option that report has not

    monkeypatch.setattr(comparing, "_called", call)
    monkeypatch.setattr(comparing, "_found", lambda project: project)
    return calls


def test_what_the_package_names_is_there():
    assert contrapose.__all__ == ["__version__", "api", "compare"]
    assert all(getattr(contrapose, name) for name in contrapose.__all__)


def test_lists_become_the_files_of_a_project_and_arguments_those_of_a_run(tmp_path, called):
    sentences = ["A dog sits, here.", 'He says "no".', "A dog sits, here."]
    folder = tmp_path / "mine"
    contrapose.compare(
        ENCODER, sentences, PAIRS, methods=["Span crop"], budget="5min", folder=folder, seeds=3, catalog=None
    )
    init, run, report = called
    assert init[0] == "init"
    settings = ('methods=["Span crop"]', "seeds=3", "catalog=null")
    options = ("--directory", str(folder), "--config", *settings)
    assert run == ("run", "--budget", "5min", *options, "--", "compare")
    assert report == ("report", *options)
    assert pd.read_csv(folder / "data/sentences.csv").text.tolist() == sentences
    kept = pd.read_csv(folder / "data/test_pairs/test.csv")
    assert [*kept.itertuples(index=False, name=None)] == PAIRS


def test_a_second_call_goes_on_and_one_on_other_sentences_is_refused(tmp_path, called):
    for _ in range(2):
        contrapose.compare(ENCODER, ["One.", "Two."], PAIRS, folder=tmp_path / "mine")
    assert [verb for verb, *_ in called] == ["init", "run", "report", "run", "report"]
    with pytest.raises(ConfigError, match="this project was created with other sentences"):
        contrapose.compare(ENCODER, ["One.", "Three."], PAIRS, folder=tmp_path / "mine")
    with pytest.raises(ConfigError, match="`compare` did not create it"):
        contrapose.compare(ENCODER, ["One.", "Two."], PAIRS, folder=tmp_path)


@pytest.mark.parametrize(
    ("sentences", "test", "says"),
    [
        (["One.", 2], PAIRS, "sentences: item 2 is 2, but a text is expected"),
        (pd.DataFrame({"texts": ["One."]}), PAIRS, "the table has no column 'text'. Its columns are texts"),
        (["One.", "Two."], [("One.", "Two.")], r"Give a list of tuples \(sentence1, sentence2, score\)"),
        (
            ["One.", "Two."],
            pd.DataFrame({"sentence1": ["One."]}),
            "test: the columns sentence2, score are missing. The table needs the columns sentence1, "
            "sentence2, score.",
        ),
    ],
)
def test_what_is_no_text_or_pair_is_named(tmp_path, called, sentences, test, says):
    with pytest.raises(TableError, match=says):
        contrapose.compare(ENCODER, sentences, test, folder=tmp_path / "mine")
    assert called == []
    assert not (tmp_path / "mine").exists()


@pytest.mark.slow
def test_a_comparison_from_python_has_a_table_a_sentence_and_a_report(tmp_path):
    sentences = (WIKI / "sentences.txt").read_text(encoding="utf-8").splitlines()[:120]
    test = contrapose.api.benchmark("stsb", WIKI / "test_pairs", "dev").head(60)
    result = contrapose.compare(
        *(ENCODER, sentences, test),
        **{"methods": ["Dropout", "Span crop"], "folder": tmp_path / "mine"},
        **{"seeds": 1, "steps": 2, "device": "cpu"},
    )
    scores = dict(zip(result.table.method, result.table.score, strict=True))
    assert scores["No training"] == pytest.approx(contrapose.api.score(ENCODER, test), abs=0.01)
    assert scores["Span crop"] > 0
    assert "trained once" in result.recommendation
    assert result.encoder is None
    assert result.report.is_file()
    similar = (test.score >= test.score.max() * 2 / 3).sum()  # the scale begins at 0
    html = result.report.read_text(encoding="utf-8")
    counts = re.findall(r'<td>similar</td>\s*<td class="number">(\d+)</td>', html)
    assert counts == [str(similar)] * 4  # before and after, on the first page and that of the table
