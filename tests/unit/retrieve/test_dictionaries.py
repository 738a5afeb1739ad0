import gzip
import os
import tempfile
from itertools import starmap
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contrapose.base.errors import ConfigError, TableError
from contrapose.project import Project
from contrapose.project.registries import lacking_entry
from contrapose.retrieve import data_files, dictionary
from contrapose.retrieve.dictionary import convert_dictionary
from contrapose.retrieve.dictionary_lines import DictionaryFiles
from contrapose.tables import PHRASES, RULES, TableWriter, read_table

HOME = Path(__file__).parents[3]

PPDB = DictionaryFiles(kind="ppdb", files=["*"])
EHIMERPPDB = DictionaryFiles(kind="ehimerppdb", files=["*"])
PAIRS = DictionaryFiles(kind="word_pairs", files=["*"], probability=0.5)
OWN = DictionaryFiles(kind="csv", files=["*"])
HEADER = "phrase,target,probability"


def ppdb_line(phrase, target, value, relation="Equivalence", lhs="[NN]"):
    features = f"PPDB2.0Score=4.1 -logp(e1|e2)=0.1 -logp(e2|e1,LHS)=0.2 -logp(e2|e1)={value} MVLSASim=NA"
    return f"{lhs} ||| {phrase} ||| {target} ||| {features} ||| 0-0 ||| {relation}"


def converted(source, *files, packed=False):
    """Return {(phrase, target): [probability, relation]}, the counts, and the bytes of both tables."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for number, lines in enumerate(files):
            content = "\n".join(lines).encode() if isinstance(lines, list) else lines
            (folder / f"file{number}.txt").write_bytes(gzip.compress(content) if packed else content)
        paths = sorted(folder.iterdir())
        (folder / "out").mkdir()
        out = folder / "out" / "phrases.parquet", folder / "out" / "rules.parquet"
        try:
            with TableWriter(out[0], PHRASES) as phrases, TableWriter(out[1], RULES) as rules:
                lines = convert_dictionary(paths, source, phrases, rules)
        except TableError:
            assert os.listdir(folder / "out") == []
            raise
        assert sorted(os.listdir(folder / "out")) == ["phrases.parquet", "rules.parquet"]
        names, found = read_table(out[0], PHRASES).phrase, read_table(out[1], RULES)
        assert found.phrase.is_monotonic_increasing
        assert set(found.phrase) == set(range(len(names)))
        rows = found.itertuples(index=False, name=None)
        by_pair = {(names[row], target): rest for row, target, *rest in rows}
        assert len(by_pair) == len(found)
        return by_pair, lines.set_index("what"), tuple(path.read_bytes() for path in out)


def test_lines_that_give_no_rule_are_counted_by_reason_and_the_first_is_shown():
    lines = [
        *starmap(ppdb_line, [
            ("big", "large", 0.5), ("[NP,1] big", "large [NP,1]", 0.5), ("of [VP/PP,2]", "by [VP/PP,2]", 0.5),
            ("big", "big", 0.5), ("", "large", 0.5), ("big", " ", 0.5), ("big", "grand", "NA"),
            ("big", "grand", "nan"), ("[ sic ]", "[sic]", 1), ("[1]", "[ 1,2 ]", 1),
            ("not", "n't", 0.1), ("n't go", "stay", 0.1),  # half a contraction is no word of a corpus
        ]),
        "big ||| grand ||| 0.5",
        "",
        ppdb_line("big", "grand", 0.5).replace("-logp(e2|e1)=", "-logp(e2|e1,LHS)="),
    ]  # fmt: skip
    rules, counts, _ = converted(PPDB, lines)
    # Two have brackets that are no non-terminals.
    assert set(rules) == {("big", "large"), ("[ sic ]", "[sic]"), ("[1]", "[ 1,2 ]")}
    assert counts.number.to_dict() == {
        **{"lines": 15, "rules": 3, "phrases": 3, "not in the expected format": 5, "with non-terminals": 2},
        **{"empty phrase or paraphrase": 2, "phrase and paraphrase equal": 1},
        **{"n't without the word before it": 2},
        **{"probability above 1, read as 1": 0, "repeated phrase and paraphrase": 0},
    }
    assert counts.example["with non-terminals"].startswith("file0.txt, line 2: [NN] ||| [NP,1] big |||")
    assert counts.example["not in the expected format"].startswith("file0.txt, line 7:")


def test_ehimerppdb_has_plain_probabilities_above_zero_with_and_without_pivots():
    lines = ["執筆 者 ||| 作家 ||| 0.07 ||| an author, writer", "ＤＮＡ 鑑定 ||| DNA　検査 ||| 0.5"]
    wrong = [f"a ||| b{value} ||| {value}" for value in ("p", "0", "-1", "inf", "nan", "1e-60")]
    rules, counts, _ = converted(EHIMERPPDB, lines + wrong)
    assert rules.pop(("a", "b1e-60"))[0] > 0  # float32 cannot hold it
    assert rules == {
        ("執筆 者", "作家"): [pytest.approx(0.07), ""],
        ("ｄｎａ 鑑定", "DNA　検査"): [0.5, ""],  # a wide blank belongs to a word
    }
    assert counts.number["not in the expected format"] == 5


WORDS = st.sampled_from(["a", "b", "A", "é", "日本", "-1"])
SOME = st.lists(WORDS, min_size=1, max_size=3).map(" ".join)
LINES = st.lists(
    st.tuples(SOME, SOME, st.integers(-20, 200), st.sampled_from("xyz")), min_size=1, max_size=40
)


@settings(max_examples=40)
@given(LINES, st.randoms(use_true_random=False), st.integers(1, 9))
def test_a_dictionary_is_what_a_plain_loop_makes_of_it_for_any_order_of_lines(rows, random, at_once):
    expected: dict = {}
    for phrase, target, value, relation in rows:
        pair = phrase.lower(), target
        if pair[0] != target.lower():
            entry = -np.float32(min(1.0, np.exp(-value / 100))), relation
            expected[pair] = min(expected.get(pair, entry), entry)
    lines = [ppdb_line(phrase, target, value / 100, relation) for phrase, target, value, relation in rows]
    if not expected:
        with pytest.raises(TableError, match="contain no rule of kind ppdb"):
            converted(PPDB, lines)
        return
    rules, counts, content = converted(PPDB, lines)
    again = counts.number["repeated phrase and paraphrase"]
    assert again == sum(phrase.lower() != target.lower() for phrase, target, *_ in rows) - len(expected)
    assert {pair: (-probability, relation) for pair, (probability, relation) in rules.items()} == expected
    shuffled = random.sample(lines, len(lines))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dictionary, "RULES_AT_ONCE", at_once)
        assert converted(PPDB, shuffled[:5], shuffled[5:], packed=True)[2] == content


def test_a_file_that_is_cut_off_is_named_and_leaves_nothing(monkeypatch):
    monkeypatch.setattr(dictionary, "RULES_AT_ONCE", 100)
    random = np.random.default_rng(0)
    words = [" ".join(map(str, random.integers(10**9, size=2))) for _ in range(2000)]
    whole = gzip.compress("\n".join(words).encode())
    assert len(converted(PAIRS, whole)[0]) == 2000
    with pytest.raises(
        TableError,
        match=r"file0.txt: the file cannot be read to its end .*\. Correct the file, or download",
    ):
        converted(PAIRS, whole[: len(whole) // 2])


def test_a_dictionary_that_a_person_has_to_put_there_is_missing_until_it_is(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    hub, mini = (Project({"catalog": catalog}, HOME) for catalog in ("hub", "mini"))
    missing = lacking_entry(hub, "dictionaries", "ppdb"), lacking_entry(mini, "dictionaries", "ppdb")
    assert missing == ("./dictionaries/ppdb-2.0-xl-all.gz is missing (dictionaries.ppdb)", "")
    with pytest.raises(
        ConfigError, match=r"dictionaries.ppdb: no file matches './dictionaries/ppdb-2.0-xl-all.gz'"
    ):
        data_files.inputs(hub, "dictionaries", "ppdb")
    (tmp_path / "dictionaries").mkdir()
    (tmp_path / "dictionaries" / "ppdb-2.0-xl-all.gz").touch()
    assert lacking_entry(hub, "dictionaries", "ppdb") == ""
    assert data_files.inputs(hub, "dictionaries", "ppdb") == ["dictionaries/ppdb-2.0-xl-all.gz"]
    assert data_files.inputs(mini, "dictionaries", "ppdb") == [data_files.MADE]


def test_a_dictionary_of_ones_own_is_cut_into_words_as_sentences_are():
    lines = [HEADER, "As well as,and also,0.5", 'Don\'t,"""do"", not",1', "U.S.,the U.S.,.25", "big,Big,0.5"]
    rules, counts, _ = converted(OWN, [f"\ufeff{lines[0]}", *lines[1:]])
    # Moses cuts at quotation marks, commas and in front of apostrophes.
    assert rules == {
        ("as well as", "and also"): [0.5, ""],
        ("don 't", '" do " , not'): [1, ""],
        ("u.s.", "the U.S."): [0.25, ""],
    }
    assert counts.number[["lines", "rules", "phrase and paraphrase equal"]].tolist() == [4, 3, 1]
    assert counts.example["phrase and paraphrase equal"].endswith("line 5: big,Big,0.5")
    japanese = OWN.model_copy(update={"language": "japanese"})
    rules, _, _ = converted(japanese, [HEADER, "執筆者,作家,0.5"])
    assert set(rules) == {("執筆 者", "作家")}


@pytest.mark.parametrize(
    ("source", "lines", "message"),
    [
        (
            PPDB,
            ["big large", "a b"],
            r"no rule of kind ppdb\. not in the expected format: file0\.txt, line 1: big large",
        ),
        (
            OWN,
            ["phrase,target", "a,b"],
            (
                r"column 'probability' is missing\. The columns are "
                r"phrase, target\. Correct the first line, which must name the columns"
            ),
        ),
        (OWN, [HEADER, "a,b,0.5", "a,b"], "3: the line has 2 columns, but the header has 3"),
        (OWN, [HEADER, "a, ,1"], "line 2: the phrase is 'a' and the target is ' ', but both need words"),
        (
            OWN,
            [HEADER, "a,b,1.5"],
            r"line 2: the probability is '1\.5', but a number above 0 and at most 1 is expected",
        ),
        (
            OWN,
            [HEADER, '"a', 'b",c,nan'],
            "line 3: the probability is 'nan', but a number above 0 and at most 1 is expected",
        ),
        (OWN, [HEADER], "contain no rule of kind csv. They are empty"),
    ],
)
def test_a_file_without_rules_or_with_a_wrong_line_is_refused(source, lines, message):
    with pytest.raises(TableError, match=message):
        converted(source, lines)
