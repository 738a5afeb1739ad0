"""The wording of human and machine texts: against NLTK, numpy and what was worked out by hand."""

import nltk
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nltk.metrics.distance import jaccard_distance
from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu

from contrapose.base.errors import TableError
from contrapose.pairs.pair_rows import as_pairs
from contrapose.score.linguistics import (
    HumanTexts,
    by_logit,
    deciles,
    human_pairs,
    human_texts,
    linguistics,
    overlaps,
    vocabulary,
)
from contrapose.tables import DECILES, LINGUISTICS, SENTENCES, write_table
from tests.tables import benchmark, sentences

GOLD = [
    ("A man plays.", "A man is playing.", 5.0),
    ("A dog runs.", "The dog ran.", 4.0),
    ("A cat sat.", "No planes fly.", 3.9),
]


def benchmarks(task: str = "stsb_glue", gold: list = GOLD) -> pd.DataFrame:
    return benchmark(gold, task, "train", form="raw")


def wording(rows: list, sets: pd.DataFrame, task: str = "stsb_glue") -> pd.DataFrame:
    return linguistics(*pairs(*rows), human_pairs(sets, HumanTexts(tasks=[task], split="train")))


def pairs(*rows: tuple[str, str, str, float]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return PAIRS and DETECTIONS tables of (id, anchor, positive, logit)."""
    table = pd.DataFrame(rows, columns=["id", "anchor", "positive", "logit"])
    detected = table[["id", "logit"]].assign(fold=0, seen=True).sample(frac=1, random_state=0)
    return as_pairs(id=table.id, anchor=table.anchor, positive=table.positive), detected


TWENTY = [(f"s{at}/1/0", f"a dog {at}", f"a cat {at}", float(at)) for at in range(20)]
tokens = st.lists(st.sampled_from(["a", "b", "the", ",", "dog"]), min_size=1, max_size=7)


@settings(max_examples=50)
@given(st.lists(st.tuples(tokens, tokens), min_size=1, max_size=4))
def test_overlap_and_vocabulary_are_those_of_nltk_and_numpy(cases):
    texts, partners = map(list, zip(*cases, strict=True))
    found, of_group = overlaps(texts, partners), vocabulary(texts)
    method = SmoothingFunction().method1
    for at, (text, partner) in enumerate(cases):
        orders = [(1 / order,) * order for order in range(1, 5)]
        expected = [sentence_bleu([partner], text, weights, method) for weights in orders]
        assert found.loc[at, "bleu1":"bleu4"].tolist() == pytest.approx(expected, rel=1e-12)
        assert found.bleu[at] == pytest.approx(np.mean(expected))
        assert found.jaccard[at] == pytest.approx(1 - jaccard_distance(set(text), set(partner)))
    for order in range(1, 4):
        ngrams = [gram for text in texts for gram in nltk.ngrams(text, order)]
        expected = len(set(ngrams)) / len(ngrams) if ngrams else np.nan
        assert of_group[f"distinct{order}"] == pytest.approx(expected, nan_ok=True)
    counts = sorted(nltk.FreqDist(word for text in texts for word in text).values(), reverse=True)
    if len(counts) > 1:
        slope = np.polyfit(np.log(np.arange(1, len(counts) + 1)), np.log(counts), 1)[0]
        assert of_group["zipf"] == pytest.approx(-slope, abs=1e-12)


def test_the_top_are_the_texts_of_highest_p_of_human_and_the_bottom_those_of_the_lowest():
    texts = ["no cat"] * 10 + ["a dog"] * 10
    rows = [(f"s{at}/1/0", f"a dog {at}", f"{text} {at}", float(at)) for at, text in enumerate(texts)]
    found = wording(rows, benchmarks())
    jaccard = found[(found.measure == "jaccard") & (found.texts == "all")].set_index("group").value
    assert (jaccard["top"], jaccard["bottom"]) == (1, pytest.approx(1 / 5))  # of no cat, a dog and the name


def test_a_human_text_is_the_second_sentence_of_a_gold_pair_and_positive_from_4_of_5(tmp_path):
    sets = pd.concat([benchmarks(), benchmarks().assign(split="dev")])
    found = wording(TWENTY, sets)
    write_table(found, tmp_path / "l.parquet", LINGUISTICS)
    cells = found.set_index(["group", "texts", "partner", "measure"])
    # Jaccard of lower-cased tokens, full stops too: {a man .} of 6, {dog .} of 6, {.} of 7.
    assert cells.value["human", "all", "all", "jaccard"] == pytest.approx((3 / 6 + 2 / 6 + 1 / 7) / 3)
    assert cells.value["human", "all", "positive", "jaccard"] == pytest.approx((3 / 6 + 2 / 6) / 2)
    expected = sentence_bleu([["a", "man", "plays", "."]], ["a", "man", "is", "playing", "."], (1,))
    positive = sentence_bleu([["a", "dog", "runs", "."]], ["the", "dog", "ran", "."], (1,))
    assert cells.value["human", "all", "positive", "bleu1"] == pytest.approx((expected + positive) / 2)
    assert cells.value["human", "all", "positive", "distinct1"] == 8 / 9  # the full stop twice
    assert set(found.n[found.texts == "equal"]) == {2}  # a tenth of 20
    # A cat 19 and a dog 19 share two of four words, and so do the others.
    assert cells.value["top", "all", "source", "jaccard"] == 0.5
    assert cells.value["bottom", "equal", "source", "distinct1"] == 4 / 6  # a cat 0, a cat 1


def test_sentences_of_a_corpus_have_no_partner_and_so_no_overlap(tmp_path):
    write_table(sentences("猫が好きです。", "猫が走る。"), tmp_path / "s.parquet", SENTENCES)
    human = human_texts(str(tmp_path / "s.parquet"), HumanTexts())
    found = linguistics(*pairs(*TWENTY), human, "japanese")
    cells = found.set_index(["group", "texts", "measure"])
    measures = set(found.measure[found.group == "human"])
    assert measures == {"distinct1", "distinct2", "distinct3", "distinct", "zipf"}
    assert cells.value["human", "all", "distinct1"] == 6 / 9  # 猫, が and the full stop twice
    assert cells.value["top", "all", "jaccard"] == 0.5
    assert set(found.partner[found.group == "human"]) == {"all"}


def test_levels_are_counted_in_each_tenth(tmp_path):
    order = ["1", "1", "0.5", "random", "0", "0", "random", "0", "0", "0"]
    rows = [
        (f"{at}-{twin}/{level}/0", "x", "y", float(-at)) for at, level in enumerate(order) for twin in (1, 2)
    ]
    rows[1] = ("0-2/0/0", "x", "y", 0.0)  # half of the first tenth
    found = deciles(*pairs(*rows))
    write_table(found, tmp_path / "t.parquet", DECILES)
    shares = found.pivot(index="tenth", columns="level", values="share")
    assert shares.loc[1].to_dict() == {"0": 0.5, "0.5": 0, "1": 0.5, "random": 0}
    assert shares.loc[2, "1"] == shares.loc[4, "random"] == shares.loc[10, "0"] == 1
    assert (found.groupby("tenth").n.sum() == 2).all()
    assert found[found.tenth == 3].logit.tolist() == [-2.0] * 4


def test_of_equal_logits_the_first_id_comes_first_and_a_pair_that_was_not_judged_is_named():
    table, detected = pairs(*((f"{name}/1/0", "x", "y", 0.5) for name in "bca"), ("d/1/0", "x", "y", 0.7))
    assert by_logit(table, detected).id.tolist() == ["d/1/0", "a/1/0", "b/1/0", "c/1/0"]
    with pytest.raises(TableError, match="detections: it lacks the judgements of 1 pair, first 'c/1/0'"):
        deciles(table, detected[detected.id != "c/1/0"])
