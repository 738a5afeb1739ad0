"""The trainings behind a table, and the sentences, triplets and dev pairs that they read."""

from itertools import chain
from typing import NamedTuple

from contrapose.base.tasks import TASKS
from contrapose.jobs.step import InputFiles
from contrapose.report.planned_rows import available_rows
from contrapose.report.row_runs import every_training, searched, trainings
from contrapose.settings.plan import Plan


class TrainedOn(NamedTuple):
    """What the trainings of a table read, by name."""

    corpora: list[str]
    triplets: list[str]  # files of triplets
    dev: list[str]  # tasks of dev pairs


def stepped_runs(project: Plan, name: str) -> list[str]:
    """Return the ids of the trainings behind a table that run in steps with dev scores."""
    rows = available_rows(project, name)
    chosen = (runs for row in rows if row.choices for runs in searched(project, row).values())
    runs = chain(*(trainings(project, row) for row in rows), *chosen)
    return list(dict.fromkeys(run.id for run in runs if project.recipe(run.recipe).stepped))


def training_files(project: Plan, name: str) -> dict[str, InputFiles]:
    """Return the files of the sentences, triplets and dev pairs that the trainings of a table read."""
    paths, of_trainings = project.paths, trained_on(project, name)
    return {
        "sentences": [paths.corpus(corpus) for corpus in of_trainings.corpora],
        "triplets": [paths.triplets(triplets) for triplets in of_trainings.triplets],
        "dev": [paths.dev(task) for task in of_trainings.dev],
    }


def trained_on(project: Plan, name: str) -> TrainedOn:
    """Name what the trainings of a table read.  Of a divided corpus only the part counts, not the whole."""
    rows = available_rows(project, name)
    runs = [run for row in rows for run in every_training(project, row)]
    corpora, triplets = dict[str, None](), dict[str, None]()
    for pairs in dict.fromkeys(run.pairs for run in runs):
        used = list(project.reached(project.pairs(pairs)))
        triplets |= {entry: None for registry, entry in used if registry == "triplet_files"}
        names = [entry for registry, entry in used if registry == "corpora"]
        for whole in filter(None, [project.corpus(corpus).whole(project) for corpus in names]):
            names.remove(whole)
        corpora |= dict.fromkeys(names)
    recipes = [project.recipe(recipe) for recipe in dict.fromkeys(run.recipe for run in runs)]
    trained = [*recipes, *(recipe.trained(project) for recipe in recipes)]
    dev = dict.fromkeys(str(recipe.dev) for recipe in trained if recipe.dev in TASKS)
    return TrainedOn(list(corpora), list(triplets), list(dev))
