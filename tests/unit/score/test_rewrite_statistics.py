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
