import pytest

from contrapose.errors import TableError
from contrapose.retrieve import triples
from contrapose.retrieve.triples import read_triples
from contrapose.settings.worlds import HubFile, JSNLITriples, SimCSETriples, SNLITriples
from contrapose.tables import TRIPLES, read_table, write_table

SIMCSE = SimCSETriples(kind="simcse", path="nli.csv")
SNLI = SNLITriples(kind="snli", path="SNLI", split="dev")
CSV = 'sent0,sent1,hard_neg\n"One, two","He said ""yes"".",No.  \n"a\nb",c,d\n'
PAIRS = [
    ("A dog  runs . ", "A cat sleeps . ", "contradiction"),
    ("A dog  runs . ", "It may rain . ", "neutral"),
    ("A man reads . ", "A man eats . ", "contradiction"),
    ("A dog runs . ", "An animal moves . ", "entailment"),
    ("A dog runs . ", "A dog moves . ", "entailment"),
    ("A bird flies . ", "It flies . ", "entailment"),
    ("A bird flies . ", "It swims . ", "contradiction"),
]


def write_snli(folder, rows):
    (folder / "SNLI").mkdir()
    for part, lines in zip(("s1", "s2", "labels"), zip(*rows, strict=True), strict=True):
        (folder / "SNLI" / f"{part}.dev").write_text("".join(f"{line}\n" for line in lines))


def test_triples_of_simcse_keep_quoted_commas_marks_and_line_breaks(tmp_path):
    (tmp_path / "nli.csv").write_text(CSV)
    write_table(read_triples(SIMCSE, tmp_path), tmp_path / "t.parquet", TRIPLES)
    assert read_table(tmp_path / "t.parquet", TRIPLES).to_numpy().tolist() == [
        ["0", "One, two", 'He said "yes".', "No.  "],
        ["1", "a\nb", "c", "d"],
    ]


def test_a_premise_of_snli_gives_one_triple_of_the_first_entailment_and_contradiction(tmp_path):
    write_snli(tmp_path, PAIRS)
    found = read_triples(SNLI, tmp_path)
    # The man has no entailment.
    assert found.to_numpy().tolist() == [
        ["0", "A dog runs .", "An animal moves .", "A cat sleeps ."],
        ["5", "A bird flies .", "It flies .", "It swims ."],
    ]


def test_a_file_of_pairs_has_no_contradictions(tmp_path):
    (tmp_path / "nli.csv").write_text('sent0,sent1\n"One, two",Two\nb,c\n')
    write_table(read_triples(SIMCSE, tmp_path), tmp_path / "t.parquet", TRIPLES)
    found = read_table(tmp_path / "t.parquet", TRIPLES)
    assert found[["premise", "entailment"]].to_numpy().tolist() == [["One, two", "Two"], ["b", "c"]]
    assert found.contradiction.isna().all()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "anchor,positive\na,b\n",
            r"the header is \['anchor', 'positive'\], expected .*'hard_neg'\] or \['sent0', 'sent1'\]",
        ),
        ("sent0,sent1,hard_neg\na,b,c\na,b\n", "line 3: 2 columns"),
        ("sent0,sent1\na,b\na,b,c\n", "line 3: 3 columns"),
        ('sent0,sent1,hard_neg\na,b,"c', "is no CSV in UTF-8"),
        ("sent0,sent1,hard_neg\n", "holds no triple"),
    ],
)
def test_a_file_that_holds_no_triples_is_refused(tmp_path, text, message):
    (tmp_path / "nli.csv").write_text(text)
    with pytest.raises(TableError, match=message):
        read_triples(SIMCSE, tmp_path)


def test_parts_of_snli_that_do_not_belong_together_are_refused(tmp_path):
    write_snli(tmp_path, [*PAIRS, ("a", "b", "-")])
    with pytest.raises(TableError, match=r"labels\.dev, line 8: label '-', expected entailment, neutral"):
        read_triples(SNLI, tmp_path)
    (tmp_path / "SNLI" / "s2.dev").write_text("a\n")
    with pytest.raises(TableError, match=r"have \[8, 1, 8\] lines, expected the same number"):
        read_triples(SNLI, tmp_path)


def test_a_file_of_the_hub_is_read_and_its_rows_are_counted(tmp_path, monkeypatch):
    (tmp_path / "fetched").write_text(CSV)
    monkeypatch.setattr(triples, "hub_file", lambda dataset, file, revision: tmp_path / "fetched")
    source = HubFile(dataset="a/b", file="nli.csv", revision="main", rows=2)
    assert len(read_triples(source, None)) == 2
    with pytest.raises(TableError, match=r"nli\.csv: has 2 rows, expected 3"):
        read_triples(source.model_copy(update={"rows": 3}), None)


JSNLI = """contradiction\t犬 が 走る 。\t猫 が 眠る 。
neutral\t犬 が 走る 。\t雨 が 降る 。
entailment\t男 は T シャツ を 着る 。\t男 は 服 を 着る 。
entailment\t犬 が 走る 。\t動物 が 動く 。
"""


def test_jsnli_loses_the_blanks_between_words_and_is_paired_as_snli_is(tmp_path):
    (tmp_path / "train.tsv").write_text(JSNLI)
    found = read_triples(JSNLITriples(kind="jsnli", path="train.tsv"), tmp_path)
    # Of the T-shirt nothing is contradicted.
    assert found.to_numpy().tolist() == [["0", "犬が走る。", "動物が動く。", "猫が眠る。"]]


def test_a_file_of_triples_may_be_below_the_project(tmp_path, monkeypatch):
    (tmp_path / "train.tsv").write_text(JSNLI)
    monkeypatch.chdir(tmp_path)
    assert len(read_triples(JSNLITriples(kind="jsnli", path="./train.tsv"), tmp_path / "data")) == 1


@pytest.mark.parametrize(
    ("line", "message"), [("entailment\t犬", "line 1: 2 columns"), ("犬\t犬\t犬", "line 1: label '犬'")]
)
def test_a_line_that_is_not_of_jsnli_is_named(line, message, tmp_path):
    (tmp_path / "train.tsv").write_text(f"{line}\n")
    with pytest.raises(TableError, match=message):
        read_triples(JSNLITriples(kind="jsnli", path="train.tsv"), tmp_path)
