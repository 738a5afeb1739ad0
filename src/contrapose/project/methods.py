"""The rows that comparisons have: `methods` of the config, those skipped, and encoders that are gone."""

import json
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from contrapose.base.errors import ConfigError
from contrapose.project.documents import Study
from contrapose.project.lookups import Lookups
from contrapose.report.about import row_label
from contrapose.report.row_runs import missing
from contrapose.report.row_settings import Row
from contrapose.report.skipped import missing_input
from contrapose.settings.config_folder import check_methods
from contrapose.settings.plan import Plan


def with_methods(studies: Mapping[str, Study], methods: Sequence[str]) -> dict[str, Study]:
    """Return studies whose comparisons have some of their trained rows alone, by label; all without any.

    A comparison is a table with `costs: true`.  Encoders without training stay, and so do the rows that
    others are compared with.  A learning curve loses the rows that its comparison loses.  Raises ConfigError
    for a label that no comparison has.
    """
    if not methods:
        return dict(studies)
    tables = [table for study in studies.values() for table in comparisons(study).values()]
    named = [(name, bool(row.recipe)) for table in tables for row in table.rows for name in labels(row)]
    check_methods(methods, named, studies)
    lost = {
        study.prefix + name: {label for row in _left_out(table, methods) for label in labels(row)}
        for study in studies.values()
        for name, table in comparisons(study).items()
    }
    return {name: _of_methods(study, methods, lost) for name, study in studies.items()}


def comparisons(study: Study) -> dict[str, Any]:
    """Return the tables of a study that say what their rows cost, by name."""
    return {name: table for name, table in study.tables.items() if is_comparison(table)}


def is_comparison(table: Any) -> bool:
    """Return whether a table says what its rows cost."""
    return getattr(table, "costs", False)


def nothing_to_compare(project: Plan, names: Iterable[str]) -> dict[str, str]:
    """Return {comparison of which every trained row is skipped: sentences that say so}, of some tables."""
    said = {}
    for name in sorted(project.tables.keys() & {*names}):
        table: Any = project.tables[name][1]
        trained = [row for row in table.rows if row.recipe] if is_comparison(table) else []
        reasons = [missing(project, row) for row in trained]
        if reasons and all(reasons):
            lacking = Counter(reasons).most_common(1)[0][0]
            data = project.config.data
            below = f" and looks for in the folder {data}" if data is not None else ""
            said[name] = (
                f"all trained methods are skipped, so nothing can be compared: {lacking}. Provide this "
                f"input, which config/catalogs/{project.catalog_name}.yaml names{below}."
            )
    return said


def lost_baselines(project: Plan, names: Iterable[str]) -> dict[str, str]:
    """Return {comparison of which a trained baseline is skipped and another method is not: a sentence}."""
    said = {}
    for name in sorted(project.tables.keys() & {*names}):
        table: Any = project.tables[name][1]
        trained = [row for row in table.rows if row.recipe] if is_comparison(table) else []
        reasons = [(labels(row), missing(project, row)) for row in trained]
        for baseline in [each.row for each in table.baseline] if trained else []:
            of_baseline = [reason for its_labels, reason in reasons if baseline in its_labels]
            if of_baseline and all(of_baseline) and not all(reason for _, reason in reasons):
                said[name] = (
                    f"the baseline '{baseline}' is skipped, because {of_baseline[0]}. So no method is "
                    "compared with it."
                )
    return said


def said_of_curves(project: Plan, names: Iterable[str]) -> dict[str, str]:
    """Return {learning curve: sentences that say that it shows none of the named `methods`}, of some tables.

    Empty if a comparison, which these methods are for, is among the tables.
    """
    tables: dict[str, Any] = {name: project.tables[name][1] for name in project.tables.keys() & {*names}}
    methods = project.config.methods
    if not methods or any(is_comparison(table) for table in tables.values()):
        return {}
    setting = shlex.quote(f"learning_curve_methods={json.dumps(methods, ensure_ascii=False)}")
    said = (
        "a learning curve takes its methods from learning_curve_methods, so --methods has no effect on it. "
        f"Write --config {setting}"
    )
    shown = {*project.config.learning_curve_methods}
    curves = sorted(name for name, table in tables.items() if table.kind == "learning_curve")
    return {name: said for name in curves if shown.union(tables[name].rows).isdisjoint(methods)}


def said_of_skipped(project: Lookups) -> str:
    """Return sentences on the named methods that are skipped; empty if none is.

    Raises ConfigError, with these sentences, if no named method is left.
    """
    tables = [table for study in project.studies.values() for table in comparisons(study).values()]
    reasons = dict[str, list[str]]()  # methods by what they lack
    for name in dict.fromkeys(project.config.methods):
        rows = [row for table in tables for row in table.rows if row.recipe and name in labels(row)]
        lacking = [missing(project, row) for row in rows]
        if all(lacking):
            reasons.setdefault(lacking[0], []).append(name)
    if not reasons:
        return ""
    sentences = [
        f"{', '.join(map(repr, names))} {'are' if names[1:] else 'is'} skipped, because {reason}. "
        f"{missing_input(reason, names, project.catalog_name).how}".rstrip()
        for reason, names in reasons.items()
    ]
    said = f"--methods: {' '.join(sentences)}"
    if sum(map(len, reasons.values())) == len({*project.config.methods}):
        raise ConfigError(f"{said} No named method is left to compare.")
    return said


def methods_of(table: Any) -> list[Row]:
    """Return the rows of a comparison that can be left out."""
    return [row for row in table.rows if row.recipe and not _is_baseline(table, row)]


def labels(row: Row) -> set[str]:
    """Return the names of a row: the label of the model, and with its group before it."""
    return {row.model, row_label(row.group, row.model)}


def _left_out(table: Any, methods: Sequence[str]) -> list[Row]:
    return [row for row in methods_of(table) if labels(row).isdisjoint(methods)]


def _is_baseline(table: Any, row: Row) -> bool:
    if not table.baseline:  # the first row of a group is one
        return row is next(each for each in table.rows if each.group == row.group)
    groups = [each.row for each in table.baseline if each.by == "encoder"]
    return row.group in groups or not labels(row).isdisjoint(each.row for each in table.baseline)


def _of_methods(study: Study, methods: Sequence[str], lost: Mapping[str, set[str]]) -> Study:
    tables: dict[str, Any] = dict(study.tables)
    for name, table in comparisons(study).items():
        left_out = _left_out(table, methods)
        tables[name] = table.model_copy(update={"rows": [row for row in table.rows if row not in left_out]})
    for name, table in tables.items():
        if table.kind == "learning_curve":
            rows = [label for label in table.rows if label not in lost.get(table.of, ())]
            tables[name] = table.model_copy(update={"rows": rows})
    return study.model_copy(update={"tables": tables})


def said_of_lost_encoders(project: Plan, results: Path) -> Iterator[tuple[str, str]]:
    """Yield the key of an encoder that has scores but whose folder is gone, and a warning.

    Snakemake keeps results whose inputs are gone, so a wrong path would look as if all were up to date.
    """
    scored = {path.name for path in (results / "evaluate").glob("*/released/*")}
    for role in sorted(scored & project.catalog.encoders.keys()):
        try:
            _ = project.encoder(role).files
        except ConfigError as error:
            key, _, said = str(error).partition(": ")
            yield key, f"{said} Finished results of this encoder are kept, and no new ones can be made."
