"""`contrapose explain ROW`: what is behind a row of a table of scores, and how to build it alone."""

import difflib
import json
import shlex
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, cast

import pandas as pd

from contrapose.base.directory import call, seen, settings
from contrapose.base.errors import ConfigError, counted, instead_of
from contrapose.jobs.timing import read_timing, timing_file
from contrapose.project import Project
from contrapose.project.costs import expenses
from contrapose.project.reports import inputs
from contrapose.report.about import TableRow
from contrapose.report.comparison import SECOND, baseline_rows
from contrapose.report.look import in_words, shortened
from contrapose.report.row_costs import cost_text
from contrapose.report.scored_cells import skipped_and_cut
from contrapose.report.skipped import missing_input
from contrapose.score.pair_samples import counts_of, drawn_from
from contrapose.settings.config_folder import SIMCSE
from contrapose.settings.ids import is_trained, parsed_id, training_from
from contrapose.tables import CELLS, COSTS, PAIRS, read_provenance, read_table
from contrapose.tools.arguments import parser_of
from contrapose.tools.command_line import check_has_work, project_of
from contrapose.tools.reference.configuration import summary
from contrapose.tools.verify import differences, findings, repeated

SHOWN = 3  # pairs: a screen has no room for more
NEAR = 3  # rows that a person may have meant
TIMES = {"wall_seconds": "s", "cpu_seconds": "s of CPUs", "gpu_seconds": "s of GPUs"}
OPERATIONS = "operations of models"
SPENT = {"cpu_seconds": "seconds of CPU time", "gpu_seconds": "seconds of GPU time", "usd": "USD"}
SKIPPED = "skipped: "  # begins the note of a row without numbers


class Place(NamedTuple):
    """A row of a table of scores, and its number there."""

    table: str
    number: int
    row: TableRow

    @property
    def runs(self) -> list[str]:
        """Its trainings; of settings that are still to be chosen, the first ones tried."""
        runs = self.row.runs or next((each.runs for each in self.row.candidates), [])
        return list(filter(is_trained, runs))


def main(arguments: list[str]) -> None:
    """Print what is known of a row; a table that is not built has no score and no costs yet."""
    options = parser_of("explain").parse_args(arguments)
    check_has_work("explain")
    project = project_of(options.config)
    place = found(project, options.row, options.table, options.config)
    for title, lines in sections(project, place, options.config):
        if lines:  # of what is not built there are none
            print("\n".join([title, *(f"    {line}".rstrip() for line in lines), ""]))


def found(project: Project, label: str, table: str | None = None, config: Sequence[str] = ()) -> Place:
    """Return the row of a label; raise a ConfigError if there is none, or more than one.

    The commands in its message have the `--config` of the call.
    """
    given = settings(config)
    scored = {name: spec for name, (_, spec) in project.tables.items() if hasattr(spec, "baseline")}
    if table is not None:
        if table not in scored:
            raise ConfigError(
                f"--table {table}: there is no such table of scores.{instead_of(table, scored)}"
            )
        scored = {table: scored[table]}
    every = [
        Place(name, number, row) for name in scored for number, row in enumerate(project.about(name).rows)
    ]
    places = [place for place in every if label.lower() in (place.row.label.lower(), place.row.model.lower())]
    if not places:
        rows = {place.row.label for place in every}
        if label.lower() in SIMCSE and {"Dropout"} & rows:
            raise ConfigError(f"{label} is called Dropout here: {call('explain', 'Dropout', given)}")
        if label in project.config.studies:
            raise ConfigError(
                f"'{label}' is a study. The first column of each of its tables has the names of its methods."
            )
        near = ", ".join(map(repr, _most_similar(label, rows)))
        raise ConfigError(
            f"No method is called '{label}'. {f'Similar names are {near}. ' if near else ''}"
            "The first column of each table has the names of its methods."
        )
    if len(places) > 1:
        first = places[0]
        names = [shlex.quote(first.row.label), "--table", first.table]
        tables = ", ".join(dict.fromkeys(each.table for each in places))
        raise ConfigError(
            f"{len(places)} methods are called '{label}'. Name the table of one, for example: "
            f"{call('explain', *names, given)}. The tables are {tables}."
        )
    return places[0]


def _most_similar(label: str, rows: Iterable[str]) -> list[str]:
    """Return the names of rows that a person may have meant: with a part of it, or similar, or none."""
    small, known = label.lower(), sorted(rows)
    parts = [row for row in known if small and (small in row.lower() or row.lower() in small)]
    return parts[:NEAR] or difflib.get_close_matches(label, known, n=NEAR, cutoff=0.5)


def sections(project: Project, place: Place, config: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield a title and lines of each thing that there is to say."""
    row, run = place.row, next(iter(place.runs), "")
    yield f"{row.label}, a method of {place.table}", list(_what(project, place))
    if not row.every_run:
        return
    yield "Score and costs", list(_measured(project, place, config))
    for number in _baselines(project, place):
        other = Place(place.table, number, project.about(place.table).rows[number])
        yield f"Settings that differ: {other.row.label} -> {row.label}", list(_changes(project, other, place))
    if run:
        made = training_from(run)
        ids = (("Pairs", made.pairs, "pairs"), ("Recipe", made.recipe, "recipes"))
        for (what, name, section), spec in zip(ids, _specs(project, place), strict=True):
            entry, overrides = parsed_id(name)
            written = {*getattr(project.recipes, section)[entry].model_fields_set, *overrides}
            shown = _set(spec, every=False, written=written).items()
            yield (
                f"{what} {name}",
                [
                    *([summary(type(spec))] if section == "pairs" else []),
                    f"These settings are in config/recipes.yaml, under {section}:",
                    *(f"{key}: {json.dumps(value)}" for key, value in shown),
                ],
            )
        yield "Some of its pairs", list(_texts(project, made.pairs))
        yield "Logs", list(_logs(project, place))
    study, spec = project.tables[place.table]
    if (
        run
        and getattr(spec, "costs", False)
        and not any(_history(project, each).is_file() for each in place.runs)
    ):
        kept = [each for each in config if not each.startswith("methods=")]
        names = ["--methods", shlex.quote(row.label), "--", study]
        yield (
            "Build only this method",
            [
                call("run", settings(kept), *names),
                "The table then has only this method and the baselines. To keep others, name them, too.",
            ],
        )
    else:
        update = call("run", settings(config), "--", study)
        yield "Build only this method again", [_again(project, place, config), f"Then the table: {update}"]


def _what(project: Project, place: Place) -> Iterator[str]:
    row = place.row
    if row.note:
        why = row.note.removeprefix(SKIPPED)
        how = missing_input(why, [], project.catalog_name).how if why != row.note else ""
        yield f"{row.note}. {how}".rstrip()
    if place.runs:
        made = all(_history(project, run).is_file() for run in place.runs)
        does = "was trained" if made else "will be trained"
        yield f"The encoder `{row.encoder}` {does} in these runs: {', '.join(place.runs)}"
    elif row.runs:
        yield f"The encoder `{row.encoder}` is {'fine-tuned' if row.trained else 'not trained'}."


def _measured(project: Project, place: Place, config: Sequence[str]) -> Iterator[str]:
    """Yield the scores of a row and what it cost, as its table has them."""
    file = Path(project.results, "tables", f"{place.table}.parquet")
    if not file.is_file():
        yield f"{seen(file)} is not built yet."
        return
    cells = read_table(file, CELLS)
    cells = cells[(cells.group == place.row.group) & (cells.model == place.row.model)]
    if missing := {*place.row.runs} - {*cells.run}:
        yield (
            f"{seen(file)} has no scores of {', '.join(sorted(missing))}. Build it again, or give the "
            "--config of the run that built it, such as its seeds."
        )
        stale = findings(Path(project.results), project)
        yield from repeated(stale, project, config, "explain", "--", shlex.quote(place.row.label))
        return
    cells = cells[(cells.seed.isna() | (cells.run == "")) & cells.variant.isin(["", SECOND])]
    for cell in cells[cells.value.notna()].to_dict("records"):
        yield f"{cell['column']}: {in_words(cell)}"
    costs = cells[list(COSTS)].head(1).to_dict("records")
    known = [(name, value) for each in costs for name, value in each.items() if pd.notna(value) and value]
    for name, value in known:
        yield (
            f"{value:.3g} {OPERATIONS}" if name == "flops" else f"{cost_text(value)} {SPENT.get(name, name)}"
        )


def _baselines(project: Project, place: Place) -> list[int]:
    rows, spec = project.about(place.table).rows, cast(Any, project.tables[place.table][1])
    numbers = (baseline_rows(rows, each)[place.number] for each in spec.baseline or (None,))
    return [number for number in numbers if number is not None and number != place.number]


def _changes(project: Project, other: Place, place: Place) -> Iterator[str]:
    if not (other.runs and place.runs):  # only one of the two is trained
        return
    before, after = (_specs(project, each) for each in (other, place))
    for name, one, another in zip(("pairs", "recipe"), before, after, strict=True):
        alike = one.kind == another.kind  # else only what was set can be compared
        first, second = _set(one, alike), _set(another, alike)
        common = first.keys() | second.keys() if alike else first.keys() & second.keys()
        yield from differences(
            {key: first[key] for key in first if key in common},
            {key: second[key] for key in second if key in common},
            name,
        )


def _specs(project: Project, place: Place) -> tuple[Any, Any]:
    """Return the settings of the pairs and of the recipe of the first training of a row."""
    run = training_from(place.runs[0])
    return project.pairs(run.pairs), project.recipe(run.recipe)


def _set(spec: Any, every: bool, written: Collection[str] = ()) -> dict[str, object]:
    """Return settings by name: every one, or those that are written or differ from defaults of their kind."""
    whole, changed = spec.model_dump(mode="json"), spec.model_dump(mode="json", exclude_defaults=not every)
    shown = {key: changed.get(key, value) for key, value in whole.items() if key in {*changed, *written}}
    return {"kind": spec.kind} | shown


def _texts(project: Project, pairs: str) -> Iterator[str]:
    file = Path(project.results, "pairs", f"{pairs}.parquet")
    if not file.is_file():
        return
    table = read_table(file, PAIRS)
    counts = counts_of(table)
    said = {"copies": "with the same text twice", "duplicates": "that repeat an earlier pair"}
    parts = [f"{counts[name]:,} {words}" for name, words in said.items() if counts[name]]
    yield ", ".join([counted(counts["rows"], "pair"), *parts])
    for pair in drawn_from(table).head(SHOWN).itertuples():
        yield ""
        yield f"anchor    {shortened(pair.anchor)}"
        yield f"positive  {shortened(pair.positive)}"
        yield from (f"negative  {shortened(text)}" for text in pair.negatives)


def _logs(project: Project, place: Place) -> Iterator[str]:
    """Yield the logs of the trainings of a row and of what they are made from, and what each job took."""
    jobs = [f"<results>/pairs/{training_from(run).pairs}" for run in place.runs]
    timings = [str(timing_file(f"{job.replace('<results>', '<logs>')}.log")) for job in jobs]
    timings += [file for run in place.runs for file in expenses(project, run).jobs]
    logs = project.config.pathvars.get("logs", "logs")
    for file in (Path(each.replace("<logs>", logs)) for each in dict.fromkeys(timings)):
        log, timing = file.with_name(file.name.replace(".took.json", ".log")), read_timing(file)
        if log.is_file():
            took = [f"{timing[key]:.1f} {unit}" for key, unit in TIMES.items() if timing and timing[key]]
            yield f"{seen(log)}  {', '.join(took)}".rstrip()
    for run in place.runs:
        history = _history(project, run)
        if history.is_file():
            yield from (f"{run}: {note}" for note in skipped_and_cut(read_provenance(history)))


def _history(project: Project, run: str) -> Path:
    return Path(project.paths.history(run).replace("<results>", project.results))


def _again(project: Project, place: Place, config: Sequence[str]) -> str:
    """Return the command, with settings, that trains and scores a row, even if it is up to date."""
    every = inputs(project, place.table)["scores"]
    scores = [
        file for file in every for run in place.runs or place.row.runs if file.endswith(f"/{run}.parquet")
    ]
    trained = [project.paths.history(run) for run in place.runs]
    files = (each.replace("<results>", project.results) for each in (*(trained or scores), "--", *scores))
    return call("run", settings(config), "--forcerun", shlex.join(files))
