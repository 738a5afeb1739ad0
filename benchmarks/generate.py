"""Paraphrases from an endpoint that answers after 200 ms: ours, the thesis's way and the plain SDK."""

import asyncio
import atexit
import json
import multiprocessing
import re
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import pandas as pd

from benchmarks.chat_server import chat_server
from benchmarks.compare import Item, UnequalError, Way
from benchmarks.memory import peak_megabytes
from contrapose.generate.llm_requests import LLMRequests
from contrapose.generate.paraphrase import build
from contrapose.generate.requests import filled
from contrapose.generate.session import session
from contrapose.settings.catalogs import LLM, SamplingParams
from contrapose.tables import SENTENCES

ANSWER_SECONDS = 0.2
SENTENCES_ASKED, SHARD = 960, 10_000  # of the comparison; of the figures for ours alone
IN_FLIGHT, PROCESSES = 64, 8  # ours and the SDK; the thesis, each asking one after the other
PROMPT = "Please paraphrase this sentence in five different ways: {sentence}"
SAMPLING = SamplingParams(model="tiny")
ITEMS = re.compile(r"^\d\. (.*)$", re.M)

Lists = list[list[str]]


def item(folder: Path) -> Item:
    """Return the item; all ways ask the same server, which is a process of its own."""
    running = ExitStack()
    atexit.register(running.close)
    url = running.enter_context(chat_server(ANSWER_SECONDS))
    prompts = [filled(PROMPT, text) for text in sentences(SENTENCES_ASKED).text]

    def check() -> str:
        ways = [ours(url, journal()), by_processes(url, prompts), by_sdk(url, prompts)]
        if not ways[0] == ways[1] == ways[2]:
            raise UnequalError("the paraphrases are not the same")
        return f"the same {SENTENCES_ASKED} lists of five. Ours alone: {alone(url, folder)}"

    def journal() -> Path:
        return Path(tempfile.mkdtemp(dir=folder))

    return Item(
        work=f"{SENTENCES_ASKED} sentences, one answer each after {ANSWER_SECONDS:g} s",
        ours=Way(partial(ours, url), journal),
        peers={
            "the thesis's way": Way(lambda _: by_processes(url, prompts)),
            "openai SDK": Way(lambda _: by_sdk(url, prompts)),
        },
        check=check,
        differs=f"ours and the SDK have {IN_FLIGHT} requests in flight, the thesis's way {PROCESSES} "
        "processes with one each; ours keeps a journal, refuses lists that are not clean and makes tables.",
    )


def sentences(count: int) -> pd.DataFrame:
    """Return a SENTENCES table of sentences that are all different."""
    texts = [f"In {n} the mill by the river burned down, and nobody in town knew why" for n in range(count)]
    rows = [(f"a{n}:0", text, f"a{n}", 0, 14) for n, text in enumerate(texts)]
    return pd.DataFrame(rows, columns=SENTENCES.columns)


def ours(url: str, journal: Path, count: int = SENTENCES_ASKED, in_flight: int = IN_FLIGHT) -> Lists:
    """Return the paraphrases of one shard by the stage's own way."""
    requests = LLMRequests(llm="chatgpt", sampling=SAMPLING, prompt="1", template=PROMPT)
    llm = LLM(**SAMPLING.model_dump(), endpoint=url, concurrency=in_flight)
    about = {"llm": "chatgpt", "corpus": "c", "prompt": "1", "shard": "0-of-1"}
    found, _ = build(requests, sentences(count), session(llm.connection("chatgpt"), journal, about))
    return found.text.to_numpy().reshape(count, 5).tolist()


def by_processes(url: str, prompts: list[str]) -> Lists:
    """Return the paraphrases by the thesis's way: processes that ask one sentence after the other."""
    shares = [prompts[n::PROCESSES] for n in range(PROCESSES)]
    with multiprocessing.get_context("fork").Pool(PROCESSES) as pool:
        answers = pool.starmap(_one_after_the_other, [(url, share) for share in shares])
        pool.close()
        pool.join()  # only then is their time known
    return [answers[n % PROCESSES][n // PROCESSES] for n in range(len(prompts))]


def _one_after_the_other(url: str, prompts: list[str]) -> Lists:
    import openai

    with openai.OpenAI(base_url=url, api_key="EMPTY") as client:
        return [_items(client.chat.completions.create(**_body(prompt))) for prompt in prompts]


def by_sdk(url: str, prompts: list[str]) -> Lists:
    """Return the paraphrases by the SDK's asynchronous client, behind a semaphore."""
    import openai

    async def run() -> Lists:
        gate = asyncio.Semaphore(IN_FLIGHT)
        async with openai.AsyncOpenAI(base_url=url, api_key="EMPTY") as client:

            async def one(prompt: str) -> list[str]:
                async with gate:
                    return _items(await client.chat.completions.create(**_body(prompt)))

            return await asyncio.gather(*map(one, prompts))

    return asyncio.run(run())


def _body(prompt: str) -> dict:
    return {"model": "tiny", "messages": [{"role": "user", "content": prompt}], "max_tokens": 600}


def _items(completion) -> list[str]:
    return ITEMS.findall(completion.choices[0].message.content)


def alone(url: str, folder: Path) -> str:
    """Say what a shard of usual size takes in a process of its own, and what it takes when it is finished."""
    words = []
    for what in ("asked", "resumed"):
        started = time.perf_counter()
        command = [sys.executable, "-m", "benchmarks.generate", url, str(folder / "alone")]
        took = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        whole = time.perf_counter() - started
        words.append(
            f"{SHARD} {what} in {took['seconds']:.2f} s ({whole:.2f} s with imports), "
            f"{SHARD / took['seconds']:.0f} per second, {1e3 * took['cpu'] / SHARD:.2f} ms of CPU each, "
            f"{took['megabytes']:.0f} MB at most ({took['imports']:.0f} MB by imports)"
        )
    return "; ".join(words)


if __name__ == "__main__":
    imports, wall, cpu = peak_megabytes(), time.perf_counter(), time.process_time()
    ours(sys.argv[1], Path(sys.argv[2]), SHARD)
    took = {"seconds": time.perf_counter() - wall, "cpu": time.process_time() - cpu}
    print(json.dumps({**took, "megabytes": peak_megabytes(), "imports": imports}))
