"""What is offered and what is kept, beside plain loops and NLTK."""

import math
import warnings

import numpy as np
import pandas as pd
import pytest
from nltk.translate.bleu_score import sentence_bleu

from contrapose.score.rewrite_statistics import rewrite_statistics
from contrapose.tables import REWRITE_STATISTICS, checked_arrays

AT_MOST = 3
RELATIONS = ("Equivalence", "OtherRelated", "Independent", "")


def measured(sentences: pd.DataFrame, blocks: list[pd.DataFrame]) -> pd.DataFrame:
    found = rewrite_statistics(sentences, blocks, str.split, AT_MOST)
    checked_arrays(found, "statistics", REWRITE_STATISTICS)
    return found.set_index(["measure", "relation"])


def test_a_hand_worked_corpus():
    sentences = pd.DataFrame({"id": ["a", "b", "c"], "text": ["u v w x y", "k l m n o", "q"]})
    rows = [
        ("a", 0, 0.9, "OtherRelated", 8.0, "u v w x z"),
        ("a", 1, 0.5, "Equivalence", 2.0, "u v w z y"),  # kept
        ("a", 2, 0.4, "OtherRelated", 16.0, "z v w x y"),
        ("b", 0, 0.6, "OtherRelated", 4.0, "k l m n z"),  # kept
    ]
    names = ["sentence_id", "number", "probability", "relation", "perplexity", "text"]
    found = measured(sentences, [pd.DataFrame(rows, columns=names)])
    whole = found.xs("", level="relation")
    assert whole.value["candidates"] == pytest.approx(4 / 3)
    assert whole.value["any"] == pytest.approx(2 / 3)
    assert whole.value["capped"] == pytest.approx(1 / 3)  # a has three
    assert whole.n[["candidates", "any", "capped"]].tolist() == [3, 3, 3]
    assert whole.value["probability_offered"] == pytest.approx(0.6)
    assert whole.value["probability_kept"] == pytest.approx(0.55)
    assert whole.value["perplexity_offered"] == pytest.approx(2 ** (10 / 4))  # 3 + 1 + 4 + 2
    assert whole.value["perplexity_kept"] == pytest.approx(2 ** (3 / 2))
    # `k l m n z` keeps 4 of 5 words, 3 of 4, 2 of 3 and 1 of 2; `u v w z y` 4, 2, 1 and no four.
    assert whole.value["bleu"] == pytest.approx((4 / 5 * 3 / 4 * 2 / 3 * 1 / 2) ** (1 / 4) / 2)
    shares = found.value.unstack("measure")
    assert shares.loc["Equivalence", ["offered", "chance", "kept", "refused"]].tolist() == pytest.approx(
        [1 / 4, (1 / 3 + 0) / 2, 1 / 2, 0]
    )
    assert shares.loc["OtherRelated", ["kept", "refused"]].tolist() == [1 / 2, 1]
    # Of refused: b has no choice.
    assert [found.n[each, "OtherRelated"] for each in ("refused", "offered", "kept")] == [1, 3, 1]


def test_blocks_of_candidates_add_up_to_what_plain_loops_find():
    draws = np.random.default_rng(4)
    words = np.array(list("abcdefgh"))
    sentences = pd.DataFrame({"id": [f"s{number}" for number in range(40)]})
    sentences["text"] = [" ".join(draws.choice(words, 9)) for _ in range(40)]
    blocks, kept, nats, chance = [], [], [], dict.fromkeys(RELATIONS, 0.0)
    refusals: dict[str, list[bool]] = {relation: [] for relation in RELATIONS}
    for name, text in sentences.head(30).to_numpy():
        rows = []
        for number in range(draws.integers(1, 4)):
            at = draws.integers(9)
            other = [*text.split()[:at], "z", "z", *text.split()[at + 1 :]]  # longer: BLEU has a direction
            rule = {"relation": str(draws.choice(RELATIONS)), "probability": 0.5}
            rows.append({"sentence_id": name, "number": number, "text": " ".join(other), **rule})
            rows[-1]["perplexity"] = draws.uniform(2, 90)
            nats.append(math.log(rows[-1]["perplexity"]))
        for row in rows:
            chance[row["relation"]] += 1 / len(rows) / 30
        best = min(rows, key=lambda row: row["perplexity"])
        offered = {row["relation"] for row in rows}
        for relation in offered if len(offered) > 1 else ():
            refusals[relation].append(relation != best["relation"])
        kept.append((text, best))
        blocks.append(pd.DataFrame(rows))
    found = measured(sentences, blocks)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # NLTK's, of texts that share no four words
        scores = [sentence_bleu([row["text"].split()], text.split()) for text, row in kept]
    assert found.value["bleu", ""] == pytest.approx(np.mean(scores))
    assert found.value["any", ""] == pytest.approx(0.75)
    assert found.value["capped", ""] == pytest.approx(sum(len(block) == 3 for block in blocks) / 40)
    assert found.value["perplexity_offered", ""] == pytest.approx(math.exp(np.mean(nats)))
    assert found.value["chance"].to_dict() == pytest.approx(chance)
    kept_relations = pd.Series([row["relation"] for _, row in kept]).value_counts()
    assert found.n["kept"].to_dict() == kept_relations.reindex(sorted(RELATIONS), fill_value=0).to_dict()
    expected = {relation: np.mean(refused) for relation, refused in refusals.items()}
    assert found.value["refused"].to_dict() == pytest.approx(expected)
    for stage in ("offered", "chance", "kept"):
        assert found.value[stage].sum() == pytest.approx(1)
