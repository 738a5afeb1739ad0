"""Texts with labels and translations of the made-up world's language model."""

import asyncio
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import openai
import pandas as pd
import pytest

from contrapose.generate.continuation import one_continuation
from contrapose.generate.parsing import Refusal
from contrapose.generate.prompts import filled
from contrapose.generate.translation import one_translation
from contrapose.project import Project
from contrapose_mini import loopback
from contrapose_mini.files import write_mini_world

HOME = Path(__file__).parents[3]
PROMPT = (HOME / "config/prompts/translate.txt").read_text(encoding="utf-8")
INSTRUCTIONS = Project({}, HOME).files.instructions("sentences")


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    folder = tmp_path_factory.mktemp("mini")
    write_mini_world(folder, SimpleNamespace(seed=7, articles=10, pairs=30))
    return folder / "llm"


@pytest.mark.parametrize("persona", ["divergent", "close"])
def test_the_model_is_untidy_and_another_topic_shares_fewest_words(persona, world):
    knowledge = world / "knowledge.parquet"
    sources = pd.read_parquet(knowledge).text.tolist()[:60]
    shared, refused = {}, Counter()
    with (
        loopback.endpoint(knowledge) as url,
        openai.OpenAI(base_url=url, api_key="EMPTY") as client,
    ):
        for each in INSTRUCTIONS.labels:
            shares = []
            for seed, source in enumerate(sources):
                messages = [{"role": "user", "content": INSTRUCTIONS.prompt(each.label, source)}]
                said = client.chat.completions.create(model=persona, messages=messages, seed=seed).choices[0]
                found = one_continuation(said.message.content, said.finish_reason, source)
                if isinstance(found, Refusal):
                    refused[str(found)] += 1
                    continue
                one, two = (set(text.lower().rstrip(".").split()) for text in (source, found[0]))
                shares.append(len(one & two) / len(one | two))
            shared[each.label] = sum(shares) / len(shares)
    # By words alone: the same said otherwise may share fewer of them than the same words about another thing.
    assert min(shared[1.0], shared[0.5]) > 1.3 * shared[0.0], shared
    assert 0 < sum(refused.values()) < 0.2 * 3 * len(sources), refused
    assert "copy" in refused


def test_the_translator_is_untidy_and_nearly_always_understood(world):
    knowledge = world / "knowledge_zh.parquet"
    known = pd.read_parquet(knowledge).text.tolist()[:250]

    async def answers(url):
        async with openai.AsyncOpenAI(base_url=url, api_key="EMPTY", max_retries=0) as client:
            asked = [
                client.chat.completions.create(
                    model="translator", messages=[{"role": "user", "content": filled(PROMPT, text)}], seed=1
                )
                for text in [*known, "这句话没有人知道。"]
            ]
            return [one.choices[0] for one in await asyncio.gather(*asked)]

    with loopback.endpoint(knowledge) as url:
        *said, unknown = asyncio.run(answers(url))
    found = [
        one_translation(one.message.content, one.finish_reason, text)
        for one, text in zip(said, known, strict=True)
    ]
    refused = [one for one in found if isinstance(one, Refusal)]
    assert 0 < len(refused) < 0.12 * len(found)
    assert {"untranslated", "talking"} <= set(refused)
    whole = [one[0] for one in found if not isinstance(one, Refusal)]
    assert all(one.endswith("?") and not one.startswith(('"', "*", "Transl", "English")) for one in whole)
    assert sum(one.message.content not in whole for one in said) > len(refused)  # some had quotes or a label
    assert one_translation(unknown.message.content, "stop", "今天天气怎么样？") == "talking"
