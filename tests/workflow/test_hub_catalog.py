"""The thesis's table 4.1 in the hub catalog, end to end, from a hub and a chat endpoint on this machine.

It is the catalog's own file, ids and revisions; only `scale` differs, where the hub is, and Punkt, a small
one.
"""

import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import pytest
import yaml

from contrapose_mini.loopback import server as loopback
from tests.checkout import HOME, Checkout, checkout, environment, planned
from tests.hub.reading import set_hub
from tests.hub.repositories import (
    HUB_CATALOG,
    SIMCSE,
    pinned_data_sets,
    pinned_models,
    with_stand_ins,
    write_repositories,
)
from tests.hub.server import Hub

TABLE = "results/tables/table4_1.csv"
SCALE = 0.00075  # 112 sentences for 150,000
COLUMNS = ["STS12", "STS13", "STS14", "STS15", "STS16", "STS-B", "SICK-R", "Avg."]
BASES = ("bert-base", "roberta-base", "roberta-large")
ENCODERS = [HUB_CATALOG.encoders[prefix + base].model for prefix in ("", "unsup-simcse-") for base in BASES]
NEEDED = {HUB_CATALOG.articles.dataset, SIMCSE, *ENCODERS}
# The names that the catalog knows the models by, and who answers here.
ANSWERS = {"gpt-6-luna": "divergent", "vicuna-13b-v1.3": "close"}

pytestmark = pytest.mark.slow


@dataclass
class Run:
    """A project in the hub catalog, and the hub that it was built from."""

    project: Checkout
    hub: Hub
    options: tuple[str, ...]
    fetched: str = ""

    def call(self, *arguments: str, table: str = TABLE) -> str:
        return self.project.run(table, *arguments, "--config", *self.options).stdout


@pytest.fixture(scope="module")
def run(made_world: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    folder = tmp_path_factory.mktemp("hub-catalog")
    write_repositories(folder / "hub", made_world, only=NEEDED.__contains__)
    project = checkout(folder / "project", HOME / "config")
    with pytest.MonkeyPatch.context() as patch, Hub(folder / "hub", page=20) as hub:
        with_stand_ins(project.folder / "config/catalogs/hub.yaml", hub, SCALE)
        set_hub(patch, hub, folder / "home")
        patch.setenv("OPENAI_API_KEY", "of nobody")
        personas = {name: loopback.PERSONAS[persona] for name, persona in ANSWERS.items()}
        patch.setattr(loopback, "PERSONAS", personas)
        patch.setattr(loopback, "MODELS", tuple(personas))
        with loopback.endpoint() as endpoint:
            made = Run(project, hub, ("catalog=hub", f"endpoint={endpoint}", "bootstrap=100"))
            made.fetched = fetched(made, TABLE)
            with pytest.MonkeyPatch.context() as offline:
                offline.setenv("HF_HUB_OFFLINE", "1")
                made.call()
            yield made


def fetched(run: Run, *targets: str) -> str:
    """Return what the command says that brings everything here."""
    call = [sys.executable, "-m", "contrapose", "fetch", "--config", *run.options, "--", *targets]
    here = environment() | {"PYTHONPATH": str(run.project.folder / "src")}
    done = subprocess.run(call, cwd=run.project.folder, env=here, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_table_has_every_row_of_the_thesis_with_numbers(run: Run):
    table = pd.read_csv(run.project.folder / TABLE)
    rows = yaml.safe_load((HOME / "config/studies/thesis/study.yaml").read_text())["tables"]["table4_1"][
        "rows"
    ]
    assert table[["group", "model"]].to_numpy().tolist() == [[row["group"], row["model"]] for row in rows]
    assert set(table.catalog) == {"hub"}
    assert table[COLUMNS].notna().all(axis=None)
    assert table[COLUMNS].abs().max(axis=None) <= 100
    named = {"chatgpt is gpt-6-luna", "vicuna is vicuna-13b-v1.3"}
    assert {*table.note.dropna()} == named  # no stand-in, nothing left out


def test_the_printed_numbers_of_simcse_stand_beside_its_released_encoders_alone(run: Run):
    table = pd.read_csv(run.project.folder / TABLE).set_index("group")["Avg., published"]
    assert table["Released unsupervised SimCSE"].tolist() == [76.25, 76.57, 78.90]
    assert table["ChatGPT paraphrases"].tolist() == [75.42, 77.12, 79.53]
    assert table[["Unsupervised SimCSE", "Unsupervised SimCSE, its own settings"]].isna().all()


def test_all_came_by_one_command_before_the_network_was_off(run: Run):
    assert re.search(r"\n6 models, of which 0\.\d\d GB remain to be downloaded\n", f"\n{run.fetched}")
    for each in ENCODERS:
        assert f"\n  {each}: " in run.fetched
    assert "Nothing is missing." in run.fetched


def test_every_request_was_for_a_pinned_commit(run: Run):
    assert not run.hub.unknown()
    pinned = pinned_data_sets() | {name: revision for name, (revision, _) in pinned_models().items()}
    # The lists of commits, by which shortened ones are looked up, are of no commit.
    of_commits = [each for each in run.hub.requests if each.repository and not each.path.endswith("/refs")]
    asked = {(each.repository, each.revision) for each in of_commits}
    assert asked == {(name, pinned[name]) for name in NEEDED}
    assert not any(each.file.endswith((".bin", ".py")) and each.status == 200 for each in run.hub.requests)


def test_every_pair_of_the_evaluation_sets_was_scored(run: Run):
    pairs = pd.read_parquet(run.project.folder / "results/retrieve/benchmarks/english.parquet")
    counts = pairs[pairs.split == "test"].groupby("task").size().to_dict()
    years = {"sts12": 3108, "sts13": 1500, "sts14": 3750, "sts15": 3000, "sts16": 1186}
    assert counts == {**years, "stsb": 1379, "sickr": 4927}


def test_a_second_call_plans_nothing_and_asks_nobody(run: Run):
    before = len(run.hub.requests)
    output = run.call("--dry-run")
    assert "Nothing to be done" in output
    assert not planned(output)
    assert len(run.hub.requests) == before


def test_every_subset_of_the_evaluation_sets_has_a_number_of_words(run: Run):
    run.call(table="results/tables/table4_6.csv")
    words = pd.read_csv(run.project.folder / "results/tables/table4_6.csv")
    assert len(words) == 30
    assert pd.to_numeric(words.words_per_sentence).gt(0).all()
    assert words.note.isna().all()
