import pandas as pd
import pytest

from contrapose.base.errors import TableError
from contrapose.corpus.published_lines import (
    HubSentences,
    PublishedLines,
    SentenceFile,
    published_lines,
    published_sentences,
)
from contrapose.settings import hub
from contrapose.tables import SENTENCES, read_table, write_table

FILE = SentenceFile(path="some.txt")
DOCUMENTS = SentenceFile(path="some.txt", documents="blank_lines")
HUB = HubSentences(dataset="a/b", file="some.txt", revision="c0ffee", rows=4)
LINES = ["A title", "One. | Two.", "A title", 'He said:\t"No."']


def halves(text: str) -> list[str]:
    return text.split(" | ")


def spec(size=None, seed=1, as_published=False) -> PublishedLines:
    return PublishedLines(
        kind="published", file="some", source=FILE, size=size, seed=seed, as_published=as_published
    )


def in_file(*texts: str) -> pd.DataFrame:
    """Return lines as they are read."""
    return pd.DataFrame({"text": texts, "document": "", "position": range(len(texts))})


def read(folder, content: str, source=FILE, **settings) -> pd.DataFrame:
    """Return the corpus of a file that holds this, checked."""
    (folder / "some.txt").write_text(content, newline="")
    sentences, _ = published_sentences(published_lines(source, folder), halves, spec(**settings))
    write_table(sentences, folder / "s.parquet", SENTENCES)
    return read_table(folder / "s.parquet", SENTENCES)


def test_as_published_every_line_is_a_sentence_as_it_stands(tmp_path):
    sentences = read(tmp_path, "\n".join([*LINES, " ", ""]), as_published=True)
    assert sentences.text.tolist() == [*LINES, " "]
    assert sentences.id.tolist() == [f"some:{number}" for number in range(5)]
    assert sentences.position.tolist() == [0, 1, 2, 3, 4]
    assert set(sentences.article_id) == {"some"}
    # Each full stop and quotation mark is a token of its own: the line is split into sentences first.
    assert sentences.words.tolist() == [2, 4, 2, 7, 0]


def test_else_a_text_counts_once_and_blank_lines_go(tmp_path, caplog):
    (tmp_path / "some.txt").write_text('A title\n\n One.\u3000\n"A title"\nA title \r\n \t\nOne.\n')
    with caplog.at_level("INFO"):
        sentences, dropped = published_sentences(published_lines(FILE, tmp_path), halves, spec())
    assert sentences[["id", "text"]].to_numpy().tolist() == [
        ["some:0", "A title"],
        ["some:2", "One."],
        ["some:3", '"A title"'],
    ]
    assert dropped == "2 blank and 2 duplicate of 7 lines are skipped"
    assert f"3 sentences ({dropped}), 2.7 words each" in caplog.text


def test_spellings_of_a_line_count_once_and_the_first_one_stays(tmp_path):
    spellings = [
        "Cafe\u0301 au lait.",
        "Café au lait.",
        "Café\u00a0au lait.",
        "Café  au lait.",
        "CAFÉ au lait.",
    ]
    sentences = read(tmp_path, "\n".join(spellings))
    assert sentences.text.tolist() == [spellings[0], spellings[-1]]


def test_blank_lines_end_documents(tmp_path):
    sentences = read(tmp_path, "One.\nTwo.\n\n \nOne.\nThree.\nFour.\n", DOCUMENTS)
    assert sentences[["id", "text"]].to_numpy().tolist() == [
        ["some/0:0", "One."],
        ["some/0:1", "Two."],
        ["some/2:1", "Three."],  # its first sentence is in the corpus already
        ["some/2:2", "Four."],
    ]
    assert (sentences.article_id + ":" + sentences.position.astype(str) == sentences.id).all()


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_column_of_a_table_holds_the_sentences_and_another_one_names_documents(tmp_path, kind):
    table = pd.DataFrame({"of": ["x", "y", "x"], "n": [1, 2, 3], "text": ['One, "two".', None, "A\tb"]})
    if kind == "csv":
        table.to_csv(tmp_path / "t.csv", index=False)
    else:
        table.to_parquet(tmp_path / "t.parquet")
    source = SentenceFile(path=f"t.{kind}", column="text", documents="of")
    sentences, dropped = published_sentences(published_lines(source, tmp_path), halves, spec())
    assert sentences[["id", "text"]].to_numpy().tolist() == [
        ["some/x:0", 'One, "two".'],
        ["some/x:1", "A\tb"],
    ]
    assert dropped == "1 blank of 3 lines are skipped"
    alone = SentenceFile(path=f"t.{kind}", column="text")
    sentences, _ = published_sentences(published_lines(alone, tmp_path), halves, spec())
    assert sentences.id.tolist() == ["some:0", "some:2"]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("", "the file is empty. It needs the column text"),
        ("a,b\n1,2\n", r"a, b\. Correct `column` or `documents` of this entry in the catalog"),
        ("text\n", "contains no sentence"),
        ("text,n\nOne, two,3\n", "2: the line has 3 columns, but the header has 2"),
        ('text\n"One\n', r"file is not CSV in UTF-8 \(unexpected end of data\)"),
        ("text\nOne\0\n", r"file is not CSV in UTF-8 \(a NUL byte in line 2\)"),
    ],
)
def test_a_csv_file_without_such_a_column_is_refused(tmp_path, content, says):
    (tmp_path / "t.csv").write_text(content)
    with pytest.raises(TableError, match=rf"t\.csv.*{says}"):
        published_lines(SentenceFile(path="t.csv", column="text"), tmp_path)


def test_a_sample_is_without_replacement_and_the_head_of_a_larger_one():
    lines = in_file(*[f"line {number}" for number in range(1000)])
    small, large = (published_sentences(lines, halves, spec(count))[0] for count in (100, 1000))
    pd.testing.assert_frame_equal(small, large.head(100))
    assert sorted(large.text) == sorted(lines.text)
    assert (large.text == "line " + large.position.astype(str)).all()
    # From the whole file: the mean of 100 draws from 0..999 is 499.5 +- 27 (standard error).
    assert abs(small.position.mean() - 499.5) < 4 * 27
    assert not small.text.equals(published_sentences(lines, halves, spec(100, seed=2))[0].text)


@pytest.mark.parametrize(
    ("lines", "size", "says"),
    [
        (
            ["a", "b", "b", "c"],
            4,
            r"the file has 3 sentences \(1 duplicate of 4 lines are skipped\), but the corpus needs 4\. Add",
        ),
        (["a"], None, "the file has 1 sentence, but the corpus needs 2 or more"),
        (
            ["a", "", "a"],
            None,
            r"the file has 1 sentence \(1 blank and 1 duplicate of 3 .*, but the corpus needs 2",
        ),
    ],
)
def test_fewer_sentences_than_wanted_or_than_two_are_refused(lines, size, says):
    with pytest.raises(TableError, match=rf"sentence_files\.some: {says}"):
        published_sentences(in_file(*lines), halves, spec(size))


def test_a_file_of_the_hub_is_read_and_one_that_has_changed_there_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "fetched.csv"
    monkeypatch.setattr(hub, "hub_file", lambda dataset, file, revision: path)
    path.write_text("\n".join(LINES))
    assert published_lines(HUB, None).text.tolist() == LINES
    path.write_text("\n".join(LINES[:3]))
    with pytest.raises(
        TableError,
        match=r"some\.txt: the file has 3 rows, but its entry in the catalog expects 4, so it has changed",
    ):
        published_lines(HUB, None)
    path.write_text('n,text\n1,"A, b"\n')
    column = HubSentences(dataset="a/b", file="some.csv", revision="c0ffee", column="text")
    assert published_lines(column, None).text.tolist() == ["A, b"]
