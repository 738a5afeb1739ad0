from contextlib import nullcontext
from types import SimpleNamespace

import pytest

from contrapose.base.errors import ConfigError, OutdatedError, TableError
from contrapose.jobs import step
from contrapose.jobs.status import Status, read_status
from contrapose.jobs.step import run
from contrapose.score.detection import Detection
from contrapose.score.linguistics import WordingMeasures
from contrapose.score.neighbours import NeighbourSearch
from contrapose.score.paraphrase_quality import ParaphraseScoring
from contrapose.settings.classifiers import Detector
from contrapose.settings.encoders import EncoderSettings
from contrapose.tables import (
    DECILES,
    DETECTIONS,
    HELD_OUT,
    LINGUISTICS,
    NEIGHBOURS,
    PAIRS,
    PARASCORES,
    SENTENCE_SCORES,
    SIMILARITIES,
    SLOT_SCORES,
    empty,
    read_table,
    write_table,
)

DETECTION = Detection(detector=Detector(encoder="e"), human=[])


class Named(dict):
    """Files as Snakemake gives them, by name."""

    __getattr__ = dict.__getitem__


@pytest.mark.parametrize(
    ("step", "settings", "tables"),
    [
        ("paraphrase_similarities", EncoderSettings(), {"similarities": SIMILARITIES}),
        ("parascores", EncoderSettings(), {"parascores": PARASCORES}),
        ("paraphrase_quality", ParaphraseScoring(), {"sentences": SENTENCE_SCORES, "slots": SLOT_SCORES}),
        ("neighbours", NeighbourSearch(nearest=1), {"neighbours": NEIGHBOURS}),
        ("detection", DETECTION, {"detections": DETECTIONS, "held_out": HELD_OUT}),
        ("linguistics", WordingMeasures(), {"linguistics": LINGUISTICS, "deciles": DECILES}),
    ],
)
@pytest.mark.parametrize("why", ["too few sentences", ""])
def test_scores_of_no_pairs_have_no_rows_and_the_reason(tmp_path, monkeypatch, step, settings, tables, why):
    monkeypatch.setattr("contrapose.jobs.step.log_to", lambda *_: nullcontext())
    write_table(empty(PAIRS), tmp_path / "none.parquet", PAIRS, Status(unavailable=why).metadata())
    none = str(tmp_path / "none.parquet")
    job = SimpleNamespace(
        input=Named(pairs=none, texts=none, similarities=none, detections=none),
        output=Named({name: str(tmp_path / f"{name}.parquet") for name in tables}),
        params=SimpleNamespace(settings=settings.model_dump_json(), code="c"),
        resources=Named(
            step=f"contrapose.score.{step}", state=str(tmp_path / "state"), checkpoint_seconds=60
        ),
        **{"wildcards": {}, "log": [""], "threads": 1, "rule": f"score_{step}"},
    )
    run(job)
    for name, table in tables.items():
        assert read_table(job.output[name], table).empty
        reason = read_status(job.output[name]).unavailable
        assert reason == (why or "the pair set 'none' has no pairs")


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (
            OutdatedError("neighbours"),
            "n.parquet: it was made from an older version of the pairs. Build it again: contrapose run "
            "--force -- n.parquet",
        ),
        (OutdatedError("scores", "it lacks a pair"), "scores: it lacks a pair."),  # no input of the job
        (ConfigError("recipe: steps is 3."), "recipe 'simcse+steps=3' on pairs 'dropout': steps is 3."),
        (TableError("pairs: it is empty."), "recipe 'simcse+steps=3' on pairs 'dropout': it is empty."),
        (TableError("x.parquet: the file is damaged."), "x.parquet: the file is damaged."),
    ],
)
def test_the_errors_of_a_step_name_the_files_and_ids_of_its_job(tmp_path, monkeypatch, error, says):
    def fail(job: object) -> None:
        raise error

    monkeypatch.setattr(step, "log_to", lambda *_: nullcontext())
    monkeypatch.setattr(step, "result", fail)
    job = SimpleNamespace(
        input=Named(neighbours="n.parquet"),
        output=Named(pairs=str(tmp_path / "pairs.parquet")),
        resources=Named(step="contrapose.pairs.mined"),
        wildcards={"pairs": "dropout", "recipe": "simcse+steps=3", "seed": "42"},
        log=[""],
        threads=1,
    )
    with pytest.raises((ConfigError, TableError)) as raised:
        run(job)
    assert str(raised.value) == says
