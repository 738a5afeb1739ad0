from pathlib import Path

import pytest

from contrapose.base.directory import GIVEN
from contrapose.jobs.status import Status
from contrapose.project import Project
from contrapose.report.recommendation import RUN, VERDICT
from contrapose.tables import CELLS, write_table
from contrapose.tools.command_line import project_of
from contrapose.tools.ending import ending, lines_of_run
from tests.kinds import cells

PAGE = """# table4_1

{first}{caption}

Use b: no other row may be the best.

| pairs | A |
| :-- | --: |
| No training | 1.00 |
| b &lt; c | 12.00 † |

† may be the best of its column.

![table4_1](table4_1.png)

- A note.

## What each row took

| pairs | steps |
"""
FACTS = {VERDICT: "Use b: no other row may be the best.", RUN: "b/compare/seed42"}


@pytest.fixture(scope="module")
def project() -> Project:
    return project_of([])


@pytest.fixture
def folder(project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a built table, as the working directory."""
    home = tmp_path / "my folder"
    for name in ("table4_1", "table4_3"):
        file = home / f"results/tables/{name}.parquet"
        write_table(cells({}), file, CELLS, Status(facts=FACTS).metadata())
        caption = project.tables[name][1].caption
        file.with_suffix(".md").write_text(PAGE.format(first="Pairs made by a model.\n\n", caption=caption))
    (home / "results/train/b/compare/seed42/encoder").mkdir(parents=True)
    monkeypatch.chdir(home)
    return home


@pytest.mark.parametrize("target", ["results/tables/table4_1.csv", "results/tables/table4_1.md"])
def test_a_run_for_one_table_ends_with_it_what_it_says_and_places_from_where_one_stands(
    project, folder, target, monkeypatch
):
    monkeypatch.setenv(GIVEN, "my folder")
    assert ending(project, [target], ["catalog=mini"], folder.parent) == [
        "",
        "Pairs made by a model.",
        "",
        "| pairs       |       A |",
        "| :--         |     --: |",
        "| No training |    1.00 |",
        "| b < c       | 12.00 † |",
        "",
        "† may be the best of its column.",
        "",
        FACTS[VERDICT],
        "",
        "The whole page: my folder/results/tables/table4_1.md",
        "Load one of the trained encoders: "
        'SentenceTransformer("my folder/results/train/b/compare/seed42/encoder")',
        (
            "Write a report of everything as one HTML file: contrapose "
            "report --directory 'my folder' --config catalog=mini"
        ),
    ]


def test_a_run_for_several_tables_ends_with_their_places(project, folder):
    for targets in (["thesis"], ["all"]):
        assert ending(project, targets, [], folder) == [
            "Tables: results/tables/table4_1.md, results/tables/table4_3.md",
            "Write a report of everything as one HTML file: contrapose report",
        ]


def test_the_last_line_says_that_numbers_are_lacking(project, folder, monkeypatch):
    lacks = {"this catalog has no encoder 'use'": ["table4_1", "table4_3"], "./a is missing": ["table4_3"]}
    monkeypatch.setattr("contrapose.tools.ending.without_numbers", lambda project, targets: lacks)
    last = lines_of_run(project, ".", ["--", "thesis"])[-1]
    said = "Some methods have no numbers in table4_1, table4_3: this catalog has no encoder 'use' and 1 more"
    assert last.startswith(said)


@pytest.mark.parametrize(
    ("arguments", "lines"),
    [
        (["--config", "seeds=1", "--", "results/tables/table4_1.csv"], 16),
        (["--cores", "2"], 3),
        (["results/pairs/dropout.parquet"], 0),
    ],
    ids=["a table", "no target", "no table"],
)
def test_what_stands_at_the_end_follows_from_the_arguments(project, folder, arguments, lines):
    assert len(lines_of_run(project, ".", arguments)) == lines
