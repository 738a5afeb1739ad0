"""Answers of a file in the place of an endpoint."""

import json
import os
from pathlib import Path

import pandas as pd
import pytest

from contrapose.generate.chat_texts import chat_texts, translate_shard
from contrapose.generate.job import answered
from contrapose.generate.jobs import AskingJob, ChatTextsJob, InstructionJob
from contrapose.generate.merge import ReplacementRequests
from contrapose.generate.paraphrases import paraphrase_shard, replace_failed
from contrapose.pairs.paraphrase import paraphrase_pairs
from contrapose.retrieve.recorded import recorded_answers
from contrapose.settings.corpora import SampledCorpus
from contrapose.settings.worlds import RecordedLLM
from contrapose.tables import RECORDED_ANSWERS, SENTENCES, write_table
from tests.unit.generate.scripted_endpoint import five

DATA = Path(os.environ.get("CONTRAPOSE_DATA", ""))
REAL = "llm_paraphrases_wikipedia/paraphrases.jsonl"
FILE = RecordedLLM(kind="recorded", path="a.jsonl", answers={"2": "paraphrases"})
NAMED = {"llm": "claude", "corpus": "own", "prompt": "2", "shard": "0-of-1"}


def job(kind=AskingJob, **changes):
    given = {"llm": "claude", "asked": FILE.asked(), "prompt": "2", "text": "Say 5 of: {sentence}"}
    return kind(**{**given, **changes})


def corpus(*texts):
    rows = [(f"own:{n}", text, "own", n, len(text.split())) for n, text in enumerate(texts)]
    return pd.DataFrame(rows, columns=SENTENCES.columns)


@pytest.fixture
def ask(tmp_path):
    """Give a function: what is asked of a client of these answers, (prompt, sentence, answer) each."""

    def asked(work, *answers):
        table = pd.DataFrame(answers, columns=RECORDED_ANSWERS.columns)
        write_table(table, tmp_path / "claude.parquet", RECORDED_ANSWERS)
        journal = tmp_path / "journal"
        found = answered(work, FILE.connection("claude"), journal, NAMED, [str(tmp_path / "claude.parquet")])
        assert not journal.exists()  # nothing is sent, so nothing is kept
        return found

    return asked


def test_recorded_answers_go_through_the_same_parser_and_a_lacking_one_has_its_reason(ask):
    table = corpus("A dog ran", "A  cat sat", "A cow stood")
    paraphrases, completions = ask(
        lambda client: paraphrase_shard(table, job(), client),
        ("2", "A dog ran", five(": A dog ran")),
        ("2", "A cat sat", "1. too few"),
        ("3", "A cow stood", five(": A cow stood")),  # to another prompt
    )
    assert paraphrases.text.tolist()[:2] == ["They saw that A dog ran.", "They met that A dog ran."]
    assert paraphrases.sentence_id.tolist() == ["own:0"] * 5
    assert completions.refused.tolist() == ["", "fewer", "unrecorded"]
    assert completions.answer.tolist() == [five(": A dog ran"), "1. too few", ""]
    assert completions.prompt_tokens.isna().all()


def test_a_sentence_without_an_answer_is_replaced_by_one_that_has_one(ask):
    table, merge = corpus("A dog ran", "A cat sat"), job(ReplacementRequests, corpus=SampledCorpus(method=1))
    row = {"id": "p:0", "text": "A cow stood", "article_id": "p", "position": 0, "words": 3}

    async def work(client):
        shards = await paraphrase_shard(table, merge, client)
        return await replace_failed(table, *shards, merge, client, lambda id, number: row)

    done = ask(work, *(("2", text, five(f": {text}")) for text in ("A dog ran", "A cow stood")))
    assert done.sentences.id.tolist() == ["own:0", "p:0"]
    assert done.replacements[["sentence_id", "replacement_id", "reason"]].to_numpy().tolist() == [
        ["own:1", "p:0", "unrecorded"]
    ]


def test_translations_and_texts_with_labels_are_read_by_the_names_of_their_prompts(ask):
    table = corpus("天气很好。")
    translated, _ = ask(
        lambda client: translate_shard(table, job(prompt="translate", wanted="translation"), client),
        ("translate", "天气很好。", "The weather is fine."),
    )
    assert translated.translation.tolist() == ["The weather is fine."]
    names = {"prompt": "dino-sentences-1-0", "wanted": "continuation", "label": 1.0}
    texts, _ = ask(
        lambda client: chat_texts(table, ChatTextsJob(instructions=[job(InstructionJob, **names)]), client),
        ("dino-sentences-1-0", "天气很好。", 'It is fine."'),
    )
    assert texts.text.tolist() == ["It is fine."]


@pytest.mark.skipif(not (DATA / REAL).is_file(), reason="CONTRAPOSE_DATA names no folder with the file")
def test_the_paraphrases_of_wikipedia_become_pairs_with_hard_negatives(ask):
    source = FILE.model_copy(update={"path": REAL, "answers": {"2": "paraphrases", "n": "negative"}})
    answers = recorded_answers(source, DATA)
    lines = [json.loads(line) for line in (DATA / REAL).read_text("utf-8").splitlines()]
    table = corpus(*(line["sentence"] for line in lines), "A sentence that the file lacks.")
    negative = job(prompt="n", text="Contradict: {sentence}", wanted="negative")
    asked = [*answers.itertuples(index=False, name=None)]
    paraphrases, completions = ask(lambda client: paraphrase_shard(table, job(), client), *asked)
    negatives, refused = ask(lambda client: paraphrase_shard(table, negative, client), *asked)
    # The rules are for answers of all kinds: some lists that are clean to a reader are refused.
    assert completions.refused.value_counts().to_dict() == {
        **{"": 891, "labels": 21, "talking": 2, "unrecorded": 1},
    }
    assert refused.refused.value_counts().to_dict() == {"": 914, "unrecorded": 1}
    pairs = paraphrase_pairs(table, paraphrases, negatives)
    first = pairs[(pairs.id == "own:0") & (pairs.slot == 4)].iloc[0]
    assert (first.positive, first.negatives) == (lines[0]["paraphrases"][4], [lines[0]["negative"]])
    assert pairs.attrs["dropped"] == "24 of 915 sentences without five paraphrases are dropped"
