"""A project of a person's own data, with one table that is built."""

from pathlib import Path

import pytest

from contrapose.jobs.status import Status
from contrapose.project import Project
from contrapose.report.recommendation import VERDICT
from contrapose.tables import CELLS, write_table
from contrapose.tools.dry_run import Job
from contrapose.tools.publish import package
from contrapose.tools.publish.chain import Chain
from tests.checkout import HOME
from tests.kinds import cells

CATALOG = """
description: letters to the editor
sentence_files: {sentences: {path: sentences.txt}}
triplet_files: {pairs: {kind: simcse, path: pairs.csv}}
encoders: {mine: {path: encoders/enc}}
benchmarks: {similarity: {kind: pairs, task: own, path: test_pairs, splits: [test]}}
"""
STUDY = """
title: Which pairs?
source: nowhere
prefix: compare_
tables:
  pairs:
    kind: sts
    caption: Encoders.
    columns: {Test pairs: own}
    rows: [{model: No training, encoder: mine}]
"""
PAGE = """# compare_pairs

Encoders.

Keep No training.

| pairs | A |
| :-- | --: |
| No training | 32.05 † |

Without numbers (compare_pairs.md says what each lacks): Own pairs.

† may be the best of its column.

![compare_pairs](compare_pairs.png)
"""


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Chain:
    """What is built of a person's own project, which is the working directory; `verify` finds nothing."""
    folder = tmp_path / "project"
    (folder / "data").mkdir(parents=True)
    for name, text in {"catalogs/own.yaml": CATALOG, "studies/compare/study.yaml": STUDY}.items():
        file = folder / "config" / name
        file.parent.mkdir(parents=True)
        file.write_text(text)
    (folder / "config/recipes.yaml").write_text(
        "corpora: {sentences: {kind: published, file: sentences}}\npairs: {}\nrecipes: {}\n"
    )
    table = folder / "results/tables/compare_pairs.parquet"
    write_table(cells({}), table, CELLS, Status(facts={VERDICT: "Keep No training."}).metadata())
    table.with_suffix(".md").write_text(PAGE)
    table.with_suffix(".csv").write_text("model,A\nNo training,32.05\n")
    monkeypatch.chdir(folder)
    monkeypatch.setattr(package, "findings", lambda *_: [])
    files = [f"results/tables/compare_pairs.{ending}" for ending in ("csv", "parquet", "md")]
    jobs = [
        Job("corpus_published_lines", {"corpus": "sentences"}, ["data/sentences.txt"], ["results/c.parquet"]),
        Job("report_sts_table", {"table": "compare_pairs"}, ["results/c.parquet"], files, "Forced execution"),
    ]
    project = Project({"catalog": "own", "studies": ["compare"], "data": "data"}, HOME)
    return Chain(project, Path("results"), {"tables/compare_pairs": files[0]}, jobs)
