"""What there is nothing to make of ends in rows without numbers and with the reason, whatever asks for it."""

import re
from pathlib import Path

import pytest
import yaml

from contrapose.tables import CELLS, read_table
from tests.checkout import checkout

RECIPES = ("simcse", "whitening", "flow", "tension")
REASON = (
    r"skipped: pairs of kind next_sentence: \d+ of \d+ sentences of the corpus 'firsts' have a next sentence"
)
THERE = {"group": "g", "model": "there", "encoder": "bert-base"}
ABSENT = {"group": "g", "model": "absent", "pairs": "alone", "recipe": "simcse"}
TABLES = {
    "sts": {
        "columns": {"STS12": "sts12"},
        "rows": [
            THERE,
            *({**ABSENT, "model": name, "recipe": name} for name in RECIPES),
            {**ABSENT, "model": "mined", "pairs": "mined"},
        ],
    },
    "transfer": {"columns": {"MR": "mr"}},
    "geometry": {},
    "length_bias": {
        "columns": {"filler": {"added": "filler"}},
        "rows": [{**row, "probe": "english", "label": "positive"} for row in (THERE, ABSENT)],
    },
    "similarities": {"sentence": "a", "texts": [{"label": "l", "text": "b"}]},
    "fine_tuned": {"columns": {"STS-B": {"g": "stsb_pairs"}}, "fine_tuning": "short"},
    "lengths": {"task": "sickr", "bands": [{"name": "all"}]},
    "sizes": {"columns": ["pairs"], "rows": [{"label": "alone", "pairs": {"pairs": "alone"}}]},
    "examples": {"pairs": "alone", "rows": 2},
}


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tables of a pair set for which there are too few sentences, and the figure of one of them."""
    made = checkout(tmp_path_factory.mktemp("left_out") / "project")
    config = made.folder / "config"
    recipes = yaml.safe_load((config / "recipes.yaml").read_text())
    recipes["pairs"]["alone"] = {"kind": "next_sentence", "corpus": "firsts", "size": "large"}
    recipes["pairs"]["mined"] = {"kind": "mined", "pairs": "alone", "encoder": "scorer"}
    kinds = dict(zip(RECIPES[1:], ("whitening", "flow", "contrastive_tension"), strict=True))
    recipes["recipes"] |= {name: {"kind": kind} for name, kind in kinds.items()}
    (config / "recipes.yaml").write_text(yaml.safe_dump(recipes, sort_keys=False))
    shown = {"rows": [THERE, ABSENT]}
    study = {"title": "Left out", "source": "tests", "prefix": ""}
    study["tables"] = {kind: {"kind": kind, "caption": "", **shown, **own} for kind, own in TABLES.items()}
    study["figures"] = {"plane": {"kind": "scatter", "caption": "", "of": "geometry"}}
    (config / "studies/gone").mkdir()
    (config / "studies/gone/study.yaml").write_text(yaml.safe_dump(study, sort_keys=False))
    with made.edited("config/config.yaml", "[smoke]", "[gone]"):
        made.run("gone")
    return made.folder / "results/tables"


@pytest.mark.slow
@pytest.mark.parametrize("kind", TABLES)
def test_a_table_has_rows_without_numbers_and_the_reason(tables: Path, kind: str):
    text = (tables / f"{kind}.md").read_text()
    assert re.search(REASON, text, re.IGNORECASE)
    if kind != "examples":
        tidy = read_table(tables / f"{kind}.parquet", CELLS)
        named = "column" if kind == "similarities" else "model"  # whose columns are the encoders
        has_value = tidy.groupby(named).value.any().to_dict()
        # Also pooled as the recipes pool: "there, [CLS] pooling".
        assert all(has_value.pop(name) for name in [*has_value] if name.startswith("there"))
        assert len(has_value) >= 1
        assert not any(has_value.values())
