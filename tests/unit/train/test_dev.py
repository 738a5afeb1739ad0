import math

import numpy as np
import pandas as pd
import pytest
import torch

from contrapose.base.errors import TableError
from contrapose.tables import PAIRS, write_table
from contrapose.train.dev_scores import dev_pairs, dev_scorer, read_dev
from contrapose.train.recipe import Recipe
from tests.unit.train.trainings import LABELS, WEIGHTED


def benchmark(*rows):
    return pd.DataFrame(rows, columns=["task", "form", "split", "sentence1", "sentence2", "score"])


def angles_and_gold(*rows):
    return benchmark(*(("stsb", "senteval", "dev", "0", *row) for row in rows))


ALL = benchmark(
    ("stsb", "senteval", "dev", "the cat", "a cat", 4.0),
    ("stsb", "senteval", "dev", "the cat", "a dog", 1.0),
    ("stsb", "raw", "dev", "The cat", "A cat", 4.0),
    ("sickr", "senteval", "dev", "the cat", "a bird", 3.0),
    ("stsb", "senteval", "test", "the dog", "a cat", 2.0),
    ("sts12", "senteval", "test", "the dog", "a cat", 2.0),
)


def test_only_dev_pairs_of_the_task_in_the_text_form_of_senteval_count():
    assert dev_pairs(ALL).sentence2.tolist() == ["a cat", "a dog"]
    with pytest.raises(TableError, match="benchmarks: task sickr has 1 dev pair, but at least 2 are needed"):
        dev_pairs(ALL, "sickr")
    with pytest.raises(TableError, match=r"stsb has 0 dev pairs, .* are there: sts12/test/.*, stsb/test"):
        dev_pairs(ALL.tail(2))
    with pytest.raises(TableError, match="pairs that are there: none"):
        dev_pairs(ALL.head(0))


class Angles(torch.nn.Module):
    """Maps "30", whose token is 30, to the unit vector at 30 degrees."""

    max_length, device, prompt = 8, torch.device("cpu"), ""
    skipped = staticmethod(lambda prompt: 0)

    def tokenizer(self, texts, **options):
        return {"input_ids": [[int(text)] for text in texts]}

    def forward(self, batch):
        angles = torch.deg2rad(torch.from_numpy(batch.padded(0)[0]).float())  # (B, 1)
        return torch.cat([angles.cos(), angles.sin()], dim=1)


@pytest.mark.filterwarnings("error")  # scipy warns of what has no correlation
def test_the_score_is_spearman_of_cosines_unless_all_are_equal():
    # Cosines fall from 0 to 90 degrees; gold (1, 2, 2, 4) with ranks of (.1, .3, .2, .9): methods, appendix.
    dev = angles_and_gold(("90", 1), ("40", 2), ("60", 2), ("10", 4))
    assert dev_scorer(Angles(), dev)() == pytest.approx(0.948683, abs=1e-6)
    for rows in ([("10", 1.0), ("10", 2.0)], [("10", 2.0), ("20", 2.0)]):
        assert math.isnan(dev_scorer(Angles(), angles_and_gold(*rows))())


def test_dev_pairs_are_scored_by_their_labels_whatever_their_weights(tmp_path):
    def dev(table):
        write_table(table, tmp_path / "dev.parquet", PAIRS)
        return read_dev(tmp_path / "dev.parquet", Recipe(loss="cosine_similarity", dev="pairs"))

    pairs = dev(WEIGHTED)
    assert pairs.columns.tolist() == ["sentence1", "sentence2", "score"]
    assert pairs.sentence2.tolist() == WEIGHTED.positive.tolist()
    assert pairs.score.tolist() == pytest.approx(LABELS.tolist())
    assert read_dev("nowhere", Recipe(dev=None)) is None
    with pytest.raises(TableError, match="rows, 6 of them without a label"):
        dev(WEIGHTED.assign(label=np.nan))
    with pytest.raises(TableError, match="1 rows, 0 of them without a label"):
        dev(WEIGHTED[:1])
