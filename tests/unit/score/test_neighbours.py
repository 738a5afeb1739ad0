import numpy as np
import pytest
import torch

from contrapose.models import embeddings as encoders
from contrapose.score import neighbours as module
from contrapose.settings.catalogs import Prompts
from contrapose.tables import NEIGHBOURS, checked_arrays
from tests.tables import paired

# Angles in degrees: what is near is nearest on the circle.
ANGLES = {"a": 0, "A": 10, "b": 40, "B": 60, "B2": 45, "c": 100, "C": 90}
PAIRS = paired("abcb", ["A", "B", "C", "B2"], id="abcb", slot=[0, 0, 0, 1])


class Circle:
    device = torch.device("cpu")
    prompts = Prompts()


@pytest.fixture(autouse=True)
def circle(monkeypatch):
    def embeddings(encoder, texts):
        angles = np.deg2rad([ANGLES[text] for text in texts])
        return 3 * np.stack([np.cos(angles), np.sin(angles)], axis=1).astype("float32")

    monkeypatch.setattr(encoders, "embeddings", embeddings)


def found(pairs=PAIRS, nearest=10, corpus=()):
    table = module.build(module.NeighbourSearch(nearest=nearest), pairs, Circle(), corpus)
    checked_arrays(table, "found", NEIGHBOURS)
    return table


@pytest.mark.parametrize("at_once", [1, 1 << 20])
def test_positives_of_any_slot_are_no_candidates_and_the_nearest_come_first(at_once, monkeypatch):
    monkeypatch.setattr(module, "SCORES_AT_ONCE", at_once)  # one anchor at a time, or all
    table = found()
    assert table.anchor.tolist() == ["a", "b", "c"]
    assert [each.tolist() for each in table.rows] == [[3, 1, 2], [0, 2], [1, 3, 0]]
    assert table.positive.to_numpy() == pytest.approx(np.cos(np.deg2rad([10, 20, 10])), abs=1e-6)
    assert table.cosines[0] == pytest.approx(np.cos(np.deg2rad([45, 60, 90])), abs=1e-6)


def test_so_many_are_looked_at_behind_the_most_positives_of_an_anchor():
    # Three are looked at, 1 + 2: of them b has two positives.
    assert [each.tolist() for each in found(nearest=1).rows] == [[3, 1], [0], [1, 3]]


def test_an_anchor_is_not_near_to_itself():
    table = found(paired("ab", "bB"))  # b is the positive of a
    assert [each.tolist() for each in table.rows] == [[1], []]


def test_sentences_of_a_corpus_are_candidates_once():
    table = found(corpus=["b", "B2", "c"])  # rows 4 and 6; B2 is row 3 already
    assert [each.tolist() for each in table.rows] == [[4, 3, 1, 2, 6], [0, 2, 6], [1, 3, 4, 0]]


def test_anchors_have_the_prompt_for_queries_and_texts_that_for_documents(monkeypatch):
    def embeddings(encoder, texts, prompt):
        turned = np.deg2rad([ANGLES[text] + {"ask ": 0, "read ": 50}[prompt] for text in texts])
        return 3 * np.stack([np.cos(turned), np.sin(turned)], axis=1).astype("float32")

    monkeypatch.setattr(encoders, "embeddings", embeddings)
    monkeypatch.setattr(Circle, "prompts", Prompts(query="ask ", document="read "))
    table = found()
    assert table.positive.to_numpy() == pytest.approx(np.cos(np.deg2rad([60, 70, 40])), abs=1e-6)
