"""What language models are asked: settings of requests, and the parameter `ask` of steps that send them."""

from contextlib import AbstractContextManager
from pathlib import Path
from typing import Annotated, Any

import pandas as pd

from contrapose.generate.attempts import AskAll
from contrapose.jobs.stage import SnakemakeJob
from contrapose.jobs.step import FromJob, Rows, input_files
from contrapose.settings.catalogs import Connection
from contrapose.tables import COMPLETIONS

Completions = Annotated[pd.DataFrame, Rows(COMPLETIONS)]


def _session(spec: Any, job: SnakemakeJob) -> AbstractContextManager[AskAll]:
    from contrapose.generate.session import session

    names = dict(job.wildcards.items())
    # These name the journal: it must be found again.
    alone = "merge" if {"corpus", "prompt"} <= names.keys() else "0-of-1"
    about = {
        "llm": spec.llm,
        "corpus": names.get("pairs") or names.get("corpus") or Path(job.input.sentences).stem,
        "prompt": names.get("prompt") or names.get("texts") or names.get("translator") or spec.prompt,
        "shard": f"{names['shard']}-of-{names['shards']}" if "shard" in names else alone,
    }
    connection = Connection.model_validate_json(job.resources.connection)
    return session(connection, job.resources.journal, about, input_files(job, "recorded"), job.params.code)


Ask = Annotated[AbstractContextManager[AskAll], FromJob(_session)]
