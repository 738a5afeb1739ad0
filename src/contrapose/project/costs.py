"""Where a table finds the costs of its rows."""

from collections.abc import Iterator, Sequence
from dataclasses import astuple

from contrapose.generate import llm_backtranslation
from contrapose.generate.endpoint import journals_of
from contrapose.generate.outcomes import EMBEDDINGS
from contrapose.jobs.timing import timing_file
from contrapose.pairs.kinds import PairSet
from contrapose.project.lookups import Lookups
from contrapose.project.registries import reached
from contrapose.report.row_costs import Asked, Costs, Expenses, Question
from contrapose.settings.ids import Released, is_trained, run_from, training_from


def table_costs(project: Lookups, table: str) -> Costs:
    """Return where a table finds its rows' costs, if it shows them; paths hold `<logs>` and `<state>`."""
    if not getattr(project.shown(table).spec, "costs", False):
        return Costs()
    runs, codes = project.about(table).runs, project.llm_requests.codes
    trained = filter(is_trained, runs)
    asked = {}
    for role, (folder, connection) in project.llm_requests.reached().items():
        journals = {str(journals_of(connection, f"<state>/generate/{folder}", code)) for code in codes}
        priced = {"price_known": bool(connection.prices_as_of), "key": bool(connection.key)}
        asked[role] = Asked(journals=sorted(journals), **priced)
    of_runs = {run: expenses(project, run) for run in trained} | _embedded(project, runs)
    return Costs(runs=of_runs, asked=asked)


def _embedded(project: Lookups, runs: Sequence[str]) -> dict[str, Expenses]:
    """Return what causes the costs of encoders behind endpoints."""
    released = (run for run in map(run_from, runs) if isinstance(run, Released))
    return {
        run.id: Expenses(jobs=[], questions=[(EMBEDDINGS, run.role, EMBEDDINGS)])
        for run in released
        if run.role in project.llm_requests.embedders
    }


def expenses(project: Lookups, run: str) -> Expenses:
    """Return what causes the costs of a run: its training, and everything that its pairs are made from."""
    training = training_from(run)
    jobs, questions = [f"<results>/train/{run}"], dict[Question, None]()
    todo, sets = list[str](), dict[str, None]()
    for each in project.runs.averaged(*astuple(training)) or [training]:
        jobs.append(f"<results>/train/{each.id}")
        own_dev = project.recipe(each.recipe).dev == "pairs"
        todo += project.pairs(each.pairs).with_dev(project, each.pairs) if own_dev else [each.pairs]
    while todo:
        name = todo.pop()
        if name in sets:
            continue
        sets[name] = None
        spec = project.pairs(name)
        todo += spec.pairs_behind(project.paths)
        jobs += spec.jobs(project.paths)
        questions |= dict.fromkeys(_questions(project, spec))
    logs = (each.replace("<results>", "<logs>") for each in dict.fromkeys(jobs))
    return Expenses(jobs=[str(timing_file(f"{log}.log")) for log in logs], questions=list(questions))


def _questions(project: Lookups, pairs: PairSet) -> Iterator[Question]:
    """Yield the questions to language models whose answers a pair set is made of, but for its other sets."""
    yield from [*pairs.questions(project), *pairs.judged(project)]
    used = sorted(set(reached(project, pairs)))
    for name in (name for registry, name in used if registry == "synthetic"):
        yield from project.entry("synthetic", name).requests(project, name)
    for corpus, translator in pairs.back_translated(project):
        ways = llm_backtranslation.plan(project, corpus, translator)
        yield from ((corpus, way.llm, way.prompt) for way in (ways.there, ways.back))
    for name in (name for registry, name in used if registry == "corpora"):
        yield from ((name, llm, prompt) for _, llm, prompt in project.corpus(name).questions(project))
