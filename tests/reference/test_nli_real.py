"""SimCSE's two training files, and triples out of SNLI, on the original files."""

import os
from pathlib import Path

import pandas as pd
import pytest

from contrapose.corpus.published_lines import published_lines
from contrapose.corpus.words import word_count
from contrapose.retrieve.triples import read_triples
from contrapose.settings.worlds import PairFile, SentenceFile, SNLITriples

DATA = os.environ.get("CONTRAPOSE_DATA")
pytestmark = pytest.mark.skipif(not DATA, reason="CONTRAPOSE_DATA names no folder with the original files")


def test_the_head_of_simcses_triples_is_what_pandas_reads():
    source = PairFile(kind="simcse", path="nli_for_simcse_head/nli_for_simcse.head.csv")
    found = read_triples(source, Path(DATA))
    other = pd.read_csv(Path(DATA) / source.path, keep_default_na=False)
    assert len(found) == 9
    ours = found[["premise", "entailment"]].assign(hard=found.negatives.str.get(0))
    assert ours.to_numpy().tolist() == other.to_numpy().tolist()
    # A comma inside quotation marks, and trailing spaces.
    assert found.premise[5].startswith(
        "But a few Christian mosaics survive above the apse is the Virgin with"
    )
    assert found.entailment[5].endswith("left in the building.  ")


def test_snli_dev_gives_a_triple_for_each_premise_that_has_both_labels():
    folder = Path(DATA) / "senteval" / "SNLI"
    found = read_triples(SNLITriples(kind="snli", path="senteval/SNLI", split="dev"), Path(DATA))
    parts = {part: (folder / f"{part}.dev").read_text().splitlines() for part in ("s1", "s2", "labels")}
    pairs = pd.DataFrame(parts).apply(lambda column: column.str.strip())
    assert pairs.labels.value_counts().to_dict() == {
        "entailment": 3329,  # as published with SNLI
        "contradiction": 3278,
        "neutral": 3235,
    }
    first = pairs.drop_duplicates(["s1", "labels"]).pivot(index="s1", columns="labels", values="s2")
    both = first.dropna(subset=["entailment", "contradiction"])
    assert len(found) == len(both) == 2943
    assert found.premise.is_unique
    ours = found.assign(hard=found.negatives.str.get(0)).set_index("premise")
    ours = ours[["entailment", "hard"]].sort_index()
    assert ours.to_numpy().tolist() == both[["entailment", "contradiction"]].sort_index().to_numpy().tolist()


def test_the_head_of_simcses_corpus_has_its_lines_and_words():
    lines = published_lines(SentenceFile(path="wiki1m_head/wiki1m_for_simcse.head.txt"), Path(DATA)).text
    assert len(lines) == 11_914
    assert lines[0] == "YMCA in South Australia"
    assert sum(map(word_count, lines)) / len(lines) == pytest.approx(20.2, abs=0.05)
