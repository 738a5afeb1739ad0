from unittest.mock import Mock

import pandas as pd
import pytest

from contrapose.corpus.article_file import ArticleFile
from contrapose.tables import ARTICLES, TableWriter


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
    for number in (-1, 6):
        with pytest.raises(IndexError):
            articles[number]
    assert len(article_file(tmp_path / "none.parquet")) == 0


def test_a_row_group_is_read_once_while_it_is_in_use(tmp_path):
    articles = article_file(tmp_path / "a.parquet", "abc", "def")
    articles._file = Mock(wraps=articles._file)
    for number in (0, 1, 2, 3, 5, 4, 0):
        articles[number]
    assert [each.args[0] for each in articles._file.read_row_group.call_args_list] == [0, 1, 0]
