"""Where a table finds the costs of its rows."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from contrapose.generate.outcomes import EMBEDDINGS
from contrapose.ids import seed_of
from contrapose.project.registries import reached
from contrapose.project.runs import RELEASED, Run
from contrapose.report.costs import Costs, Expenses, Question
from contrapose.timing import timing_file

if TYPE_CHECKING:
    from contrapose.project import Project


def table_costs(project: "Project", table: str) -> Costs:
    """Return where a table finds its rows' costs, if it shows them; paths hold `<logs>` and `<state>`."""
    if not getattr(project.reports.settings(table)[1], "costs", False):
        return Costs()
    from contrapose.generate import cost

    reached, runs = project.llm_requests.reached(), project.reports.about_of(table).runs
    trained = (run for run in runs if not run.startswith(f"{RELEASED}/"))
    return Costs(
        runs={run: expenses(project, run) for run in trained} | _embedded(project, runs),
        journals={role: f"<state>/generate/{journal}" for role, (journal, _) in reached.items()},
        connections={role: connection for role, (_, connection) in reached.items()},
        codes=cost.plan(project).codes,
    )


def _embedded(project: "Project", runs: Sequence[str]) -> dict[str, Expenses]:
    """Return what causes the costs of encoders behind endpoints."""
    roles = {run: run.split("/")[1] for run in runs if run.startswith(f"{RELEASED}/")}
    return {
        run: Expenses(jobs=[], questions=[(EMBEDDINGS, role, EMBEDDINGS)])
        for run, role in roles.items()
        if role in project.llm_requests.embedders
    }


def expenses(project: "Project", run: str) -> Expenses:
    """Return what causes the costs of a run: its training, and everything that its pairs are made from."""
    pairs, recipe, seed = run.split("/")
    jobs, questions = [f"<results>/train/{run}"], dict[Question, None]()
    todo, sets = list[str](), dict[str, None]()
    for each in project.runs.averaged(pairs, recipe, seed_of(seed)) or [Run(pairs, recipe, seed_of(seed))]:
        jobs.append(f"<results>/train/{each.id}")
        own_dev = getattr(project.recipe(each.recipe), "dev", None) == "pairs"
        todo += project.with_dev(each.pairs) if own_dev else [each.pairs]
    while todo:
        name = todo.pop()
        if name in sets:
            continue
        sets[name] = None
        spec = project.pairs(name)
        todo += spec.pairs_behind(project.places)
        jobs += spec.jobs(project.places)
        questions |= dict.fromkeys([*spec.questions(project), *spec.judged(project)])
        questions |= dict.fromkeys([*_asked_texts(project, name), *_translations(project, name)])
        questions |= dict.fromkeys(_sentences(project, name))
    logs = (each.replace("<results>", "<logs>") for each in dict.fromkeys(jobs))
    return Expenses(jobs=[str(timing_file(f"{log}.log")) for log in logs], questions=list(questions))


def _asked_texts(project: "Project", pairs: str) -> list[Question]:
    """Return the questions to a chat model whose answers are the texts of a pair set."""
    names = {name for registry, name in reached(project, project.pairs(pairs)) if registry == "synthetic"}
    texts = {name: project.entry("synthetic", name) for name in names}
    return [
        (spec.corpus, spec.llm, each.prompt)
        for name, spec in sorted(texts.items())
        if spec.kind == "asked"
        for each in project.llm_requests.instructions(name)
    ]


def _sentences(project: "Project", pairs: str) -> list[Question]:
    """Return the questions to a language model whose answers are the sentences of a pair set."""
    found = {name for registry, name in reached(project, project.pairs(pairs)) if registry == "corpora"}
    specs = {name: project.corpus(name) for name in found if project.llm_requests.is_asked(name)}
    return [(name, spec.llm, spec.prompt) for name, spec in sorted(specs.items())]


def _translations(project: "Project", pairs: str) -> list[Question]:
    """Return the questions, of both ways, to a language model that translates a pair set's sentences."""
    return [
        (corpus, way.llm, way.prompt)
        for corpus, translator in project.pairs(pairs).back_translated(project)
        for way in project.llm_requests.backtranslations(translator).values()
    ]
