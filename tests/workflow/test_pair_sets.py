"""Pairs of a person's own files: written by a model, recorded, judged, mined and changed by rule."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pandas as pd
import pytest
import torch
from transformers import AutoModelForSequenceClassification, AutoTokenizer

from contrapose.jobs.status import read_status
from contrapose.tables import (
    COMPLETIONS,
    COST,
    NEIGHBOURS,
    PAIRS,
    RELEVANCE,
    SENTENCES,
    SLOT_SCORES,
    read_table,
)
from tests.checkout import HOME, Checkout, planned, snakemake
from tests.nltk_files import nltk_files
from tests.own_project import ENCODER, own_project
from tests.unit.generate.scripted_endpoint import Say, body, scripted_endpoint

pytestmark = pytest.mark.slow
SNIPPET = re.search(
    r"^```python\n(import pandas.*?)^```$",
    (HOME / "docs/how-to/connect-a-model.md").read_text("utf-8"),
    re.M | re.S,
)
LONG = [
    f"The {size} dog of the {who} crossed the river near the mill."
    for size in ("old", "small", "grey")
    for who in ("farmer", "miller", "baker", "priest")
]
ASKED_BACK = [*LONG, "No.", "Why?", "Go on."]  # too short for the model: it asks for context
TAGGED = ["The dog sleeps.", "The cats sleep all day.", "A big dog is not fast.", "She has left the house."]
# Anchor, positive, hard negative, and their scores by the language model.
TRIPLETS = [
    ("A dog ran.", "A hound ran.", "A dog slept.", "4.5", "1.5"),
    ("It rained.", "It was dry.", "Rain fell.", "1.0", "4.0"),
    ("He swam.", "He walked.", "She swam.", "2.5", "1.0"),
    ("Who knows?", "Who can tell?", "Nobody knows.", "4.0", "I cannot say."),
]
OTHERS = ["A cat ran.", "Snow fell.", "He swam home.", "She knows."]
SCORES = {(row[0], row[side]): row[side + 2] for row in TRIPLETS for side in (1, 2)}
FILES = {"own": ASKED_BACK, "long": LONG, "tagged": TAGGED, "others": OTHERS}
ASKED = {"kind": "paraphrase", "corpus": "own", "llm": "loopback"}
WRITTEN = {
    "nli": {**ASKED, "corpus": "long", "prompt": "entailment", "negative_prompt": "contradiction"},
    "scratch": {**ASKED, "corpus": "invented", "prompt": "styles", "negative_prompt": "negative_styles"},
    "tasks": {"kind": "task_triplets", "corpus": "tasks", "llm": "loopback"},
}
JUDGED = {
    "triplets": {"kind": "triplets", "source": "own"},
    "curated": {"kind": "curated", "pairs": "triplets", "llm": "chat"},
    "mined": {"kind": "mined", "pairs": "triplets", "encoder": "mine", "corpus": "others",
              "cross_encoder": "judge", "relative_margin": None},
    "relabelled": {"kind": "relabelled", "pairs": "mined", "cross_encoder": "judge", "positives": 2},
    "filtered": {"kind": "filtered", "pairs": "relabelled", "encoder": "mine", "similarity_at_least": 0.0,
                 "bleu_at_most": 0.99},
}  # fmt: skip
CHANGED = {
    "negated": {"kind": "negation", "corpus": "tagged"},
    "modal": {"kind": "discrete", "corpus": "tagged", "change": "modality", "slots": 2},
    "synonyms": {"kind": "synonym", "corpus": "tagged"},
    "shuffled": {"kind": "shuffle", "corpus": "tagged"},
}
TRAINED = {
    "live": ASKED,
    "repeated": {**ASKED, "llm": "file"},
    "hard": {**ASKED, "llm": "both", "negative_prompt": "negative"},
    "refused": {**ASKED, "negative_prompt": "negative"},
    "absent": {**ASKED, "llm": "absent"},
}
RECIPE = {
    "encoder": "mine",
    "learning_rate": 1e-3,
    "epochs": 1,
    "max_length": 64,
    "dev": "own",
    "dev_every": 1,
}


def recorded(name: str, answers: dict) -> dict:
    return {"kind": "recorded", "path": f"{name}.jsonl", "sentence": "sentence", "answers": answers}


def table(*pairs: str) -> dict:
    rows = [{"model": name, "pairs": name, "recipe": "simcse"} for name in pairs]
    return {"kind": "sts", "caption": "c", "columns": {"Own": "own"}, "rows": rows}


def write(folder: Path, url: str) -> None:
    """Write a project of sentences, triplets, test pairs, a tagger, a judge and language models."""
    names = ("anchor", "positive", "negative_1")
    data = {f"{name}.txt": "".join(f"{text}\n" for text in texts) for name, texts in FILES.items()}
    data["own.jsonl"] = "\n".join(json.dumps(dict(zip(names, row[:3], strict=True))) for row in TRIPLETS)
    for split in ("dev", "test"):
        lines = [f"a {split} {word},the {word},{n}\n" for n, word in enumerate(("dog", "cat", "cow", "hen"))]
        data[f"pairs/{split}.csv"] = "".join(["sentence1,sentence2,score\n", *lines])
    catalog = {
        "sentence_files": {name: {"path": f"{name}.txt"} for name in FILES},
        "triplet_files": {"own": {"kind": "sentence-transformers", "path": "own.jsonl"}},
        "encoders": {"mine": {"path": str(ENCODER)}, "judge": {"path": str(folder / "judge")}},
        "benchmarks": {"own": {"kind": "pairs", "task": "own", "path": "pairs"}},
        "grammars": {"english": {"path": "nltk"}},
        "llms": {
            "chat": {"endpoint": url, "model": "tiny", "prompt_price": 1, "completion_price": 1},
            "loopback": {
                "endpoint": "python:contrapose_mini.loopback",
                "model": "divergent",
                "send_seed": True,
            },
            "file": recorded("answers", {"2": "answer"}),
            "both": recorded("both", {"2": "answer", "negative": "no"}),
            "absent": recorded("absent", {"2": "answer"}),
        },
    }
    corpora = {name: {"kind": "published", "file": name} for name in FILES}
    corpora["invented"] = {"kind": "llm_generated", "llm": "loopback", "size": 40}
    corpora["tasks"] = {"kind": "llm_generated", "llm": "loopback", "prompt": "tasks", "size": 20}
    recipes = {
        "corpora": corpora, "pairs": WRITTEN | JUDGED | CHANGED | TRAINED, "recipes": {"simcse": RECIPE},
    }  # fmt: skip
    tables = {"scores": table(*TRAINED), "planned": table("curated", *WRITTEN)}
    own_project(
        folder, data, catalog, recipes, tables, bootstrap=100, max_invalid_ratio=1, shards={"generate": 1}
    )
    nltk_files(folder / "data/nltk")
    torch.manual_seed(0)
    judge = AutoModelForSequenceClassification.from_pretrained(ENCODER, num_labels=1)
    for part in (judge, AutoTokenizer.from_pretrained(ENCODER)):
        part.save_pretrained(folder / "judge")


def scored(request: dict, count: int) -> Say:
    first, second = request["messages"][0]["content"].split("\n")[-2:]
    return Say(content=body(SCORES[first.removeprefix("(a) "), second.removeprefix("(b) ")]))


def denied(sentence: str) -> str:
    return sentence.replace("crossed", "never left")


class Built(NamedTuple):
    """A project, what it was expected to ask, and what was said as one set was made anew."""

    folder: Path
    known: list[dict]  # the answers that its owner has written to a file
    estimate: str
    again: str
    asked: tuple[int, int]  # requests for judgements, before and after that

    def pairs(self, name: str) -> pd.DataFrame:
        return read_table(self.folder / f"results/pairs/{name}.parquet", PAIRS)

    def skipped(self, name: str) -> list[str]:
        return read_status(self.folder / f"results/pairs/{name}.parquet").skipped


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Built]:
    folder = tmp_path_factory.mktemp("pair_sets")

    def call(*arguments: str) -> str:
        return snakemake(HOME, "--directory", str(folder), "--cores", "2", *arguments).stdout

    with scripted_endpoint() as endpoint, pytest.MonkeyPatch.context() as patch:
        endpoint.script = scored
        write(folder, endpoint.url)
        estimate = call("generate_estimate")
        call("results/pairs/live.parquet")
        patch.chdir(folder)
        assert "sentences/writer-prompt2" in SNIPPET[1]
        exec(SNIPPET[1].replace("sentences/writer", "own/loopback"), {})  # what the page shows
        known = [json.loads(line) for line in (folder / "data/answers.jsonl").read_text().splitlines()]
        both = [{**line, "no": denied(line["sentence"]) if n < 6 else None} for n, line in enumerate(known)]
        (folder / "data/both.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in both))
        made = [f"results/pairs/{name}.parquet" for name in ("curated", "filtered", *WRITTEN, *CHANGED)]
        call("results/tables/own_scores.csv", *made)
        asked = len(endpoint.prompts())
        forced = ("--forcerun", "generate_judgements", "--", made[0], "results/generate/cost.parquet")
        again = call(*forced, "generate_estimate")
        assert Checkout(HOME).plan("--directory", str(folder), *made) == {}
        yield Built(folder, known, estimate, again, (asked, len(endpoint.prompts())))


def test_recorded_answers_give_the_same_pairs_as_an_endpoint(built: Built):
    live, again, hard = (built.pairs(name) for name in ("live", "repeated", "hard"))
    assert 2 <= live.id.nunique() == len(built.known) <= len(LONG)
    pd.testing.assert_frame_equal(live, again)
    assert hard.groupby("slot").size().tolist() == [6] * 5
    assert [list(texts) for texts in hard.negatives] == [[denied(text)] for text in hard.anchor]
    count = len(ASKED_BACK) - len(built.known)
    dropped = f"{count} of {len(ASKED_BACK)} sentences without five paraphrases are dropped"
    assert built.skipped("live")[0] == dropped
    assert re.match(r"loopback, prompt 2: \d+ of 18 answers are refused: ", built.skipped("live")[1])
    scores = pd.read_csv(built.folder / "results/tables/own_scores.csv").set_index("model")
    assert scores.Own[["live", "repeated", "hard"]].notna().all()
    assert scores.Own.live == scores.Own.repeated
    assert scores.Own[["refused", "absent"]].isna().all()
    assert scores.note["absent"].startswith("skipped: absent.jsonl is missing")
    # The model by rules knows no prompt for negatives: it refuses every sentence.
    lacking = f"{len(built.known)} of {len(ASKED_BACK)} sentences without a hard"
    assert re.search(rf"; skipped: pairs: .*{lacking}", scores.note["refused"])
    page = (built.folder / "results/tables/own_scores.md").read_text()
    assert re.search(rf"^- {dropped}; loopback, prompt 2: .* refused: .*: live\W", page, re.MULTILINE)


def test_pools_give_one_positive_and_one_negative_of_each(built: Built):
    assert re.search("invented +loopback +invented +4 +0 +4 ", built.estimate)
    assert re.search("invented +loopback +styles +40 +0 +40 ", built.estimate)
    corpora = {
        name: read_table(built.folder / f"results/corpus/{name}.parquet", SENTENCES)
        for name in ("long", "invented", "tasks")
    }
    assert 20 < len(corpora["invented"]) == corpora["invented"].text.nunique() <= 40
    for name, settings in WRITTEN.items():
        pairs, count = built.pairs(name), len(corpora[settings["corpus"]])
        assert set(pairs.slot) == {0}
        assert 0.8 * count < len(pairs) == pairs.id.nunique()
        assert (pairs.negatives.str.len() == 1).all()
        assert (pairs.positive != pairs.anchor).all()
        assert len(pairs) == count or any(" without " in reason for reason in built.skipped(name))
        asked = f"{settings['corpus']}/loopback-prompt{settings.get('prompt', 'task_triplets')}"
        answers = built.folder / f"results/generate/{asked}/completions.parquet"
        assert read_table(answers, COMPLETIONS).sentence_id.nunique() == count


def test_pairs_are_filtered_by_scores_that_are_paid_once(built: Built):
    assert planned(built.again)["generate_judgements"] == 1
    assert built.asked == (8 + 1, 8 + 1)  # a refusal is asked for twice
    lines = (line.split() for line in built.again.splitlines())
    (estimate,) = (words for words in lines if words[:2] == ["pairs/triplets", "chat"])
    assert estimate[2:6] == ["similarity", "8", "8", "0"]
    cost = read_table(built.folder / "results/generate/cost.parquet", COST)
    of_scores = cost[cost.prompt == "similarity"].groupby("outcome").requests.sum()
    assert of_scores.to_dict() == {"accepted": 7, "score": 2}
    assert set(cost.corpus) >= {"triplets", "invented"}
    pairs = built.pairs("curated")
    sides = [["A dog ran.", "A hound ran."], ["It rained.", "Rain fell."]]
    assert pairs[["anchor", "positive"]].to_numpy().tolist() == sides
    assert pairs.negatives.str[0].tolist() == ["A dog slept.", "It was dry."]
    assert built.skipped("curated")[0].startswith("2 of 4 rows without a similar positive")


def test_negatives_are_judged_relabelled_and_filtered(built: Built):
    score = built.folder / "results/score"
    mined, relabelled, filtered = (built.pairs(name) for name in ("mined", "relabelled", "filtered"))
    assert (mined.negatives.str.len() == 2).all()  # that of the file, and the best of the cross-encoder
    near = read_table(score / "reranked/triplets/mine/11-others/judge.parquet", NEIGHBOURS)
    candidates = [row[1] for row in TRIPLETS] + OTHERS
    assert mined.negatives.str[1].tolist() == [candidates[rows[0]] for rows in near.rows]
    assert mined.negative_scores.str[1].tolist() == [scores[0] for scores in near.cosines]
    scores = read_table(score / "relevance/mined/judge.parquet", RELEVANCE)
    best = scores.sort_values("score").groupby("anchor").text.last()
    first = relabelled[relabelled.slot == 0]
    assert first.positive.tolist() == best[first.anchor].tolist()
    assert sorted(relabelled.slot) == 4 * [0] + 4 * [1]
    measured = read_table(score / "pairs/relabelled/mine-slots.parquet", SLOT_SCORES)
    assert len(measured) == 8
    assert set(measured.bleu < 0.99) == {True}
    pd.testing.assert_frame_equal(filtered, relabelled)


def test_one_job_tags_the_sentences_for_every_strategy(built: Built):
    negated, modal, synonyms, shuffled = map(built.pairs, CHANGED)
    assert [texts[0] for texts in negated.negatives] == [
        *("The dog does not sleep.", "The cats do not sleep all day.", "A big dog is fast."),
        "She has not left the house.",
    ]
    assert modal.anchor.tolist() == TAGGED[:3] * 2
    assert built.skipped("modal") == ["1 of 4 sentences cannot be changed (modality)"]
    assert synonyms.anchor.tolist() == TAGGED[:3]
    assert synonyms.positive[1] in ("The cats kip all day.", "The cats slumber all day.")
    assert shuffled.positive.str.split().map(sorted).tolist() == [sorted(text.split()) for text in TAGGED]
    assert (built.folder / "logs/score/grammar/tagged/english.took.json").is_file()
