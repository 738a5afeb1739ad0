"""What tests of asking share: a model with prices, a job that asks it, and what the asking cost."""

import pandas as pd

from contrapose.generate.cost import Journals, cost_table
from contrapose.generate.estimate import estimate_table
from contrapose.generate.job import answered
from contrapose.generate.jobs import AskingJob, EstimateJob
from contrapose.settings.worlds import LLM
from contrapose.tables import COMPLETIONS, SENTENCES, write_table

ROLE = "chatgpt"


def model(url="http://x/v1", **settings):
    """Return a model that costs 2 and 4 dollars per million tokens."""
    priced = {"model": "tiny", "prompt_price": 2.0, "completion_price": 4.0}
    return LLM(**{**priced, **settings, "endpoint": url})


def job(llm, prompt="1", text="Say: {sentence}", kind=AskingJob, **settings):
    return kind(llm=ROLE, asked=llm.asked(), prompt=prompt, text=text, **settings)


def named(corpus="wiki", prompt="1", shard="0-of-1"):
    return {"llm": ROLE, "corpus": corpus, "prompt": prompt, "shard": shard}


def asked(work, rows, spec, llm, folder, answers=(), **names):
    """Return what `work` returns for sentences, a job and a client of the model."""
    connection = llm.connection(ROLE)
    return answered(lambda client: work(rows, spec, client), connection, folder, named(**names), answers)


def costs(folder, *completions):
    """Return COST of the journals in a folder and of COMPLETIONS."""
    paths = [folder / f"completions-{number}.parquet" for number in range(len(completions))]
    for table, path in zip(completions, paths, strict=True):
        write_table(table, path, COMPLETIONS)
    return cost_table([Journals(ROLE, "tiny", [folder])], paths)


def requests_by(table, *columns):
    return table.groupby([*columns]).requests.sum().to_dict()


def estimated(questions, corpora, llm, folder):
    """Return the table of what is known and what asking will take; corpora are SENTENCES."""
    rows = {name: list(zip(table.id, table.text, strict=True)) for name, table in corpora.items()}
    spec = EstimateJob(questions=questions, codes=["0"])
    return estimate_table(spec, rows, {ROLE: [folder]}, {ROLE: llm.connection(ROLE)})


def sentences(*texts):
    """Return SENTENCES, each of an article of its own."""
    rows = [(f"a{n}:0", text, f"a{n}", 0, len(text.split())) for n, text in enumerate(texts)]
    return pd.DataFrame(rows, columns=SENTENCES.columns)
