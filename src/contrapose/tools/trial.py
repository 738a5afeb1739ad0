"""Ask a language model about a few sentences: how good its paraphrases are, and what all would cost."""

import argparse
import json
import sys
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from contrapose.base.errors import ConfigError
from contrapose.generate.ledger import PICO, Prices
from contrapose.generate.progress import usd
from contrapose.generate.requests import Usage
from contrapose.project import Project
from contrapose.project.staleness import is_current
from contrapose.report.kinds.prompts import PromptTable
from contrapose.report.published import printed_rows, read_published
from contrapose.settings.catalogs import RECORDED
from contrapose.settings.ids import named
from contrapose.tables import COMPLETIONS, SENTENCE_SCORES, read_provenance, read_table
from contrapose.tools.arguments import TRIED, parser_of
from contrapose.tools.check_services import check_llm
from contrapose.tools.child import followed
from contrapose.tools.command_line import connect, project_of
from contrapose.tools.dry_run import planned_jobs
from contrapose.tools.plan import asked_paraphrases, served_hours
from contrapose.tools.speed import spelled
from contrapose.tools.workload import Call

FOLDERS = {"results": "results-try", "logs": "logs-try"}  # apart: corpora are smaller
FEWEST = 2  # sentences of a corpus, see `Config.sentences`
COLUMNS = {"Sim": "similarity", "BLEU": "bleu", "Total": "total"}  # printed: of SENTENCE_SCORES
POSITIVES = ("paraphrases", "paraphrase")


def main(arguments: list[str]) -> None:
    """Try a role in the working directory."""
    print(tried(parser_of("preview").parse_args(arguments)))


def tried(options: argparse.Namespace) -> str:
    """Ask, score and return the table as text.  Raises ConfigError for a role without paraphrases to ask for.

    Answers are in the journals that a run has, so none is paid twice.
    """
    project, role = project_of(options.config), options.role
    named(project.catalog.llms, role, f"llms of {project.files.catalog_path}")
    _check_is_asked(project, role)
    wanted = TRIED if options.sentences is None else options.sentences
    if wanted < FEWEST:
        raise ConfigError(f"--sentences {wanted}: write a whole number of at least {FEWEST}.")
    questions = _questions(project, role, options.prompt, wanted)
    smaller = project_of([*options.config, f"sentences={wanted}"])
    sent = _sentences(Call(smaller, []), role, {*questions.values()}, options.sentences)
    scorer = _scorer(project)
    _check_answers(project, role)
    files = {prompt: _files(project, corpus, role, prompt, scorer) for prompt, corpus in questions.items()}
    _share_articles(project, Path(FOLDERS["results"]))
    folders = json.dumps({**project.config.pathvars, **FOLDERS})
    config = [*options.config, f"sentences={sent}", f"pathvars={folders}"]
    command = [sys.executable, "-m", "contrapose", "run", "--config", *config, "--"]
    if code := followed([*command, *(path for each in files.values() for path in each)]):
        sys.exit(code)
    project = project_of(options.config)  # once more, as the run has made files
    jobs = planned_jobs(project, list(project.studies), everything=True)
    counts = _counts(Call(project, jobs), role)
    rows, lines = list[dict[str, Any]](), []
    for prompt, (completions, scores) in files.items():
        answers = read_table(completions, COMPLETIONS)
        rows += _rows(project, role, prompt, read_table(scores, SENTENCE_SCORES), answers)
        lines.append(_in_all(project, role, prompt, counts.get(prompt, 0), answers, sent))
    corpora = ", ".join(dict.fromkeys(questions.values()))
    model = project.llm(role)
    is_recording = model.endpoint == RECORDED
    player = f"a recording ({model.path}), so no model is called" if is_recording else model.player
    about = (
        f"{role} is {player}. The sentences come from {corpora} in catalog {project.catalog_name}. Numbers "
        "are means ± standard errors."
    )
    table = pd.DataFrame(rows).fillna("").to_string(index=False)
    legend = (
        f"Sim: similarity of meaning by the encoder {scorer}, higher is better. BLEU: shared wording, lower "
        f"is better. Total: (Sim + 1 - BLEU) / 2, higher is better. Usable sentences: of {sent} that "
        "were sent. docs/reference/outcomes.md says when an answer is refused."
    )
    return "\n".join(["", about, table, legend, *lines])


def _check_answers(project: Project, role: str) -> None:
    """Raise ConfigError for a server that does not answer: a run would wait for it."""
    for finding in check_llm(project, role, False, set()):
        if finding.level == "missing":
            raise ConfigError(f"{finding.what}: {finding.text}")


def _check_is_asked(project: Project, role: str) -> None:
    """Raise ConfigError for a recording, as a new project has, unless it is asked in place of a model."""
    model = project.llm(role)
    missing = model.endpoint == RECORDED and project.lacking_entry("llms", role)
    if missing or (model.endpoint == RECORDED and not project.llm_requests.questions):
        raise ConfigError(
            f"{role} is a recording ({model.path}{', which is missing' if missing else ''}), so no model is "
            f"called and there is nothing to preview. {connect(role, project.catalog_name)}"
        )


def _sentences(call: Call, role: str, corpora: Collection[str], wanted: int | None) -> int:
    """Return how many sentences of each corpus are sent: as wanted, or `TRIED`, or all of a smaller one.

    Raises ConfigError for a corpus with fewer sentences than wanted: a job would end with less advice.
    """
    counts = {corpus: call.texts(corpus).sentences for corpus in corpora}
    known = {corpus: count for corpus, count in counts.items() if count is not None}
    for corpus, count in known.items():
        if wanted is not None and count < wanted:
            raise ConfigError(
                f"{role}: corpus {corpus} has {count} sentences, but {wanted} would be sent. Add --sentences "
                f"{count}."
            )
    return wanted if wanted is not None else min([TRIED, *known.values()])


def _files(project: Project, corpus: str, role: str, prompt: str, scorer: str) -> tuple[str, str]:
    """Return the files with the answers and with their scores, a row for each sentence."""
    completions = project.paths.generated(corpus, role, prompt, "completions")
    scores = project.paths.paraphrase_scores(corpus, role, prompt, scorer, "sentences")
    results = FOLDERS["results"]
    return completions.replace("<results>", results), scores.replace("<results>", results)


def _questions(project: Project, role: str, prompts: Sequence[str], most: int) -> dict[str, str]:
    """Return {prompt: corpus} of what the studies ask a role for, about more sentences than a trial has.

    A role that no study asks gets the questions to others.
    """
    requests = project.llm_requests
    every = [each for each in requests.questions if project.entry("prompts", each[2]).asked_for in POSITIVES]
    every = [each for each in every if each[1] == role] or every
    if not every:
        raise ConfigError(
            f"{role}: the studies request no paraphrases from a language model. Name a study that "
            "does: --config studies=[thesis]"
        )
    every.sort(key=lambda each: project.sentences(each[0]) or sys.maxsize)
    largest = {prompt: corpus for corpus, _, prompt in every}
    if prompts:
        return {prompt: largest.get(prompt, every[-1][0]) for prompt in prompts}
    many = {name: of for name, of in largest.items() if (project.sentences(of) or sys.maxsize) > most}
    return many or largest


def _scorer(project: Project) -> str:
    """Return the encoder of the tables of prompts, or the first that this catalog has."""
    roles = [table.scorer for _, table in project.tables.values() if isinstance(table, PromptTable)]
    encoders = [each for each in [*roles, *project.catalog.encoders] if project.catalog.encoders.get(each)]
    scorer = next((each for each in encoders if not project.lacking_entry("trainable_encoders", each)), None)
    if scorer is None:
        raise ConfigError(
            f"encoders: the catalog '{project.catalog_name}' has no encoder that can measure "
            "similarity. Add one."
        )
    return scorer


def _share_articles(project: Project, results: Path) -> None:
    """Let a trial read the articles that are there: those of the hub are 6 GB."""
    source, place = Path(project.results, "retrieve/articles.parquet"), results / "retrieve/articles.parquet"
    if source.is_file() and not place.exists() and is_current(project, read_provenance(source)):
        place.parent.mkdir(parents=True, exist_ok=True)
        place.hardlink_to(source)


def _counts(call: Call, role: str) -> dict[str, int | None]:
    """Return the sentences that the studies ask a role about, by prompt; None if unknown."""
    counts: dict[str, int | None] = {}
    for _, requests, count in asked_paraphrases(call):
        if requests.llm == role:
            before = counts.get(requests.prompt, 0)
            counts[requests.prompt] = None if None in (before, count) else (before or 0) + (count or 0)
    return counts


def _rows(
    project: Project, role: str, prompt: str, scores: pd.DataFrame, answers: pd.DataFrame
) -> Iterator[dict[str, Any]]:
    """Yield the means ± standard errors of a prompt, and what the papers print of a model in that role."""
    means = {name: _mean(scores[of]) for name, of in COLUMNS.items()}
    refused = f"{100 * (answers.refused != '').mean():.1f} %"
    yield {
        "prompt": prompt,
        "source": "this model",
        "usable sentences": len(scores),
        "refused answers": refused,
        **means,
    }
    for name, (study, table) in project.tables.items():
        if not isinstance(table, PromptTable) or not table.published or project.catalog.mini:
            continue
        theirs = printed_rows(
            name, read_published([project.files.published(study, table.published)]), table.layout
        )
        for row in table.rows:
            if row.published and (row.llm, row.prompt) == (role, prompt):
                numbers = {column: f"{theirs[row.published][column]:.3f}" for column in COLUMNS}
                yield {"prompt": prompt, "source": row.published, **numbers}


def _mean(scores: "pd.Series[float]") -> str:
    """Return the mean with its standard error, which needs two scores."""
    mean = f"{scores.mean():.3f}" if len(scores) else "-"
    return f"{mean} ± {scores.sem():.3f}" if len(scores) > 1 else mean


def _in_all(
    project: Project, role: str, prompt: str, count: int | None, answers: pd.DataFrame, most: int
) -> str:
    """Describe what all sentences of the studies would take, by the tokens of these, with replacements."""
    model, tokens = project.llm(role), answers[["prompt_tokens", "completion_tokens"]].sum()
    shown = "an unknown number of" if count is None else f"{count:,}"
    if not count or not tokens.all():  # recorded answers have none
        return f"Prompt {prompt}: the studies of this call have {shown} sentences for it."
    share = count / min(most, answers.sentence_id.nunique())
    here, every = Usage(*map(int, tokens)), Usage(*(round(total * share) for total in tokens))
    prices = Prices.per_million(model.prompt_price, model.completion_price)
    costs = ["price unknown" if model.unpriced else usd(prices.cost(each) / PICO) for each in (here, every)]
    hours = served_hours(project, role, every.completion)
    time = f", {spelled(hours)}" if hours else ""
    return (
        f"Prompt {prompt}: this trial took {sum(here):,} tokens, {costs[0]}. All "
        f"{shown} sentences of the studies would take {sum(every):,} tokens, "
        f"{costs[1]}{time}."
    )
