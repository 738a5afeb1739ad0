"""Sets that encoders are fine-tuned on, in files made as their releases are."""

import json
from pathlib import Path

import pandas as pd
import pytest

from contrapose.errors import TableError
from contrapose.tasks import ESCI_CLASSES, NLI_CLASSES


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


def test_shopping_queries_are_joined_with_the_titles_of_their_own_language(esci, read, caplog):
    japanese, english = read("esci", "esci_jp"), read("esci", "esci_us")
    assert not japanese.missing
    assert japanese["test"][:2] == [
        [200, "q0  jp", "title of jp B00", 0.0],
        [201, "q0  jp", "title of jp B01", 1.0],
    ]
    assert english["test"][0] == [1, "q0 us", "title of us B01", 1.0]  # row 0 has no title
    assert "1 pairs without a label or a text left out" in caplog.text
    assert [ESCI_CLASSES[int(score)] for score in english.table.score[:4]] == list(ESCI_CLASSES)


def test_no_query_is_in_both_train_and_dev_and_a_tenth_of_them_is_dev(esci, read):
    found = read("esci", "esci_us")
    queries = {split: {row[1] for row in found[split]} for split in found.sizes}
    assert {split: len(each) for split, each in queries.items()} == {"train": 31, "dev": 4, "test": 4}
    assert not queries["train"] & queries["dev"]
    assert found.sizes == {"train": 155, "dev": 20, "test": 19}
    assert "q7 us" not in queries["train"] | queries["dev"]  # of the smaller version alone
    assert read("esci", "esci_us", splits=["dev"])["dev"] == found["dev"]


def test_a_product_that_is_not_in_the_other_file_is_refused(esci, read):
    path = esci / "X" / "shopping_queries_dataset_products.parquet"
    products = pd.read_parquet(path)
    products[products.product_id != "B40"].to_parquet(path)
    with pytest.raises(TableError, match=r"examples\.parquet, row 20: product B40 is not in"):
        read("esci", "esci_us")
    products.drop(columns="product_title").to_parquet(path)
    with pytest.raises(TableError, match=r"lacks columns \['product_title'\]"):
        read("esci", "esci_us")


# ---------------------------------------------------------------------------------------- English


def test_snli_is_read_from_three_parallel_files_or_from_its_lines_of_json(write, read, caplog):
    write("X/s1.dev", "A man  sleeps . \nA dog runs . \n")
    write("X/s2.dev", "Somebody sleeps . \nA cat runs . \n")
    write("X/labels.dev", "entailment\ncontradiction\n")
    found = read("snli", "snli")
    expected = [[0, "A man sleeps .", "Somebody sleeps .", 0.0], [1, "A dog runs .", "A cat runs .", 2.0]]
    assert found["dev"] == expected
    assert found.missing == {"snli/raw/train": "X/s1.train", "snli/raw/test": "X/s1.test"}
    pairs = (
        ("entailment", "A man\t sleeps .", "Somebody sleeps ."),
        ("contradiction", "A dog runs .", "A cat runs ."),
    )
    rows = (*pairs, ("-", "Nobody agrees .", "On this ."))
    names = ("gold_label", "sentence1", "sentence2")
    write("X/snli_1.0_dev.jsonl", as_json(*(dict(zip(names, row, strict=True)) for row in rows)))
    assert read("snli", "snli")["dev"] == expected
    assert "1 pairs without a label or a text left out" in caplog.text
    folder = write("X/labels.dev", "entailment\n")
    (folder / "X/snli_1.0_dev.jsonl").unlink()
    with pytest.raises(TableError, match=r"s1\.dev, .*labels\.dev: have \[2, 2, 1\] lines"):
        read("snli", "snli")


SICK = "pair_ID\tsentence_A\tsentence_B\tentailment_label\trelatedness_score\tentailment_AB\tSemEval_set\n"


def test_the_release_of_sick_replaces_semeval_s_files_but_not_for_sentence_encoders(write, read):
    header = "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment\n"
    write("X/SICK_train.txt", header + "1\tA\tB\t5\tENTAILMENT\n")
    semeval = read("sick", "sick_nli", splits=["train"])
    assert semeval["train"] == [[0, "A", "B", 0.0]]
    lines = "1\tC  d\tE\tNEUTRAL\t3.6\tAB\tTRIAL\n2\tF\tG\tCONTRADICTION\t1\tAB\tTRAIN"
    write("X/SICK.txt", SICK + lines)
    entailment = read("sick", "sick_nli", splits=["train", "dev"])
    assert entailment["train"] == [[1, "F", "G", 2.0]]
    assert entailment["dev"] == [[0, "C d", "E", 1.0]]
    relatedness = read("sick", "sick_pairs", splits=["dev"])
    assert relatedness["dev"] == [[0, "C d", "E", 3.6]]
    assert read("sick", "sickr", splits=["train"])["train"] == [[0, "A", "B", 5.0]]


def test_paws_has_a_header_and_quotation_marks_that_mean_nothing(write, read):
    write("X/train.tsv", "id\tsentence1\tsentence2\tlabel\n1\t\" A `` b ''\tC\t0\n2\tD\tE \"\t1\n")
    found = read("paws", "paws")
    assert found["train"] == [[1, "\" A `` b ''", "C", 0.0], [2, "D", 'E "', 1.0]]
    assert list(found.missing.values()) == ["X/dev.tsv", "X/test.tsv"]


# --------------------------------------------------------------------------------------- Japanese


def jglue(count: int, label) -> str:
    pairs = (
        {"sentence1": f"犬\u3000が{n}。 ", "sentence2": f"猫{n}", "label": label(n)} for n in range(count)
    )
    return as_json(*({"sentence_pair_id": str(n), **pair} for n, pair in enumerate(pairs)))


def test_a_tenth_of_jglue_s_train_pairs_is_dev_and_its_validation_is_the_test(write, read):
    write("X/train-v1.3.json", jglue(21, lambda n: NLI_CLASSES[n % 3]))
    write("X/train-v1.1.json", jglue(3, lambda n: "neutral"))
    write("X/valid-v1.3.json", jglue(2, lambda n: "entailment"))
    write("X/test-v1.3.json", jglue(5, lambda n: "neutral"))  # came later: nobody's
    found = read("jglue", "jnli")
    assert not found.missing
    assert found.sizes == {"train": 18, "dev": 3, "test": 2}  # 2.1, rounded up
    own = found["train"] + found["dev"]
    assert sorted(row for row, *_ in own) == list(range(21))
    assert all(score == row % 3 for row, *_, score in own)
    assert found["test"][0] == [0, "犬\u3000が0。", "猫0", 0.0]
    write("X/valid-v1.3.json", jglue(2, lambda n: 4.2))
    with pytest.raises(
        TableError, match=r"score '4\.2', expected entailment, neutral, contradiction, a whole"
    ):
        read("jglue", "jnli", splits=["test"])
    assert read("jglue", "jsts", splits=["test"])["test"][1] == [1, "犬\u3000が1。", "猫1", 4.2]


def test_jsick_takes_the_japanese_columns_and_blank_english_ones_do_not_matter(write, read):
    header = (
        "pair_ID\tdata\tsentence_A_En\tentailment_label_En\trelatedness_score_En\tsentence_A_Ja\tsentence_B_Ja"
        "\tentailment_label_Ja\trelatedness_score_Ja\n"
    )
    dev, test = "1\ttrial\tA\tneutral\t4.5\t犬\t猫\tcontradiction\t3.7", "2\ttest\t\t\t\t馬\t鳥\tneutral\t1.0"
    write("X/jsick.tsv", f"{header}{dev}\n{test}\n")
    found = read("jsick", "jsick", splits=["dev", "test"])
    assert found["dev"] == [[0, "犬", "猫", 3.7]]
    assert found["test"] == [[1, "馬", "鳥", 1.0]]
    assert read("jsick", "jsick_nli", splits=["dev"])["dev"] == [[0, "犬", "猫", 2.0]]
    with pytest.raises(TableError, match=r"jsick\.tsv: contains no scored pair"):
        read("jsick", "jsick")  # no train pairs


def test_paws_x_in_xtreme_s_form_has_a_dev_file_alone(write, read, tmp_path):
    write("X/test-ja.tsv", "丙\t丁\r\n")  # without labels
    write("X/dev-ja.tsv", "甲\t乙\t1\r\nNS\t丁\t0\r\n")
    found = read("pawsx", "pawsx_ja")
    assert found["dev"] == [[0, "甲", "乙", 1.0], [1, "NS", "丁", 0.0]]
    assert set(found.missing.values()) == {"X/translated_train.tsv", "X/test_2k.tsv"}
    (tmp_path / "X" / "dev-ja.tsv").unlink()
    write("X/dev_2k.tsv", "id\tsentence1\tsentence2\tlabel\n1\t甲\t乙\t1\n")
    assert read("pawsx", "pawsx_ja")["dev"] == [[1, "甲", "乙", 1.0]]


def test_a_complete_set_has_the_published_pairs_of_train_and_dev_together(write, read):
    write("X/train-v1.3.json", jglue(20, lambda n: 1.0))
    with pytest.raises(
        TableError, match="20 scored pairs in split train and dev, but jsts was published with 12451"
    ):
        read("jglue", "jsts", complete=True)
