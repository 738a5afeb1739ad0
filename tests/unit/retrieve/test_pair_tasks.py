"""Sets that encoders are fine-tuned on, in files made as their releases are."""

import json
import logging
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from datasets import Dataset

from contrapose.errors import TableError
from contrapose.retrieve.benchmarks import read_benchmarks
from contrapose.retrieve.hub_benchmarks import hub_benchmark
from contrapose.settings.worlds import BenchmarkFiles, BenchmarkHub
from contrapose.tasks import ESCI_CLASSES, NLI_CLASSES, TASKS


@pytest.fixture
def write(tmp_path: Path):
    def written(name: str, content: str) -> Path:
        (tmp_path / "X").mkdir(exist_ok=True)
        (tmp_path / "X" / name).write_bytes(content.encode())
        return tmp_path

    return written


def read(folder: Path, kind: str, task: str, **settings):
    source = BenchmarkFiles(kind=kind, task=task, path="X", form="raw", **settings)
    return read_benchmarks(folder, {"x": source})


def rows(table: pd.DataFrame, split: str):
    found = table[table.split == split]
    return found[["row", "sentence1", "sentence2", "score"]].values.tolist()


def as_json(*objects: dict) -> str:
    return "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in objects)


# --------------------------------------------------------------------------------- Shopping Queries


@pytest.fixture
def esci(tmp_path: Path):
    """Write 40 queries of 5 products each in both languages, a tenth of them test, and smaller versions."""
    (tmp_path / "X").mkdir()
    examples, products = [], []
    for locale in ("us", "jp"):
        for query in range(40):
            for product in range(5):
                example = {
                    **{"example_id": len(examples), "query": f" q{query}  {locale}", "query_id": query},
                    **{"product_id": f"B{query}{product}", "product_locale": locale},
                    **{"esci_label": "ESCI"[product % 4], "small_version": 0},
                    **{"large_version": int(query != 7), "split": "test" if query % 10 == 0 else "train"},
                }
                examples.append(example)
                about = {"product_id": f"B{query}{product}", "product_locale": locale}
                products.append({**about, "product_title": f"title of {locale} B{query}{product}"})
    products[0]["product_title"] = None
    pd.DataFrame(examples).to_parquet(tmp_path / "X" / "shopping_queries_dataset_examples.parquet")
    reverse = pd.DataFrame(products[::-1])  # another order than the examples'
    reverse.to_parquet(tmp_path / "X" / "shopping_queries_dataset_products.parquet", row_group_size=7)
    return tmp_path


def test_shopping_queries_are_joined_with_the_titles_of_their_own_language(esci, caplog):
    table, missing = read(esci, "esci", "esci_jp")
    assert not missing
    assert rows(table, "test")[:2] == [
        [200, "q0  jp", "title of jp B00", 0.0],
        [201, "q0  jp", "title of jp B01", 1.0],
    ]
    english, _ = read(esci, "esci", "esci_us")
    assert rows(english, "test")[0] == [1, "q0 us", "title of us B01", 1.0]  # row 0 has no title
    assert "1 pairs without a label or a text left out" in caplog.text
    assert [ESCI_CLASSES[int(score)] for score in english.score[:4]] == list(ESCI_CLASSES)


def test_no_query_is_in_both_train_and_dev_and_a_tenth_of_them_is_dev(esci):
    table, _ = read(esci, "esci", "esci_us")
    queries = {split: set(part.sentence1) for split, part in table.groupby("split")}
    assert {split: len(found) for split, found in queries.items()} == {"train": 31, "dev": 4, "test": 4}
    assert not queries["train"] & queries["dev"]
    assert table.groupby("split").size().to_dict() == {"train": 155, "dev": 20, "test": 19}
    assert "q7 us" not in queries["train"] | queries["dev"]  # of the smaller version alone
    assert read(esci, "esci", "esci_us", splits=["dev"])[0].sentence1.unique().tolist() == sorted(
        queries["dev"], key=lambda query: int(query.split()[0][1:])
    )


def test_a_product_that_is_not_in_the_other_file_is_refused(esci):
    path = esci / "X" / "shopping_queries_dataset_products.parquet"
    products = pd.read_parquet(path)
    products[products.product_id != "B40"].to_parquet(path)
    with pytest.raises(TableError, match=r"examples\.parquet, row 20: product B40 is not in"):
        read(esci, "esci", "esci_us")
    products.drop(columns="product_title").to_parquet(path)
    with pytest.raises(TableError, match=r"lacks columns \['product_title'\]"):
        read(esci, "esci", "esci_us")


# ---------------------------------------------------------------------------------------- English


def test_snli_is_read_from_three_parallel_files_or_from_its_lines_of_json(write, caplog):
    write("s1.dev", "A man  sleeps . \nA dog runs . \n")
    write("s2.dev", "Somebody sleeps . \nA cat runs . \n")
    folder = write("labels.dev", "entailment\ncontradiction\n")
    table, missing = read(folder, "snli", "snli")
    expected = [[0, "A man sleeps .", "Somebody sleeps .", 0.0], [1, "A dog runs .", "A cat runs .", 2.0]]
    assert rows(table, "dev") == expected
    assert missing == {"snli/raw/train": "X/s1.train", "snli/raw/test": "X/s1.test"}
    write(
        "snli_1.0_dev.jsonl",
        as_json(
            {"gold_label": "entailment", "sentence1": "A man\t sleeps .", "sentence2": "Somebody sleeps ."},
            {"gold_label": "contradiction", "sentence1": "A dog runs .", "sentence2": "A cat runs ."},
            {"gold_label": "-", "sentence1": "Nobody agrees .", "sentence2": "On this ."},
        ),
    )
    assert rows(read(folder, "snli", "snli")[0], "dev") == expected
    assert "1 pairs without a label or a text left out" in caplog.text
    (folder / "X" / "snli_1.0_dev.jsonl").unlink()
    write("labels.dev", "entailment\n")
    with pytest.raises(TableError, match=r"s1, s2 and labels of dev have \[2, 2, 1\] lines"):
        read(folder, "snli", "snli")


SICK = "pair_ID\tsentence_A\tsentence_B\tentailment_label\trelatedness_score\tentailment_AB\tSemEval_set\n"


def test_the_release_of_sick_is_taken_in_the_place_of_semeval_s_files_but_not_for_sentence_encoders(write):
    header = "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment\n"
    folder = write("SICK_train.txt", header + "1\tA\tB\t5\tENTAILMENT\n")
    semeval, _ = read(folder, "sick", "sick_nli", splits=["train"])
    assert rows(semeval, "train") == [[0, "A", "B", 0.0]]
    lines = [
        "1\tC  d\tE\tNEUTRAL\t3.6\tA_neutral_B\tTRIAL",
        "2\tF\tG\tCONTRADICTION\t1\tA_contradicts_B\tTRAIN",
    ]
    write("SICK.txt", SICK + "\n".join(lines))
    entailment, _ = read(folder, "sick", "sick_nli", splits=["train", "dev"])
    assert rows(entailment, "train") == [[1, "F", "G", 2.0]]
    assert rows(entailment, "dev") == [[0, "C d", "E", 1.0]]
    relatedness, _ = read(folder, "sick", "sick_pairs", splits=["dev"])
    assert rows(relatedness, "dev") == [[0, "C d", "E", 3.6]]
    assert rows(read(folder, "sick", "sickr", splits=["train"])[0], "train") == [[0, "A", "B", 5.0]]


def test_paws_has_a_header_and_quotation_marks_that_mean_nothing(write):
    folder = write("train.tsv", "id\tsentence1\tsentence2\tlabel\n1\t\" A `` b ''\tC\t0\n2\tD\tE \"\t1\n")
    table, missing = read(folder, "paws", "paws")
    assert rows(table, "train") == [[1, "\" A `` b ''", "C", 0.0], [2, "D", 'E "', 1.0]]
    assert list(missing.values()) == ["X/dev.tsv", "X/test.tsv"]
    write("train.tsv", "sentence1\tsentence2\tlabel\tid\n")
    with pytest.raises(TableError, match="the header is"):
        read(folder, "paws", "paws")


# --------------------------------------------------------------------------------------- Japanese


def jglue(count: int, label) -> str:
    pairs = (
        {"sentence1": f"犬\u3000が{n}。 ", "sentence2": f"猫{n}", "label": label(n)} for n in range(count)
    )
    return as_json(*({"sentence_pair_id": str(n), **pair} for n, pair in enumerate(pairs)))


def test_a_tenth_of_jglue_s_train_pairs_is_dev_and_its_validation_is_the_test(write):
    write("train-v1.3.json", jglue(21, lambda n: NLI_CLASSES[n % 3]))
    write("train-v1.1.json", jglue(3, lambda n: "neutral"))
    write("valid-v1.3.json", jglue(2, lambda n: "entailment"))
    folder = write("test-v1.3.json", jglue(5, lambda n: "neutral"))  # came later: nobody's
    table, missing = read(folder, "jglue", "jnli")
    assert not missing
    assert table.groupby("split").size().to_dict() == {"train": 18, "dev": 3, "test": 2}  # 2.1, rounded up
    assert sorted(table[table.split != "test"].row) == list(range(21))
    assert table.drop_duplicates("sentence1").split.tolist().count("test") == 0
    assert rows(table, "test")[0] == [0, "犬\u3000が0。", "猫0", 0.0]
    own = table[table.split != "test"]
    assert (own.score == own.row % 3).all()
    write("valid-v1.3.json", jglue(2, lambda n: 4.2))
    with pytest.raises(
        TableError, match=r"score '4\.2', expected entailment, neutral, contradiction, a whole"
    ):
        read(folder, "jglue", "jnli", splits=["test"])
    assert rows(read(folder, "jglue", "jsts", splits=["test"])[0], "test")[1] == [
        1,
        "犬\u3000が1。",
        "猫1",
        4.2,
    ]
    write("valid-v1.3.json", "no object\n")
    with pytest.raises(TableError, match=r"valid-v1\.3\.json, line 1: is no JSON"):
        read(folder, "jglue", "jsts", splits=["test"])


def test_jsick_takes_the_japanese_columns_and_blank_english_ones_do_not_matter(write):
    header = (
        "pair_ID\tdata\tsentence_A_En\tentailment_label_En\trelatedness_score_En\tsentence_A_Ja\tsentence_B_Ja"
        "\tentailment_label_Ja\trelatedness_score_Ja\n"
    )
    folder = write(
        "jsick.tsv",
        header
        + "1\ttrial\tA\tneutral\t4.5\t犬\t猫\tcontradiction\t3.7\n2\ttest\t\t\t\t馬\t鳥\tneutral\t1.0\n",
    )
    table, _ = read(folder, "jsick", "jsick", splits=["dev", "test"])
    assert rows(table, "dev") == [[0, "犬", "猫", 3.7]]
    assert rows(table, "test") == [[1, "馬", "鳥", 1.0]]
    assert rows(read(folder, "jsick", "jsick_nli", splits=["dev"])[0], "dev") == [[0, "犬", "猫", 2.0]]
    with pytest.raises(TableError, match=r"jsick\.tsv: holds no scored pair"):
        read(folder, "jsick", "jsick")  # no train pairs


def test_paws_x_in_xtreme_s_form_has_a_dev_file_alone(write, caplog):
    write("test-ja.tsv", "丙\t丁\r\n")  # without labels
    folder = write("dev-ja.tsv", "甲\t乙\t1\r\nNS\t丁\t0\r\n")
    with caplog.at_level(logging.WARNING):
        table, missing = read(folder, "pawsx", "pawsx_ja")
    assert rows(table, "dev") == [[0, "甲", "乙", 1.0], [1, "NS", "丁", 0.0]]
    assert missing == {"pawsx_ja/raw/train": "X/translated_train.tsv", "pawsx_ja/raw/test": "X/test_2k.tsv"}
    (folder / "X" / "dev-ja.tsv").unlink()
    write("dev_2k.tsv", "id\tsentence1\tsentence2\tlabel\n1\t甲\t乙\t1\n")
    assert rows(read(folder, "pawsx", "pawsx_ja")[0], "dev") == [[1, "甲", "乙", 1.0]]


def test_a_complete_set_has_the_published_pairs_of_train_and_dev_together(write):
    folder = write("train-v1.3.json", jglue(20, lambda n: 1.0))
    with pytest.raises(
        TableError, match="20 scored pairs in split train and dev, published are 12451 of jsts"
    ):
        read(folder, "jglue", "jsts", complete=True)


# -------------------------------------------------------------------------------------------- hub


def on_the_hub(monkeypatch, found: list[dict]):
    monkeypatch.setattr("datasets.load_dataset", lambda *parts, **options: Dataset.from_list(found))


def test_rows_of_the_hub_are_chosen_by_other_columns_and_classes_have_names(monkeypatch):
    monkeypatch.setitem(TASKS, "esci_us", replace(TASKS["esci_us"], pairs={"train": 18, "dev": 2, "test": 0}))
    pairs = [
        {
            "query": f"q{n // 2}",
            "product_title": f"t {n}",
            "esci_label": "Substitute",
            "large_version": 1,
            "locale": "us",
        }
        for n in range(20)
    ]
    pairs[3] |= {"esci_label": "Irrelevant"}
    others = [{**pairs[0], "large_version": 0}, {**pairs[0], "locale": "jp"}]
    on_the_hub(monkeypatch, others + pairs)
    source = BenchmarkHub(
        **{"task": "esci_us", "dataset": "some/esci", "revision": "0abc", "form": "raw"},
        splits={"train": "train", "dev": "train"},
        columns={"sentence1": "query", "sentence2": "product_title", "score": "esci_label"},
        where={"large_version": 1, "locale": "us"},
    )
    table = hub_benchmark(source)
    assert table.groupby("split").size().to_dict() == {"train": 18, "dev": 2}
    assert table[table.split == "dev"].sentence1.nunique() == 1
    assert table.set_index("row").sentence2.to_dict() == {n + 2: f"t {n}" for n in range(20)}
    assert table.set_index("row").score.to_dict() == {n + 2: 3.0 if n == 3 else 1.0 for n in range(20)}


def test_pairs_of_the_hub_without_a_label_are_left_out_and_may_be_published_or_not(monkeypatch):
    found = [{"sentence1": " A  b ", "sentence2": "C", "score": label} for label in (0, 1, -1, 2)]
    on_the_hub(monkeypatch, found)
    source = BenchmarkHub(task="snli", dataset="some/snli", revision="0abc", splits={"dev": "x"}, form="raw")
    for published in (3, 4):
        monkeypatch.setitem(TASKS, "snli", replace(TASKS["snli"], pairs={"dev": published}))
        assert rows(hub_benchmark(source), "dev") == [
            [row, "A b", "C", float(score)] for row, score in ((0, 0), (1, 1), (3, 2))
        ]
    monkeypatch.setitem(TASKS, "snli", replace(TASKS["snli"], pairs={"dev": 2}))
    with pytest.raises(TableError, match="4 pairs, snli dev has 2 as published"):
        hub_benchmark(source)


def test_splits_of_snli_are_not_parts_of_one():
    with pytest.raises(ValueError, match="two splits of snli are one of the hub"):
        BenchmarkHub(task="snli", dataset="a", revision="b", splits={"dev": "x", "train": "x"})
