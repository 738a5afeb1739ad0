"""Sets of pairs in small files made as their releases are: what is read of them."""

import json

import pytest
from pydantic import ValidationError

from contrapose.base.errors import TableError
from contrapose.report.scores import size_note
from contrapose.retrieve.benchmarks import BenchmarkFiles

BOM = "\ufeff"
STSB = "main-captions\tMSRvid\t2012test\t0001\t2.5\t"
SICK = "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment\n"
RELEASED = "pair_ID\tsentence_A\tsentence_B\tentailment_label\trelatedness_score\tSemEval_set\n"
JSICK = (
    "pair_ID\tdata\tsentence_A_En\tentailment_label_En\trelatedness_score_En\tsentence_A_Ja\tsentence_B_Ja"
    "\tentailment_label_Ja\trelatedness_score_Ja\n1\ttrial\tA\tneutral\t4.5\t犬\t猫\tcontradiction\t3.7\n"
    "2\ttest\t\t\t\t馬\t鳥\tneutral\t1.0\n"
)
MRPC = "Quality\t#1 ID\t#2 ID\t#1 String\t#2 String\n"
QQP = "id,qid1,qid2,question1,question2,is_duplicate\n"
PAWS = "id\tsentence1\tsentence2\tlabel\n"
OWN = "sentence1,sentence2,score\n"
THREE = f"{OWN}a,b,1\nc,d,2\ne,f,2\n"
SNLI = [("entailment", "A man\t sleeps .", "Somebody sleeps ."), ("contradiction", "A dog runs .", "A cat .")]
SNLI_READ = [[0, "A man sleeps .", "Somebody sleeps .", 0.0], [1, "A dog runs .", "A cat .", 2.0]]


def as_json(*rows: tuple, names: tuple = ("gold_label", "sentence1", "sentence2")) -> str:
    lines = (json.dumps(dict(zip(names, row, strict=True)), ensure_ascii=False) for row in rows)
    return "".join(f"{line}\n" for line in lines)


@pytest.mark.parametrize(
    ("kind", "task", "files", "expected"),
    [
        # Lone quotation marks do not merge rows.
        ("stsb", "stsb", {"sts-test.csv": f'{STSB}"  A   cat . \tA\u00a0dog.\n{STSB}A\tA 12" dog .\ts\ts\n'},
         {"test": [[0, '" A cat .', "A dog.", 2.5], [1, "A", 'A 12" dog .', 2.5]]}),
        # SICK's columns are read by name.
        ("sick", "sickr", {"SICK_trial.txt": f"{SICK}1\tA\tB\t4.5\tNEUTRAL\n", "SICK_test_annotated.txt":
         "pair_ID\trelatedness_score\tsentence_B\tsentence_A\n9\t1\tB\tA\n", "SICK.txt": ""},
         {"dev": [[0, "A", "B", 4.5]], "test": [[0, "A", "B", 1.0]]}),
        ("sick_train", "sickr_train", {"SICK_trial.txt": f"{SICK}1\tA\tB\t4.5\tNEUTRAL\n", "SICK_train.txt":
         f"{SICK}2\tC\tD\t1\tNEUTRAL\n3\tE\tF\t2\tNEUTRAL\n"},
         {"test": [[0, "C", "D", 1.0], [1, "E", "F", 2.0], [2, "A", "B", 4.5]]}),
        ("sick", "sick_nli", {"SICK_train.txt": f"{SICK}1\tA\tB\t5\tENTAILMENT\n"},
         {"train": [[0, "A", "B", 0.0]]}),
        *(("sick", task, {"SICK_train.txt": "", "SICK.txt": f"{RELEASED}1\tC  d\tE\tNEUTRAL\t3.6\tTRIAL\n"
           "2\tF\tG\tCONTRADICTION\t1\tTRAIN"},
           {"train": [[1, "F", "G", train]], "dev": [[0, "C d", "E", dev]]})
          for task, train, dev in (("sick_nli", 2.0, 1.0), ("sick_pairs", 1.0, 3.6))),
        *(("jsick", task, {"jsick.tsv": JSICK},
           {"dev": [[0, "犬", "猫", dev]], "test": [[1, "馬", "鳥", 1.0]]})
          for task, dev in (("jsick", 3.7), ("jsick_nli", 2.0))),
        ("snli", "snli", {f"{part}.dev": "".join(f"{row[column]} \n" for row in SNLI)
                          for column, part in enumerate(("labels", "s1", "s2"))}, {"dev": SNLI_READ}),
        ("snli", "snli", {"snli_1.0_dev.jsonl": as_json(*SNLI, ("-", "Nobody agrees .", "On this ."))},
         {"dev": SNLI_READ, "log": "1 pairs without a label or a text are skipped"}),
        ("paws", "paws", {"train.tsv": f"{PAWS}1\t\" A `` b ''\tC\t0\n2\tD\tE \"\t1\n"},
         {"train": [[1, "\" A `` b ''", "C", 0.0], [2, "D", 'E "', 1.0]]}),
        ("mrpc", "mrpc", {"msr_paraphrase_test.txt":
                          f'{BOM}{MRPC}1\t1\t2\t"A  b\tC.\r\n0\t3\t4\tD "e"\tF\r\n'},
         {"test": [[1, '"A b', "C.", 1.0], [2, 'D "e"', "F", 0.0]]}),
        # GLUE's questions have no quoting, and some lines are broken.
        ("qqp", "qqp",
         {"dev.tsv": (QQP + '7,1,2,Half a\n0,1,2,Is "so?,B?,0\n8,1,2,,Why?,1\n').replace(",", "\t")},
         {"test": [[2, 'Is "so?', "B?", 0.0]], "log": "1 lines with another number of columns are skipped"}),
        # The bundle calls dev valid.  White space inside stays; full-width marks are what they are.
        ("senteval_cn", "bq", {"X.valid.data": "怎么 还款？\t 如何还款\u3000\t1\n１２３！\t借,钱\t0\n",
                               "X.test.data": "甲\t乙\t0"},
         {"dev": [[0, "怎么 还款？", "如何还款", 1.0], [1, "１２３！", "借,钱", 0.0]],
          "test": [[0, "甲", "乙", 0.0]]}),
        # A second byte order mark is at the first sentence.
        ("atec", "atec", {"atec_nlp_sim_train.csv": f"{BOM}1\t{BOM}花呗\t花 呗\t1\r\n2\t甲\t乙\t0\r\n"},
         {"train": [[0, "花呗", "花 呗", 1.0], [1, "甲", "乙", 0.0]]}),
        ("bq", "bq", {"dev.csv": f'{BOM}sentence1,sentence2,label\n"甲,""乙""",丙,1\n'},
         {"dev": [[0, '甲,"乙"', "丙", 1.0]]}),
        ("cnsd", "stsb_zh", {"cnsd-sts-test.txt": "2012test-1||甲|乙||丙||3\n"},
         {"test": [[0, "甲|乙", "丙", 3.0]]}),
        ("pawsx", "pawsx_zh",
         {"test_2k.tsv": f"{PAWS}1\tNS\t甲\t0\n2\t\t乙\t1\n3\t丙\t丁\t-1\n4\t戊\t己\t1\n"},
         {"test": [[1, "NS", "甲", 0.0], [4, "戊", "己", 1.0]], "log": "1 sentences are the placeholder NS"}),
        # XTREME's test file has no labels.
        ("pawsx", "pawsx_ja", {"test-ja.tsv": "丙\t丁\r\n", "dev-ja.tsv": "甲\t乙\t1\r\nNS\t丁\t0\r\n"},
         {"dev": [[0, "甲", "乙", 1.0], [1, "NS", "丁", 0.0]]}),
        ("pawsx", "pawsx_ja", {"dev_2k.tsv": f"{PAWS}1\t甲\t乙\t1\n"}, {"dev": [[1, "甲", "乙", 1.0]]}),
        # Our test pairs are the dev pairs of its English part, in either form.
        ("pawsx_dev", "pawsx_en_dev", {"dev-en.tsv": "A b\tB a\t0\r\n", "test-en.tsv": "C\tD\r\n"},
         {"test": [[0, "A b", "B a", 0.0]]}),
        ("pawsx_dev", "pawsx_en_dev", {"dev_2k.tsv": f"{PAWS}1\tA b\tB a\t0\n"},
         {"test": [[1, "A b", "B a", 0.0]]}),
        # The newest version; a test file came later and is nobody's.
        ("jglue", "jsts", {"valid-v1.1.json": "", "test-v1.3.json": "", "valid-v1.3.json": as_json(
            ("4", "犬\u3000が。 ", "猫", 4.2), names=("id", "sentence1", "sentence2", "label"))},
         {"test": [[0, "犬\u3000が。", "猫", 4.2]]}),
        ("pairs", "own", {"dev.csv": f"id,{OWN}1,a,b,1\n2,c,d,1\n3,e,f,2\n", "test.csv": f'{BOM}{OWN}'
                          '"Ja, ja.", Doch. ,-7.5\r\n"Er sagte ""so""",Zwei\u2028Zeilen,1e2\r\na,c,0'},
         {"dev": [[0, "a", "b", 1.0], [1, "c", "d", 1.0], [2, "e", "f", 2.0]],
          "test": [[0, "Ja, ja.", "Doch.", -7.5], [1, 'Er sagte "so"', "Zwei\u2028Zeilen", 100.0],
                   [2, "a", "c", 0.0]],
          "log": "these columns are read: sentence1, sentence2, score. Others are not: 'id'"}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_pairs_of_a_set_are_read_as_its_files_have_them(read, caplog, kind, task, files, expected):
    splits = [split for split in expected if split != "log"]
    found = read(kind, task, files, splits=splits)
    assert [found[split] for split in splits] == [expected[split] for split in splits]
    assert set(found.table.task) == set(found.table.subset) == {task}
    assert expected.get("log", "") in caplog.text


@pytest.mark.parametrize(
    ("kind", "task", "files", "missing"),
    [
        ("mrpc", "mrpc", {"msr_paraphrase_test.txt": f"{MRPC}1\t1\t2\tA\tC\n"},
         dict.fromkeys(["train", "dev"], "msr_paraphrase_train.txt")),
        ("qqp", "qqp", {"train.csv": QQP + "1,1,2,a,b,1\n" * 20}, {"test": "dev.tsv"}),
        ("paws", "paws", {"train.tsv": f"{PAWS}1\tA\tC\t0\n"}, {"dev": "dev.tsv", "test": "test.tsv"}),
        ("pawsx", "pawsx_ja", {"dev-ja.tsv": "甲\t乙\t1\n"},
         {"train": "translated_train.tsv", "test": "test_2k.tsv"}),
        ("senteval_cn", "bq", {"X.test.data": "甲\t乙\t0", "X.valid.data": "甲\t丙\t0"},
         {"train": "X.train.data"}),
        *(("snli", "snli", {f"{each}.dev": "neutral" for each in ("s1", "s2", "labels")} | more,
           {"train": name.format("train"), "test": name.format("test")})
          for more, name in (({}, "s1.{}"), ({"snli_1.0_dev.jsonl": as_json(*SNLI)}, "snli_1.0_{}.jsonl"))),
        ("pairs", "own", {"test.csv": THREE}, {"dev": "dev.csv"}),
    ],
)  # fmt: skip
def test_splits_without_a_file_are_named_with_the_file(read, kind, task, files, missing):
    expected = {f"{task}/raw/{split}": f"X/{name}" for split, name in missing.items()}
    assert read(kind, task, files).missing == expected


def test_a_set_of_ones_own_has_files_of_its_own_kind_and_no_published_size():
    own = {"kind": "pairs", "task": "own", "path": "test_pairs"}
    for wrong in ({"kind": "sick"}, {"task": "stsb"}, {"complete": True}):
        with pytest.raises(
            ValidationError, match=r"kind (pairs|graded) must be|need files of kind pairs|task own has"
        ):
            BenchmarkFiles(**own | wrong)
    assert size_note(7, "own") == ""
    assert size_note(7, "stsb") == "7 pairs, 1379 as published"


@pytest.mark.parametrize(
    ("dev", "says"),
    [
        (THREE + "g,h,1\n", r"3 of 4 dev pairs are also test pairs, such as \('a', 'b'\)"),
        (f"{OWN}a,y,1\nc,z,2\n", "the file has 2 scored pairs for dev. A correlation needs at least 3 pairs"),
        (f"{OWN}a,z,1\nc,z,1\nd,z,1.0\n", "all 3 scores for dev are 1, so there is no correlation"),
    ],
)
def test_pairs_of_ones_own_that_nothing_can_be_scored_on_are_refused(read, dev, says):
    with pytest.raises(TableError, match=f"X: {says}"):
        read("pairs", "own", {"test.csv": THREE, "dev.csv": dev})
    with pytest.raises(TableError, match="X: "):
        read("pairs", "own", {"test.csv": dev, "dev.csv": THREE})
