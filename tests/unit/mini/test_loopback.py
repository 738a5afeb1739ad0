import http.client
import json
import re
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

import openai
import pandas as pd
import pytest

from contrapose.seeds import generator
from contrapose_mini import loopback
from contrapose_mini.loopback.english import rewritten
from contrapose_mini.loopback.personas import PERSONAS, answer, source_of
from contrapose_mini.loopback.rewriting import Knowledge, five_versions

PROMPTS = [
    "Generate 5 new sentences, which are semantically similar but lexically and syntactically divergent "
    "from the following: {}",
    "Generate 5 paraphrases of the following: {}",
    "I want you to act as a paraphrasing tool. I will provide you a sentence and your task is to generate 5 "
    "paraphrases. These will act as augmented data. The sentence is: {}",
    "On a scale of 1 to 5, where 1 is the most semantically similar, generate a paraphrase for each scale "
    "of the following: {}",
    "Generate 5 paraphrases, where the first paraphrase has the highest similarity, of the following: {}",
]
DIVERGE = PROMPTS[0]
BRIDGE = "In 1902, the old bridge was destroyed by a large flood."


@pytest.fixture(scope="module")
def knowledge_file(world):
    return world / "llm" / "knowledge.parquet"


@pytest.fixture(scope="module")
def base_url(knowledge_file):
    with loopback.endpoint(knowledge_file) as url:
        yield url


@pytest.fixture(scope="module")
def client(base_url):
    with openai.OpenAI(base_url=base_url, api_key="EMPTY", max_retries=0) as made:
        yield made


@pytest.fixture(scope="module")
def sentences(knowledge_file):
    return pd.read_parquet(knowledge_file).text.tolist()


def asked(client, sentence, model="divergent", **fields):
    messages = [{"role": "user", "content": DIVERGE.format(sentence)}]
    return client.chat.completions.create(model=model, messages=messages, **fields)


def usable(text, source):
    items = [line.split(" ", 1)[-1].strip('"') for line in text.splitlines() if re.match(r"\W*\d?\W+ ", line)]
    return len(items) == len(set(items)) == 5 and source not in items


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


@pytest.mark.parametrize("prompt", PROMPTS)
def test_the_sentence_is_found_in_every_prompt_of_the_thesis(prompt):
    assert source_of(prompt.format(BRIDGE)) == BRIDGE


@pytest.mark.parametrize("model", ["divergent", "close"])
def test_most_answers_are_five_items_and_a_retry_helps_most_of_the_others(sentences, knowledge_file, model):
    knowledge = Knowledge(knowledge_file)
    sources = [text for text in sentences if len(text.split()) >= 5][:200]

    def good(source, seed):
        return usable(answer(PERSONAS[model], knowledge, DIVERGE.format(source), seed).text, source)

    failed = [source for source in sources if not good(source, "seed")]
    assert 0.05 <= len(failed) / len(sources) <= 0.20
    assert sum(good(source, "2") for source in failed) / len(failed) > 0.5


def test_a_fragment_is_refused_whatever_the_seed():
    prompt = DIVERGE.format("Early life")
    (text,) = {answer(PERSONAS["divergent"], Knowledge(), prompt, seed).text for seed in range(9)}
    assert "more context" in text


def test_divergent_keeps_fewer_words_of_the_source_than_close(sentences, knowledge_file):
    knowledge = Knowledge(knowledge_file)

    def kept(manner):
        shares = []
        for number, source in enumerate(sentences[:60]):
            versions = five_versions(source, knowledge.find(source), manner, generator("kept", number))
            words = set(source.lower().split())
            shares += [len(words & set(v.lower().split())) / len(words) for v in versions]
        return sum(shares) / len(shares)

    assert kept(PERSONAS["divergent"].diverging) < kept(PERSONAS["close"].diverging) - 0.1


@pytest.mark.parametrize("heading", ["", "History ", "Early life", "History  \n"])
def test_a_known_sentence_is_found_behind_a_heading(sentences, knowledge_file, heading):
    knowledge = Knowledge(knowledge_file)
    assert knowledge.find(heading + sentences[3]) == knowledge.find(sentences[3])


@pytest.mark.parametrize(("text", "manner"), [(BRIDGE, "diverging"), ("Zyx qwv.", "paraphrasing")])
def test_an_unknown_sentence_gets_five_versions_also_where_no_rule_fits(text, manner):
    versions = five_versions(text, None, getattr(PERSONAS["divergent"], manner), generator("rules"))
    assert len({*versions, text}) == 6


def test_rules_move_a_fronted_phrase_and_exchange_the_voice():
    versions = {rewritten("In 1902, the old mill closed.", generator(i), 1.0) for i in range(40)}
    assert any(text.endswith("in 1902.") for text in versions)
    versions = {rewritten("The city was attacked by Rome.", generator(i), 1.0) for i in range(40)}
    assert any(text.startswith("Rome attacked the") for text in versions)
