"""Jobs of a pair set without pairs write tables without rows, and the reason."""

import runpy
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import pytest

from contrapose import stage, warm
from contrapose.score.jobs import IdentificationJob, LinguisticsJob, NeighboursJob, TextsJob
from contrapose.settings.recipes import Identifier
from contrapose.tables import (
    HELD_OUT,
    IDENTIFIED,
    LINGUISTICS,
    NEIGHBOURS,
    PAIRS,
    PARASCORES,
    SENTENCE_SCORES,
    SIMILARITIES,
    SLOT_SCORES,
    TENTHS,
    empty,
    read_provenance,
    read_table,
    write_table,
)
from contrapose.train.jobs import EncoderJob

SCRIPTS = Path(__file__).parents[2] / "workflow" / "scripts"
JUDGED = IdentificationJob(identifier=Identifier(encoder="e"), human=[])


class Named(dict):
    """Files as Snakemake gives them, by name."""

    __getattr__ = dict.__getitem__


@pytest.mark.parametrize(
    ("script", "job", "tables"),
    [
        ("similarities", EncoderJob(), {"similarities": SIMILARITIES}),
        ("parascores", EncoderJob(), {"parascores": PARASCORES}),
        ("paraphrases", TextsJob(), {"sentences": SENTENCE_SCORES, "slots": SLOT_SCORES}),
        ("neighbours", NeighboursJob(nearest=1), {"neighbours": NEIGHBOURS}),
        ("identification", JUDGED, {"identified": IDENTIFIED, "held_out": HELD_OUT}),
        ("linguistics", LinguisticsJob(), {"linguistics": LINGUISTICS, "tenths": TENTHS}),
    ],
)
@pytest.mark.parametrize("why", ["too few sentences", ""])
def test_scores_of_no_pairs_have_no_rows_and_the_reason(tmp_path, monkeypatch, script, job, tables, why):
    monkeypatch.setattr(stage, "log_to", lambda *_: nullcontext())
    monkeypatch.setattr(warm, "run_warm", lambda: None)
    write_table(empty(PAIRS), tmp_path / "none.parquet", PAIRS, {"lacking": why})
    snakemake = SimpleNamespace(
        input=Named(pairs=str(tmp_path / "none.parquet")),
        output=Named({name: str(tmp_path / f"{name}.parquet") for name in tables}),
        params=SimpleNamespace(settings=job.model_dump_json(), code="c"),
        resources=SimpleNamespace(state=str(tmp_path / "state"), checkpoint_seconds=60),
        **{"wildcards": {}, "log": [""], "threads": 1, "rule": f"score_{script}"},
    )
    runpy.run_path(str(SCRIPTS / "score" / f"{script}.py"), {"snakemake": snakemake})
    for name, table in tables.items():
        assert read_table(snakemake.output[name], table).empty
        reason = read_provenance(snakemake.output[name])["lacking"]
        assert reason == (why or "the pair set 'none' has no pairs")
