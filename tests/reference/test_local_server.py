"""The client against a real local model server: `transformers serve` with a tiny model made on the spot."""

import asyncio
import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from contrapose.base.errors import ConfigError
from contrapose.generate.client import Client
from contrapose.generate.journal import Journal
from contrapose.generate.ledger import Ledger
from contrapose.generate.llm_requests import LLMRequests
from contrapose.generate.requests import request
from contrapose.settings.catalogs import LLM, SamplingParams

START_SECONDS = 120  # imports and the first load of a model on a busy machine; 5 to 10 on a quiet one
TOKENS = 16
SENTENCES = ["The mill burned down.", "A storm came up at night.", "Nobody saw it."]
JOB = {"llm": "tiny", "corpus": "c", "prompt": "1", "shard": "0-of-1"}
CHAT_TEMPLATE = (
    "{{ bos_token }}{% for m in messages %}{{ m['role'] }}: {{ m['content'] }}\n{% endfor %}"
    "{% if add_generation_prompt %}assistant: {% endif %}"
)


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """Make the folder of a Llama of two layers with random weights that reads and writes single bytes."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast
    from transformers.convert_slow_tokenizer import bytes_to_unicode

    folder = tmp_path_factory.mktemp("tiny-llama")
    words = ["<s>", "</s>", "<unk>", *bytes_to_unicode().values()]
    pieces = Tokenizer(models.BPE({word: at for at, word in enumerate(words)}, [], unk_token="<unk>"))
    pieces.pre_tokenizer, pieces.decoder = (
        pre_tokenizers.ByteLevel(add_prefix_space=False),
        decoders.ByteLevel(),
    )
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=pieces, bos_token="<s>", eos_token="</s>")
    tokenizer.chat_template = CHAT_TEMPLATE
    tokenizer.save_pretrained(folder)
    size = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2}
    generator_state = torch.get_rng_state()
    torch.manual_seed(1)
    # Without a token that ends it an answer is as long as it may be.
    ends = {"bos_token_id": 0, "eos_token_id": None}
    config = LlamaConfig(
        vocab_size=len(words), max_position_embeddings=512, initializer_range=0.2, **size, **ends
    )
    LlamaForCausalLM(config).save_pretrained(folder)
    torch.set_rng_state(generator_state)
    return folder


@pytest.fixture(scope="module")
def server(model, tmp_path_factory):
    """Serve the model on a free port; give the base URL once the server says that it is well."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = tmp_path_factory.mktemp("serve") / "log"
    command = [Path(sys.executable).with_name("transformers"), "serve", model, "--device", "cpu"]
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"}
    with log.open("w") as output:
        process = subprocess.Popen(
            [*command, "--host", "127.0.0.1", "--port", str(port)],
            stdout=output,
            stderr=output,
            env=environment,
        )
    try:
        wait_until_well(f"http://127.0.0.1:{port}/health", process, log)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.terminate()
        process.wait(30)


def wait_until_well(url, process, log):
    end = time.monotonic() + START_SECONDS
    while True:
        try:
            with urllib.request.urlopen(url, timeout=5):
                return
        except (urllib.error.URLError, OSError):
            assert process.poll() is None, log.read_text()
            assert time.monotonic() < end, log.read_text()
            time.sleep(0.2)


def asked(url, model, folder, attempts=(0,)):
    """Ask about every sentence through the project's client; return the replies, in order."""
    connection = LLM(model=str(model), endpoint=url, concurrency=4, timeout=60, patience=5).connection("tiny")
    sampling = SamplingParams(model=str(model), max_tokens=TOKENS)
    spec = LLMRequests(llm="tiny", sampling=sampling, prompt="1", template="Paraphrase: {sentence}")
    requests = [
        request(f"a:{place}", sentence, spec, attempt)
        for attempt in attempts
        for place, sentence in enumerate(SENTENCES)
    ]

    async def run():
        async with Client(connection, journal, ledger, JOB) as client:
            return await asyncio.gather(*(client.ask(each) for each in requests)), client.sent

    with Journal(folder, "w") as journal, Ledger(folder, "w", connection) as ledger:
        return asyncio.run(run())


def test_answers_are_kept_with_their_tokens_and_a_resumed_client_asks_nothing(server, model, tmp_path):
    replies, sent = asked(server, model, tmp_path)
    assert sent == len(SENTENCES)
    for reply in replies:
        assert reply.answer.text
        assert reply.answer.finish_reason == "length"
        assert reply.answer.completion_tokens == TOKENS
    # A byte is a token here: <s>, the frame of the chat template, and the prompt.
    frame = len("<s>user: Paraphrase: \nassistant: ") - len("<s>") + 1
    counted = [reply.answer.prompt_tokens for reply in replies]
    assert counted == [frame + len(sentence) for sentence in SENTENCES]
    bodies = [json.loads(line) for file in tmp_path.glob("*.jsonl") for line in file.open()]
    assert sum("body" in record for record in bodies) == len(SENTENCES)

    nowhere = "http://127.0.0.1:9/v1"
    assert asked(nowhere, model, tmp_path) == (replies, 0)


def test_a_model_that_the_server_does_not_have_is_named_with_its_setting(server, tmp_path):
    with pytest.raises(ConfigError, match=r"llms\.tiny\.model: .*pinned"):
        asked(server, "nobody", tmp_path)
