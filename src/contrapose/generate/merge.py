"""Put the shards of a corpus together, with new sentences for those that could not be paraphrased.

Thesis, section 3.3.  The tables depend on the sentences, the settings and the answers alone: not on the order
in which answers come, on concurrency, or on the number of shards.
"""

import logging
from collections.abc import Callable, Mapping
from typing import Annotated, Any, NamedTuple

import pandas as pd
from pydantic import Field

from contrapose.base.errors import BackendError, OutdatedError, TableError, counted
from contrapose.corpus.draw import SampledCorpus
from contrapose.generate import paraphrase
from contrapose.generate.attempts import AskAll, Attempts, completions_of, table_of
from contrapose.generate.llm import Ask, Completions
from contrapose.generate.llm_requests import LLMRequests
from contrapose.generate.paraphrase import paraphrases_of
from contrapose.generate.parsing import compared
from contrapose.generate.refused import Tally, with_refused
from contrapose.jobs.stage import SnakemakeJob
from contrapose.jobs.step import FromJob, Outputs, Rows, input_files, planned
from contrapose.settings.plan import Plan
from contrapose.settings.refs import resolved
from contrapose.tables import COMPLETIONS, PARAPHRASES, PUNKT, REPLACEMENTS, SENTENCES, read_table

DRAWS = 1000  # replacements drawn for one sentence before the articles count as used up

Row = Mapping[str, object]  # of SENTENCES
Draw = Callable[[str, int], Row]  # by the id of a sentence and a number from 1

logger = logging.getLogger(__name__)


class ReplacementRequests(LLMRequests):
    """How the sentences are replaced that the language model could not paraphrase."""

    corpus: SampledCorpus | None = Field(
        None, description="Where new sentences are drawn from; null: nowhere, none is replaced"
    )
    replacements: int = Field(20, ge=0, description="New sentences drawn for one before giving up")


class Replacement(NamedTuple):
    """A new sentence that was asked about in place of another, or of its last replacement."""

    row: Row
    number: int  # of its draw
    attempts: Attempts
    reason: str  # why the one before was refused


@planned
def plan(project: Plan, corpus: str, llm: str, prompt: str) -> ReplacementRequests:
    """Return how sentences without paraphrases are replaced; not at all if the corpus is not sampled."""
    return ReplacementRequests(
        **dict(paraphrase.plan(project, corpus, llm, prompt)),
        corpus=resolved(project.corpus(corpus), project) if pool(project, corpus, prompt) else None,
        replacements=project.entry("llms", llm).replacements,
    )


def pool(project: Plan, corpus: str, prompt: str) -> dict[str, str]:
    """Return the files with replacements for sentences without paraphrases; none: these are dropped."""
    negative = project.entry("prompts", prompt).asked_for == "negative"
    if negative or not project.corpus(corpus).replaced:
        return {}
    return {"articles": "<results>/retrieve/articles.parquet", "punkt": project.paths.punkt}


def _draw(spec: ReplacementRequests, job: SnakemakeJob) -> Draw | None:
    from contrapose.corpus.article_file import ArticleFile
    from contrapose.corpus.draw import replacements
    from contrapose.corpus.punkt_parameters import splitter

    if not spec.corpus:
        return None
    (articles,), (punkt,) = input_files(job, "articles"), input_files(job, "punkt")
    return replacements(ArticleFile(articles), splitter(read_table(punkt, PUNKT)), spec.corpus)


def build(
    spec: ReplacementRequests,
    sentences: Annotated[pd.DataFrame, Rows(SENTENCES)],
    paraphrases: Annotated[pd.DataFrame, Rows(PARAPHRASES)],
    completions: Completions,
    draw: Annotated[Draw | None, FromJob(_draw)],
    ask: Ask,
) -> Annotated[
    tuple,
    Outputs(sentences=SENTENCES, paraphrases=PARAPHRASES, completions=COMPLETIONS, replacements=REPLACEMENTS),
]:
    """Replace each sentence without paraphrases by a new one.  N sentences in, N out.

    It works on all shards together, in rounds, so that two sentences never get the same replacement: each
    round draws one new sentence for each failed one, in the order of the corpus, and asks about them.
    Without `draw`, such a sentence stays without paraphrases, and no pair is made of it.

    The tables are those of all shards, in the order of the corpus.  Draws with a text or id of the corpus are
    skipped, as is their number.  Raises TableError if the shards do not match the sentences, or the articles
    have no new sentence left, and BackendError if `spec.replacements` replacements of one sentence failed
    too.

    Memory: about 3 kB per sentence of the corpus.
    """
    _check_shards(sentences, paraphrases=paraphrases, completions=completions)
    reasons = dict(zip(completions.sentence_id, completions.refused, strict=True))  # the last attempt counts
    paraphrased = set(paraphrases.sentence_id)
    failed = {id: reasons[id] for id in sentences.id if id not in paraphrased}
    if failed:
        first, reason = next(iter(failed.items()))
        logger.info(
            "%d of %d sentences have no valid answer. The first is %s: %s. %s",
            len(failed),
            len(sentences),
            first,
            reason,
            Tally.of(completions),
        )
    history: dict[str, list[Replacement]] = {}
    if failed and draw:
        with ask as ask_all:
            history = _replaced(failed, _Draws(sentences, draw), spec, ask_all)
        logger.info("%d of %d sentences were replaced", len(history), len(sentences))
    kept, texts, *others = _merged(sentences, paraphrases, completions, history)
    if not draw:
        texts = with_refused(texts, completions, f"{spec.llm}, prompt {spec.prompt}")
    return kept, texts, *others


def _replaced(
    failed: Mapping[str, str], draws: "_Draws", spec: ReplacementRequests, ask_all: AskAll
) -> dict[str, list[Replacement]]:
    """Ask about new sentences, round by round, until each failed sentence has a paraphrased one."""
    history: dict[str, list[Replacement]] = {id: [] for id in failed}
    for round in range(1, spec.replacements + 1):
        if not failed:
            break
        drawn = [draws.next(id) for id in failed]
        texts = [(str(row["id"]), str(row["text"])) for row, _ in drawn]
        attempts = ask_all(spec, texts, f"round {round} of replacements")
        for id, (row, number), one in zip(failed, drawn, attempts, strict=True):
            history[id].append(Replacement(row, number, one, failed[id]))
        failed = {id: one.reason for id, one in zip(failed, attempts, strict=True) if not one.items}
    if failed:
        id, reason = next(iter(failed.items()))
        raise BackendError(
            f"llms.{spec.llm} gave no valid paraphrases of {counted(len(failed), 'sentence')}, although "
            f"{counted(spec.replacements, 'new sentence')} took the place of each (the last refusal in place "
            f"of {id}: {reason}). Change prompt {spec.prompt}, or raise llms.{spec.llm}.replacements."
        )
    return history


class _Draws:
    """Replacements that are neither in the corpus nor used twice."""

    def __init__(self, sentences: pd.DataFrame, draw: Draw):
        self._taken = set(sentences.id) | {compared(text) for text in sentences.text}
        self._draw = draw
        self._numbers: dict[str, int] = {}

    def next(self, id: str) -> tuple[Row, int]:
        """Return the next new sentence for sentence `id`, and the number of its draw."""
        start = self._numbers.get(id, 0) + 1
        for number in range(start, start + DRAWS):
            row = self._draw(id, number)
            keys = {str(row["id"]), compared(str(row["text"]))}
            if not keys & self._taken:
                self._taken |= keys
                self._numbers[id] = number
                return row, number
        raise TableError(
            f"sentence {id}: {DRAWS} draws of a replacement gave only sentences that are already in "
            "the corpus, because the articles have too few sentences. Use more articles, or a "
            "smaller corpus."
        )


def _check_shards(sentences: pd.DataFrame, **tables: pd.DataFrame) -> None:
    for name, table in tables.items():
        foreign = sorted(set(table.sentence_id) - set(sentences.id))
        if foreign:
            raise OutdatedError(name, f"it has sentence {foreign[0]}, which is not in the corpus")
    lacking = sorted(set(sentences.id) - set(tables["completions"].sentence_id))
    if lacking:
        raise OutdatedError(
            "completions", f"it lacks {counted(len(lacking), 'sentence')} of the corpus, first {lacking[0]}"
        )


def _merged(
    sentences: pd.DataFrame,
    paraphrases: pd.DataFrame,
    completions: pd.DataFrame,
    history: Mapping[str, list[Replacement]],
) -> tuple[pd.DataFrame, ...]:
    """Return the four tables, with what belongs to a replacement in the place of its sentence."""
    place = {id: at for at, id in enumerate(sentences.id)}
    place |= {one.attempts.id: place[id] for id in history for one in history[id]}
    attempts = [one.attempts for tried in history.values() for one in tried]
    rows: list[dict[str, Any]] = sentences.to_dict("records")
    kept = [history[row["id"]][-1].row if row["id"] in history else row for row in rows]
    replacements = [
        {"sentence_id": id, "replacement_id": one.attempts.id, "number": one.number, "reason": one.reason}
        for id in sorted(history, key=place.__getitem__)
        for one in history[id]
    ]
    return (
        table_of(kept, SENTENCES),
        _in_order(paraphrases, paraphrases_of(attempts), place),
        _in_order(completions, completions_of(attempts), place),
        table_of(replacements, REPLACEMENTS),
    )


def _in_order(old: pd.DataFrame, new: pd.DataFrame, place: Mapping[str, int]) -> pd.DataFrame:
    both = pd.concat([old, new], ignore_index=True) if len(new) else old.reset_index(drop=True)
    order = both.sentence_id.map(place).sort_values(kind="stable").index
    return both.loc[order].reset_index(drop=True)
