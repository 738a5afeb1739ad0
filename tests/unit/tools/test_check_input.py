"""What `new` and `check` say of files and encoder folders that no comparison could be made with."""

import json
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from safetensors.numpy import save_file

from contrapose.base.errors import ConfigError, TableError
from contrapose.tools.check_input import (
    checked_encoder,
    checked_material,
    checked_pairs,
    checked_sentences,
    given_overlaps,
)
from tests.checkout import HOME

PAIRS = pd.DataFrame(
    [("7", "One, two.", "Zwei\u2028drei", 4.5), ("8", 'Er sagte "so".', "b", 0.5), ("9", "c", "d", 3.0)],
    columns=["id", "sentence1", "sentence2", "score"],
)
WRITTEN = 'sentence1,sentence2,score\n"One, two.",Zwei\u2028drei,4.5\n"Er sagte ""so"".",b,0.5\nc,d,3.0\n'


@pytest.mark.parametrize(
    ("name", "separator", "write"),
    [
        ("p.csv", ",", lambda path: PAIRS.to_csv(path)),  # with the index, a column without a name
        ("p.csv", ";", lambda path: PAIRS.to_csv(path, sep=";", decimal=",", index=False)),
        ("p.tsv", "\t", lambda path: PAIRS.to_csv(path, sep="\t", index=False, encoding="utf-8-sig")),
        ("p.parquet", ",", lambda path: PAIRS.to_parquet(path)),
        ("p.jsonl", ",", lambda path: PAIRS.to_json(path, orient="records", lines=True)),
    ],
)
def test_test_pairs_of_many_programs_become_one_csv(tmp_path, caplog, name, separator, write):
    write(tmp_path / name)
    (table,) = checked_pairs([tmp_path / name], None, separator).values()
    table.write(tmp_path / "test.csv")
    assert (tmp_path / "test.csv").read_text(encoding="utf-8") == WRITTEN
    assert "only these columns are read: sentence1" in caplog.text
    assert "'id'" in caplog.text
    assert ("as in 4,5, are read as decimal points" in caplog.text) == (separator == ";")


def test_a_sheet_of_excel_is_read_and_a_damaged_one_is_refused(tmp_path):
    sheet = tmp_path / "p.xlsx"
    PAIRS.to_excel(sheet, index=False)
    (table,) = checked_pairs([sheet], None).values()
    table.write(tmp_path / "test.csv")
    assert (tmp_path / "test.csv").read_text(encoding="utf-8") == WRITTEN.replace("3.0", "3")
    sheet.write_bytes(b"PK\3\4 cut off")
    with pytest.raises(TableError, match=r"p\.xlsx: .*sheet.*CSV"):
        checked_pairs([sheet], None)


def test_few_test_pairs_and_few_sentences_are_possible_but_say_what_that_means(tmp_path, caplog):
    def logged(texts: list[str]) -> list[str]:
        caplog.clear()
        (tmp_path / "s.txt").write_text("".join(f"{text}\n" for text in texts))
        rows = "".join(f"{text},also {each},{each}\n" for each, text in enumerate(texts))
        (tmp_path / "t.csv").write_text(f"sentence1,sentence2,score\n{rows}")
        checked_pairs([tmp_path / "t.csv"], None)
        checked_sentences(tmp_path / "s.txt", None, None)
        return caplog.messages

    of_pairs = (
        "With fewer than 30, the table shows scores but tests no difference on these pairs, and recommends "
        "no method by them."
    )
    assert logged([f"text {each}" for each in range(19)]) == [
        f"{tmp_path}/t.csv: there are 19 test pairs. {of_pairs}",
        f"{tmp_path}/s.txt: there are only 19 sentences, so each step of a training reads the same ones, and "
        "the result holds for little else. Give hundreds of sentences or more.",
    ]
    assert logged([f"text {each}" for each in range(30)]) == []
    assert logged([f"text {each % 20}" for each in range(40)]) == [
        f"{tmp_path}/t.csv: there are 40 test pairs, which share sentences and count as 20 independent "
        f"pairs. {of_pairs}"
    ]


@pytest.mark.parametrize(
    ("name", "content", "column", "documents", "says"),
    [
        ("s.txt", "one\ntwo\n", None, "blank_lines", "no blank line between two sentences"),
        ("s.csv", "text,from\none,\ntwo,\n", "text", "from", "the same name in each row of the column from"),
    ],
)
def test_sentences_of_one_document_have_no_documents(tmp_path, name, content, column, documents, says):
    (tmp_path / name).write_text(content)
    with pytest.raises(
        TableError, match=f"{name}: the file has {says}, so with --documents {documents} it is one document"
    ):
        checked_sentences(tmp_path / name, column, documents)


def test_pairs_have_a_hard_negative_in_every_row_or_in_none(tmp_path):
    file = tmp_path / "pairs.csv"
    file.write_text("sent0,sent1,hard_neg\na,b,c\nd,e,\n")
    with pytest.raises(
        TableError, match=r"pairs.csv, line 3: hard_neg is empty. Fill it in on every row, or"
    ):
        checked_material({"pairs": file})
    file.write_text("sent0,sent1\na,b\nd,e\n")
    assert checked_material({"pairs": file})[file].header == ["sent0", "sent1"]


HEADER = b"sentence1,sentence2,score\n"


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("p.csv", HEADER, "0 scored pairs for test. A correlation needs at least 3 pairs"),
        ("p.csv", HEADER + b"a,b,1\nc,d,1\ne,f,1\n", "all 3 scores for test are 1"),
        (
            "p.csv",
            HEADER + b"a,b,1\ncaf\xe9,d,1\n",
            r"line 3: the text is not in UTF-8 \(invalid continuation byte\)\. Convert the file to UTF-8",
        ),
        ("p.csv", HEADER.replace(b",", b";"), "separated by ';', but ',' is expected.*--separator ';'"),
        (
            "p.csv",
            b"It rains, so we stay at home today.\nSo.\n",
            r"the first line must name the columns sentence1, sentence2, score, but it is 'It rains,  so we "
            r"stay at home today\.'\. Add such a line, or give another file\.$",
        ),
        ("p.jsonl", b'{"sentence1": "a", "sentence2": "b"}\n', "column 'score' is missing"),
        ("p.jsonl", b'{"sentence1": ["a"], "sentence2": "b", "score": 1}\n', r"line 1: sentence1 is \['a'\]"),
        ("p.parquet", b"PAR1", "cannot be read as Parquet"),
        ("p.xls", b"\xd0\xcf\x11\xe0", r"xls cannot be read\. Save the sheet as \.xlsx, or as CSV in UTF-8"),
    ],
)
def test_test_pairs_that_say_nothing_or_cannot_be_read_are_refused(tmp_path, name, content, says):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(TableError, match=f"{name}.*{says}"):
        checked_pairs([tmp_path / name], None)


def test_dev_pairs_may_share_a_few_test_pairs_but_not_most(tmp_path, caplog):
    test, dev = tmp_path / "test.csv", tmp_path / "dev.csv"
    PAIRS.to_csv(test, index=False)
    PAIRS.assign(sentence1=["One, two.", "x", "y"]).to_csv(dev, index=False)
    assert [*checked_pairs([test], dev)] == [test, dev]
    assert "1 of 3 dev pairs are also test pairs" in caplog.text
    pd.concat([PAIRS, PAIRS[:1].assign(sentence1="x")]).to_csv(dev, index=False)
    with pytest.raises(TableError, match="3 of 4 dev pairs are also test pairs"):
        checked_pairs([test], dev)


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        (
            "a,b,5\nc,d,0\ne,f,2\n b, a,0\n",
            "line 5: the pair ' b /  a' has the score 0, but in line 2, it has the score 5",
        ),
        (
            "a,b,0\nc,d,100\ne,f,50\nA\u00a0B,x,9\nA B ,x,12\n",
            "line 6: .* 12, but in line 5, it has the score 9",
        ),
        ("a,b,0\nc,d,100\ne,f,50\nx,y,9\ny,x,11\n", ""),  # rounded
        ("a,b,0\nc,d,5\ne,f,2\nA,B,5\n", ""),  # case tells texts apart
    ],
)
def test_a_pair_has_one_score_in_either_order(tmp_path, rows, says):
    (tmp_path / "p.csv").write_bytes(HEADER + rows.encode())
    if says:
        with pytest.raises(TableError, match=says):
            checked_pairs([tmp_path / "p.csv"], None)
    else:
        checked_pairs([tmp_path / "p.csv"], None)


def test_a_hundredth_of_the_pairs_may_have_two_scores(tmp_path, caplog):
    rows = "".join(f"s{number},t,{number}\n" for number in range(99)) + "t,s7,90\n"
    (tmp_path / "p.csv").write_bytes(HEADER + rows.encode())
    checked_pairs([tmp_path / "p.csv"], None)
    assert caplog.text.count("90, but in line 9, it has the score 7. Both are used") == 1
    checked_pairs([tmp_path / "p.csv"], None)
    assert caplog.text.count("90, but in line 9") == 1
    (tmp_path / "p.csv").write_bytes(HEADER + rows.encode() + b"t,s8,90\n")
    with pytest.raises(TableError, match=r"the score 7\. The same is true of 1 more pair\. Keep one line"):
        checked_pairs([tmp_path / "p.csv"], None)


def test_pairs_and_phrases_are_tables_of_any_format(tmp_path):
    pd.DataFrame({"PHRASE": ["a b"], "x": [1], "target": ["c"], "probability": ["0,5"]}).to_json(
        tmp_path / "p.jsonl", orient="records", lines=True
    )
    pd.DataFrame({"hard_neg": ["z"], "sent0": ["x"], "sent1": ["y"]}).to_parquet(tmp_path / "t.parquet")
    files = {"phrases": tmp_path / "p.jsonl", "pairs": tmp_path / "t.parquet"}
    for (name, table), written in zip(
        checked_material(files).items(),
        ("sent0,sent1,hard_neg\nx,y,z\n", "phrase,target,probability\na b,c,0.5\n"),
        strict=True,
    ):
        table.write(name.with_suffix(".csv"))
        assert name.with_suffix(".csv").read_text() == written


def test_what_test_pairs_share_with_what_is_trained_on_is_told(tmp_path):
    test = tmp_path / "test.csv"
    PAIRS.to_csv(test, index=False)
    files = {"sentences": tmp_path / "s.txt", "pairs": tmp_path / "pairs.csv"}
    files["sentences"].write_text("one two\nC\nx\n")
    files["pairs"].write_text("sent0,sent1\nD,C\nx,y\nY,x.\n")
    tables = checked_pairs([test], None) | checked_material(files)
    so = ", so scores on new texts may be lower."
    said = [f"{test}: 2 of 6 test sentences are among the training sentences{so}"]
    said += [f"{test}: 1 of 3 test pairs are among the training pairs{so}"]
    said += [f"{files['pairs']}: 2 of 3 pairs occur more than once."]
    assert given_overlaps([test], files, None, tables) == said
    files["sentences"] = tmp_path / "s.csv"
    files["sentences"].write_text("text\none two\nC\nx\n")
    tables[files["sentences"]] = checked_sentences(files["sentences"], "text", None)
    assert given_overlaps([test], files, "text", tables) == said


@pytest.mark.parametrize(
    ("name", "content", "column", "says"),
    [
        ("s.txt", b"", None, "contains no sentence"),
        ("s.txt", b" \n\n", None, "contains no sentence"),
        ("s.txt", b"One.\n\nOne. \n", None, r"the file has 1 sentence \(1 blank and 1 duplicate of 3 lines"),
        ("s.txt", b"One.\ncaf\xe9\n", None, r"line 2: the text is not in UTF-8 \(unexpected end of data\)"),
        ("s.txt", "One.\nTwo.\n".encode("utf-16"), None, "1: the line contains NUL bytes"),
        ("s.csv", b"text;n\nOne.;1\n", "text", "separated by ';'"),
        (
            "s.csv",
            b"text,n\nOne.,1\n",
            "texts",
            r"text, n\. Correct --column or --documents, or the first line of the file\.$",
        ),
        ("s.jsonl", b'{"text": "One."}\n', "text", "the file has 1 sentence, but the corpus needs 2"),
    ],
)
def test_sentences_that_are_none_are_refused(tmp_path, name, content, column, says):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(TableError, match=f"{name}.*{says}"):
        checked_sentences(tmp_path / name, column, None)


def cut(folder: Path) -> None:
    content = (folder / "model.safetensors").read_bytes()
    (folder / "model.safetensors").write_bytes(content[:-9])


def sharded(folder: Path, **files: str) -> None:
    (folder / "model.safetensors").unlink()
    save_file({"a": np.zeros(2)}, folder / "one.safetensors")
    index = {"weight_map": {"a": "one.safetensors", **files}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))


def nested(folder: Path) -> None:
    shutil.copytree(folder, folder / "inner")
    (folder / "config.json").unlink()


def pickled(folder: Path) -> None:
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (lambda folder: (folder / "config.json").unlink(), "has no config.json"),
        (
            lambda folder: (folder / "config.json").write_text("{"),
            r"encoder/config.json is damaged or incomplete \(Expecting property name",
        ),
        (lambda folder: (folder / "config.json").write_text("[]"), "is a list"),
        (
            lambda folder: (folder / "tokenizer.json").unlink(),
            r"'.*/encoder' has no tokenizer, because none of these files exists: tokenizer\.json",
        ),
        (nested, r"has no config.json, but .*/inner has one. Give that folder"),
        (pickled, r"' has no weights in safetensors format \(\*\.safetensors\)"),
        (cut, r"/encoder/model.safetensors is damaged .*not fully covered"),
        (
            lambda folder: sharded(folder, b="two.safetensors"),
            r"names two\.safetensors, which does not exist",
        ),
        (lambda folder: sharded(folder, b="one.safetensors"), "one.safetensors lacks the weight b"),
        (sharded, r"num_hidden_layers is 2 in its config\.json, but its weights have only 1 tensors"),
    ],
)
def test_an_encoder_folder_is_whole_or_what_it_lacks_is_named(tmp_path, damage, says):
    folder = Path(shutil.copytree(HOME / "resources/mini/encoders/bert-base", tmp_path / "encoder"))
    checked_encoder(folder)
    damage(folder)
    with pytest.raises(ConfigError, match=f"--encoder.*{says}"):
        checked_encoder(folder)
