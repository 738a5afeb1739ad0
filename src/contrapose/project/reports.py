"""Rows of tables with the runs behind them, and what a table or figure knows about itself."""

from collections.abc import Sequence
from typing import Any

from contrapose.base.errors import ConfigError
from contrapose.base.tasks import TASKS, Suite
from contrapose.jobs.step import InputFiles
from contrapose.project.lookups import Lookups
from contrapose.project.registries import reached
from contrapose.project.runs import RELEASED
from contrapose.report.about import SELECTED, About, Candidate, Source, TableRow
from contrapose.report.row_settings import DetectedPairs, DetectionSource, Row
from contrapose.retrieve.suites import lacking_suite
from contrapose.settings.ids import named
from contrapose.settings.refs import resolved


class Reports:
    """Rows of tables with the runs behind them, and what a table or figure knows about itself."""

    def __init__(self, project: Lookups) -> None:
        self.project = project
        self._known: dict[str, About] = {}

    def about(self, name: str, notes: list[str] | None = None) -> dict[str, Any]:
        """Return what every table and figure knows about itself, with what its paper leaves open."""
        project = self.project
        study = project.studies[self.settings(name)[0]]
        in_study = name.removeprefix(study.prefix)
        return {
            "name": name,
            "source": study.source,
            "catalog": project.catalog_name,
            "catalog_description": project.catalog.description,
            "generated": project.catalog.mini is not None,
            "notes": notes or [],
            "deviations": [each for each in study.deviations if not each.tables or in_study in each.tables],
            "seeds": project.seeds,
            "bootstrap": project.config.bootstrap,
        }

    def settings(self, name: str) -> tuple[str, Any]:
        known = {**self.project.tables, **self.project.figures}
        return named(known, name, "tables and figures of the studies")

    def inputs(self, name: str) -> dict[str, InputFiles]:
        """Return the input files of a table or figure: those of its kind, logs, and the paper's table."""
        spec = self.settings(name)[1]
        logs = {"histories": self.histories(name)} if spec.reads_logs else {}
        papers = {"published": self.published(name)} if name in self.project.tables else {}
        return {**spec.inputs(self.project, name), **logs, **papers}

    def known(self, what: str, name: str) -> list[str]:
        """Return no file if `tables` or `figures` have the name, else raise a ConfigError listing them."""
        named(getattr(self.project, what), name, f"{what} of the studies")
        return []

    def of_kind(self, name: str, kind: str) -> Any:
        """Return the settings of a table or figure; raise a ConfigError if it is of another kind."""
        spec = self.settings(name)[1]
        if spec.kind != kind:
            raise ConfigError(f"{name}: is of kind {spec.kind}. Name one of kind {kind}.")
        return spec

    def job(self, name: str) -> dict[str, object]:
        """Return the settings of the job of a table or figure: those of its kind, and `About` it."""
        spec = resolved(self.settings(name)[1], self.project)
        searched = self.project.config.search or not spec.encoder_rows(self.project, name)
        unused = None if searched else {"rows": {"__all__": {"grid"}}}  # values that only a search tries
        about = self.about_of(name).model_dump(mode="json")
        return {"spec": spec.model_dump(mode="json", exclude=unused), "about": about}

    def about_of(self, name: str) -> About:
        if name not in self._known:
            self._known[name] = self.settings(name)[1].about(self.project, name)
        return self._known[name]

    def row_notes(self, name: str) -> list[str]:
        """Return what the rows of a table are trained on, unless this catalog has none of its sets."""
        return [] if self.lacking_sets(name) else self.project.notes.trained_on(self.encoder_rows(name))

    def encoder_rows(self, name: str) -> Sequence[Row]:
        return self.project.tables[name][1].encoder_rows(self.project, name)

    def lacking_sets(self, name: str, group: str | None = None) -> str:
        """Return that this catalog lacks all sets of a table, or of a group of rows; empty if it has some."""
        suites = self.project.tables[name][1].suites(self.project, name, group)
        reasons = [lacking_suite(self.project, suite) for suite in suites]
        return reasons[0] if reasons and all(reasons) else ""

    def available_suites(self, name: str) -> list[Suite]:
        """Return the suites of evaluation sets of a table that this catalog has."""
        suites: list[Suite] = self.project.tables[name][1].suites(self.project, name)
        return [suite for suite in suites if not lacking_suite(self.project, suite)]

    def scored_sets(self, name: str) -> list[str]:
        """Return the files of the evaluation sets that a table is about, as far as this catalog has them."""
        return [self.project.paths.benchmarks(suite) for suite in self.available_suites(name)]

    def table_rows(self, name: str, fine_tuned: bool = False) -> list[TableRow]:
        """Return the rows of a table of encoders; a row with a grid is followed by what a search selects.

        With `fine_tuned`, pretrained encoders are fine-tuned, too, once per seed.
        """
        rows, encoder_rows = [], self.encoder_rows(name)
        pooled_as_declared = any(row.encoder and row.pooling == "auto" for row in encoder_rows)
        for row in encoder_rows:
            label = {name: getattr(row, name) for name in ("group", "model", "published", "fair_for")}
            label["asked"] = self.project.notes.asked(row.pairs)
            if lacking := self.lacking_sets(name, row.group):
                rows.append(TableRow(**label, trained=row.encoder is None, note=f"left out: {lacking}"))
                continue
            runs = self.project.runs
            role, pretrained = runs.role_of(row), runs.released(row)
            ids = self._run_ids(row, pretrained, fine_tuned)
            # One encoder for all seeds; to be fine-tuned, it is one for each.
            is_one = (row.encoder is not None or runs.is_soup(row.recipe)) and not fine_tuned
            made = TableRow(
                **label,
                encoder=role or "",
                runs=ids[:1] if is_one else ids,
                trained=not is_one,
                averaged=runs.of_soup(row) if is_one else [],
                untrained=runs.pooled_anew(row) if pooled_as_declared else "",
                note=self.project.notes.row_note(row, role) if role else f"left out: {runs.missing(row)}",
            )
            # A row whose encoder or corpus this catalog lacks has a grid without runs.
            candidates = [
                Candidate(setting=setting, runs=[run.id for run in of_setting])
                for setting, of_setting in runs.searched(row).items()
                if of_setting
            ]
            if row.choices and candidates:
                rows.append(made.model_copy(update={"candidates": candidates, "runs": []}))
                continue
            rows.append(made)
            if candidates:
                selected = {"model": f"{row.model}{SELECTED}", "candidates": candidates}
                selected["selected_for"] = made.label
                rows.append(
                    made.model_copy(update={**selected, "runs": [], "published": None, "fair_for": None})
                )
        return rows

    def _run_ids(self, row: Row, pretrained: str | None, fine_tuned: bool) -> list[str]:
        """Return the ids of the runs scored for a row: one per seed if it is trained or fine-tuned."""
        if pretrained and fine_tuned:
            return [f"{RELEASED}/{row.encoder}/seed{seed}" for seed in self.project.seeds]
        return [pretrained] if pretrained else [run.id for run in self.project.runs.of(row)]

    def scores(self, name: str, what: str, which: str = "") -> list[str]:
        return [self.project.paths.evaluated(what, run, which) for run in self.about_of(name).runs]

    def histories(self, name: str) -> list[str]:
        runs = self.about_of(name).runs
        return [self.project.paths.history(run) for run in runs if not run.startswith(f"{RELEASED}/")]

    def trained_runs(self, name: str) -> list[str]:
        """Return the ids of the trainings behind a table that run in steps with dev scores."""
        rows = [row for row in self.encoder_rows(name) if not self.lacking_sets(name, row.group)]
        candidates = [
            run
            for row in rows
            if row.choices
            for of in self.project.runs.searched(row).values()
            for run in of
        ]
        runs = [*(run for row in rows for run in self.project.runs.of(row)), *candidates]
        stepped = (run for run in runs if self.project.recipe(run.recipe).stepped)
        return list(dict.fromkeys(run.id for run in stepped))

    def trained(self, name: str) -> dict[str, InputFiles]:
        """Return the files of the sentences, triples and dev pairs that the trainings of a table read."""
        paths, (corpora, triples, dev) = self.project.paths, self.trained_on(name)
        return {
            "sentences": [paths.corpus(each) for each in corpora],
            "triples": [paths.triples(each) for each in triples],
            "dev": [paths.dev(each) for each in dev],
        }

    def trained_on(self, name: str) -> tuple[list[str], list[str], list[str]]:
        """Name the corpora, files of triples and tasks of dev pairs that the trainings of a table read.

        Of a divided corpus only the part counts, not the whole.
        """
        rows = [row for row in self.encoder_rows(name) if not self.lacking_sets(name, row.group)]
        runs = [run for row in rows for run in self.project.runs.every(row)]
        corpora, triples = dict[str, None](), dict[str, None]()
        for pairs in dict.fromkeys(run.pairs for run in runs):
            used = list(reached(self.project, self.project.pairs(pairs)))
            triples |= {each: None for registry, each in used if registry == "triple_files"}
            names = [each for registry, each in used if registry == "corpora"]
            for spec in [self.project.corpus(each) for each in names]:
                if spec.kind == "divided":
                    names.remove(spec.corpus)
            corpora |= dict.fromkeys(names)
        recipes = [self.project.recipe(name) for name in dict.fromkeys(run.recipe for run in runs)]
        of_trainings = [*recipes, *(recipe.trained(self.project) for recipe in recipes)]
        dev = dict.fromkeys(str(recipe.dev) for recipe in of_trainings if recipe.dev in TASKS)
        return list(corpora), list(triples), list(dev)

    def published(self, name: str) -> list[str]:
        study, settings = self.project.tables[name]
        return [self.project.files.published(study, settings.published)] if settings.published else []

    def every_trained_run(self) -> list[str]:
        """Return the ids of all runs behind the rows of the tables, each once."""
        ids = (
            run.id
            for name, (_, spec) in self.project.tables.items()
            for row in spec.encoder_rows(self.project, name)
            for run in self.project.runs.of(row)
        )
        return list(dict.fromkeys(ids))

    def shown_table(self, name: str, of: str) -> str:
        study = self.project.studies[self.settings(name)[0]]
        return self.project.paths.table(study.prefix + of)

    def detection_source(
        self, label: str, of: DetectedPairs | DetectionSource, before: str = "left out: "
    ) -> Source:
        """Return judged texts as a source: their id, or `before` what this catalog lacks for them."""
        if missing := self.project.lacking(of):
            return Source(label=label, id=None, note=f"{before}{missing}")
        encoder = self.project.encoder(self.project.entry("identifiers", of.identifier).encoder)
        return Source(label=label, id=f"{self.project.pairs_id(of.pairs)}/{of.identifier}", note=encoder.note)
