import pandas as pd
import pytest

from contrapose.corpus.articles import ArticleFile
from contrapose.errors import TableError
from contrapose.tables import ARTICLES, SENTENCES, TableWriter, empty, write_table


def article_file(path, *groups):
    with TableWriter(path, ARTICLES) as writer:
        for ids in groups:
            writer.write(pd.DataFrame({"id": list(ids), "title": "", "text": [f"text {i}" for i in ids]}))
    return ArticleFile(path)


def test_articles_are_found_by_number_across_row_groups(tmp_path):
    articles = article_file(tmp_path / "a.parquet", "ab", "c", "def")
    assert len(articles) == 6
    assert [articles[number][0] for number in (5, 0, 2, 1, 4, 3)] == list("facbed")
    assert articles[2] == ("c", "text c")


def test_a_row_group_is_read_once_while_it_is_in_use(tmp_path):
    articles = article_file(tmp_path / "a.parquet", "abc", "def")
    read, file = [], articles._file

    class Counting:
        def read_row_group(self, group, columns):
            read.append(group)
            return file.read_row_group(group, columns=columns)

    articles._file = Counting()
    for number in (0, 1, 2, 3, 5, 4, 0):
        articles[number]
    assert read == [0, 1, 0]


def test_an_article_out_of_range_is_an_index_error_and_there_may_be_none(tmp_path):
    articles = article_file(tmp_path / "a.parquet", "ab")
    for number in (-1, 2):
        with pytest.raises(IndexError):
            articles[number]
    assert len(article_file(tmp_path / "none.parquet")) == 0


def test_another_table_is_refused(tmp_path):
    write_table(empty(SENTENCES), tmp_path / "s.parquet", SENTENCES)
    with pytest.raises(TableError, match="holds table 'sentences'"):
        ArticleFile(tmp_path / "s.parquet")
