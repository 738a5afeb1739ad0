import json
from pathlib import Path

import pytest

from contrapose.generate.llm_requests import LLMRequests
from contrapose.generate.parsing import PARSERS, Refusal
from contrapose.generate.requests import request
from contrapose.project import Project
from contrapose.settings.catalogs import SamplingParams
from contrapose_mini.loopback.server import completion

HOME = Path(__file__).parents[3]
PROJECT = Project({}, HOME)
ONE = ("entailment", "contradiction", "styles", "negative_styles")
WORDS = ("doctor", "teacher", "farmer", "merchant", "soldier"), ("dog", "ship", "house", "machine", "book")
SOURCES = [f"The old {one} watched the {two} near the river." for one in WORDS[0] for two in WORDS[1]]


@pytest.mark.parametrize("name", [*ONE, "task_triplets", "similar_triplets", "invented", "tasks"])
def test_the_model_answers_what_our_prompts_ask_for(name):
    prompt = PROJECT.entry("prompts", name)
    words = prompt.choices | {"number": ["4"]}
    llm = {"llm": "any", "sampling": SamplingParams(model="divergent"), "prompt": name}
    spec = LLMRequests(**llm, template=prompt.texts, choices=words, parsed_as=prompt.asked_for)
    found = []
    for number, source in enumerate(SOURCES):
        text = str(number) if prompt.asked_for == "sentences" else source
        [said] = completion(json.dumps(dict(request("", text, spec).body)).encode())["choices"]
        found.append(PARSERS[prompt.asked_for](said["message"]["content"], said["finish_reason"], text))
    accepted = [each for each in found if not isinstance(each, Refusal)]
    assert len(accepted) > 0.7 * len(SOURCES), found
    counts = {"paraphrase": {1}, "negative": {1}, "triplet": {3}, "sentences": {4}}
    assert {len(each) for each in accepted} == counts[prompt.asked_for]
