import json

import pandas as pd
import pytest

from contrapose.errors import BackendError, TableError
from contrapose.retrieve import articles
from contrapose.retrieve.articles import article_paths, hub_articles, read_articles
from contrapose.settings.worlds import ArticleFiles, HubTable
from contrapose.tables import ARTICLES, TableWriter, read_table

JSONL = ArticleFiles(path="*.jsonl", format="jsonl")
PARQUET = ArticleFiles(path="*.parquet", format="parquet")
EXTRACTED = ArticleFiles(path="wiki_*", format="wikiextractor")
UNNUMBERED = ArticleFiles(path="*.jsonl", format="jsonl", id=None, title=None)


def jsonl(tmp_path, *records, name="a.jsonl"):
    path = tmp_path / name
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def parquet(tmp_path, name="a.parquet", **columns):
    path = tmp_path / name
    pd.DataFrame(columns).to_parquet(path)
    return path


def rows(files, source):
    return [tuple(row) for piece in read_articles(files, source) for row in piece.itertuples(index=False)]


def test_json_lines_keep_ids_titles_and_line_breaks(tmp_path):
    path = jsonl(
        tmp_path, {"id": 7, "title": "Ox", "text": "An ox.\n\nBig."}, {"id": "8", "title": "", "text": "B"}
    )
    assert rows([path], JSONL) == [("7", "Ox", "An ox.\n\nBig."), ("8", "", "B")]


def test_parquet_gives_the_same_rows_as_json_lines(tmp_path):
    path = parquet(tmp_path, id=[7, 8], url=["u", "v"], title=["Ox", ""], text=["An ox.\n\nBig.", "B"])
    assert rows([path], PARQUET) == [("7", "Ox", "An ox.\n\nBig."), ("8", "", "B")]


def test_wikiextractor_articles_lose_the_repeated_title_only(tmp_path):
    path = tmp_path / "wiki_00"
    path.write_bytes(
        b'<doc id="12" url="u?c=1" title="AT&amp;T">\r\nAT&T\r\n\r\nA company.\r\n\r\nIt calls.\r\n</doc>\r\n'
        b'<doc id="13" url="u" title=""Weird Al" Yankovic">\n"Weird Al" Yankovic\n\nA singer.\n\n</doc>\n'
    )
    assert rows([path], EXTRACTED) == [
        ("12", "AT&T", "A company.\n\nIt calls."),
        ("13", '"Weird Al" Yankovic', "A singer."),
    ]


def test_a_wikiextractor_article_of_its_title_alone_has_no_text(tmp_path):
    path = tmp_path / "wiki_00"
    path.write_text('<doc id="1" title="A">\nA\n\n</doc>\n<doc id="2" title="B">\nB\n\nText.\n</doc>\n')
    assert rows([path], EXTRACTED) == [("2", "B", "Text.")]


def test_articles_without_ids_are_numbered_over_all_files_from_one(tmp_path):
    first = jsonl(tmp_path, {"text": "A"}, {"text": "B"}, name="1.jsonl")
    second = jsonl(tmp_path, {"text": "C"}, name="2.jsonl")
    assert rows([first, second], UNNUMBERED) == [("1", "", "A"), ("2", "", "B"), ("3", "", "C")]


@pytest.mark.parametrize("blank", [None, "", " \n\t"])
def test_an_article_without_text_is_left_out_and_counted_and_keeps_its_number(tmp_path, caplog, blank):
    caplog.set_level("INFO")
    path = jsonl(tmp_path, {"text": "A"}, {"text": blank}, {"text": "C"})
    assert rows([path], UNNUMBERED) == [("1", "", "A"), ("3", "", "C")]
    assert "2 articles; 1 without text left out" in caplog.text


def test_articles_come_in_pieces_that_become_row_groups(tmp_path, monkeypatch):
    monkeypatch.setattr(articles, "ARTICLES_PER_PIECE", 2)
    path = jsonl(tmp_path, *({"text": letter} for letter in "ABCDE"))
    pieces = list(read_articles([path], UNNUMBERED))
    assert [len(piece) for piece in pieces] == [2, 2, 1]
    with TableWriter(tmp_path / "out.parquet", ARTICLES) as writer:
        for piece in pieces:
            writer.write(piece)
    assert list(read_table(tmp_path / "out.parquet", ARTICLES).text) == list("ABCDE")


def test_a_folder_stands_for_the_files_below_it_that_match(tmp_path):
    first, second = jsonl(tmp_path, name="b.jsonl"), jsonl(tmp_path, name="a.jsonl")
    parquet(tmp_path, id=[1])
    assert article_paths([tmp_path], JSONL) == [second, first]
    assert article_paths([first], JSONL) == [first]


def refused(files, source, *words):
    with pytest.raises(TableError) as caught:
        rows(files, source)
    for word in words:
        assert word in str(caught.value)


def test_no_files_are_refused_with_the_pattern():
    refused([], JSONL, "'*.jsonl'", "articles.path")


def test_a_source_without_articles_is_refused(tmp_path):
    refused([jsonl(tmp_path)], JSONL, "a.jsonl: 0 articles", "articles.path")


def test_a_source_of_empty_articles_is_refused(tmp_path):
    refused(
        [jsonl(tmp_path, {"text": ""}, {"text": " "})],
        UNNUMBERED,
        "2 articles, none with text",
        "articles.text",
    )


def test_an_id_that_occurs_twice_is_refused_also_across_files(tmp_path):
    article = {"id": "7", "title": "", "text": "A"}
    files = [jsonl(tmp_path, article, name="1.jsonl"), jsonl(tmp_path, article, name="2.jsonl")]
    refused(files, JSONL, "2.jsonl, line 1", "id '7'", "articles.id: null")


def test_a_missing_key_is_refused_with_line_and_keys(tmp_path):
    path = jsonl(tmp_path, {"id": "1", "title": "", "text": "A"}, {"id": "2", "title": "", "body": "B"})
    refused([path], JSONL, "a.jsonl, line 2", "['text']", "'body'", "articles.text")


def test_a_missing_column_is_refused_with_the_columns(tmp_path):
    refused([parquet(tmp_path, id=[1], body=["A"])], PARQUET, "a.parquet", "['title', 'text']", "'body'")


def test_a_missing_attribute_is_refused_with_the_line(tmp_path):
    path = tmp_path / "wiki_00"
    path.write_text('<doc id="1">\nA\n</doc>\n')
    refused([path], EXTRACTED, "wiki_00, line 1", "['title']", "articles.title")


def test_a_missing_id_is_refused(tmp_path):
    path = parquet(tmp_path, id=["1", None], title=["", ""], text=["A", "B"])
    refused([path], PARQUET, "a.parquet, row 2: no id", "articles.id: null")


@pytest.mark.parametrize("identifier", [1.5, True, "", [1]])
def test_an_id_that_is_no_name_is_refused(tmp_path, identifier):
    refused([jsonl(tmp_path, {"id": identifier, "title": "", "text": "A"})], JSONL, "line 1", "the id is")


def test_text_that_is_no_text_is_refused(tmp_path):
    refused([jsonl(tmp_path, {"text": 5})], UNNUMBERED, "line 1", "the text is int")


def test_half_a_surrogate_pair_is_refused_with_the_line(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "fine \\ud83d\\ude00"}\n{"text": "broken \\ud83d"}\n')
    refused([path], UNNUMBERED, "line 2", "no Unicode text")


@pytest.mark.parametrize("line", ['{"text": "cut', "plain text", "[1]"])
def test_a_line_that_is_no_json_object_is_refused(tmp_path, line):
    path = tmp_path / "a.jsonl"
    path.write_text(f'{{"text": "A"}}\n\n{line}\n')
    refused([path], UNNUMBERED, "a.jsonl, line 3", "one")


def test_other_text_than_wikiextractors_is_refused(tmp_path):
    path = tmp_path / "wiki_00"
    path.write_text("\nAn article.\n")
    refused([path], EXTRACTED, "wiki_00, line 2", "<doc")


@pytest.mark.parametrize("end", ["", '<doc id="2" title="B">\n'])
def test_an_article_that_is_cut_off_is_refused(tmp_path, end):
    path = tmp_path / "wiki_00"
    path.write_text(f'<doc id="1" title="A">\nA\n\nText\n{end}')
    refused([path], EXTRACTED, "wiki_00, line 1", "</doc>")


def test_a_file_that_is_not_parquet_or_cut_off_is_refused(tmp_path):
    path = parquet(tmp_path, id=[1], title=[""], text=["A" * 1000])
    path.write_bytes(path.read_bytes()[:-20])
    refused([path], PARQUET, "a.parquet", "cannot be read as Parquet", "articles.format")


def test_a_file_that_is_not_utf_8_is_refused_with_the_line(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"text": "A"}\n{"text": "caf\xe9"}\n')
    refused([path], UNNUMBERED, "a.jsonl: line 2 is not UTF-8")


@pytest.mark.parametrize("source", [JSONL, PARQUET, EXTRACTED])
def test_a_missing_file_is_refused(tmp_path, source):
    refused([tmp_path / "gone"], source, "gone", "cannot be read")


def test_hub_articles_are_streamed_through_datasets(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_DATASETS_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / "set"
    folder.mkdir()
    parquet(folder, id=["1", "2"], url=["u", "v"], title=["A", "B"], text=["One.\n", ""])
    pieces = list(hub_articles(HubTable(dataset=str(folder), revision="abc")))
    assert pd.concat(pieces).to_dict("records") == [{"id": "1", "title": "A", "text": "One.\n"}]


def test_columns_of_the_hub_have_the_names_of_the_world_and_may_hold_bytes(monkeypatch):
    rows = [{"wikidata_id": b"Q1", "text": "Ⅻ".encode(), "version_id": b"7"}]
    monkeypatch.setattr("datasets.load_dataset", lambda *parts, **options: rows)
    source = HubTable(dataset="wiki", revision="r", id="wikidata_id", title=None)
    assert [*next(hub_articles(source)).itertuples(index=False, name=None)] == [("Q1", "", "Ⅻ")]
    numbered = source.model_copy(update={"id": None})
    assert [*next(hub_articles(numbered)).id] == ["1"]
    rows[0]["text"] = b"\xff"
    with pytest.raises(TableError, match="wiki@r, row 1: the text is not UTF-8"):
        next(hub_articles(source))


def test_the_hub_is_asked_for_the_pinned_revision(monkeypatch):
    asked = {}

    def load_dataset(dataset, name, **options):
        asked.update(options, dataset=dataset, name=name)
        return [{"id": "1", "title": "A", "text": "One.", "url": "u"}]

    monkeypatch.setattr("datasets.load_dataset", load_dataset)
    source = HubTable(dataset="wiki/pedia", revision="0123abc", name="20220301.en")
    assert len(next(hub_articles(source))) == 1
    assert asked == {
        "dataset": "wiki/pedia",
        "name": "20220301.en",
        "split": "train",
        "revision": "0123abc",
        "streaming": True,
    }


def test_a_hub_out_of_reach_is_refused_with_the_data_set(monkeypatch):
    def load_dataset(*parts, **options):
        raise ConnectionError("no route")

    monkeypatch.setattr("datasets.load_dataset", load_dataset)
    with pytest.raises(BackendError, match=r"wiki/pedia@0123abc: cannot open .*no route.*world file"):
        next(hub_articles(HubTable(dataset="wiki/pedia", revision="0123abc")))


def test_a_hub_table_without_text_is_refused(monkeypatch):
    monkeypatch.setattr("datasets.load_dataset", lambda *parts, **options: [{"id": "1", "body": "A"}])
    with pytest.raises(TableError, match="wiki@r: no columns"):
        next(hub_articles(HubTable(dataset="wiki", revision="r")))
