import json
from pathlib import Path

import pytest

from contrapose.base.errors import TableError
from contrapose.retrieve.recorded import recorded_answers
from contrapose.settings.catalogs import RecordedLLM

ANSWERS = RecordedLLM(
    kind="recorded", path="a.jsonl", sentence="text", answers={"2": "given", "negative": "other"}
)


@pytest.fixture
def read(tmp_path):
    """Give a function of lines, objects or texts -> (prompt, sentence, answer) of each row."""

    def rows(*lines, source=ANSWERS):
        texts = [each if isinstance(each, str) else json.dumps(each) for each in lines]
        (tmp_path / "a.jsonl").write_text("".join(f"{text}\n" for text in texts))
        return list(recorded_answers(source, tmp_path).itertuples(index=False, name=None))

    return rows


def test_a_text_stays_as_it_is_and_a_list_becomes_the_numbered_one(read):
    found = read(
        {"text": "A  dog\tran.", "given": ["One ran.", " Two\nran. "], "other": ["None ran."]},
        {"text": "A cat sat.", "given": "Sure:\n1. It sat.", "other": None},
    )
    assert found == [
        ("2", "A dog ran.", "1. One ran.\n2. Two ran."),
        ("negative", "A dog ran.", "None ran."),
        ("2", "A cat sat.", "Sure:\n1. It sat."),
    ]


def test_of_several_answers_the_first_counts_and_the_others_are_counted(read, caplog):
    lines = [{"text": text, "given": text[::-1], "other": None} for text in ("ab", " ab", "cd", "ab ")]
    with caplog.at_level("WARNING"):
        assert read(*lines) == [("2", "ab", "ba"), ("2", "cd", "dc")]
    assert "2 answers are repetitions for a sentence, and only the first counts" in caplog.text


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", r"2: the line is not valid JSON \(wrong at character 2\)\. Each line must be one JSON object"),
        ('["a"]', "2: the line is a list, but one JSON object per line is expected"),
        ({"given": "a", "other": "b"}, r"line 2: the line has no entry 'text'\. Known: given, other"),
        ({"text": "a", "giveen": "a", "other": "b"}, r"line 2: .*'given'\. Did you mean 'giveen'\?"),
        (
            {"text": 3, "given": "a", "other": "b"},
            r"line 2: text is 3, but a text is expected\. Correct the line",
        ),
        ({"text": None, "given": "a", "other": "b"}, "line 2: text is None, but a text is expected"),
        (
            {"text": "a", "given": "a", "other": 7},
            "line 2: other is 7, but a text, a list of texts or null is expected",
        ),
        ({"text": "a", "given": ["a", 7], "other": ""}, r"line 2: given is \['a', 7\], but a text"),
        (
            {"text": "a", "given": [], "other": ""},
            r"line 2: given is \[\], but a text, a list of texts or null is expected",
        ),
        ('{"text": "a", "given": "\\ud800", "other": "b"}', r"line 2: given is '\\ud800', but a text"),
    ],
)
def test_a_wrong_line_is_named_with_its_key(read, line, message):
    with pytest.raises(TableError, match=message):
        read({"text": "x", "given": "y", "other": "z"}, line)


def test_a_file_of_ones_own_below_the_project_needs_no_data_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("a.jsonl").write_text('{"text": "a", "given": "b", "other": null}\n')
    source = ANSWERS.model_copy(update={"path": "./a.jsonl"})
    assert recorded_answers(source, None).answer.tolist() == ["b"]
