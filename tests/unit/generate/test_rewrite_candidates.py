from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from contrapose.base.errors import TableError
from contrapose.generate import rewrite_candidates as scored
from contrapose.generate.rewrite_candidates import most_fluent, scored_candidates, whole_sentences
from contrapose.tables import PERPLEXITIES, REWRITES, write_table


def candidates(counts: dict[str, int]) -> pd.DataFrame:
    """So many candidates of each sentence, the likeliest first, and with perplexities of their own."""
    draws = np.random.default_rng(1)
    rows = []
    for name, count in counts.items():
        for number, probability in enumerate(sorted(draws.uniform(0.1, 1, count), reverse=True)):
            rewrite = {"sentence_id": name, "number": number, "text": f"{name} as {number}"}
            rule = {"position": 0, "source": "a", "target": "b", "relation": "Equivalence"}
            rows.append({**rewrite, **rule, "probability": probability, "perplexity": draws.uniform(5, 50)})
    types = {"number": "int16", "position": "int16", "probability": "float32"}
    return pd.DataFrame(rows).astype(types)


def written(folder: Path, table: pd.DataFrame, name: str) -> tuple[Path, Path]:
    paths = folder / f"{name}-rewrites.parquet", folder / f"{name}-perplexities.parquet"
    write_table(table[REWRITES.columns], paths[0], REWRITES)
    write_table(table[PERPLEXITIES.columns], paths[1], PERPLEXITIES)
    return paths


def test_no_sentence_is_cut_in_two_wherever_the_pieces_end():
    table = candidates({"a": 3, "b": 1, "c": 9, "d": 2, "e": 4})
    for size in range(1, 21):
        pieces = [table[at : at + size].reset_index(drop=True) for at in range(0, len(table), size)]
        blocks = list(whole_sentences(pieces))
        assert pd.concat(blocks, ignore_index=True).equals(table)
        assert sum(block.sentence_id.nunique() for block in blocks) == 5
    assert list(whole_sentences([])) == []


def test_files_give_what_is_in_them_whatever_is_read_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    shards = [candidates({"a": 3, "b": 5}), candidates({"c": 64, "d": 1, "e": 7})]
    shards.append(shards[0][:0])
    files = [written(tmp_path, each, str(number)) for number, each in enumerate(shards)]
    rewrites, perplexities = zip(*files, strict=True)
    expected = pd.concat(shards)
    expected = expected[expected.probability >= np.float32(0.4)]
    for size in (1, 4, 7, 10_000):
        monkeypatch.setattr(scored, "ROWS_PER_GROUP", size)
        blocks = list(scored_candidates(rewrites, perplexities, 0.4))
        found = pd.concat(blocks, ignore_index=True)
        assert found.equals(expected[list(found.columns)].reset_index(drop=True))
        assert sum(block.sentence_id.nunique() for block in blocks) == expected.sentence_id.nunique()


def test_perplexities_of_other_candidates_are_refused(tmp_path: Path):
    table = candidates({"a": 3, "b": 5})
    rewrites, perplexities = written(tmp_path, table, "0")
    for other in (table[:-1], table[::-1], table.assign(number=table.number + 1)):
        write_table(other[PERPLEXITIES.columns], perplexities, PERPLEXITIES)
        with pytest.raises(TableError, match="perplexities belong to other candidates than those of"):
            list(scored_candidates([rewrites], [perplexities], 0.1))


def test_the_lowest_perplexity_is_taken_and_of_equal_ones_the_first_text():
    table = candidates({"a": 4, "b": 2}).assign(perplexity=[23.6, 30.2, 33.5, 21.4, 7.0, 7.0])
    # Perplexities of the paper's figure 1, and a tie.
    table["text"] = ["offers", "goods and", "wide range", "of goods", "z", "y"]
    assert most_fluent(table).text.tolist() == ["of goods", "y"]  # in the order of the candidates
    assert most_fluent(table[::-1]).text.tolist() == ["of goods", "y"]
