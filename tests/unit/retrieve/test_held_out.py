import json
from pathlib import Path

import pandas as pd
import pytest

from contrapose.base.errors import TableError
from contrapose.base.tasks import ESCI_CLASSES, NLI_CLASSES
from contrapose.retrieve.formats import ESCI_FILES

MRPC = "Quality\t#1 ID\t#2 ID\t#1 String\t#2 String\n"
QQP = "id,qid1,qid2,question1,question2,is_duplicate\n"


def test_a_tenth_of_mrpc_s_train_pairs_are_dev_and_every_pair_is_somewhere(read):
    rows = [f"{number % 2}\t0\t0\ta{number}\tb\n" for number in range(4076)]
    found = read("mrpc", "mrpc", {"msr_paraphrase_train.txt": MRPC + "".join(rows)})
    dev, train = ({row for row, *_ in found[split]} for split in ("dev", "train"))
    assert (len(dev), len(train), dev | train) == (408, 3668, set(range(1, 4077)))  # as many as GLUE's
    assert max(dev) > 3668  # not the first ones
    only_dev = read("mrpc", "mrpc", splits=["dev"])
    assert only_dev["dev"] == found["dev"]  # the rest is train, asked for or not


def test_the_first_twentieth_of_glue_s_questions_are_dev(read):
    lines = [f"{n}\t1\t2\tIs {n} so?\tWhy?\t{n % 2}\n" for n in range(40)]
    found = read("qqp", "qqp", {"train.tsv": QQP.replace(",", "\t") + "".join(lines), "train.csv": ""})
    assert found["dev"] == [[1, "Is 0 so?", "Why?", 0.0], [2, "Is 1 so?", "Why?", 1.0]]
    assert [row[0] for row in found["train"]] == list(range(3, 41))


def test_kaggle_s_questions_are_comma_separated_with_quoting(read):
    found = read("qqp", "qqp", {"train.csv": QQP + '1,1,2,"What, ""this""?","A\nb?",1\n' * 20})
    assert found["dev"] == [[1, 'What, "this"?', "A b?", 1.0]]
    assert len(found["train"]) == 19


def test_paws_qqp_is_unwrapped_from_bytes_and_each_label_halved(read):
    said = "b'caf\\xc3\\xa9 ?'\tb\"I 'm\"", "plain\ttext"
    rows = [f"{number}\t{said[number % 2]}\t{int(number % 3 == 0)}\n" for number in range(1, 678)]
    files = {"dev_and_test.tsv": "id\tsentence1\tsentence2\tlabel\n" + "".join(rows)}
    table = read("paws_qqp", "paws_qqp", files, complete=True).table
    assert set(table.sentence1) == {"café ?", "plain"}
    assert set(table.sentence2) == {"I 'm", "text"}
    labels = table.groupby(["split", "score"]).size().to_dict()
    assert labels == {("dev", 0.0): 226, ("dev", 1.0): 112, ("test", 0.0): 226, ("test", 1.0): 113}
    assert table.row.is_unique


def jglue(count: int, label) -> str:
    pairs = ({"sentence1": f"犬{n}", "sentence2": f"猫{n}", "label": label(n)} for n in range(count))
    return "".join(f"{json.dumps(pair)}\n" for pair in pairs)


def test_a_tenth_of_jglue_s_train_pairs_is_dev_and_its_validation_is_the_test(read):
    files = {"train-v1.3.json": jglue(21, lambda n: NLI_CLASSES[n % 3])}
    found = read("jglue", "jnli", files | {"valid-v1.3.json": jglue(2, lambda n: "entailment")})
    assert found.sizes == {"train": 18, "dev": 3, "test": 2}  # 2.1, rounded up
    own = found["train"] + found["dev"]
    assert sorted(row for row, *_ in own) == list(range(21))
    assert all(score == row % 3 for row, *_, score in own)
    with pytest.raises(
        TableError,
        match=(
            r"score is '4\.2', but entailment, neutral, "
            "contradiction, a whole number from 0 to 2 is expected"
        ),
    ):
        read("jglue", "jnli", {"valid-v1.3.json": jglue(2, lambda n: 4.2)})
    with pytest.raises(
        TableError, match="split train and dev has 20 scored pairs, but jsts was published with 12451"
    ):
        read("jglue", "jsts", {"train-v1.3.json": jglue(20, lambda n: 1.0)}, complete=True)


@pytest.fixture
def esci(tmp_path: Path):
    """Write 40 queries of 5 products each in both languages, a tenth of them test, and smaller versions."""
    (tmp_path / "X").mkdir()
    examples, products = [], []
    for locale in ("us", "jp"):
        for query in range(40):
            for product in range(5):
                about = {"product_id": f"B{query}{product}", "product_locale": locale}
                large, split = int(query != 7), "test" if query % 10 == 0 else "train"
                label = {"esci_label": "ESCI"[product % 4], "large_version": large, "split": split}
                examples.append({"query": f" q{query}  {locale}", **label, **about})
                products.append({**about, "product_title": f"title of {locale} B{query}{product}"})
    products[0]["product_title"] = None
    pd.DataFrame(examples).to_parquet(tmp_path / "X" / ESCI_FILES[0])
    reverse = pd.DataFrame(products[::-1])  # another order than the examples'
    reverse.to_parquet(tmp_path / "X" / ESCI_FILES[1], row_group_size=7)
    return tmp_path / "X" / ESCI_FILES[1]


def test_shopping_queries_are_joined_with_the_titles_of_their_own_language(esci, read, caplog):
    japanese, english = read("esci", "esci_jp"), read("esci", "esci_us")
    assert not japanese.missing
    assert japanese["test"][:2] == [
        [200, "q0  jp", "title of jp B00", 0.0],
        [201, "q0  jp", "title of jp B01", 1.0],
    ]
    assert english["test"][0] == [1, "q0 us", "title of us B01", 1.0]  # row 0 has no title
    assert "1 pairs without a label or a text are skipped" in caplog.text
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
    products = pd.read_parquet(esci)
    products[products.product_id != "B40"].to_parquet(esci)
    with pytest.raises(
        TableError,
        match=r"row 20: the product B40 does not occur in shopping_queries_dataset_products\.parquet",
    ):
        read("esci", "esci_us")
    products.drop(columns="product_title").to_parquet(esci)
    with pytest.raises(TableError, match=r"column 'product_title' is missing\. The columns are product_id"):
        read("esci", "esci_us")
