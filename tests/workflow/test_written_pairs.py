"""Pairs that a language model writes: by pools of instructions, and of sentences that it writes itself."""

import re

import pytest
import yaml

from contrapose.jobs.status import read_status
from contrapose.tables import COMPLETIONS, PAIRS, SENTENCES, read_table
from tests.checkout import HOME, Checkout, snakemake

TEXTS = [
    f"The {size} {animal} of the {who} crossed the river near the mill."
    for size in ("old", "small", "grey", "quick")
    for animal in ("dog", "horse")
    for who in ("farmer", "baker", "priest")
]
ASKED = {"kind": "paraphrase", "corpus": "own", "llm": "loopback"}
PAIR_SETS = {
    "nli": {**ASKED, "prompt": "entailment", "negative_prompt": "contradiction"},
    "scratch": {**ASKED, "corpus": "invented", "prompt": "styles", "negative_prompt": "negative_styles"},
    "tasks": {"kind": "task_triples", "corpus": "tasks", "llm": "loopback"},
}
TABLE = {
    "kind": "sts", "caption": "c", "columns": {"Own": "own"},
    "rows": [{"model": name, "pairs": name, "recipe": "simcse"} for name in PAIR_SETS],
}  # fmt: skip
CONFIG = {
    "config.yaml": {
        "catalog": "mine", "studies": ["mine"], "data": "data", "bootstrap": 100, "shards": {"generate": 1},
    },
    "recipes.yaml": {
        "corpora": {
            "own": {"kind": "published", "file": "own"},
            "invented": {"kind": "asked", "llm": "loopback", "size": 40},
            "tasks": {"kind": "asked", "llm": "loopback", "prompt": "tasks", "size": 20},
        },
        "pairs": PAIR_SETS,
        "recipes": {"simcse": {"encoder": "mine", "dev": None}},
    },
    "catalogs/mine.yaml": {
        "description": "own",
        "sentence_files": {"own": {"path": "own.txt"}},
        "encoders": {"mine": {"path": str(HOME / "resources/mini/encoders/bert-base")}},
        "benchmarks": {"own": {"kind": "pairs", "task": "own", "path": "pairs"}},
        "llms": {
            "loopback": {
                "endpoint": "python:contrapose_mini.loopback", "model": "divergent", "send_seed": True,
                "prompt_price": 1.0, "completion_price": 2.0, "tokens_per_second": 50,
            }
        },
    },
    "studies/mine/study.yaml": {"title": "t", "source": "s", "prefix": "mine_", "tables": {"scores": TABLE}},
}  # fmt: skip


@pytest.fixture
def folder(tmp_path):
    """A project of its own: sentences, test pairs, and a language model by rules."""
    (tmp_path / "data/pairs").mkdir(parents=True)
    (tmp_path / "data/own.txt").write_text("".join(f"{text}\n" for text in TEXTS))
    (tmp_path / "data/pairs/test.csv").write_text("sentence1,sentence2,score\na,b,1\nc,d,2\ne,f,3\n")
    for name, content in CONFIG.items():
        path = tmp_path / "config" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(yaml.safe_dump(content, sort_keys=False))
    return tmp_path


def call(folder, *arguments):
    return snakemake(HOME, "--directory", str(folder), "--cores", "2", *arguments).stdout


@pytest.mark.slow
def test_pools_give_one_positive_and_one_negative_of_each_sentence(folder):
    made = [f"results/pairs/{name}.parquet" for name in PAIR_SETS]
    plan = Checkout(HOME).plan("--directory", str(folder), "generate_estimate")
    assert plan == {"corpus_punkt": 1, "corpus_published_lines": 1, "generate_estimate": 1}
    estimate = call(folder, "generate_estimate")
    assert re.search("invented +loopback +invented +4 +0 +4 ", estimate)
    assert re.search("invented +loopback +styles +40 +0 +40 ", estimate)
    call(folder, *made, "results/generate/cost.md")
    invented = read_table(folder / "results/corpus/invented.parquet", SENTENCES)
    assert 20 < len(invented) == invented.text.nunique() <= 40
    assert "| invented" in (folder / "results/generate/cost.md").read_text()
    tasks = read_table(folder / "results/corpus/tasks.parquet", SENTENCES)
    counts = dict.fromkeys(PAIR_SETS, len(TEXTS)) | {"scratch": len(invented), "tasks": len(tasks)}
    for name, path in zip(PAIR_SETS, made, strict=True):
        pairs = read_table(folder / path, PAIRS)
        assert set(pairs.slot) == {0}
        assert 0.8 * counts[name] < len(pairs) == pairs.id.nunique()
        assert (pairs.negatives.str.len() == 1).all()
        assert (pairs.positive != pairs.anchor).all()
        skipped = read_status(folder / path).skipped
        assert len(pairs) == counts[name] or any(" without " in each for each in skipped)
        prompt = PAIR_SETS[name].get("prompt", "task_triples")
        corpus = PAIR_SETS[name]["corpus"]
        answers = folder / f"results/generate/{corpus}/loopback-prompt{prompt}/completions.parquet"
        assert read_table(answers, COMPLETIONS).sentence_id.nunique() == counts[name]
    assert Checkout(HOME).plan("--directory", str(folder), *made) == {}
