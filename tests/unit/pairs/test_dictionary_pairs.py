import re
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from contrapose.jobs.status import Status, read_status
from contrapose.pairs.dictionary import DictionaryPairs, dictionary_pairs
from contrapose.tables import REWRITES, TableWriter
from tests.kinds import pairs
from tests.unit.generate.test_rewrite_candidates import written

WORDS = ("owl", "park", "grey", "flew", "old", "over", "far", "the")
COUNT = 60


def spec(**changes) -> DictionaryPairs:
    return DictionaryPairs(kind="dictionary", rewrites="any", **changes)


@pytest.fixture(scope="module")
def catalog() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Sentences, and 0 to 6 candidates of each in which one word is another."""
    draws = np.random.default_rng(2)
    texts = [list(draws.choice(WORDS, 5)) for _ in range(COUNT)]
    names = [f"s{number}" for number in draws.permutation(COUNT)]
    sentences = pd.DataFrame({"id": names, "text": [" ".join(text) for text in texts]})
    rows = []
    for name, text in zip(names, texts, strict=True):
        found = {}
        for _ in range(draws.integers(7)):
            at, target = int(draws.integers(5)), str(draws.choice(WORDS))
            rule = {"position": at, "source": str(text[at]), "target": target, "relation": ""}
            if target != text[at]:
                found[" ".join([*text[:at], target, *text[at + 1 :]])] = rule
        likeliest = sorted(draws.choice([0.1, 0.3, 0.4, 0.7, 0.9], len(found)), reverse=True)
        for number, ((rewrite, rule), p) in enumerate(zip(found.items(), likeliest, strict=True)):
            rows.append({"sentence_id": name, "number": number, **rule, "probability": p, "text": rewrite})
    types = {"number": "int16", "position": "int16", "probability": "float32"}
    return sentences, pd.DataFrame(rows).astype(types)


def scored(catalog) -> pd.DataFrame:
    rewrites = catalog[1]
    return rewrites.assign(perplexity=np.random.default_rng(3).uniform(5, 50, len(rewrites)))


def test_the_positive_is_the_most_fluent_candidate_of_any_shard(catalog, tmp_path: Path):
    sentences, table = catalog[0], scored(catalog)
    likely = table[table.probability > 0.39].groupby("sentence_id")
    expected = {name: min(zip(own.perplexity, own.text, strict=True))[1] for name, own in likely}
    for shards in (1, 7):
        parts = [table[table.sentence_id.isin(sentences.id[number::shards])] for number in range(shards)]
        files = [written(tmp_path, part, f"{number}-{shards}") for number, part in enumerate(parts)]
        found = pairs("dictionary", sentences, *map(list, zip(*files, strict=True)), rewrites="any")
        assert dict(zip(found.id, found.positive, strict=True)) == expected
        assert found.id.tolist() == [name for name in sentences.id if name in expected]
        assert found.anchor.tolist() == [dict(sentences.to_numpy())[name] for name in found.id]


def test_the_first_pairs_are_for_dev_and_the_sizes_count_pairs_of_which_there_may_be_too_few(catalog):
    sentences, table = catalog[0], scored(catalog)
    made = partial(dictionary_pairs, sentences, [table])
    every = made(spec())
    assert made(spec(held_out=10, part="dev")).equals(every[:10])
    assert made(spec(held_out=10, size=15)).equals(every[10:25].reset_index(drop=True))
    assert made(spec(held_out=10)).equals(every[10:].reset_index(drop=True))
    there = table.sentence_id.nunique()
    assert len(made(spec(held_out=5, size=there - 5))) == there - 5
    assert not read_status(made(spec(held_out=5, size=there - 5)).attrs).unavailable
    # A threshold of a search that has too few pairs is no error: its cell of the table stays empty.
    for few, expected in [
        (
            made(spec(held_out=5, size=there)),
            f"{there} of {COUNT} sentences .* but the pair set needs {there} pairs",
        ),
        (dictionary_pairs(sentences, [], spec()), f"0 of {COUNT} sentences have a candidate .*Lower the thr"),
    ]:
        assert few.empty
        assert re.search(expected, read_status(few.attrs).unavailable)


def test_a_random_choice_is_any_candidate_by_the_id_and_the_draw_alone(catalog):
    sentences, table = catalog[0], scored(catalog)
    found = dictionary_pairs(sentences, [table], spec(choice="random"))
    of_sentence = table.groupby("sentence_id").text.agg(list)
    assert all(text in of_sentence[name] for name, text in zip(found.id, found.positive, strict=True))
    names = list(dict.fromkeys(table.sentence_id))
    halves = [table[table.sentence_id.isin(part)] for part in (names[20:], names[:20])]
    assert dictionary_pairs(sentences, halves, spec(choice="random")).equals(found)
    assert not dictionary_pairs(sentences, [table], spec(choice="random", seed=2)).equals(found)
    assert not dictionary_pairs(sentences, [table], spec()).equals(found)


REWRITTEN = pd.DataFrame(
    [("b", 0, 0.7, "b as x"), ("b", 1, 0.7, "b as y"), ("c", 0, 0.4, "c as y"), ("c", 1, 0.3, "c as x")],
    columns=["sentence_id", "number", "probability", "text"],
).assign(position=0, source="s", target="t", relation="")
THREE = pd.DataFrame({"id": ["a", "b", "c"], "text": ["a", "b", "c"]})


def unscored_file(folder: Path, rewrites: pd.DataFrame, *notes: str) -> Path:
    types = {"number": "int16", "position": "int16", "probability": "float32"}
    with TableWriter(folder / f"{len(rewrites)}.parquet", REWRITES) as writer:
        writer.write(rewrites.astype(types))
        writer.add_provenance(**Status(notes=[*notes]).metadata())
    return folder / f"{len(rewrites)}.parquet"


def test_without_a_language_model_the_likeliest_candidate_is_paired_and_the_text_breaks_ties(tmp_path: Path):
    file = unscored_file(tmp_path, REWRITTEN)
    found = pairs("dictionary", THREE, [file], [], rewrites="any", threshold=0.4)
    assert found[["id", "positive"]].to_numpy().tolist() == [["b", "b as x"], ["c", "c as y"]]
    likely = pairs("dictionary", THREE, [file], [], rewrites="any", threshold=0.5)
    assert likely.positive.tolist() == ["b as x"]
    drawn = pairs("dictionary", THREE, [file], [], rewrites="any", threshold=0.1, choice="random")
    assert drawn.id.tolist() == ["b", "c"]


def test_a_dictionary_none_of_whose_phrases_is_in_a_sentence_leaves_no_pairs_and_says_so(tmp_path: Path):
    nothing = unscored_file(tmp_path, REWRITTEN[:0], "no phrase of 'phrases' is in any sentence")
    found = pairs("dictionary", THREE, [nothing, nothing], [], rewrites="any")
    assert found.empty
    assert read_status(found.attrs).unavailable == "pairs: no phrase of 'phrases' is in any sentence"
    # Phrases of whose rules none is likely enough are another matter.
    unlikely = unscored_file(tmp_path, REWRITTEN)
    found = pairs("dictionary", THREE, [nothing, unlikely], [], rewrites="any", threshold=0.9)
    assert "0 of 3 sentences have a candidate of probability 0.9" in read_status(found.attrs).unavailable
