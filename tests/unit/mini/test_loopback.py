import ast
import http.client
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
import openai
import pandas as pd
import pytest

from contrapose.generate.parsing import Refusal, five_paraphrases
from contrapose_mini import loopback
from contrapose_mini.files import SENTENCE_END
from contrapose_mini.loopback.personas import PERSONAS, answer, source_of

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
def base_url():
    with loopback.endpoint() as url:
        yield url


@pytest.fixture(scope="module")
def client(base_url):
    with openai.OpenAI(base_url=base_url, api_key="EMPTY", max_retries=0) as made:
        yield made


@pytest.fixture(scope="module")
def sentences(made_world):
    texts = pd.read_parquet(made_world / "wikipedia").text
    lines = (line for text in texts for line in text.split("\n"))
    found = [sentence for line in lines for sentence in SENTENCE_END.split(line) if sentence.endswith(".")]
    return [sentence for sentence in found if len(sentence.split()) >= 5]


def asked(client, sentence, model="divergent", **fields):
    messages = [{"role": "user", "content": DIVERGE.format(sentence)}]
    return client.chat.completions.create(model=model, messages=messages, **fields)


def test_the_real_client_lists_the_models_and_reads_an_answer_that_max_tokens_cuts(client, sentences):
    assert [model.id for model in client.models.list()] == ["divergent", "close", "bag-of-words"]
    made = asked(client, sentences[2], max_tokens=5)
    assert made.object == "chat.completion"
    assert made.choices[0].message.role == "assistant"
    assert made.choices[0].finish_reason == "length"
    assert made.usage.completion_tokens == 5
    assert made.usage.total_tokens == made.usage.prompt_tokens + 5
    assert asked(client, sentences[2], max_tokens=1000).choices[0].finish_reason == "stop"


def test_the_real_client_gets_vectors_that_are_alike_where_texts_share_words(client):
    texts = ["a red dog", "a red cat", "two ships"]
    made = client.embeddings.create(model="bag-of-words", input=texts)
    one, like, other = (np.array(each.embedding) for each in made.data)
    assert np.linalg.norm(one) == pytest.approx(1)
    assert one @ like > 0.4 > abs(one @ other)  # two of three words in common: about 2/3
    assert made.usage.prompt_tokens == 8
    short = client.embeddings.create(model="bag-of-words", input=texts[0], dimensions=8)
    assert len(short.data[0].embedding) == 8
    with pytest.raises(openai.NotFoundError, match="does not exist for this"):
        client.embeddings.create(model="close", input=texts)


def test_an_answer_depends_on_the_request_and_not_on_the_order(client, sentences):
    def texts(order):
        with ThreadPoolExecutor(8) as pool:
            return dict(pool.map(lambda i: (i, asked(client, sentences[i], seed=1).model_dump_json()), order))

    assert texts(range(20)) == texts(reversed(range(20)))


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


@pytest.mark.parametrize(("model", "usable"), [("divergent", 0.997), ("close", 0.69)])
def test_as_many_answers_can_be_used_as_of_real_models_and_a_retry_helps(sentences, model, usable):
    def good(source, seed):
        found = answer(PERSONAS[model], PROMPTS[1].format(source), seed)
        reason = "length" if found.cut else "stop"
        return not isinstance(five_paraphrases(found.text, reason, source), Refusal)

    failed = [source for source in sentences[:400] if not good(source, "seed")]
    error = (usable * (1 - usable) / 400) ** 0.5
    assert abs(1 - len(failed) / 400 - usable) < 3 * error
    assert not failed or sum(good(source, "2") for source in failed) / len(failed) > 0.5


def test_it_imports_nothing_that_knows_what_sentences_say():
    source = Path(loopback.__file__).parents[2]
    todo, seen = ["contrapose_mini.loopback"], set()
    while todo:
        name = todo.pop()
        path = source / name.replace(".", "/")
        files = [path.with_suffix(".py")] if path.with_suffix(".py").is_file() else [*path.glob("*.py")]
        for file in files:
            seen.add(file.relative_to(source).as_posix())
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                names = [each.name for each in node.names] if isinstance(node, ast.Import) else []
                if isinstance(node, ast.ImportFrom):
                    names = [node.module, *(f"{node.module}.{each.name}" for each in node.names)]
                todo += [n for n in names if n.startswith("contrapose_mini.") and "loopback" not in n]
    others = {name for name in seen if "/loopback/" not in name}
    assert others == {"contrapose_mini/draws.py", "contrapose_mini/inflection.py"}
