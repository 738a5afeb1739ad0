import pytest

from contrapose.base.errors import TableError
from contrapose.retrieve.triplet_files import JSNLITriples, PairFile, SNLITriples, read_triplets
from contrapose.settings import hub
from contrapose.settings.hub import HubFile
from contrapose.tables import TRIPLETS, read_table, write_table

SIMCSE = PairFile(kind="simcse", path="nli.csv")
SNLI = SNLITriples(kind="snli", path="SNLI", split="dev")
JSNLI = JSNLITriples(kind="jsnli", path="train.tsv")
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


def plain(found):
    columns = zip(found.id, found.premise, found.entailment, found.negatives, strict=True)
    return [[*texts, list(negatives)] for *texts, negatives in columns]


def write_snli(write, rows):
    for part, lines in zip(("s1", "s2", "labels"), zip(*rows, strict=True), strict=True):
        folder = write(f"SNLI/{part}.dev", "".join(f"{line}\n" for line in lines))
    return folder


def test_triplets_of_simcse_keep_quoted_commas_marks_and_line_breaks_and_pairs_have_no_contradictions(write):
    def written(text):
        folder = write("nli.csv", text)
        write_table(read_triplets(SIMCSE, folder), folder / "t.parquet", TRIPLETS)
        return read_table(folder / "t.parquet", TRIPLETS)

    assert plain(written(CSV)) == [["0", "One, two", 'He said "yes".', ["No.  "]], ["1", "a\nb", "c", ["d"]]]
    found = written('sent0,sent1\n"One, two",Two\nb,c\n')
    assert found[["premise", "entailment"]].to_numpy().tolist() == [["One, two", "Two"], ["b", "c"]]
    assert found.negatives.str.len().tolist() == [0, 0]


def test_a_premise_of_snli_gives_one_triplet_of_the_first_entailment_and_contradiction(write):
    # The man has no entailment.
    assert plain(read_triplets(SNLI, write_snli(write, PAIRS))) == [
        ["0", "A dog runs .", "An animal moves .", ["A cat sleeps ."]],
        ["5", "A bird flies .", "It flies .", ["It swims ."]],
    ]


@pytest.mark.parametrize(
    ("source", "text", "message"),
    [
        (SIMCSE, "anchor,positive\na,b\n",
         r"the columns 'sent0', 'sent1' are missing\. The columns are anchor, positive\. The first line"),
        (SIMCSE, "sent0,sent1\na,b\na,b,c\n", "line has 3 columns"),
        (SIMCSE, "sent0,sent1,hard_neg\n", "contains no triplet"),
        (JSNLI, "entailment\t犬\n", "1: the line has 2 columns"),
        (JSNLI, "犬\t犬\t犬\n", "line 1: the label is '犬'"),
    ],
)  # fmt: skip
def test_a_file_that_holds_no_triplets_is_refused(write, source, text, message):
    with pytest.raises(TableError, match=message):
        read_triplets(source, write(source.path, text))


def test_a_file_of_the_hub_is_read_and_its_rows_are_counted(tmp_path, monkeypatch):
    (tmp_path / "fetched").write_text(CSV)
    monkeypatch.setattr(hub, "hub_file", lambda dataset, file, revision: tmp_path / "fetched")
    source = HubFile(dataset="a/b", file="nli.csv", revision="c0ffee", rows=2)
    assert len(read_triplets(source, None)) == 2
    with pytest.raises(TableError, match="has 2 rows, but its entry in the catalog expects 3"):
        read_triplets(source.model_copy(update={"rows": 3}), None)


def test_jsnli_loses_the_blanks_between_words_and_is_paired_as_snli_is(write, monkeypatch):
    lines = (
        "contradiction\t犬 が 走る 。\t猫 が 眠る 。",
        "neutral\t犬 が 走る 。\t雨 が 降る 。",
        "entailment\t男 は T シャツ を 着る 。\t男 は 服 を 着る 。",
        "entailment\t犬 が 走る 。\t動物 が 動く 。",
    )
    folder = write("train.tsv", "\n".join([*lines, ""]))
    expected = [["0", "犬が走る。", "動物が動く。", ["猫が眠る。"]]]
    assert plain(read_triplets(JSNLI, folder)) == expected
    monkeypatch.chdir(folder)  # a file may be below the project
    below = JSNLITriples(kind="jsnli", path="./train.tsv")
    assert plain(read_triplets(below, folder / "data")) == expected
