"""Tables and figures of judged pairs: what they need, and what is left out where a world lacks it."""

import shutil
from pathlib import Path

import pytest
import yaml
from contrapose.plan import Plan

from contrapose.errors import ConfigError

HOME = Path(__file__).parents[2]
LINGUISTICS = {
    "kind": "linguistics",
    "caption": "c",
    "measures": {"BLEU-N": "bleu", "Zipf": "zipf"},
    "sources": [{"name": "QQP", "pairs": "dino-qqp"}],
}
TENTHS = {"kind": "tenths", "caption": "c", "sources": [{"name": "QQP", "pairs": "dino-qqp"}]}
DIFFERENCES = {"kind": "differences", "caption": "c", "of": "table4_1", "baseline": "SimCSE-BERT-base"}


@pytest.fixture
def with_entries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Build a plan of the thesis with another table and figures, in a world with other sets."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(HOME / "config", tmp_path / "config")

    def change(file: str, entry: str, more: dict) -> None:
        path = tmp_path / "config" / file
        content = yaml.safe_load(path.read_text())
        content.setdefault(entry, {}).update(more)
        path.write_text(yaml.safe_dump(content))

    def build(tables: dict, figures: dict, world: dict, recipes: dict) -> Plan:
        change("studies/thesis/study.yaml", "tables", tables)
        change("studies/thesis/study.yaml", "figures", figures)
        for entry, more in world.items():
            change("worlds/mini.yaml", entry, more)
        for entry, more in recipes.items():
            change("recipes.yaml", entry, more)
        return Plan({"studies": ["thesis"]}, HOME)

    return build


def message(call) -> str:
    with pytest.raises(ConfigError) as raised:
        call()
    return str(raised.value)


def test_a_source_is_read_where_a_world_has_its_model_and_left_out_where_it_has_not(with_entries):
    lacking = with_entries({"t": LINGUISTICS}, {"f": TENTHS}, {"language_models": {"gpt2-xl": None}}, {})
    assert lacking.linguistics_inputs("t") == lacking.tenths_inputs("f") == []
    assert lacking.report_tenths("f").sources[0].missing == "this world has no language model 'gpt2-xl'"
    there = {
        "language_models": {"gpt2-xl": {"kind": "hub", "model": "gpt2", "revision": "a" * 40}},
        "benchmarks": {"qqp": {"kind": "qqp", "task": "qqp", "path": "qqp", "form": "raw"}},
    }
    found = with_entries({}, {}, there, {})
    assert found.linguistics_inputs("t") == ["<results>/score/linguistics/dino-qqp/sdi.parquet"]
    assert found.tenths_inputs("f") == ["<results>/score/linguistics/dino-qqp/sdi-tenths.parquet"]
    job = found.report_linguistics_table("t")
    assert job.measures == [("BLEU-N", "bleu"), ("Zipf", "zipf")]
    assert not job.sources[0].missing
    measured = found.score_linguistics("dino-qqp", "sdi")
    assert (measured.tasks, measured.split) == (["qqp"], "train")


def test_human_texts_need_gold_pairs(with_entries):
    articles = {"synthetic": {"dino-wiki": {"corpus": "wiki-1-1"}}}
    articles["pairs"] = {"dino-wiki": {"kind": "dino", "texts": "dino-wiki"}}
    source = {**LINGUISTICS, "sources": [{"name": "Wikipedia", "pairs": "dino-wiki"}]}
    text = message(lambda: with_entries({"t": source}, {}, {}, articles))
    assert "pairs 'dino-wiki': the sentences of corpus 'wiki-1-1' have no partners" in text
    assert "Name pairs of a corpus of kind tasks." in text


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"of": "table4_8"}, "f.of: 'table4_8' is of kind geometry. Name a table of kind sts."),
        (
            {"baseline": "SimCSE"},
            "f.baseline: rows of table4_1 has no entry 'SimCSE'. Known: SimCSE-BERT-base",
        ),
    ],
)
def test_differences_are_to_a_row_of_a_table_of_scores(with_entries, change, expected):
    assert expected in message(lambda: with_entries({}, {"f": {**DIFFERENCES, **change}}, {}, {}))
