import tempfile
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from contrapose.generate import rewrites
from contrapose.generate.rewrites import rewrite_sentences
from contrapose.settings.corpora import Substitution
from contrapose.tables import PHRASES, REWRITES, RULES, TableWriter, read_table, write_table

FIGURE_1 = [
    ("offers a wide", "provides a wide", 0.13),
    ("offers a wide", "offers a broad", 0.13),
    ("merchandise and", "of goods and", 0.18),
    ("merchandise and", "goods and", 0.57),
]


def write_dictionary(folder, rules):
    """Write rules (phrase, target, probability, maybe relation) as the tables of a dictionary."""
    rows = pd.DataFrame([(*rule, "")[:4] for rule in rules], columns=["phrase", *RULES.columns[1:]])
    phrases = sorted(set(rows.phrase))
    rows = rows.astype({"phrase": object, "probability": np.float32}).sort_values(["phrase", "target"])
    rows.phrase = rows.phrase.map(phrases.index).astype(np.int32)
    write_table(pd.DataFrame({"phrase": pd.Series(phrases, dtype=str)}), folder / "phrases.parquet", PHRASES)
    write_table(rows, folder / "rules.parquet", RULES)


def rewritten(texts, rules, language="english", **settings):
    """Return REWRITES of sentences with the ids 0, 1 ..., and the counts."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_dictionary(folder, rules)
        sentences = pd.DataFrame(
            {"id": [str(number) for number in range(len(texts))], "text": texts}, dtype=str
        )
        spec = Substitution(language=language, **settings)
        with TableWriter(folder / "rewrites.parquet", REWRITES) as writer:
            files = folder / "phrases.parquet", folder / "rules.parquet"
            counts = rewrite_sentences(sentences, *files, spec, writer)
        return read_table(folder / "rewrites.parquet", REWRITES), counts


def test_figure_1_of_the_paper_with_one_and_with_two_substitutions():
    text, rules = "The store {} range of {} accessories.", [(*rule, "R") for rule in FIGURE_1]
    sentence = text.format("offers a wide", "merchandise and")
    found, counts = rewritten([sentence], rules, substitutions=2, floor=0.07)
    edits = [  # 0.13 * 0.18 is below the floor
        ("offers a wide", "goods and"), ("offers a wide", "of goods and"),
        ("offers a broad", "merchandise and"), ("provides a wide", "merchandise and"),
        ("offers a broad", "goods and"), ("provides a wide", "goods and"),
    ]  # fmt: skip
    assert found.text.tolist() == [text.format(*edit) for edit in edits]
    expected = [0.57, 0.18, 0.13, 0.13, 0.13 * 0.57, 0.13 * 0.57]
    np.testing.assert_allclose(found.probability, expected, rtol=1e-6)
    assert found.number.tolist() == [*range(6)]
    assert found.position.tolist() == [7, 7, 2, 2, 2, 2]
    assert found.source.tolist()[1:3] == ["merchandise and", "offers a wide"]
    assert found.iloc[4][["source", "target", "relation"]].tolist() == [
        *("offers a wide + merchandise and", "offers a broad + goods and", "R + R")
    ]
    assert counts == {"sentences": 1, "with_phrases": 1, "with_candidates": 1, "capped": 0, "candidates": 6}


def by_plain_loops(text, rules, spec):
    """Return the candidates of a text of words with blanks between, as rows, and whether there are more."""
    words, edits = text.split(" "), []
    for at in range(len(words)):
        for phrase, target, probability in rules:
            length = len(phrase.split(" "))
            if " ".join(words[at : at + length]).lower() == phrase:
                cased = target[0].upper() + target[1:] if words[at][0].isupper() else target
                edits.append((at, length, cased, float(np.float32(probability))))
    best: dict = {}
    for size in range(1, spec.substitutions + 1):
        for chosen in combinations(sorted(edits), size):
            taken = [at + offset for at, length, *_ in chosen for offset in range(length)]
            probability = np.float32(np.prod([each[3] for each in chosen], dtype=np.float64))
            if len(set(taken)) < len(taken) or probability < np.float32(spec.floor):
                continue
            new = list(words)
            for at, length, target, _ in reversed(chosen):
                new[at : at + length] = [target]
            sources = " + ".join(" ".join(words[at : at + length]) for at, length, *_ in chosen)
            row = (-probability, " ".join(new), chosen[0][0], sources, " + ".join(each[2] for each in chosen))
            if row[1] != text:
                best[row[1]] = min(best.get(row[1], row), row)
    return sorted(best.values())[: spec.max_candidates], len(best) > spec.max_candidates


WORD = st.sampled_from(["a", "b", "c", "d"])
CASED = st.sampled_from(["a", "b", "c", "d", "A", "B", "e"])
PROBABILITY = st.sampled_from([0.05, 0.1, 0.2, 0.4, 0.5, 0.8, 1.0])
SOME_RULES = st.dictionaries(
    st.tuples(
        st.lists(WORD, min_size=1, max_size=3).map(" ".join),
        st.lists(CASED, min_size=1, max_size=2).map(" ".join),
    ).filter(lambda pair: pair[0] != pair[1].lower()),
    PROBABILITY,
    max_size=10,
).map(lambda rules: [(*pair, probability) for pair, probability in rules.items()])
TEXTS = st.lists(st.lists(CASED, min_size=1, max_size=6).map(" ".join), max_size=5)


@given(TEXTS, SOME_RULES, st.integers(1, 3), st.integers(1, 12), st.sampled_from([0.1, 0.4, 0.02]))
def test_candidates_are_those_of_plain_loops(texts, rules, substitutions, at_most, floor):
    settings = {"substitutions": substitutions, "at_most": at_most, "floor": floor}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rewrites, "SENTENCES_AT_ONCE", 2)
        found, counts = rewritten(texts, rules, **settings)
    found["negative"] = -found.probability
    columns = ["negative", "text", "position", "source", "target"]
    expected = [by_plain_loops(text, rules, Substitution(language="english", **settings)) for text in texts]
    for number, (rows, _) in enumerate(expected):
        ours = found[found.sentence_id == str(number)]
        assert list(ours[columns].itertuples(index=False, name=None)) == rows
        assert ours.number.tolist() == list(range(len(rows)))
    assert counts["capped"] == sum(more for _, more in expected)
    assert counts["candidates"] == len(found) == sum(len(rows) for rows, _ in expected)
