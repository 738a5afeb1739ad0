"""Texts with labels, asked of a chat model by the instructions of DINO."""

from pathlib import Path

import pandas as pd

from contrapose.generate.chat_texts import chat_texts
from contrapose.generate.cost import Journals, cost_table
from contrapose.generate.estimate import estimate_table
from contrapose.generate.job import answered
from contrapose.generate.jobs import ChatTextsJob, EstimateJob, InstructionJob, Question
from contrapose.project import Project
from contrapose.settings.worlds import LLM
from contrapose.tables import COMPLETIONS, SYNTHETIC, checked_arrays, write_table
from tests.unit.generate.scripted_endpoint import Say, body

HOME = Path(__file__).parents[3]
PROJECT = Project({}, HOME)
INSTRUCTIONS = PROJECT.files.instructions("sentences")
SOURCE = "A man is playing a flute."


def job(llm, entries=2):
    jobs = [
        InstructionJob(
            llm="chatgpt", asked=llm.asked(), prompt=f"dino-sentences-{each.label:g}-{entry}", entry=entry,
            text=INSTRUCTIONS.prompt(each.label, "{sentence}"), wanted="continuation", label=each.label,
        )
        for each in INSTRUCTIONS.labels
        for entry in range(entries)
    ]  # fmt: skip
    return ChatTextsJob(instructions=jobs)


def asked(endpoint, folder, sentences, entries=2):
    llm = LLM(model="tiny", endpoint=endpoint.url, prompt_price=2.0, completion_price=4.0)
    named = {"llm": "chatgpt", "corpus": "asked", "prompt": "dino", "shard": "0-of-1"}
    spec, connection = job(llm, entries), llm.connection("chatgpt")
    return answered(lambda client: chat_texts(sentences, spec, client), connection, folder, named)


def numbered(request, count):
    """Answer with the number of the request among equal ones; to label 0 in vain."""
    prompt = request["messages"][0]["content"]
    return Say(content=body("I'm sorry." if "different topics" in prompt else f'Text {count}"'))


SENTENCES = pd.DataFrame({"id": ["stsb:train::1:1", "stsb:train::0:1"], "text": [SOURCE, 'A "dog" barks']})


def test_every_label_and_entry_is_asked_for_and_paid_once(endpoint, tmp_path):
    endpoint.script = numbered
    texts, completions = asked(endpoint, tmp_path, SENTENCES)
    checked_arrays(texts, "texts", SYNTHETIC)
    keys = texts[["sentence_id", "label", "entry"]].to_numpy().tolist()
    assert keys == [[id, label, entry] for id in SENTENCES.id for label in (1, 0.5, 0) for entry in (0, 1)]
    # The bodies of both entries are equal, and yet each has an answer of its own.
    assert [*texts.text[texts.label == 1], *texts.text[texts.label == 0.5]] == ["Text 0", "Text 1"] * 4
    failed = texts[texts.label == 0]
    assert set(zip(failed.text, failed.refused, strict=True)) == {("I'm sorry.", "talking")}
    assert (texts.refused[texts.label > 0] == "").all()
    # To label 0 the same bad answer twice: a third try is in vain.
    assert len(endpoint.requests) == len(completions) == 8 + 4 * 2
    # Requests arrive in no order of their own.
    assert (
        sum(prompt.endswith(f'\nSentence 1: "{SOURCE}"\nSentence 2: "') for prompt in endpoint.prompts()) == 8
    )
    again = asked(endpoint, tmp_path, SENTENCES)
    assert len(endpoint.requests) == 16
    pd.testing.assert_frame_equal(again[0], texts)
    more, _ = asked(endpoint, tmp_path, SENTENCES, entries=3)
    assert len(endpoint.requests) == 16 + 2 * 2 + 2 * 2
    pd.testing.assert_frame_equal(more[more.entry < 2].reset_index(drop=True), texts)


def test_the_estimate_knows_what_is_answered_and_the_costs_count_it(endpoint, tmp_path):
    endpoint.script = numbered
    _, completions = asked(endpoint, tmp_path, SENTENCES, entries=1)
    llm = LLM(model="tiny", endpoint=endpoint.url, prompt_price=2.0, completion_price=4.0)
    questions = [Question(corpus="asked", job=one) for one in job(llm).instructions]
    corpora = {"asked": list(zip(SENTENCES.id, SENTENCES.text, strict=True))}
    connections = {"chatgpt": llm.connection("chatgpt")}
    spec = EstimateJob(questions=questions, codes=["0"])
    table = estimate_table(spec, corpora, {"chatgpt": [tmp_path]}, connections)
    assert table.known.tolist() == ["2", "0", "2", "0", "2", "0", "6"]
    write_table(completions, tmp_path / "completions.parquet", COMPLETIONS)
    costs = cost_table([Journals("chatgpt", "tiny", [tmp_path])], [tmp_path / "completions.parquet"])
    assert costs.groupby("outcome").requests.sum().to_dict() == {"accepted": 4, "talking": 4}
