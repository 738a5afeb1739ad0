import json

import pandas as pd
import pytest

from contrapose.base.errors import BackendError, TableError
from contrapose.retrieve import articles
from contrapose.retrieve.articles import ArticleFiles, HubTable, hub_articles, read_articles
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


def test_json_lines_and_parquet_keep_ids_titles_and_line_breaks(tmp_path):
    titled = {"id": 7, "title": "Ox", "text": "An ox.\n\nBig."}
    expected = [("7", "Ox", "An ox.\n\nBig."), ("8", "", "B")]
    assert rows([jsonl(tmp_path, titled, {"id": "8", "title": "", "text": "B"})], JSONL) == expected
    path = parquet(tmp_path, id=[7, 8], url=["u", "v"], title=["Ox", ""], text=["An ox.\n\nBig.", "B"])
    assert rows([path], PARQUET) == expected


def test_wikiextractor_articles_lose_the_repeated_title_only(tmp_path):
    path = tmp_path / "wiki_00"
    path.write_bytes(
        b'<doc id="12" url="u?c=1" title="AT&amp;T">\r\nAT&T\r\n\r\nA company.\r\n\r\nIt calls.\r\n</doc>\r\n'
        b'<doc id="13" url="u" title=""Weird Al" Yankovic">\n"Weird Al" Yankovic\n\nA singer.\n\n</doc>\n'
        b'<doc id="1" title="A">\nA\n\n</doc>\n'  # of its title alone
        b'<doc id="2" title="B">\nB\n\nText.\n</doc>\n'
    )
    assert rows([path], EXTRACTED) == [
        ("12", "AT&T", "A company.\n\nIt calls."),
        ("13", '"Weird Al" Yankovic', "A singer."),
        ("2", "B", "Text."),
    ]


@pytest.mark.parametrize("blank", [None, "", " \n\t"])
def test_an_article_without_text_is_left_out_and_counted_and_keeps_its_number(tmp_path, caplog, blank):
    caplog.set_level("INFO")
    path = jsonl(tmp_path, {"text": "A"}, {"text": blank}, {"text": "C"})
    assert rows([path], UNNUMBERED) == [("1", "", "A"), ("3", "", "C")]
    assert "2 articles; 1 without text are skipped" in caplog.text


def test_articles_come_in_pieces_that_become_row_groups(tmp_path, monkeypatch):
    monkeypatch.setattr(articles, "ARTICLES_PER_PIECE", 2)
    path = jsonl(tmp_path, *({"text": letter} for letter in "ABCDE"))
    pieces = list(read_articles([path], UNNUMBERED))
    assert [len(piece) for piece in pieces] == [2, 2, 1]
    with TableWriter(tmp_path / "out.parquet", ARTICLES) as writer:
        for piece in pieces:
            writer.write(piece)
    assert list(read_table(tmp_path / "out.parquet", ARTICLES).text) == list("ABCDE")


A = {"id": "7", "title": "", "text": "A"}
WIKI = '<doc id="1" title="A">\n'


@pytest.mark.parametrize(
    ("source", "content", "words"),
    [
        (JSONL, "", ("x: none of the 0 articles", "articles.path")),
        (UNNUMBERED, '{"text": ""}\n{"text": " "}', ("none of the 2 articles has text", "articles.text")),
        (JSONL, [A, {"id": 2, "title": "", "body": 1}], (("line 2: the column 'text' is "
            "missing. The columns are id,"),)),
        (JSONL, [A, A], ("x, line 2", "id '7'", "articles.id: null")),
        *((JSONL, [A | {"id": wrong}], ("line 1", "the id is")) for wrong in (1.5, True, "", [1])),
        (UNNUMBERED, [{"text": 5}], ("line 1", "the text is 5, but a text is expected")),
        (UNNUMBERED, [{"text": r"b'\xff'"}], ("line 1: the text is not UTF-8",)),
        (UNNUMBERED, '{"text": "\\ud83d\\ude00"}\n{"text": "\\ud83d"}\n', ("line 2: the text is",)),
        *((UNNUMBERED, f'{{"text": "A"}}\n\n{end}', ("line 3: the line",)) for end in ('{"text', "a", "[1]")),
        (UNNUMBERED, "[" * 100_000, ("x, line 1: the line is not valid JSON",)),
        (UNNUMBERED, b'{"text": "A"}\n{"text": "caf\xe9"}\n', ("x, line 2: the text is not in UTF-8",)),
        (EXTRACTED, '<doc id="1">\nA\n</doc>\n', ("x, line 1: the column 'title'", "articles.title")),
        (EXTRACTED, "\nAn article.\n", ("x, line 2", "<doc")),
        *((EXTRACTED, f"{WIKI}A\n\nText\n{end}", ("x, line 1", "</doc>")) for end in ("", WIKI)),
        # In time that grows with its length.
        (EXTRACTED, f"<doc {'x' * 300_000}>\nb\n</doc>\n",
         ("line 1: the columns 'id', 'title' are missing. The columns are ",)),
        (PARQUET, {"id": [1], "body": ["A"]}, (("x, row 1: the columns 'title', 'text' "
            "are missing. The columns are id, body"),)),
        (PARQUET, {"id": ["1", None], "title": "", "text": "A"}, ("row 2: the id is None", "null to")),
        (PARQUET, b"PAR1 cut off", ("x: the file cannot be read as Parquet", "correct its format")),
        *((source, None, ("x", "cannot be read")) for source in (JSONL, PARQUET, EXTRACTED)),
    ],
)  # fmt: skip
def test_what_holds_no_articles_is_refused_with_its_place_and_the_key(tmp_path, source, content, words):
    if isinstance(content, dict):
        parquet(tmp_path, name="x", **content)
    elif isinstance(content, list):
        jsonl(tmp_path, *content, name="x")
    elif content is not None:
        (tmp_path / "x").write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(TableError) as caught:
        rows([tmp_path / "x"], source)
    assert [word for word in words if word not in str(caught.value)] == []


def test_no_files_are_refused_with_the_pattern_and_an_id_that_comes_again_in_another_file(tmp_path):
    with pytest.raises(TableError, match=r"articles\.path = '\*\.jsonl'"):
        rows([], JSONL)
    files = [jsonl(tmp_path, A, name="1.jsonl"), jsonl(tmp_path, A, name="2.jsonl")]
    with pytest.raises(TableError, match=r"2\.jsonl, line 1.*id '7'"):
        rows(files, JSONL)


@pytest.fixture
def hub(monkeypatch):
    """Give the rows that the hub has, or its error, and with what it is asked for them."""
    rows, asked = [], {}

    def load_dataset(dataset, name, **options):
        asked.update(options, dataset=dataset, name=name)
        if isinstance(rows[0], Exception):
            raise rows[0]
        return rows

    monkeypatch.setattr("datasets.load_dataset", load_dataset)
    return rows, asked


def test_columns_of_the_hub_have_the_names_of_the_catalog_and_may_hold_bytes(hub):
    rows, asked = hub
    rows.append({"wikidata_id": b"Q1", "text": "Ⅻ".encode(), "version_id": b"7"})
    source = HubTable(dataset="wiki", revision="c0ffee", name="20220301.en", id="wikidata_id", title=None)
    assert [*next(hub_articles(source)).itertuples(index=False, name=None)] == [("Q1", "", "Ⅻ")]
    where = {"dataset": "wiki", "name": "20220301.en", "split": "train", "revision": "c0ffee"}
    assert asked == {**where, "streaming": True}
    numbered = source.model_copy(update={"id": None})
    assert [*next(hub_articles(numbered)).id] == ["1"]
    rows[0]["text"] = b"\xff"
    with pytest.raises(TableError, match="wiki@c0ffee, row 1: the text is not UTF-8"):
        next(hub_articles(source))


@pytest.mark.parametrize(
    ("printed", "text"),
    [
        (r"b'\n_START_ARTICLE_\n\xe7\x8c\xab'", "\n_START_ARTICLE_\n猫"),
        ("b'\n_START_ARTICLE_\n" + r"\xe7\x8c\xab'", "\n_START_ARTICLE_\n猫"),  # its line breaks as they are
        (r"""b"It's a \\ and a \"." """.strip(), "It's a \\ and a \"."),
        ("b'猫'", "b'猫'"),  # no bytes: they are printed in ASCII
        ("b'is' and 'was'", "b'is' and 'was'"),
    ],
)
def test_texts_that_are_printed_bytes_as_in_wiki40b_of_the_hub_are_decoded(hub, printed, text):
    hub[0].append({"text": printed})
    (piece,) = hub_articles(HubTable(dataset="wiki40b", revision="abc", id=None, title=None))
    assert piece.text.tolist() == [text]


@pytest.mark.parametrize(
    ("found", "error", "message"),
    [
        (ConnectionError("no route"), BackendError, "configuration None, split .train.: the download stopped"
         ".*no route.*catalog file"),
        ({"id": "1", "body": "A"}, TableError, r"row 1: the columns 'title', 'text' are missing\. The"),
    ],
)  # fmt: skip
def test_a_hub_out_of_reach_or_without_the_column_is_refused(hub, found, error, message):
    hub[0].append(found)
    with pytest.raises(error, match=f"wiki@0123abc.*{message}"):
        next(hub_articles(HubTable(dataset="wiki", revision="0123abc")))
