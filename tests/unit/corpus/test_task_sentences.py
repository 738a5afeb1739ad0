import logging

import pandas as pd
import pytest

from contrapose.base.errors import TableError
from contrapose.corpus import task_sentences
from contrapose.corpus.task_sentences import TaskCorpus
from contrapose.tables import BENCHMARK, SENTENCES, read_table, write_table

PAIRS = pd.DataFrame(
    [
        ("bq", "senteval", "train", "bq", 0, "甲", "乙", 1.0),
        ("bq", "senteval", "train", "bq", 1, "乙", "NS", 0.0),
        ("bq", "senteval", "test", "bq", 0, "甲", "戊", 0.0),
        ("atec", "senteval", "train", "atec", 0, "丙 ab", "甲", 0.0),
    ],
    columns=BENCHMARK.columns,
)


def corpus(tasks=("atec", "bq"), **settings) -> pd.DataFrame:
    return task_sentences.build(TaskCorpus(**{"kind": "tasks", "tasks": tasks, **settings}), PAIRS)


def test_each_distinct_sentence_is_there_once_from_where_it_stands_first(caplog, tmp_path):
    with caplog.at_level(logging.INFO):
        table = corpus()
    assert sorted(table.id) == ["atec:train:atec:0:1", "atec:train:atec:0:2", "bq:train:bq:0:2"]
    assert dict(zip(table.text, table.words, strict=True)) == {"丙 ab": 3, "甲": 1, "乙": 1}
    assert (
        "6 sentences, 3 without repetitions and placeholders; 1 of these also occur in other splits"
        in caplog.text
    )
    write_table(table, tmp_path / "s.parquet", SENTENCES)
    assert len(read_table(tmp_path / "s.parquet", SENTENCES)) == 3


def test_a_small_corpus_is_the_head_of_a_larger_one_and_another_seed_shuffles_otherwise():
    whole = corpus().text.tolist()
    assert corpus(size=2).text.tolist() == whole[:2]
    assert len({tuple(corpus(seed=seed).text) for seed in range(20)}) > 1


def test_what_is_not_there_is_left_out_or_refused(caplog):
    assert set(corpus(["lcqmc", "bq"]).article_id) == {"bq"}
    assert "split train of lcqmc does not exist" in caplog.text
    with pytest.raises(TableError, match=r"from lcqmc, but none .* has a split train"):
        corpus(["lcqmc"])
    with pytest.raises(TableError, match="split train of atec, bq has 3 distinct sentences, but the corpus"):
        corpus(size=4)
