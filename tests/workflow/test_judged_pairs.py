"""Pairs of a file that a language model, a cross-encoder and an encoder judge: each strategy once."""

import json
from pathlib import Path
from textwrap import dedent

import pandas as pd
import pytest
import torch
from transformers import AutoModelForSequenceClassification, AutoTokenizer

from contrapose.jobs.status import read_status
from contrapose.tables import (
    COST,
    NEIGHBOURS,
    PAIRS,
    RELEVANCE,
    SLOT_SCORES,
    read_table,
)
from tests.checkout import HOME, planned, snakemake
from tests.unit.generate.scripted_endpoint import Say, body, scripted_endpoint

ENCODER = HOME / "resources/mini/encoders/bert-base"
FILES = {
    "config.yaml": "{catalog: own, studies: [own], data: data}",
    "catalogs/own.yaml": """
        description: own
        sentence_files: {own: {path: own.txt}}
        triple_files: {own: {kind: sentence-transformers, path: own.jsonl}}
        encoders: {mine: {path: ENCODER}, judge: {path: JUDGE}}
        benchmarks: {own: {kind: pairs, task: own, path: .}}
        llms: {chat: {endpoint: "URL", model: tiny, prompt_price: 1, completion_price: 1}}
        """,
    "recipes.yaml": """
        corpora: {own: {kind: published, file: own}}
        pairs:
          own: {kind: triples, source: own}
          curated: {kind: curated, pairs: own, llm: chat}
          mined:
            {kind: mined, pairs: own, encoder: mine, corpus: own, cross_encoder: judge, relative_margin: null}
          relabelled: {kind: relabelled, pairs: mined, cross_encoder: judge, positives: 2}
          filtered:
            {kind: filtered, pairs: relabelled, encoder: mine, similarity_at_least: 0.0, bleu_at_most: 0.99}
        recipes: {simcse: {encoder: mine, dev: own}}
        """,
    "studies/own/study.yaml": """
        title: t
        source: s
        prefix: own_
        tables:
          one:
            kind: sts
            caption: c
            columns: {Own: own}
            rows: [{model: m, pairs: curated, recipe: simcse}]
        """,
}
# Anchor, positive, hard negative, and their scores by the language model.
TRIPLES = [
    ("A dog ran.", "A hound ran.", "A dog slept.", "4.5", "1.5"),
    ("It rained.", "It was dry.", "Rain fell.", "1.0", "4.0"),
    ("He swam.", "He walked.", "She swam.", "2.5", "1.0"),
    ("Who knows?", "Who can tell?", "Nobody knows.", "4.0", "I cannot say."),
]
OTHERS = ["A cat ran.", "Snow fell.", "He swam home.", "She knows."]
SCORES = {(row[0], row[side]): row[side + 2] for row in TRIPLES for side in (1, 2)}


def scored(request: dict, count: int) -> Say:
    first, second = request["messages"][0]["content"].split("\n")[-2:]
    return Say(content=body(SCORES[first.removeprefix("(a) "), second.removeprefix("(b) ")]))


def write(folder: Path, url: str) -> None:
    (folder / "data").mkdir()
    names = ("anchor", "positive", "negative_1")
    lines = (json.dumps(dict(zip(names, row[:3], strict=True))) for row in TRIPLES)
    (folder / "data/own.jsonl").write_text("\n".join(lines))
    (folder / "data/own.txt").write_text("\n".join(OTHERS))
    for split in ("dev", "test"):
        (folder / f"data/{split}.csv").touch()  # of the training, which is only planned
    for name, text in FILES.items():
        (folder / "config" / name).parent.mkdir(parents=True, exist_ok=True)
        for word, meant in (("URL", url), ("ENCODER", ENCODER), ("JUDGE", folder / "judge")):
            text = text.replace(word, str(meant))
        (folder / "config" / name).write_text(dedent(text))


@pytest.mark.slow
def test_pairs_are_filtered_by_scores_that_are_paid_once(tmp_path: Path):
    target, cost = "results/pairs/curated.parquet", "results/generate/cost.parquet"
    call = ("--directory", str(tmp_path), "--cores", "1")
    with scripted_endpoint() as endpoint:
        endpoint.script = scored
        write(tmp_path, endpoint.url)
        snakemake(HOME, *call, target)
        asked = len(endpoint.prompts())
        again = ("--forcerun", "generate_judgements", "--", target, cost, "generate_estimate")
        done = snakemake(HOME, *call, *again).stdout
        assert planned(done)["generate_judgements"] == 1
        assert len(endpoint.prompts()) == asked == 8 + 1  # a refusal is asked for twice
    (estimate,) = (line.split() for line in done.splitlines() if line.split()[:2] == ["pairs/own", "chat"])
    assert estimate[2:6] == ["similarity", "8", "8", "0"]
    counted = read_table(tmp_path / cost, COST)
    assert counted.groupby(["corpus", "prompt", "outcome"]).requests.sum().to_dict() == {
        ("own", "similarity", "accepted"): 7,
        ("own", "similarity", "score"): 2,
    }
    pairs = read_table(tmp_path / target, PAIRS)
    assert pairs[["anchor", "positive"]].to_numpy().tolist() == [
        ["A dog ran.", "A hound ran."],
        ["It rained.", "Rain fell."],
    ]
    assert pairs.negatives.str[0].tolist() == ["A dog slept.", "It was dry."]
    assert read_status(tmp_path / target).skipped[0].startswith("2 of 4 rows without a similar positive")


@pytest.mark.slow
def test_negatives_of_a_corpus_are_judged_relabelled_and_filtered(tmp_path: Path):
    write(tmp_path, "http://127.0.0.1:9/v1")
    torch.manual_seed(0)
    judge = AutoModelForSequenceClassification.from_pretrained(ENCODER, num_labels=1)
    for each in (judge, AutoTokenizer.from_pretrained(ENCODER)):
        each.save_pretrained(tmp_path / "judge")
    snakemake(HOME, "--directory", str(tmp_path), "--cores", "1", "results/pairs/filtered.parquet")
    results = tmp_path / "results"
    mined, relabelled, filtered = (
        read_table(results / f"pairs/{name}.parquet", PAIRS) for name in ("mined", "relabelled", "filtered")
    )
    assert (mined.negatives.str.len() == 2).all()  # that of the file, and the best of the cross-encoder
    near = read_table(results / "score/reranked/own/mine/11-own/judge.parquet", NEIGHBOURS)
    candidates = [row[1] for row in TRIPLES] + OTHERS
    assert mined.negatives.str[1].tolist() == [candidates[rows[0]] for rows in near.rows]
    assert mined.negative_scores.str[1].tolist() == [scores[0] for scores in near.cosines]
    scores = read_table(results / "score/relevance/mined/judge.parquet", RELEVANCE)
    best = scores.sort_values("score").groupby("anchor").text.last()
    first = relabelled[relabelled.slot == 0]
    assert first.positive.tolist() == best[first.anchor].tolist()
    assert sorted(relabelled.slot) == 4 * [0] + 4 * [1]
    measured = read_table(results / "score/pairs/relabelled/mine-slots.parquet", SLOT_SCORES)
    assert len(measured) == 8
    assert set(measured.bleu < 0.99) == {True}
    pd.testing.assert_frame_equal(filtered, relabelled)
