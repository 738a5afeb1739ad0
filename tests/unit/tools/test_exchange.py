"""Pairs to the files of sentence-transformers and FlagEmbedding, and back."""

import json

import pandas as pd
import pytest

from contrapose.base.errors import ConfigError, TableError
from contrapose.pairs.pair_rows import as_pairs
from contrapose.retrieve.triplet_files import PairFile, read_triplets
from contrapose.tables import PAIRS, TRIPLETS, read_table, write_table
from contrapose.tools.exchange import exchange
from tests.kinds import pairs as pairs_of

TEXTS = ["Zwölf „Bücher“ 犬 🐕", 'a "quoted", text', "two\nlines\r\nand a tab\t\u2028 "]
OURS = {"sentence-transformers": ("out.parquet", "out.jsonl"), "flag-embedding": ("out.jsonl",)}
FILES = [(form, name) for form, names in OURS.items() for name in names]


def table(**columns):
    return as_pairs(**{name: pd.Series(values) for name, values in columns.items()})


def rows(names, *rows):
    return table(**dict(zip(names.split(), map(list, zip(*rows, strict=True)), strict=True)))


def written(folder, pairs, form, name, negatives=None):
    """Return what is said about the file."""
    write_table(pairs, folder / "pairs.parquet", PAIRS)
    return exchange(folder / "pairs.parquet", folder / name, form, negatives)


def read_back(folder, form, name, **settings):
    """Return the PAIRS of a file of the catalog's, through both tables."""
    triplets = through(folder, read_triplets(PairFile(kind=form, path=name), folder), TRIPLETS)
    return through(folder, pairs_of("triplets", triplets, source="any", **settings), PAIRS)


def through(folder, rows, kind):
    write_table(rows, folder / "t.parquet", kind)
    return read_table(folder / "t.parquet", kind)


def same(one, other):
    pd.testing.assert_frame_equal(*(each.map(_listed) for each in (one, other)), check_dtype=False)


def _listed(value):
    return list(value) if hasattr(value, "__len__") and not isinstance(value, str) else value


NEGATIVES = [["n\n1", 'n"2'], ["", "n4"], ["n5", "n6"]]


@pytest.mark.parametrize(("form", "name"), FILES)
def test_pairs_with_hard_negatives_come_back_as_they_went(tmp_path, form, name):
    pairs = table(id=["0", "1", "2"], anchor=TEXTS, positive=TEXTS[::-1], negatives=NEGATIVES)
    assert written(tmp_path, pairs, form, name) == [
        f"Wrote {tmp_path / name} with 3 rows of 3 pairs. The ids of sentences are not part of this format."
    ]
    same(read_back(tmp_path, form, name), pairs)


def test_flag_embedding_keeps_slots_and_any_number_of_negatives_with_their_scores(tmp_path):
    some, scores = [["n"], ["n", "m", "o"], []], [[0.5], [-0.25, 1.0, 0.1], []]
    ids, slots = ["0", "1", "2"] * 2, [0] * 3 + [1] * 3
    pairs = table(id=ids, slot=slots, anchor=TEXTS * 2, positive=list("abcdef"), negatives=some * 2)
    pairs["negative_scores"] = scores * 2
    said = written(tmp_path, pairs, "flag-embedding", "x.jsonl")
    assert said[1:] == [
        "1 queries have no hard negative, but FlagEmbedding needs at least one. Export pairs of a method "
        "with hard negatives, or choose --format sentence-transformers."
    ]
    lines = [json.loads(line) for line in (tmp_path / "x.jsonl").read_text("utf-8").split("\n")[:-1]]
    assert lines[0] == {"query": TEXTS[0], "pos": ["a", "d"], "neg": ["n"], "neg_scores": [0.5]}
    assert lines[2] == {"query": TEXTS[2], "pos": ["c", "f"], "neg": []}
    same(read_back(tmp_path, "flag-embedding", "x.jsonl"), pairs)


def test_what_flag_embedding_has_no_place_for_is_counted(tmp_path):
    pairs = rows(
        "id anchor positive negatives negative_scores weight",
        ("8", "a", "p", ["n"], [0.5], 1),
        ("8", "a", "q", ["m"], [], 0.5),
        ("7", "b", "r", ["n"], [0.5], 1),
    ).assign(view=pd.Series([0, 1, 0], dtype="int16"))
    assert written(tmp_path, pairs, "flag-embedding", "x.jsonl") == [
        f"Wrote {tmp_path / 'x.jsonl'} with 2 rows of 3 pairs. The ids of sentences are not part of "
        "this format.",
        "1 pairs of a second kind (`view`) become positives like all others.",
        "1 queries get the hard negatives of several pairs together.",
        "1 queries are written without scores, because some of their hard negatives have none.",
        "1 weights other than 1 are not written.",
    ]
    back = read_back(tmp_path, "flag-embedding", "x.jsonl")
    places = list(zip(back.slot, back.anchor + back.positive, strict=True))
    assert places == [(0, "ap"), (0, "br"), (1, "aq"), (1, "br")]  # b starts again with its first
    assert [list(each) for each in back.negatives] == [["n", "m"], ["n"]] * 2


RAGGED = rows(
    "id slot anchor positive negatives negative_scores",
    ("0", 0, "a", "p", ["n", "m"], [0.5, 0.5]),
    ("0", 1, "a", "q", ["n"], [0.5]),
    ("2", 0, "b", "r", ["n", "m", "o"], []),
    ("3", 0, "c", "s", ["n", "m"], []),
)
REPEATED = (
    "1 rows have the anchor of an earlier row. To keep them out of its batch, in "
    "SentenceTransformerTrainingArguments, set batch_sampler=BatchSamplers.NO_DUPLICATES."
)
FEWER = "1 pairs with fewer than 2 hard negatives are skipped."


@pytest.mark.parametrize(
    ("wanted", "kept", "said", "beyond", "scores"),
    [
        (None, [["n"]] * 4, [], "4 hard negatives beyond 1", 3),
        (2, [["n", "m"]] * 3, [FEWER], "1 hard negatives beyond 2", 2),
    ],
)
def test_columns_have_as_many_negatives_as_every_pair_or_wanted(tmp_path, wanted, kept, said, beyond, scores):
    expected = [REPEATED, *said, f"{beyond} of a pair are not written; see --negatives."]
    found = written(tmp_path, RAGGED, "sentence-transformers", "x.parquet", wanted)
    assert found[1:] == [*expected, f"{scores} scores of hard negatives are not written."]
    back = read_back(tmp_path, "sentence-transformers", "x.parquet")
    assert [list(each) for each in back.negatives] == kept


@pytest.mark.parametrize("name", OURS["sentence-transformers"])
def test_labels_are_scores_both_ways_and_not_for_flag_embedding(tmp_path, name):
    pairs = table(id=["0", "1", "2"], anchor=TEXTS, positive=TEXTS, label=[0.1, 0.5, 1.0])
    written(tmp_path, pairs, "sentence-transformers", name)
    same(read_back(tmp_path, "sentence-transformers", name, scored=True), pairs)
    with pytest.raises(ConfigError, match="format of FlagEmbedding has no labels"):
        written(tmp_path, pairs, "flag-embedding", "x.jsonl")
    with pytest.raises(
        ConfigError, match="all pairs or for none, and pairs with labels cannot have hard negatives"
    ):
        written(tmp_path, pairs.assign(negatives=NEGATIVES), "sentence-transformers", f"more-{name}")


@pytest.mark.parametrize(
    ("form", "line", "message"),
    [
        ("sentence-transformers", {"anchor": "a"}, (r"columns are \['anchor'\], but at least "
            "an anchor and a positive are expected")),
        ("sentence-transformers", {"query_id": "1", "a": "a", "b": "b"}, "column query_id seems to hold ids"),
        ("sentence-transformers", {"a": "a", "b": None}, ("line 1: b is None, but a "
            "text without NUL is expected")),
        ("sentence-transformers", {"a": "a", "b": "b", "c": ["d"]}, r"line 1: c is \['d'\]"),
        ("sentence-transformers", {"a": "a", "b": "b\0"}, (r"line 1: b is 'b\\x00', but a "
            "text without NUL is expected")),
        ("sentence-transformers", {"a": "a", "b": "b", "score": 4}, "score is 4"),
        ("sentence-transformers", {"a": "a", "b": "b", "score": "1"}, ("score is '1', but "
            "a number is expected")),
        ("flag-embedding", {"query": "q", "pos": []}, (r"line 1: pos is \[\], but "
            "a list of texts is expected")),
        ("flag-embedding", {"query": "q", "pos": "p"}, "line 1: pos is 'p', but a list of texts is expected"),
        ("flag-embedding", {"pos": ["p"]}, "line 1: query is None, but a text without NUL is expected"),
        ("flag-embedding", {"query": "q", "pos": ["p"], "neg": ["n"], "neg_scores": [1, 2]}, "1 numbers"),
        ("flag-embedding", {"query": "q", "pos": ["p"], "neg": ["n"], "neg_scores": [None]}, "a number"),
    ],
)  # fmt: skip
def test_a_row_that_is_no_pair_is_refused(tmp_path, form, line, message):
    (tmp_path / "x.jsonl").write_text(json.dumps(line) + "\n")
    with pytest.raises(TableError, match=message):
        read_back(tmp_path, form, "x.jsonl")


def test_a_file_is_named_like_its_format_and_nothing_else_is_written(tmp_path):
    with pytest.raises(ConfigError, match=r"a flag-embedding file must end in \.jsonl or \.json"):
        written(tmp_path, RAGGED, "flag-embedding", "x.parquet")
    with pytest.raises(ConfigError, match="4 pairs with fewer than 9 hard negatives are skipped"):
        written(tmp_path, RAGGED, "sentence-transformers", "x.parquet", 9)
    with pytest.raises(ConfigError, match=r"--negatives is -1, but a whole number of at least 0 is expected"):
        written(tmp_path, RAGGED, "sentence-transformers", "x.parquet", -1)
    with pytest.raises(ConfigError, match=r"none\.parquet: there is no such file\. Name a file of"):
        exchange(tmp_path / "none.parquet", tmp_path / "x.parquet", "sentence-transformers")
    assert not (tmp_path / "x.parquet").exists()


def test_a_file_is_not_replaced(tmp_path):
    (tmp_path / "x.jsonl").write_text("mine")
    with pytest.raises(
        ConfigError, match=r"x\.jsonl already exists\. Name another file, or remove this one\."
    ):
        written(tmp_path, RAGGED, "sentence-transformers", "x.jsonl")
    assert (tmp_path / "x.jsonl").read_text() == "mine"
