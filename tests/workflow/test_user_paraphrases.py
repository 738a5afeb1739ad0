"""Sentences of one's own, paraphrased by an endpoint and again from its recorded answers."""

import json
import re

import pandas as pd
import pytest
import yaml

from contrapose.jobs.status import read_status
from contrapose.tables import PAIRS, read_table
from tests.checkout import HOME, Checkout, snakemake

ROWS = ("live", "repeated", "hard", "refused", "absent")
KIND = {"kind": "paraphrase", "corpus": "own", "llm": "loopback"}
SNIPPET = re.search(
    r"^```python\n(import pandas.*?)^```$", (HOME / "docs/llm.md").read_text("utf-8"), re.M | re.S
)
SENTENCES = [
    *(f"The {size} dog of the {who} crossed the river near the mill." for size in ("old", "small", "grey")
      for who in ("farmer", "miller", "baker", "priest")),
    *("No.", "Why?", "Go on."),  # too short for the model: it asks for context
]  # fmt: skip


def files(folder):
    """Write a project of its own: sentences, test pairs, and a language model by rules."""
    data = folder / "data"
    (data / "pairs").mkdir(parents=True)
    (data / "own.txt").write_text("".join(f"{text}\n" for text in SENTENCES))
    for split in ("dev", "test"):
        scored = enumerate(("dog", "cat", "cow", "hen"))
        pairs = "".join(f"a {split} {word},the {word},{score}\n" for score, word in scored)
        (data / "pairs" / f"{split}.csv").write_text(f"sentence1,sentence2,score\n{pairs}")
    recipe = {
        "encoder": "mine",
        "learning_rate": 1e-3,
        "epochs": 1,
        "max_length": 64,
        "dev": "own",
        "dev_every": 1,
    }
    config = {
        "config.yaml": {"catalog": "mine", "studies": ["mine"], "data": "data", "bootstrap": 100},
        "recipes.yaml": {
            "corpora": {"own": {"kind": "published", "file": "own"}},
            "pairs": {
                "live": KIND,
                "repeated": {**KIND, "llm": "file"},
                "hard": {**KIND, "llm": "both", "negative_prompt": "negative"},
                "refused": {**KIND, "negative_prompt": "negative"},
                "absent": {**KIND, "llm": "absent"},
            },
            "recipes": {"simcse": recipe},
        },
        "catalogs/mine.yaml": {
            "description": "own",
            "sentence_files": {"own": {"path": "own.txt"}},
            "encoders": {"mine": {"path": str(HOME / "resources/mini/encoders/bert-base")}},
            "benchmarks": {"own": {"kind": "pairs", "task": "own", "path": "pairs"}},
            "llms": {
                "loopback": {"endpoint": "python:contrapose_mini.loopback", "model": "divergent"},
                "file": recorded("answers", {"2": "answer"}),
                "both": recorded("both", {"2": "answer", "negative": "no"}),
                "absent": recorded("absent", {"2": "answer"}),
            },
        },
        "studies/mine/study.yaml": {
            "title": "t", "source": "s", "prefix": "mine_",
            "tables": {"scores": {
                "kind": "sts", "caption": "c", "columns": {"Own": "own"},
                "rows": [{"model": name, "pairs": name, "recipe": "simcse"} for name in ROWS],
            }},
        },
    }  # fmt: skip
    for name, content in config.items():
        path = folder / "config" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(yaml.safe_dump(content, sort_keys=False))


def denied(sentence):
    return sentence.replace("crossed", "never left")


def recorded(name, answers):
    return {"kind": "recorded", "path": f"{name}.jsonl", "sentence": "sentence", "answers": answers}


def call(folder, *arguments):
    return snakemake(HOME, "--directory", str(folder), "--cores", "2", *arguments)


@pytest.mark.slow
def test_an_endpoints_answers_are_recorded_and_give_the_same_pairs_again(tmp_path, monkeypatch):
    files(tmp_path)
    call(tmp_path, "results/pairs/live.parquet")
    monkeypatch.chdir(tmp_path)
    snippet = SNIPPET[1].replace("CORPUS/chatgpt", "own/loopback")
    exec(snippet.replace("answers.jsonl", "data/answers.jsonl"), {})  # what docs/llm.md says
    known = [json.loads(line) for line in (tmp_path / "data/answers.jsonl").read_text().splitlines()]
    both = [{**line, "no": denied(line["sentence"]) if n < 6 else None} for n, line in enumerate(known)]
    (tmp_path / "data/both.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in both))
    call(tmp_path, "mine")

    live, again, hard = (
        read_table(tmp_path / f"results/pairs/{name}.parquet", PAIRS) for name in (*ROWS,)[:3]
    )
    assert 2 <= live.id.nunique() == len(known) <= len(SENTENCES) - 3
    pd.testing.assert_frame_equal(live, again)
    assert hard.groupby("slot").size().tolist() == [6] * 5
    assert [list(each) for each in hard.negatives] == [[denied(text)] for text in hard.anchor]
    status = [read_status(tmp_path / f"results/pairs/{name}.parquet") for name in ("live", "refused")]
    count = len(SENTENCES) - len(known)
    dropped = f"{count} of {len(SENTENCES)} sentences without five paraphrases are dropped"
    assert status[0].skipped[0] == dropped
    assert re.match(r"loopback, prompt 2: \d+ of 18 answers are refused: ", status[0].skipped[1])
    # The model by rules knows no prompt for negatives: it refuses every sentence.
    assert f"{len(known)} of {len(SENTENCES)} sentences without a hard" in status[1].unavailable

    table = pd.read_csv(tmp_path / "results/tables/mine_scores.csv").set_index("model")
    assert table.Own[["live", "repeated", "hard"]].notna().all()
    assert table.Own.live == table.Own.repeated
    assert table.Own[["refused", "absent"]].isna().all()
    assert table.note["absent"].startswith("left out: absent.jsonl is missing")
    assert "; left out: pairs: " in table.note["refused"]
    page = (tmp_path / "results/tables/mine_scores.md").read_text()
    assert re.search(rf"^- {dropped}; loopback, prompt 2: .* refused: .*: live\W", page, re.MULTILINE)


def test_own_sentences_and_recorded_answers_need_no_article(tmp_path):
    files(tmp_path)
    (tmp_path / "data/answers.jsonl").write_text('{"sentence": "a", "answer": "b"}\n')
    target = "results/pairs/repeated.parquet"
    plan = Checkout(HOME).plan("--directory", str(tmp_path), target)
    assert plan == {
        **{"retrieve_recorded": 1, "corpus_punkt": 1, "corpus_published_lines": 1, "generate_paraphrase": 2},
        **{"generate_merge": 1, "pairs_paraphrase": 1},
    }
