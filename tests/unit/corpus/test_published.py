import pandas as pd
import pytest

from contrapose.corpus import published
from contrapose.corpus.jobs import PublishedLines
from contrapose.corpus.published import published_lines, published_sentences
from contrapose.errors import TableError
from contrapose.settings.worlds import HubFile, SentenceFile
from contrapose.tables import SENTENCES, read_table, write_table

FILE = SentenceFile(path="some.txt")
HUB = HubFile(dataset="a/b", file="some.txt", revision="c0ffee", rows=4)
LINES = ["A title", "One. | Two.", "A title", 'He said:\t"No."']


def halves(text: str) -> list[str]:
    return text.split(" | ")


def spec(size=None, seed=1) -> PublishedLines:
    return PublishedLines(kind="published", file="some", source=FILE, size=size, seed=seed)


def test_every_line_is_a_sentence_as_it_stands_repeated_ones_too(tmp_path):
    (tmp_path / "some.txt").write_text("\n".join([*LINES, ""]))
    lines = published_lines(FILE, tmp_path)
    assert lines == LINES
    write_table(published_sentences(lines, halves, spec()), tmp_path / "s.parquet", SENTENCES)
    sentences = read_table(tmp_path / "s.parquet", SENTENCES)
    assert sentences.text.tolist() == LINES
    assert sentences.id.tolist() == ["some:0", "some:1", "some:2", "some:3"]
    assert sentences.position.tolist() == [0, 1, 2, 3]
    assert set(sentences.article_id) == {"some"}
    # Each full stop and quotation mark is a token of its own: the line is split into sentences first.
    assert sentences.words.tolist() == [2, 4, 2, 7]


def test_words_of_another_language_are_counted_by_its_rules():
    german = spec().model_copy(update={"language": "german"})
    lines = ["Dr. Weber kauft Brot. Er zahlt bar."]
    # Sentences of five and four words; Dr. ends none.  `halves` would leave the first full stop at its word.
    assert published_sentences(lines, halves, german).words.tolist() == [9]
    assert published_sentences(lines, halves, spec()).words.tolist() == [8]


def test_a_sample_is_without_replacement_and_the_head_of_a_larger_one():
    lines = [f"line {number}" for number in range(1000)]
    small, large = (published_sentences(lines, halves, spec(count)) for count in (100, 1000))
    pd.testing.assert_frame_equal(small, large.head(100))
    assert sorted(large.text) == sorted(lines)
    assert (large.text == "line " + large.position.astype(str)).all()
    # From the whole file: the mean of 100 draws from 0..999 is 499.5 +- 27 (standard error).
    assert abs(small.position.mean() - 499.5) < 4 * 27
    assert not small.text.equals(published_sentences(lines, halves, spec(100, seed=2)).text)


def test_more_sentences_than_lines_are_refused():
    with pytest.raises(TableError, match=r"sentence_files.some: has 4 sentences, the corpus wants 5\. Give"):
        published_sentences(LINES, halves, spec(5))


def test_a_file_of_the_hub_is_read_and_one_that_has_changed_there_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "fetched"
    monkeypatch.setattr(published, "hub_file", lambda dataset, file, revision: path)
    path.write_text("\n".join(LINES))
    assert published_lines(HUB, None) == LINES
    path.write_text("\n".join(LINES[:3]))
    with pytest.raises(TableError, match=r"some\.txt: has 3 rows, expected 4\. It has changed"):
        published_lines(HUB, None)
