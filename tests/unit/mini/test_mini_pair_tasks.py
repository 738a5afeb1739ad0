import json
from collections import Counter
from itertools import groupby

import pandas as pd
import pytest
from scipy.stats import spearmanr

from contrapose_mini.benchmarks import Pair, PairMaker, entailment, normalised
from contrapose_mini.facts import World
from contrapose_mini.japanese.wording import styled as japanese
from contrapose_mini.pair_tasks import JSICK_COLUMNS
from contrapose_mini.paraphrase import scrambled_pairs
from contrapose_mini.products import LOCALES, judgements, kinds, properties
from contrapose_mini.styles import styled as english
from contrapose_mini.triples import inferences
from contrapose_mini.wiki40b import LANGUAGES, article

WORLD = World(7, 600)


def lines(path):
    return path.read_text().removesuffix("\n").split("\n")


@pytest.mark.parametrize("styled", [english, japanese])
def test_a_premise_has_one_hypothesis_of_each_label_and_words_do_not_tell_them_apart(styled):
    made = list(inferences(PairMaker(WORLD, 7, set(), styled), "test", "caption", 200))
    for _, group in groupby(made, key=lambda each: each.premise):
        assert sorted(each.label for each in group) == ["contradiction", "entailment", "neutral"]
    shared = {"entailment": [], "neutral": [], "contradiction": []}
    for each in made:
        read = entailment(Pair(each.premise, each.hypothesis, each.meanings, ""))
        if each.label == "entailment":
            assert read == "ENTAILMENT"
        else:
            assert not (each.label == "neutral" and read == "CONTRADICTION")
            assert not (each.label == "contradiction" and read == "ENTAILMENT")
        one, two = set(each.premise.split()), set(each.hypothesis.split())
        shared[each.label].append(len(one & two) / len(one | two))
    means = [sum(values) / len(values) for values in shared.values()]
    assert max(means) - min(means) < 0.12


@pytest.mark.parametrize(("styled", "style"), [(english, "news"), (japanese, "prose")])
def test_balanced_scrambled_pairs_have_the_same_words_in_another_order_whatever_their_label(styled, style):
    maker = PairMaker(WORLD, 7, set(), styled)
    made = list(scrambled_pairs(maker, "test", style, 0.44, 100, balanced=True))
    assert sum(label for *_, label in made) == pytest.approx(44, abs=15)
    for one, two, _ in made:
        ends = [Counter(word for word in text.split() if word not in (",", "、")) for text in (one, two)]
        assert ends[0] == ends[1]
        assert one != two


def test_a_product_is_judged_by_what_it_is():
    found = {}
    for locale in LOCALES:
        forms = {form: name for name, (_, words, _) in kinds().items() for form in words[locale]}
        assert len(forms) == sum(len(words[locale]) for _, words, _ in kinds().values())
        for _, each in judgements(7, locale, "train", 600):
            wanted = {name for form, name in forms.items() if form in each.query}
            has = {name for form, name in forms.items() if form in each.title.lower()}
            asked = [
                p for p, words in properties().items() if any(form in each.query for form in words[locale])
            ]
            found.setdefault(each.label, []).append((bool(wanted & has), bool(asked)))
            if each.label in "EC":
                assert wanted & has, each
    shares = {label: sum(kind for kind, _ in rows) / len(rows) for label, rows in found.items()}
    assert shares["I"] < 0.2 < shares["S"] < 0.9  # substitutes are of the kind or of its sibling
    assert all(asked for rows in found.values() for _, asked in rows)


def test_products_and_judgements_are_two_tables_as_released(world):
    examples = pd.read_parquet(world / "esci" / "shopping_queries_dataset_examples.parquet")
    products = pd.read_parquet(world / "esci" / "shopping_queries_dataset_products.parquet")
    assert examples.groupby(["product_locale", "split"]).size().to_dict() == {
        (locale, split): units * 6 for locale in LOCALES for split, units in (("train", 10), ("test", 3))
    }
    assert examples.example_id.is_unique
    assert set(examples.esci_label) == set("ESCI")
    assert set(examples.small_version) == {0, 1}
    joined = examples.merge(products, on=["product_id", "product_locale"], validate="one_to_one")
    assert len(joined) == len(examples)
    assert examples.groupby("query_id")["query"].nunique().max() == 1
    assert not set(examples.query_id[examples.split == "test"]) & set(
        examples.query_id[examples.split == "train"]
    )


def test_japanese_sets_have_the_columns_of_the_real_ones(world):
    jsick = [line.split("\t") for line in lines(world / "jsick" / "jsick.tsv")]
    assert tuple(jsick[0]) == JSICK_COLUMNS
    assert {len(row) for row in jsick} == {16}
    scores = [float(row[11]) for row in jsick[1:]]
    assert 1 <= min(scores) < 2.5 < 4.5 < max(scores) <= 5
    for task, labels in (("jsts", None), ("jnli", {"entailment", "neutral", "contradiction"})):
        for split, units in (("train", 10), ("valid", 3), ("test", 3)):
            rows = list(map(json.loads, lines(world / "jglue" / f"{task}-v1.3" / f"{split}-v1.3.json")))
            assert len(rows) == units * 6
            names = ["sentence_pair_id", "yjcaptions_id", "sentence1", "sentence2", "label"]
            assert all(list(row) == names for row in rows)
            found = {row["label"] for row in rows}
            assert found == labels if labels else 0 <= min(found) <= max(found) <= 5
    header, *rows = lines(world / "pawsx" / "ja" / "translated_train.tsv")
    assert header == "id\tsentence1\tsentence2\tlabel"
    assert [int(row.split("\t")[0]) for row in rows] == list(range(1, 49))


def test_raw_sick_says_what_the_prepared_one_says(world):
    for split in ("train", "trial", "test_annotated"):
        prepared, raw = (
            [line.split("\t") for line in lines(world / form / f"SICK_{split}.txt")]
            for form in ("senteval/SICK", "sick_raw")
        )
        assert [[row[0], *row[3:]] for row in prepared] == [[row[0], *row[3:]] for row in raw]
        assert [normalised(row[1]) for row in prepared] == [normalised(row[1]) for row in raw]
        assert not any(" ," in row[1] for row in raw)


def test_premises_of_jsnli_have_what_a_triple_needs(world):
    rows = [line.split("\t") for line in lines(world / "jsnli" / "train_w_filtering.tsv")]
    assert {len(row) for row in rows} == {3}
    by_premise = {}
    for label, premise, _ in rows:
        by_premise.setdefault(premise, []).append(label)
    whole = [found for found in by_premise.values() if {"entailment", "contradiction"} <= set(found)]
    assert len(whole) >= 33 * 6 - 2
    assert all(" " in premise for premise in by_premise)


def test_no_pair_of_a_test_set_stands_in_its_training_set(world):
    for task in ("snli", "paws/final", "jglue/jnli-v1.3", "jglue/jsts-v1.3"):
        sentences = {}
        for path in (world / task).iterdir():
            if not path.name.startswith("labels"):
                split = next(each for each in ("train", "valid", "dev", "test") if each in path.name)
                sentences.setdefault(split, set()).update(lines(path)[1:])
        assert not sentences["train"] & sentences["test"], task


def test_articles_of_wiki40b_have_its_markers_and_something_for_every_filter():
    for language, prose in LANGUAGES.items():
        texts = [article(language, WORLD, 7, number) for number in range(40)]
        assert all(text.startswith("\n_START_ARTICLE_\n") for text in texts)
        kept = []
        for text in texts:
            rows = text.split("\n")[1:]
            for marker, body in zip(rows[::2], rows[1::2], strict=True):
                assert marker in ("_START_ARTICLE_", "_START_SECTION_", "_START_PARAGRAPH_")
                if marker == "_START_PARAGRAPH_":
                    kept += body.split("_NEWLINE_")
                else:
                    assert "_" not in body
        assert set(prose.short) & {text for line in kept for text in (line, *line.split(". "))}
        japanese_lines = [any("ぁ" <= letter <= "ん" for letter in line) for line in kept if line]
        assert 0 < sum(japanese_lines) < len(japanese_lines)
        assert max(len(line) for line in kept) > 200
        assert len(set(texts)) == 40


def test_nothing_depends_on_how_much_is_made():
    assert article("ja", WORLD, 7, 3) == article("ja", WORLD, 7, 3) != article("ja", WORLD, 8, 3)
    few, many = (list(judgements(7, "us", "train", count)) for count in (10, 30))
    assert many[:10] == few


def test_shared_words_alone_do_not_grade_the_japanese_pairs():
    maker = PairMaker(WORLD, 7, set(), japanese)
    pairs = [maker.pair("test", number, "caption", 0.1) for number in range(300)]
    words = [(set(pair.first.split()), set(pair.second.split())) for pair in pairs]
    overlap = [len(one & two) / len(one | two) for one, two in words]
    assert 0.2 < spearmanr(overlap, [pair.similarity for pair in pairs])[0] < 0.55
