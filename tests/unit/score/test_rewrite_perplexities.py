from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from contrapose.generate.rewrite_candidates import scored_candidates
from contrapose.models import perplexity
from contrapose.models.perplexity import CausalLM
from contrapose.score import rewrite_perplexities as step
from contrapose.tables import PERPLEXITIES, REWRITES, TableWriter, write_table
from tests.unit.score.byte_models import language_model

SENTENCES, CANDIDATES = 9, 4
TARGETS = ["owl", "cat", "dog", "bird"]


@pytest.fixture
def candidates(tmp_path, monkeypatch) -> Path:
    """A file of 9 sentences with 4 candidates each, which is scored in 4 blocks: of 2, 3, 3 and 1."""
    monkeypatch.setattr(step, "ROWS_PER_GROUP", 10)
    rows = [
        {"sentence_id": f"s{at}", "number": number, "target": target, "text": f"a {target} of {at}"}
        for at in range(SENTENCES)
        for number, target in enumerate(TARGETS)
    ]
    table = pd.DataFrame(rows).assign(position=1, source="hen", relation="", probability=0.5)
    types = {"number": "int16", "position": "int16", "probability": "float32"}
    write_table(table[REWRITES.columns].astype(types), tmp_path / "rewrites.parquet", REWRITES)
    return tmp_path / "rewrites.parquet"


def scored(lm: CausalLM, candidates: Path, state: Path) -> bytes:
    """Return the bytes of the file that a job writes."""
    with TableWriter(candidates.with_name("perplexities.parquet"), PERPLEXITIES) as writer:
        for block in step.build(step.RewritePerplexities(), [str(candidates)], lm, state):
            writer.write(block)
    return candidates.with_name("perplexities.parquet").read_bytes()


def texts_noted(monkeypatch, most: float = np.inf) -> list[str]:
    """Return a list that gets every text that is scored from now on; one more than `most` breaks off."""
    noted = []

    def noting(lm, texts, scoring=perplexity.perplexities):
        if len(noted) + len(texts) > most:
            raise KeyboardInterrupt
        noted.extend(texts)
        return scoring(lm, texts)

    monkeypatch.setattr(perplexity, "perplexities", noting)
    return noted


def test_a_job_that_is_broken_off_goes_on_behind_its_last_block_to_the_same_bytes(
    candidates, tmp_path, monkeypatch
):
    lm = language_model()
    whole = scored(lm, candidates, tmp_path / "undisturbed")
    with monkeypatch.context() as patch:
        before = texts_noted(patch, most=25)
        with pytest.raises(KeyboardInterrupt):
            scored(lm, candidates, tmp_path / "state")
    assert 0 < len(before) < SENTENCES * CANDIDATES
    after = texts_noted(monkeypatch)
    assert scored(lm, candidates, tmp_path / "state") == whole
    assert len(before + after) == len({*before, *after}) == SENTENCES * CANDIDATES  # none of them twice


def test_blocks_of_another_model_or_of_other_texts_are_not_used(candidates, tmp_path, monkeypatch):
    state = tmp_path / "state"
    scored(language_model(), candidates, state)
    noted = texts_noted(monkeypatch)
    other = scored(language_model(seed=1), candidates, state)
    assert len(noted) == SENTENCES * CANDIDATES
    assert other == scored(language_model(seed=1), candidates, tmp_path / "new")
    noted.clear()
    table = pd.read_parquet(candidates)
    table.loc[0, "text"] = "a grey owl of 0"
    write_table(table, candidates, REWRITES)
    scored(language_model(), candidates, state)
    assert "a grey owl of 0" in noted
    assert len(noted) < 3 * CANDIDATES  # its own block alone


def test_an_empty_or_overlong_candidate_has_no_perplexity_and_the_others_of_its_shard_have(
    candidates, tmp_path, caplog
):
    caplog.set_level("INFO")
    table = pd.read_parquet(candidates)
    table.loc[[1, 6], "text"] = ["", "x" * 65]  # the model takes 64
    write_table(table, candidates, REWRITES)
    scored(language_model(), candidates, tmp_path / "state")
    perplexities = candidates.with_name("perplexities.parquet")
    assert pd.read_parquet(perplexities).perplexity.isna().to_numpy().nonzero()[0].tolist() == [1, 6]
    assert "2 of 36 candidates have no perplexity, because they are empty or too long" in caplog.text
    joined = pd.concat(scored_candidates([candidates], [perplexities], 0.1))
    assert len(joined) == len(table) - 2
    assert "" not in set(joined.text)
