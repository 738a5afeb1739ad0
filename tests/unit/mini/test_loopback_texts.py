"""Texts with labels of the made-up world's language model."""

import json
from collections import Counter
from pathlib import Path

import openai
import pytest

from contrapose.generate.attempts import PARSERS
from contrapose.generate.judgements import question
from contrapose.generate.llm import LLMRequests
from contrapose.generate.parsing import Refusal, one_continuation, one_score
from contrapose.generate.prompts import request
from contrapose.project import Project
from contrapose.settings.worlds import SamplingParams
from contrapose_mini import loopback
from contrapose_mini.loopback.server import completion

HOME = Path(__file__).parents[3]
PROJECT = Project({}, HOME)
INSTRUCTIONS = PROJECT.files.instructions("sentences")
ONE = ("entailment", "contradiction", "styles", "negative_styles")
WORDS = ("doctor", "teacher", "farmer", "merchant", "soldier"), ("dog", "ship", "house", "machine", "book")
SOURCES = [f"The old {one} watched the {two} near the river." for one in WORDS[0] for two in WORDS[1]]


@pytest.mark.parametrize("persona", ["divergent", "close"])
def test_the_model_is_untidy_and_another_topic_shares_fewest_words(persona):
    shared, refused = {}, Counter()
    with loopback.endpoint() as url, openai.OpenAI(base_url=url, api_key="EMPTY") as client:
        for each in INSTRUCTIONS.labels:
            shares = []
            for seed, source in enumerate(SOURCES * 3):
                messages = [{"role": "user", "content": INSTRUCTIONS.prompt(each.label, source)}]
                said = client.chat.completions.create(model=persona, messages=messages, seed=seed).choices[0]
                found = one_continuation(said.message.content, said.finish_reason, source)
                if isinstance(found, Refusal):
                    refused[str(found)] += 1
                    continue
                one, two = (set(text.lower().rstrip(".").split()) for text in (source, found[0]))
                shares.append(len(one & two) / len(one | two))
            shared[each.label] = sum(shares) / len(shares)
    # The same said otherwise loses a word to a synonym where the somewhat similar one has another thing.
    assert min(shared[1.0], shared[0.5]) > 1.3 * shared[0.0], shared
    assert 0 < sum(refused.values()) < 0.2 * 3 * len(SOURCES * 3), refused
    assert "copy" in refused


@pytest.mark.parametrize("persona", ["divergent", "close"])
def test_scores_are_numbers_mostly_and_those_of_like_texts_are_higher(persona):
    (prompt,) = PROJECT.prompt("similarity").texts
    scores = {"synonym": [], "detail": [], "other": []}
    refused = Counter()
    with loopback.endpoint() as url, openai.OpenAI(base_url=url, api_key="EMPTY") as client:
        for seed, source in enumerate(SOURCES * 2):
            texts = source.replace("watched", "observed"), source.replace("river", "castle"), "Snow fell."
            for kind, text in zip(scores, texts, strict=True):
                content = prompt.replace("{sentence}", question(source, text)[1])
                messages = [{"role": "user", "content": content}]
                said = client.chat.completions.create(model=persona, messages=messages, seed=seed).choices[0]
                found = one_score(said.message.content, said.finish_reason, content)
                if isinstance(found, Refusal):
                    refused[str(found)] += 1
                else:
                    scores[kind].append(float(found[0]))
    means = [sum(each) / len(each) for each in scores.values()]
    assert means[0] > means[1] + 0.5 > means[2] + 2, means
    assert 0 < refused.total() < 0.15 * 6 * len(SOURCES), refused


@pytest.mark.parametrize("name", [*ONE, "task_triples", "similar_triples", "invented", "tasks"])
def test_the_model_answers_what_our_prompts_ask_for(name):
    prompt = PROJECT.prompt(name)
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
    counts = {"paraphrase": {1}, "negative": {1}, "triple": {3}, "sentences": {4}}
    assert {len(each) for each in accepted} == counts[prompt.asked_for]
