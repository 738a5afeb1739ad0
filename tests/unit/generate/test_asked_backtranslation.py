"""Sentences that a language model translates into another language and back."""

import json
from pathlib import Path

import pandas as pd

from contrapose.generate.batch import write
from contrapose.generate.chat_texts import backtranslated, translate_shard
from contrapose.generate.cost import Journals, cost_table
from contrapose.generate.estimate import estimate_table
from contrapose.generate.job import answered
from contrapose.generate.jobs import AskingJob, BacktranslationJob, EstimateJob, Question
from contrapose.settings.worlds import LLM, RecordedLLM
from contrapose.tables import (
    COMPLETIONS,
    PARAPHRASES,
    RECORDED_ANSWERS,
    TRANSLATIONS,
    checked_arrays,
    write_table,
)
from tests.unit.generate.scripted_endpoint import Say, body

PROMPTS = Path(__file__).parents[3] / "config/prompts"
SORRY = "I'm sorry, but I cannot do that."
INTO = {
    "A dog ran home.": "Ein Hund lief heim.",
    "A hound ran home.": "Ein Hund lief heim.",
    "Snow fell all day.": "German translation: Es schneite den ganzen Tag.",
    "The king died.": "Der König starb.",
    "Who knows?": SORRY,
}
BACK = {
    "Ein Hund lief heim.": '"A dog was running home."',
    "Es schneite den ganzen Tag.": "It snowed all day.",
    "Der König starb.": "der könig starb",
}
TEXTS = [*INTO, "A dog ran home."]
SENTENCES = pd.DataFrame({"id": [f"own:{n}" for n in range(len(TEXTS))], "text": TEXTS})
NAMED = {"llm": "chatgpt", "corpus": "own", "prompt": "german", "shard": "0-of-1"}


def german(request, count=0):
    """Answer by the way that the prompt names."""
    prompt, _, text = request["messages"][0]["content"].rpartition("\n")
    return Say(content=body((INTO if "into German" in prompt else BACK)[text]))


def model(endpoint):
    endpoint.script = german
    return LLM(model="tiny", endpoint=endpoint.url, prompt_price=2.0, completion_price=4.0)


def job(llm):
    there, back = (
        AskingJob(
            llm="chatgpt",
            asked=llm.asked(),
            prompt=name,
            text=(PROMPTS / f"{name}.txt").read_text("utf-8"),
            wanted="any_translation",
        )
        for name in ("into_german", "from_german")
    )
    return BacktranslationJob(there=there, back=back)


def questions(ways):
    return [
        Question(corpus="own", job=ways.there),
        Question(corpus="own", job=ways.back, behind=ways.there),
    ]


def estimated(llm, folder):
    spec = EstimateJob(questions=questions(job(llm)), codes=["0"])
    rows = list(zip(SENTENCES.id, SENTENCES.text, strict=True))
    table = estimate_table(spec, {"own": rows}, {"chatgpt": [folder]}, {"chatgpt": llm.connection("chatgpt")})
    return table[["sentences", "known"]].astype(int).to_numpy().tolist()


def asked(llm, folder, work=backtranslated, way=lambda ways: ways):
    spec, connection = way(job(llm)), llm.connection("chatgpt")
    return answered(lambda client: work(SENTENCES, spec, client), connection, folder, NAMED)


def test_a_sentence_refused_on_either_way_is_dropped_and_nothing_is_asked_twice(endpoint, tmp_path):
    llm = model(endpoint)
    translations, found, completions = asked(llm, tmp_path)
    for table, kind in zip(
        (translations, found, completions), (TRANSLATIONS, PARAPHRASES, COMPLETIONS), strict=True
    ):
        checked_arrays(table, "made", kind)
    german_of = {text: INTO[text].removeprefix("German translation: ") for text in TEXTS[:4]}
    assert dict(translations.to_numpy().tolist()) == german_of
    assert found[["sentence_id", "text"]].to_numpy().tolist() == [
        ["own:0", "A dog was running home."],
        ["own:1", "A dog was running home."],
        ["own:2", "It snowed all day."],
        ["own:5", "A dog was running home."],
    ]
    # The same bad answer twice: a third try is in vain.
    told = completions.groupby(["prompt", "refused"]).size().to_dict()
    assert told == {
        **{("into_german", ""): 4, ("into_german", "talking"): 2},
        **{("from_german", ""): 2, ("from_german", "untranslated"): 2},
    }
    assert "own:5" not in set(completions.sentence_id)  # its text is that of own:0
    assert len(endpoint.requests) == 10
    pd.testing.assert_frame_equal(asked(llm, tmp_path)[1], found)
    assert len(endpoint.requests) == 10
    write_table(completions, tmp_path / "completions.parquet", COMPLETIONS)
    costs = cost_table([Journals("chatgpt", "tiny", [tmp_path])], [tmp_path / "completions.parquet"])
    assert set(costs.corpus) == {"own"}
    counted = costs.groupby(["prompt", "outcome"]).requests.sum().to_dict()
    assert counted == {(prompt, refused or "accepted"): n for (prompt, refused), n in told.items()}


def test_the_way_back_is_estimated_and_batched_by_the_translations_that_are_known(endpoint, tmp_path):
    llm = model(endpoint)

    def batch():
        rows = list(zip(SENTENCES.id, SENTENCES.text, strict=True))
        files = write([(each, rows) for each in questions(job(llm))], llm.connection("chatgpt"), tmp_path)
        lines = [line for each in files for line in each.input.read_text("utf-8").splitlines()]
        return sorted(
            json.loads(line)["body"]["messages"][0]["content"].rpartition("\n")[2] for line in lines
        )

    assert estimated(llm, tmp_path) == [[6, 0], [6, 0], [12, 0]]  # the sentences stand for translations
    assert batch() == sorted(INTO)
    asked(llm, tmp_path, translate_shard, lambda ways: ways.there)
    assert estimated(llm, tmp_path) == [[6, 6], [5, 0], [11, 6]]  # one is refused
    assert batch() == sorted(BACK)
    asked(llm, tmp_path)
    assert estimated(llm, tmp_path) == [[6, 6], [5, 5], [11, 11]]
    assert batch() == []


def test_recorded_answers_go_both_ways(tmp_path):
    answers = [("into_german", *each) for each in INTO.items()] + [
        ("from_german", *each) for each in BACK.items()
    ]
    file = RecordedLLM(
        kind="recorded", path="a.jsonl", answers=dict.fromkeys(("into_german", "from_german"), "a")
    )
    write_table(
        pd.DataFrame(answers, columns=RECORDED_ANSWERS.columns), tmp_path / "a.parquet", RECORDED_ANSWERS
    )
    _, found, _ = answered(
        lambda client: backtranslated(SENTENCES, job(file), client),
        file.connection("chatgpt"), tmp_path / "journal", NAMED, [str(tmp_path / "a.parquet")],
    )  # fmt: skip
    assert found.sentence_id.tolist() == ["own:0", "own:1", "own:2", "own:5"]
