from functools import partial

import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from contrapose.base.errors import TableError
from contrapose.pairs.dino import levels
from tests.kinds import pairs

dino_pairs = partial(pairs, "dino", texts="any")


def corpus(*texts):
    frame = pd.DataFrame({"id": [f"stsb:train::{row}:1" for row in range(len(texts))], "text": texts})
    return frame.assign(article_id="stsb", position=0, words=1)


def written(*rows):
    frame = pd.DataFrame(rows, columns=["sentence_id", "label", "entry", "text", "refused"])
    frame["sentence_id"] = "stsb:train::" + frame.sentence_id.astype(str) + ":1"
    return frame.astype({"label": "float32", "entry": "int16"})


# Three sentences: one with a refused text, one with equal texts, one whose only text is itself.
SENTENCES = corpus("a cat", "a dog", "a bird")
TEXTS = written(
    (0, 1.0, 0, "the cat", ""),
    (0, 1.0, 1, "cut off", "no quotation mark"),
    (0, 0.5, 0, "the cat", ""),
    (0, 0.0, 3, "an iron", ""),
    (1, 1.0, 0, "the dog", ""),
    (1, 1.0, 1, "the dog", ""),
    (1, 1.0, 2, "a dog", ""),
    (2, 1.0, 0, "a bird", ""),
)


def test_the_pairs_of_three_sentences_are_those_worked_out_by_hand(caplog):
    with caplog.at_level("INFO"):
        pairs = dino_pairs(TEXTS, SENTENCES, random=1)
    kept = pairs[levels(pairs.id) != "random"]
    dog = kept.id[kept.positive == "the dog"].item()
    assert dog in ("stsb:train::1:1/1/0", "stsb:train::1:1/1/1")
    assert list(zip(kept.id, kept.anchor, kept.positive, kept.label.round(6), strict=True)) == [
        ("stsb:train::0:1/1/0", "a cat", "the cat", pytest.approx(0.9)),
        ("stsb:train::0:1/0.5/0", "a cat", "the cat", 0.5),
        ("stsb:train::0:1/0/3", "a cat", "an iron", pytest.approx(0.1)),
        (dog, "a dog", "the dog", pytest.approx(0.9)),
    ]
    random = pairs[levels(pairs.id) == "random"]
    # Texts of the other sentence; a bird has no text, so it is no sentence of the pairs.
    assert random.id.tolist() == ["stsb:train::0:1/random/0", "stsb:train::1:1/random/0"]
    assert random.positive[random.anchor == "a cat"].item() == "the dog"
    assert random.positive[random.anchor == "a dog"].item() in ("the cat", "an iron")
    assert random.label.tolist() == [0, 0]
    assert set(pairs.weight) == {1}
    assert "4 of 8 texts are kept, for 2 of 3 sentences. Refused: {'no quotation mark'" in caplog.text
    assert "label: 1; equal to their sentence: 2; more than 2 of a sentence and label: 0" in caplog.text


def test_texts_of_another_corpus_and_texts_that_are_all_unusable_are_errors(caplog):
    with pytest.raises(
        TableError, match=r"sentences that are not in the corpus\. The first sentence is 'stsb:train::0:1'"
    ):
        dino_pairs(TEXTS, SENTENCES.assign(id=["x", "y", "z"]))
    with pytest.raises(TableError, match=r"none of the 8 texts can be used\. Reasons: \{'cut'"):
        dino_pairs(TEXTS.assign(refused="cut"), SENTENCES)
    assert dino_pairs(TEXTS.tail(1), SENTENCES).empty  # all copies
    alone = dino_pairs(TEXTS.head(4), SENTENCES)  # no other sentence has a text
    assert "random" not in set(levels(alone.id))
    assert "2 random pairs are missing" in caplog.text


@st.composite
def generated(draw):
    """Texts for up to 6 sentences, many of them alike."""
    count = draw(st.integers(1, 6))
    words = st.sampled_from(["s0", "s1", "s2", "t0", "t1", "t2", "t3", "t4", "t5"])
    key = st.tuples(st.integers(0, count - 1), st.sampled_from([0.0, 0.5, 1.0]), st.integers(0, 4))
    keys = draw(st.sets(key))
    rows = [(*key, draw(words), draw(st.sampled_from(["", "", "", "cut"]))) for key in sorted(keys)]
    return corpus(*(f"s{number}" for number in range(count))), written(*rows)


@settings(max_examples=40)
@given(generated(), st.integers(0, 3))
def test_the_laws_of_post_processing(made, seed):
    sentences, texts = made
    assume((texts.refused == "").any())
    pairs = dino_pairs(texts, sentences, seed=seed)
    level = levels(pairs.id)
    kept, random = pairs[level != "random"], pairs[level == "random"]
    assert pairs.id.is_unique
    assert pairs.groupby("anchor").size().le(8).all()
    labels = {"1": 0.9, "0.5": 0.5, "0": 0.1, "random": 0.0}
    assert pairs.label.astype(float).tolist() == pytest.approx(level.map(labels).tolist())
    assert not (pairs.anchor == pairs.positive).any()
    assert not kept.assign(level=level).duplicated(["anchor", "level", "positive"]).any()
    # What is kept of a sentence and label: all usable texts that differ, but two at most.
    usable = texts[texts.refused == ""].merge(sentences.rename(columns={"id": "sentence_id", "text": "of"}))
    wanted = usable[usable.text != usable.of].groupby(["of", "label"]).text.nunique().clip(upper=2)
    assert wanted.sum() == len(kept)
    # Random texts: of somebody else.
    of = kept.groupby("anchor").positive.agg(set).to_dict()
    assert set(random.anchor) <= of.keys()
    assert set(random.positive) <= set(kept.positive)
    assert all(text not in of[anchor] for anchor, text in zip(random.anchor, random.positive, strict=True))
    assert not random.duplicated(["anchor", "positive"]).any()
    # Neither the order of the rows nor the other sentences decide what is kept.
    assert dino_pairs(texts.sample(frac=1, random_state=1), sentences, seed=seed).equals(pairs)
    half = sentences.head(len(sentences) // 2)
    of_half = texts[texts.sentence_id.isin(half.id)]
    assume((of_half.refused == "").any())
    fewer = dino_pairs(of_half, half, seed=seed, random=0)
    assert fewer.id.tolist() == [each for each in kept.id if each.rsplit("/", 2)[0] in set(half.id)]
