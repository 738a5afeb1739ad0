"""The rows of a table with the runs behind them, and the files of scores and sets that it reads."""

from collections.abc import Sequence

from contrapose.base.errors import ConfigError
from contrapose.base.tasks import Suite
from contrapose.report.about import SELECTED, About, Candidate, Source, TableRow
from contrapose.report.planned_notes import chat_models, row_note, trained_on
from contrapose.report.row_runs import averaged, missing, pooled_anew, released, role_of, searched, trainings
from contrapose.report.row_settings import DetectedPairs, DetectionSource, Row
from contrapose.retrieve.suites import has_dev_pairs, lacking_suite
from contrapose.settings.ids import Released
from contrapose.settings.plan import Plan


def encoder_rows(project: Plan, name: str) -> Sequence[Row]:
    """Return the rows of a table that are encoders, as its kind has them."""
    return project.shown(name).spec.encoder_rows(project, name)


def available_rows(project: Plan, name: str) -> list[Row]:
    """Return the rows of a table for whose group this catalog has an evaluation set."""
    return [row for row in encoder_rows(project, name) if not lacking_sets(project, name, row.group)]


def lacking_sets(project: Plan, name: str, group: str | None = None) -> str:
    """Return that this catalog lacks all sets of a table, or of a group of rows; empty if it has some."""
    suites = project.shown(name).spec.suites(project, name, group)
    reasons = [lacking_suite(project, suite) for suite in suites]
    return reasons[0] if reasons and all(reasons) else ""


def available_suites(project: Plan, name: str) -> list[Suite]:
    """Return the suites of evaluation sets of a table that this catalog has."""
    suites: list[Suite] = project.shown(name).spec.suites(project, name)
    return [suite for suite in suites if not lacking_suite(project, suite)]


def scored_sets(project: Plan, name: str) -> list[str]:
    """Return the files of the evaluation sets that a table is about, as far as this catalog has them."""
    return [project.paths.benchmarks(suite) for suite in available_suites(project, name)]


def score_files(project: Plan, about: About, what: str, which: str = "") -> list[str]:
    """Return the files of an evaluation of all runs of a table, in the order of `about.runs`."""
    return [project.paths.evaluated(what, run, which) for run in about.runs]


def training_notes(project: Plan, name: str) -> list[str]:
    """Return what the rows of a table are trained on, unless this catalog has none of its sets."""
    return [] if lacking_sets(project, name) else trained_on(project, encoder_rows(project, name))


def table_rows(project: Plan, name: str, fine_tuned: bool = False) -> list[TableRow]:
    """Return the rows of a table of encoders; a row with a grid is followed by what a search selects.

    With `fine_tuned`, pretrained encoders are fine-tuned, too, once per seed.
    Raises ConfigError if a setting is to be selected, and the table has no dev pairs.
    """
    planned = list[TableRow]()
    rows = encoder_rows(project, name)
    pooled_as_declared = any(row.encoder and row.pooling == "auto" for row in rows)
    for row in rows:
        if lacking := lacking_sets(project, name, row.group):
            left_out = {"trained": row.encoder is None, "note": f"skipped: {lacking}"}
            planned.append(TableRow(**_label(project, row), **left_out))
            continue
        made = _table_row(project, row, fine_tuned, pooled_as_declared)
        # A row whose encoder or corpus this catalog lacks has a grid without runs.
        candidates = [
            Candidate(setting=setting, runs=[run.id for run in runs])
            for setting, runs in searched(project, row).items()
            if runs
        ]
        selected = made.model_copy(update={"candidates": candidates, "runs": []})
        if candidates and not fine_tuned:
            _need_dev_pairs(project, name, row)
        if not candidates:
            planned.append(made)
        elif row.choices:
            planned.append(selected)
        else:
            label = {"model": f"{row.model}{SELECTED}", "selected_for": made.label}
            unprinted = {"published": None, "fair_for": None}
            planned += [made, selected.model_copy(update={**label, **unprinted})]
    return planned


def _need_dev_pairs(project: Plan, name: str, row: Row) -> None:
    """Refuse to train settings of which nothing could select one: it would be known after all trainings."""
    if not has_dev_pairs(project, project.shown(name).spec.suites(project, name, row.group)):
        key = "has choices" if row.choices else "has a grid, and search is true"
        raise ConfigError(
            f"the row '{row.model}' of table '{name}' {key}, but the catalog '{project.catalog_name}' has no "
            "dev pairs for this table, and these select one of its settings. Add a set with a dev split to "
            f"benchmarks, or remove {'the choices' if row.choices else 'search: true'}."
        )


def _table_row(project: Plan, row: Row, fine_tuned: bool, pooled_as_declared: bool) -> TableRow:
    """Return a row with its runs, or without any if this catalog lacks something for it."""
    role, pretrained = role_of(project, row), released(project, row)
    # One encoder for all seeds; to be fine-tuned, it is one for each.
    is_one = (row.encoder is not None or project.runs.is_soup(row.recipe)) and not fine_tuned
    if pretrained and fine_tuned:
        ids = [Released(str(row.encoder), f"seed{seed}").id for seed in project.seeds]
    else:
        ids = [pretrained] if pretrained else [run.id for run in trainings(project, row)]
    return TableRow(
        **_label(project, row),
        encoder=role or "",
        runs=ids[:1] if is_one else ids,
        trained=not is_one,
        averaged=averaged(project, row) if is_one else [],
        untrained=anew.id if pooled_as_declared and (anew := pooled_anew(project, row)) else "",
        note=row_note(project, row, role) if role else f"skipped: {missing(project, row)}",
    )


def _label(project: Plan, row: Row) -> dict:
    """Return the fields of a row that say what it is called, and who wrote its pairs."""
    names = {name: getattr(row, name) for name in ("group", "model", "published", "fair_for")}
    return {**names, "asked": chat_models(project, row.pairs)}


def detection_source(
    project: Plan, label: str, of: DetectedPairs | DetectionSource, before: str = "skipped: "
) -> Source:
    """Return judged texts as a source: their id, or `before` what this catalog lacks for them."""
    if lacking := project.lacking(of):
        return Source(label=label, id=None, note=f"{before}{lacking}")
    encoder = project.encoder(project.entry("identifiers", of.identifier).encoder)
    return Source(label=label, id=f"{project.pairs_id(of.pairs)}/{of.identifier}", note=encoder.note)
