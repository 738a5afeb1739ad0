from pathlib import Path

import pandas as pd

from contrapose.generate.chat_texts import LabelledRequests, TextRequests, build
from contrapose.project import Project
from contrapose.tables import SYNTHETIC, checked_arrays
from tests.unit.generate.opened import model, opened, requests_to, sentences
from tests.unit.generate.scripted_endpoint import Say, body

HOME = Path(__file__).parents[3]
PROJECT = Project({}, HOME)
INSTRUCTIONS = PROJECT.files.instructions("sentences")
SOURCE = "A man is playing a flute."


def instructions(llm, entries=2):
    return [
        requests_to(
            llm, f"dino-sentences-{each.label:g}-{entry}", INSTRUCTIONS.prompt(each.label, "{sentence}"),
            LabelledRequests, entry=entry, parsed_as="continuation", label=each.label,
        )
        for each in INSTRUCTIONS.labels
        for entry in range(entries)
    ]  # fmt: skip


def asked(endpoint, folder, entries=2):
    llm = model(endpoint.url)
    spec = TextRequests(instructions=instructions(llm, entries))
    return build(spec, SENTENCES, opened(llm, folder, corpus="asked", prompt="dino"))


def numbered(request, count):
    """Answer with the number of the request among equal ones; to label 0 in vain."""
    prompt = request["messages"][0]["content"]
    return Say(content=body("I'm sorry." if "different topics" in prompt else f'Text {count}"'))


SENTENCES = sentences(SOURCE, 'A "dog" barks')


def test_every_label_and_entry_is_asked_for_and_paid_once(endpoint, tmp_path):
    endpoint.script = numbered
    texts, completions = asked(endpoint, tmp_path)
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
    again = asked(endpoint, tmp_path)
    assert len(endpoint.requests) == 16
    pd.testing.assert_frame_equal(again[0], texts)
    more, _ = asked(endpoint, tmp_path, entries=3)
    assert len(endpoint.requests) == 16 + 2 * 2 + 2 * 2
    pd.testing.assert_frame_equal(more[more.entry < 2].reset_index(drop=True), texts)
