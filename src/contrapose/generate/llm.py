"""What steps have in common that query a language model: a parameter `ask`, which runs their work."""

from collections.abc import Callable, Coroutine
from typing import Annotated, Any

import pandas as pd

from contrapose.settings.worlds import Connection
from contrapose.steps import FromJob, Rows, input_files
from contrapose.tables import COMPLETIONS

# Their rules, whose code decides which answers of a server in their process are kept.
ASKING = (
    "generate_paraphrase",
    "generate_merge",
    "generate_translate",
    "generate_asked",
    "generate_asked_backtranslation",
)

Ask = Annotated[Callable[..., Any], FromJob(lambda spec, job: _ask(spec, job))]
Completions = Annotated[pd.DataFrame, Rows(COMPLETIONS)]


def _ask(spec: Any, job: Any) -> Callable[..., Any]:
    """Return a function that runs work with a client of a job's language model, and returns its result.

    Its further arguments name the journal, see `answered`: corpus, prompt and shard.
    """
    from contrapose.generate.job import answered

    connection = Connection.model_validate_json(job.resources.connection)

    def ask(work: Callable[[Any], Coroutine[Any, Any, Any]], **names: str) -> Any:
        place, told = job.resources.journal, {"llm": spec.llm, **names}
        return answered(work, connection, place, told, input_files(job, "recorded"), job.params.code)

    return ask
