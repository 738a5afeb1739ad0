"""What tests of sessions share: a model with prices, requests to it, and what they cost."""

import pandas as pd

from contrapose.generate import estimate
from contrapose.generate.cost import cost_table, verdicts_of
from contrapose.generate.llm_requests import CorpusRequests, LLMRequests
from contrapose.generate.session import session
from contrapose.settings.catalogs import LLM
from contrapose.tables import COMPLETIONS, SENTENCES, write_table

ROLE = "chatgpt"


def model(url="http://x/v1", **settings):
    """Return a model that costs 2 and 4 dollars per million tokens."""
    priced = {"model": "tiny", "prompt_price": 2.0, "completion_price": 4.0}
    return LLM(**{**priced, **settings, "endpoint": url})


def requests_to(llm, prompt="1", template="Say: {sentence}", kind=LLMRequests, **settings):
    return kind(llm=ROLE, sampling=llm.sampling(), prompt=prompt, template=template, **settings)


def opened(llm, folder, answers=(), corpus="wiki", prompt="1", shard="0-of-1"):
    """Return the session of a job, which keeps its journal in a folder."""
    about = {"llm": ROLE, "corpus": corpus, "prompt": prompt, "shard": shard}
    return session(llm.connection(ROLE), folder, about, answers)


def costs(folder, *completions):
    """Return COST of the journals in a folder and of COMPLETIONS."""
    paths = [folder / f"completions-{number}.parquet" for number in range(len(completions))]
    for table, path in zip(completions, paths, strict=True):
        write_table(table, path, COMPLETIONS)
    return cost_table([folder], verdicts_of(paths)[0])


def requests_by(table, *columns):
    return table.groupby([*columns]).requests.sum().to_dict()


def estimated(requests, sentences, llm, folder, **pairs):
    """Return what of SENTENCES is known, and what asking will take, by prompt and in all."""
    write_table(sentences, folder / "own.parquet", SENTENCES)
    every = [each if isinstance(each, CorpusRequests) else about_own(each) for each in requests]
    spec = estimate.EstimateSettings(requests=every, codes=["0"])
    connections = {ROLE: llm.connection(ROLE)}
    return estimate.build(spec, [str(folder / "own.parquet")], {ROLE: str(folder)}, connections, pairs)


def about_own(requests, source=None):
    return CorpusRequests(corpus="own", requests=requests, source=source)


def sentences(*texts):
    """Return SENTENCES, each of an article of its own."""
    rows = [(f"a{n}:0", text, f"a{n}", 0, len(text.split())) for n, text in enumerate(texts)]
    return pd.DataFrame(rows, columns=SENTENCES.columns)
