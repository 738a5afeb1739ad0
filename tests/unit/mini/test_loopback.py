import http.client
import json
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

import openai
import pandas as pd
import pytest

from contrapose.generate.parsing import Refusal, five_paraphrases
from contrapose.generate.prompts import filled
from contrapose.generate.translation import one_translation
from contrapose.seeds import generator
from contrapose_mini import loopback
from contrapose_mini.loopback.personas import PERSONAS, answer, source_of
from contrapose_mini.loopback.rewriting import Knowledge, five_versions
from tests.checkout import HOME

PROMPTS = HOME / "config/prompts"
BRIDGE = "In 1902, the old bridge was destroyed by a large flood."


def prompt(name, sentence):
    return filled((PROMPTS / f"{name}.txt").read_text(encoding="utf-8"), sentence)


@pytest.fixture(scope="module")
def knowledge_file(llm):
    return llm / "knowledge.parquet"


@pytest.fixture(scope="module")
def base_url(knowledge_file, llm):
    with loopback.endpoint(knowledge_file, llm / "knowledge_zh.parquet") as url:
        yield url


@pytest.fixture(scope="module")
def client(base_url):
    with openai.OpenAI(base_url=base_url, api_key="EMPTY", max_retries=0) as made:
        yield made


@pytest.fixture(scope="module")
def sentences(knowledge_file):
    return pd.read_parquet(knowledge_file).text.tolist()


def asked(client, sentence, model="divergent", text="2", **fields):
    messages = [{"role": "user", "content": prompt(text, sentence)}]
    return client.chat.completions.create(model=model, messages=messages, **fields)


def test_the_real_client_lists_the_models_and_reads_an_answer_that_max_tokens_cuts(client, sentences):
    assert [model.id for model in client.models.list()] == ["divergent", "close", "translator"]
    made = asked(client, sentences[2], max_tokens=5)
    assert made.object == "chat.completion"
    assert made.choices[0].message.role == "assistant"
    assert made.choices[0].finish_reason == "length"
    assert made.usage.completion_tokens == 5
    assert made.usage.total_tokens == made.usage.prompt_tokens + 5
    assert asked(client, sentences[2], max_tokens=1000).choices[0].finish_reason == "stop"


def test_an_answer_depends_on_the_request_and_not_on_the_order(client, sentences):
    def texts(order):
        with ThreadPoolExecutor(8) as pool:
            return dict(pool.map(lambda i: (i, asked(client, sentences[i], seed=1).model_dump_json()), order))

    assert texts(range(20)) == texts(reversed(range(20)))


def test_another_seed_gives_another_answer_unless_decoding_is_greedy(client, sentences):
    def content(**fields):
        return asked(client, sentences[1], **fields).choices[0].message.content

    assert content(seed=1) != content(seed=2)
    assert content(seed=1, temperature=0) == content(seed=2, temperature=0)


def test_an_unknown_model_is_a_404_of_the_protocol(client):
    with pytest.raises(openai.NotFoundError) as caught:
        asked(client, BRIDGE, model="gpt-9")
    assert caught.value.code == "model_not_found"


def test_a_wrong_body_is_a_400_with_an_error_object_and_the_connection_stays(base_url):
    connection = http.client.HTTPConnection(urlsplit(base_url).netloc)
    for body in (b"{", b"[]", b'{"model": "close"}', b'{"model": "close", "messages": []}'):
        connection.request("POST", "/v1/chat/completions", body)
        response = connection.getresponse()
        assert response.status == 400
        assert set(json.load(response)["error"]) == {"message", "type", "param", "code"}
        assert connection.sock is not None
    connection.close()


@pytest.mark.parametrize("name", range(1, 6))
def test_the_sentence_is_found_in_every_prompt_of_the_thesis(name):
    assert source_of(prompt(name, BRIDGE)) == BRIDGE


@pytest.mark.parametrize("model", ["divergent", "close"])
def test_most_answers_are_five_items_and_a_retry_helps_most_of_the_others(sentences, knowledge_file, model):
    knowledge = Knowledge(knowledge_file)
    sources = [text for text in sentences if len(text.split()) >= 5][:200]

    def good(source, seed):
        said = answer(PERSONAS[model], knowledge, prompt(2, source), seed)
        return isinstance(five_paraphrases(said.text, "length" if said.cut else "stop", source), list)

    failed = [source for source in sources if not good(source, "1")]
    assert 0.05 <= len(failed) / len(sources) <= 0.20
    assert sum(good(source, "2") for source in failed) / len(failed) > 0.5


def test_a_fragment_is_refused_whatever_the_seed():
    asking = prompt(2, "Early life")
    (text,) = {answer(PERSONAS["divergent"], Knowledge(), asking, seed).text for seed in range(9)}
    assert "more context" in text


@pytest.mark.parametrize(("text", "manner"), [(BRIDGE, "diverging"), ("Zyx qwv.", "paraphrasing")])
def test_an_unknown_sentence_gets_five_versions_also_where_no_rule_fits(text, manner):
    versions = five_versions(text, None, getattr(PERSONAS["divergent"], manner), generator("rules"))
    assert len({*versions, text}) == 6


def test_the_translator_is_untidy_and_nearly_always_understood(client, llm):
    known = pd.read_parquet(llm / "knowledge_zh.parquet").text.tolist()
    found = []
    for text in known:
        said = asked(client, text, model="translator", text="translate", seed=1).choices[0]
        found.append(one_translation(said.message.content, said.finish_reason, text))
    assert 0 < sum(isinstance(one, Refusal) for one in found) < 0.12 * len(found)
    assert all(one[0].endswith("?") for one in found if not isinstance(one, Refusal))
