"""Jobs of the generate stage in processes of their own, forked from one that has imported everything."""

import json
import multiprocessing
import runpy
from collections.abc import Sequence
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from types import SimpleNamespace

import httpx  # noqa: F401  the script imports these two late
from snakemake.iocontainers import Namedlist

import contrapose.generate.paraphrase
import contrapose.generate.session
import contrapose.jobs.stage  # noqa: F401
from contrapose.generate.llm_requests import LLMRequests
from contrapose.jobs.fingerprint import canonical
from contrapose.settings.catalogs import LLM, SamplingParams
from contrapose.tables import SENTENCES, write_table
from tests.unit.generate.scripted_endpoint import Endpoint, corpus

SCRIPT = Path(__file__).parents[2] / "workflow" / "scripts" / "run.py"
PROMPT = "Paraphrase: {sentence}"
SAMPLING = SamplingParams(model="tiny", temperature=0)
REQUESTS = LLMRequests(llm="chatgpt", sampling=SAMPLING, prompt="1", template=PROMPT)
TABLES = ("paraphrases", "completions")

_processes = multiprocessing.get_context("forkserver")
_processes.set_forkserver_preload([__name__])


def write_corpus(path: Path, numbers: Sequence[int]) -> dict[str, str]:
    """Write a corpus of made-up sentences and return them by id."""
    sentences = corpus(numbers)
    write_table(sentences, path, SENTENCES)
    return dict(zip(sentences.id, sentences.text, strict=True))


def llm(server: Endpoint, **settings: object) -> LLM:
    """Return the settings of a server that a test scripts."""
    return LLM(**{**SAMPLING.model_dump(), "endpoint": server.url, **settings})


def start(sentences: Path, out: Path, state: Path, llm: LLM, shard: str = "0-of-1") -> ForkServerProcess:
    """Start the script of the rule, in the way Snakemake does, for one shard of a corpus."""
    number, shards = shard.split("-of-")
    out.mkdir(parents=True, exist_ok=True)
    given = {
        "log": str(out.with_suffix(".log")),
        "params": {"settings": canonical(REQUESTS), "code": "0"},
        "wildcards": {
            "corpus": sentences.stem, "llm": "chatgpt", "prompt": "1", "shard": number, "shards": shards,
        },
        "input": {"sentences": str(sentences), "recorded": []},
        "resources": {
            "step": "contrapose.generate.paraphrase",
            "connection": canonical(llm.connection("chatgpt")),
            "journal": str(state),
        },
        "output": {name: str(out / f"{name}.parquet") for name in TABLES},
    }  # fmt: skip
    process = _processes.Process(target=_run, args=(json.dumps(given),))
    process.start()
    return process


def _run(text: str) -> None:
    given = json.loads(text)
    snakemake = SimpleNamespace(rule="generate_paraphrase", log=[given.pop("log")])
    for name, values in given.items():
        setattr(snakemake, name, Namedlist(fromdict=values))
    runpy.run_path(str(SCRIPT), init_globals={"snakemake": snakemake})
